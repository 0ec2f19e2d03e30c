#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "corio/core/error.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// Operations of a tape. From `less` to `opposite` they give conditions.
enum class Operation : std::uint8_t {
  constant,
  input,
  plus,
  minus,
  times,
  over,
  negative,
  root,
  absolute,
  sine,
  cosine,
  tangent,
  arc_tangent,
  arc_tangent2,
  hyperbolic_tangent,
  exponential,
  logarithm,
  floor,
  round,
  less,
  less_equal,
  equal,
  both,
  either,
  opposite,
  choice,
};
inline bool is_condition(Operation o) { return o >= Operation::less && o <= Operation::opposite; }
inline bool is_leaf(Operation o) { return o <= Operation::input; }
inline int num_operands(Operation o) {
  using enum Operation;
  if (is_leaf(o)) return 0;
  if (o == choice) return 3;
  const bool two = (o >= plus && o <= over) || o == arc_tangent2 || (o >= less && o <= either);
  return two ? 2 : 1;
}

/// The value of an operation; of a condition 1 or 0.
inline double evaluate(Operation o, double a, double b, double c) {
  using enum Operation;
  switch (o) {
    case plus: return a + b;
    case minus: return a - b;
    case times: return a * b;
    case over: return a / b;
    case negative: return -a;
    case root: return std::sqrt(a);
    case absolute: return std::abs(a);
    case sine: return std::sin(a);
    case cosine: return std::cos(a);
    case tangent: return std::tan(a);
    case arc_tangent: return std::atan(a);
    case arc_tangent2: return std::atan2(a, b);
    case hyperbolic_tangent: return std::tanh(a);
    case exponential: return std::exp(a);
    case logarithm: return std::log(a);
    case floor: return std::floor(a);
    case round: return std::round(a);
    case less: return a < b;
    case less_equal: return a <= b;
    case equal: return a == b;
    case both: return a != 0 && b != 0;
    case either: return a != 0 || b != 0;
    case opposite: return a == 0;
    default: return a != 0 ? b : c;
  }
}

/// What a calculation consists of, in the order in which it was done. No operation is recorded twice, so that equal
/// terms are one entry. A tape belongs to one recording and is known to its numbers alone: threads may record at once.
class Tape {
 public:
  /// An operation and what is known of its result.
  struct Entry {
    Operation operation;
    int operand[3];  // entries before it; of an input its number
    double value;    // of a constant, and of any other at the nominal inputs
    /// Of all that it is computed of: an order of entries that compilers, which record the arguments of a call in
    /// orders of their own, do not change.
    std::uint64_t hash;
  };

  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  const Entry& operator[](int i) const { return entries_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(entries_.size()); }
  int num_inputs() const { return num_inputs_; }
  /// Whether all inputs were given nominal values, at which decisions may be taken that cannot be recorded.
  bool is_nominal() const { return is_nominal_; }

  int constant(double x) { return find({Operation::constant, {0, 0, 0}, x, mix(1, std::bit_cast<std::uint64_t>(x))}); }
  int input(double nominal) {
    const int i = num_inputs_++;
    return find({Operation::input, {i, 0, 0}, nominal, mix(2, static_cast<std::uint64_t>(i))});
  }
  int input() {
    is_nominal_ = false;
    return input(0.0);
  }
  int record(Operation o, int a, int b = -1, int c = -1) {
    const auto value = [this](int i) { return i < 0 ? 0.0 : (*this)[i].value; };
    auto hash = mix(3, static_cast<std::uint64_t>(o));
    for (const int i : {a, b, c})
      if (i >= 0) hash = mix(hash, (*this)[i].hash);
    return find({o, {a, b, c}, evaluate(o, value(a), value(b), value(c)), hash});
  }

 private:
  int find(const Entry& e) {
    const auto [place, is_new] = places_.try_emplace(key(e), size());
    if (is_new) entries_.push_back(e);
    return place->second;
  }
  struct Key {
    std::uint64_t head, tail;
    bool operator==(const Key&) const = default;
  };
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t x = (a ^ (b * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 31);
  }
  struct Hash {
    std::size_t operator()(const Key& k) const { return static_cast<std::size_t>(mix(k.head, k.tail)); }
  };
  static Key key(const Entry& e) {
    const auto word = [](int i) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(i)); };
    const auto o = static_cast<std::uint64_t>(e.operation);
    if (e.operation == Operation::constant) return {o, std::bit_cast<std::uint64_t>(e.value)};
    return {o | word(e.operand[0]) << 8, word(e.operand[1]) << 32 | word(e.operand[2])};
  }

  std::vector<Entry> entries_;
  std::unordered_map<Key, int, Hash> places_;
  int num_inputs_ = 0;
  bool is_nominal_ = true;
};

}  // namespace corio::codegen
