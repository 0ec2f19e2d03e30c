#pragma once

#include <iterator>
#include <unordered_map>
#include <vector>

#include "corio/codegen/residue.hpp"
#include "corio/core/error.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// Operations of a tape. Those from `less` to `opposite` give conditions.
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
  finite,
  both,
  either,
  opposite,
  choice,
};
inline bool is_condition(Operation o) { return o >= Operation::less && o <= Operation::opposite; }
inline bool is_leaf(Operation o) { return o <= Operation::input; }
/// How many operands an operation has, and what it is in C: an operator, or a function of <math.h>.
struct Syntax {
  int operands;
  const char* text;
};
/// In the order of Operation.
inline constexpr Syntax syntax[] = {
    {0, ""},      {0, ""},    {2, "+"},   {2, "-"},    {2, "*"},     {2, "/"},    {1, "-"},   {1, "sqrt"}, {1, "fabs"},
    {1, "sin"},   {1, "cos"}, {1, "tan"}, {1, "atan"}, {2, "atan2"}, {1, "tanh"}, {1, "exp"}, {1, "log"},  {1, "floor"},
    {1, "round"}, {2, "<"},   {2, "<="},  {2, "=="},   {1, ""},      {2, "&"},    {2, "|"},   {1, "!"},    {3, "?"},
};
static_assert(std::size(syntax) == static_cast<std::size_t>(Operation::choice) + 1);
inline const Syntax& syntax_of(Operation o) { return syntax[static_cast<std::size_t>(o)]; }
inline int num_operands(Operation o) { return syntax_of(o).operands; }
inline bool is_function(Operation o) { return syntax_of(o).text[0] >= 'a' && syntax_of(o).text[0] <= 'z'; }

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
    case finite: return std::isfinite(a);
    case both: return a != 0 && b != 0;
    case either: return a != 0 || b != 0;
    case opposite: return a == 0;
    default: return a != 0 ? b : c;
  }
}

/// The residue of a result: exact for rational functions. Sine and cosine are a point of the circle, random for each
/// angle; any other function is a random number for each argument.
inline Residue residue(Operation o, Residue a, Residue b, Residue c) {
  using enum Operation;
  const auto one = Residue::of(1), t = Residue::random(2, a.bits()), square = t * t;
  switch (o) {
    case plus: return a + b;
    case minus: return a - b;
    case negative: return -a;
    case times: return a * b;
    case sine: return (t + t) / (one + square);
    case cosine: return (one - square) / (one + square);
    case over:
      if (!b.is_zero()) return a / b;
      [[fallthrough]];
    default:
      auto r = Residue::random(3, static_cast<std::uint64_t>(o));
      for (const Residue x : {a, b, c}) r = Residue::random(r.bits(), x.bits());
      return r;
  }
}

/// The operations of one recording, in order. Algebraically equal terms, such as (a + b) + c and c + (b + a), share an
/// entry; the opposite of a term is its negative, and a term that is always zero the constant 0. Only the numbers of
/// its recording refer to a tape, so that several threads may record at once.
class Tape {
 public:
  /// An operation and its result.
  struct Entry {
    Operation operation;
    int operand[3];  // entries before it; of an input its number
    double value;    // of a constant, and of any other at the nominal inputs
    Residue residue;
  };

  Tape() { constant(0), constant(1); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  const Entry& operator[](int i) const { return entries_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(entries_.size()); }
  int num_inputs() const { return num_inputs_; }
  /// Whether all inputs have nominal values, which then decide what cannot be recorded.
  bool is_nominal() const { return is_nominal_; }

  int constant(double x) { return find({Operation::constant, {0, 0, 0}, x, Residue::of(x)}); }
  int input(double nominal) {
    const int i = num_inputs_++;
    return find({Operation::input, {i, 0, 0}, nominal, Residue::random(4, static_cast<std::uint64_t>(i))});
  }
  int input() {
    is_nominal_ = false;
    return input(0.0);
  }
  int record(Operation o, int a, int b = -1, int c = -1) {
    const auto value = [this](int i) { return i < 0 ? 0.0 : (*this)[i].value; };
    const auto residue_of = [this](int i) { return i < 0 ? Residue() : (*this)[i].residue; };
    const Residue r = residue(o, residue_of(a), residue_of(b), residue_of(c));
    const auto opposite = places_.find((-r).bits());
    if (o != Operation::negative && opposite != places_.end() && !places_.contains(r.bits())) {
      const Entry& e = (*this)[opposite->second];
      return e.operation == Operation::constant ? constant(-e.value) : record(Operation::negative, opposite->second);
    }
    return find({o, {a, b, c}, evaluate(o, value(a), value(b), value(c)), r});
  }

 private:
  /// The entry with this residue. A constant takes the place of another one.
  int find(const Entry& e) {
    const auto [place, is_new] = places_.try_emplace(e.residue.bits(), size());
    if (is_new || (e.operation == Operation::constant && (*this)[place->second].operation != Operation::constant)) {
      place->second = size();
      entries_.push_back(e);
    }
    return place->second;
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, int> places_;
  int num_inputs_ = 0;
  bool is_nominal_ = true;
};

}  // namespace corio::codegen
