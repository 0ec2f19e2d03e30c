#pragma once

#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "corio/codegen/residue.hpp"
#include "corio/core/error.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// A kind of operation on a tape. Kinds are compared by address.
struct Operation {
  int operands;
  const char* text;  // in C, of operands $A, $B and $C; functions of <math.h> over float end with $F
  double (*value)(double a, double b, double c);
  bool is_condition = false;  // with the value 1 or 0
  bool is_function() const { return text[0] >= 'a' && text[0] <= 'z'; }
};
namespace operation {
inline constexpr Operation constant{0, "", nullptr};
inline constexpr Operation input{0, "", nullptr};
inline constexpr Operation plus{2, "$A + $B", [](double a, double b, double) { return a + b; }};
inline constexpr Operation minus{2, "$A - $B", [](double a, double b, double) { return a - b; }};
inline constexpr Operation times{2, "$A * $B", [](double a, double b, double) { return a * b; }};
inline constexpr Operation over{2, "$A / $B", [](double a, double b, double) { return a / b; }};
inline constexpr Operation negative{1, "-$A", [](double a, double, double) { return -a; }};
inline constexpr Operation root{1, "sqrt$F($A)", [](double a, double, double) { return std::sqrt(a); }};
inline constexpr Operation absolute{1, "fabs$F($A)", [](double a, double, double) { return std::abs(a); }};
inline constexpr Operation sine{1, "sin$F($A)", [](double a, double, double) { return std::sin(a); }};
inline constexpr Operation cosine{1, "cos$F($A)", [](double a, double, double) { return std::cos(a); }};
inline constexpr Operation tangent{1, "tan$F($A)", [](double a, double, double) { return std::tan(a); }};
inline constexpr Operation arc_sine{1, "asin$F($A)", [](double a, double, double) { return std::asin(a); }};
inline constexpr Operation arc_cosine{1, "acos$F($A)", [](double a, double, double) { return std::acos(a); }};
inline constexpr Operation arc_tangent{1, "atan$F($A)", [](double a, double, double) { return std::atan(a); }};
inline constexpr Operation arc_tangent2{2, "atan2$F($A, $B)",
                                        [](double a, double b, double) { return std::atan2(a, b); }};
inline constexpr Operation hyperbolic_sine{1, "sinh$F($A)", [](double a, double, double) { return std::sinh(a); }};
inline constexpr Operation hyperbolic_cosine{1, "cosh$F($A)", [](double a, double, double) { return std::cosh(a); }};
inline constexpr Operation hyperbolic_tangent{1, "tanh$F($A)", [](double a, double, double) { return std::tanh(a); }};
inline constexpr Operation exponential{1, "exp$F($A)", [](double a, double, double) { return std::exp(a); }};
inline constexpr Operation exponential_minus_1{1, "expm1$F($A)",
                                               [](double a, double, double) { return std::expm1(a); }};
inline constexpr Operation logarithm{1, "log$F($A)", [](double a, double, double) { return std::log(a); }};
inline constexpr Operation logarithm_of_1_plus{1, "log1p$F($A)",
                                               [](double a, double, double) { return std::log1p(a); }};
inline constexpr Operation cube_root{1, "cbrt$F($A)", [](double a, double, double) { return std::cbrt(a); }};
inline constexpr Operation power{2, "pow$F($A, $B)", [](double a, double b, double) { return std::pow(a, b); }};
inline constexpr Operation floor{1, "floor$F($A)", [](double a, double, double) { return std::floor(a); }};
inline constexpr Operation ceiling{1, "ceil$F($A)", [](double a, double, double) { return std::ceil(a); }};
inline constexpr Operation round{1, "round$F($A)", [](double a, double, double) { return std::round(a); }};
inline constexpr Operation remainder{2, "fmod$F($A, $B)", [](double a, double b, double) { return std::fmod(a, b); }};
inline constexpr Operation less{2, "$A < $B", [](double a, double b, double) -> double { return a < b; }, true};
inline constexpr Operation less_equal{2, "$A <= $B", [](double a, double b, double) -> double { return a <= b; }, true};
inline constexpr Operation equal{2, "$A == $B", [](double a, double b, double) -> double { return a == b; }, true};
inline constexpr Operation finite{1, "$A - $A == 0",
                                  [](double a, double, double) -> double { return std::isfinite(a); }, true};
inline constexpr Operation both{2, "$A & $B", [](double a, double b, double) { return a * b; }, true};
inline constexpr Operation either{2, "$A | $B", [](double a, double b, double) { return (std::max)(a, b); }, true};
inline constexpr Operation opposite{1, "$A == 0", [](double a, double, double) { return 1 - a; }, true};
inline constexpr Operation choice{3, "$A ? $B : $C", [](double a, double b, double c) { return a != 0 ? b : c; }};
}  // namespace operation

/// The residue of a result: exact for rational functions. Sine and cosine are a point of the circle, random for each
/// angle; any other function is a random number for each argument.
inline Residue residue(const Operation& o, Residue a, Residue b, Residue c) {
  const auto one = Residue::of(1), t = Residue::random(2, a.bits()), square = t * t;
  if (&o == &operation::plus) return a + b;
  if (&o == &operation::minus) return a - b;
  if (&o == &operation::negative) return -a;
  if (&o == &operation::times) return a * b;
  if (&o == &operation::over && !b.is_zero()) return a / b;
  if (&o == &operation::sine) return (t + t) / (one + square);
  if (&o == &operation::cosine) return (one - square) / (one + square);
  auto r = Residue::random(3, 0);
  for (const char* letter = o.text; *letter; ++letter) r = Residue::random(r.bits(), std::uint64_t(*letter));
  for (const Residue x : {a, b, c}) r = Residue::random(r.bits(), x.bits());
  return r;
}

/// The operations of one recording, in order. Algebraically equal terms, such as (a + b) + c and c + (b + a), share an
/// entry; the opposite of a term is its negative, and a term that is always zero the constant 0. Only the numbers of
/// its recording refer to a tape, so that several threads may record at once.
class Tape {
 public:
  /// An operation and its result.
  struct Entry {
    const Operation* operation;
    int operand[3];  // entries before it; of an input its number
    double value;    // of a constant, and of any other at the nominal inputs
    Residue residue;
    bool is_nominal;  // whether the inputs it is computed of have nominal values
    bool is(const Operation& o) const { return operation == &o; }
    bool is_leaf() const { return operation->operands == 0; }
  };

  Tape() { constant(0), constant(1); }
  ~Tape() { *place_ = nullptr; }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  const Entry& operator[](int i) const { return entries_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(entries_.size()); }
  /// Where its numbers find it, null when it is gone. No other tape has this place, ever: it takes eight bytes.
  Tape* const* place() const { return place_; }

  int constant(double x) {
    Residue r = Residue::of(x);
    for (auto other = places_.find(r.bits()); other != places_.end(); other = places_.find(r.bits())) {
      const Entry& e = (*this)[other->second];
      if (!e.is(operation::constant) || e.value == x || std::isnan(x)) break;
      r = Residue::random(5, r.bits());  // equal modulo the prime only
    }
    return find({&operation::constant, {0, 0, 0}, x, r, true});
  }
  /// @param nominal  NaN if it has none
  int input(double nominal) {
    const int i = num_inputs_++;
    const auto r = Residue::random(4, static_cast<std::uint64_t>(i));
    return find({&operation::input, {i, 0, 0}, nominal, r, !std::isnan(nominal)});
  }
  /// Operands that the operation does not have are 0.
  int record(const Operation& o, int a, int b, int c) {
    if (&o == &operation::choice && b == c) return b;
    const Entry &x = (*this)[a], &y = (*this)[b], &z = (*this)[c];
    const Residue r = residue(o, x.residue, y.residue, z.residue);
    const auto opposite = places_.find((-r).bits());
    if (&o != &operation::negative && opposite != places_.end() && !places_.contains(r.bits())) {
      const Entry& e = (*this)[opposite->second];
      return e.is(operation::constant) ? constant(-e.value) : record(operation::negative, opposite->second, 0, 0);
    }
    const bool is_nominal = x.is_nominal && y.is_nominal && z.is_nominal;
    return find({&o, {a, b, c}, o.value(x.value, y.value, z.value), r, is_nominal});
  }

 private:
  /// The entry with this residue. A constant takes the place of another one.
  int find(const Entry& e) {
    const auto [place, is_new] = places_.try_emplace(e.residue.bits(), size());
    if (is_new || (e.is(operation::constant) && !(*this)[place->second].is(operation::constant))) {
      place->second = size();
      entries_.push_back(e);
    }
    return place->second;
  }

  static Tape** new_place(Tape* tape) {
    static std::mutex mutex;
    static auto& all = *new std::deque<Tape*>;  // outlives recordings in static variables
    const std::lock_guard lock(mutex);
    return &all.emplace_back(tape);
  }

  Tape** const place_ = new_place(this);
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, int> places_;
  int num_inputs_ = 0;
};

}}}  // namespace corio::codegen
