#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <ostream>

#include "corio/codegen/tape.hpp"
#include "corio/core/detail/inline.hpp"
#include "corio/core/scalar.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

class Condition;

/// A number that records on the tape of a Recording how it is computed. Constants have no tape and are folded; 0 x is
/// 0, and x / x is 1. Comparisons give a Condition, so that both branches of a calculation are recorded.
class Recorded {
 public:
  Recorded(double x = 0) : value_(x) {}  // NOLINT(google-explicit-constructor)
  Recorded(Tape& tape, int at) : value_(tape[at].value) {
    if (!tape[at].is(operation::constant)) tape_ = tape.place(), at_ = at;
  }

  bool is_constant() const { return !tape_; }
  /// Returns the tape of a number that is not constant.
  /// @throws Error if its recording is gone
  Tape& tape() const {
    if (!*tape_) throw Error("recording: a number is used whose recording is gone, such as a result kept by a Data");
    return **tape_;
  }
  /// Returns the number's entry on a tape, to which a constant is added.
  /// @throws Error for a number of another recording
  int entry(Tape& tape) const {
    if (tape_ && &this->tape() != &tape)
      throw Error("recording: numbers of two recordings meet; compute again what a Data keeps of another one");
    return tape_ ? at_ : tape.constant(value_);
  }
  /// Returns the value of a constant.
  /// @throws Error for any other number, also if the inputs have nominal values
  explicit operator double() const {
    if (tape_)
      throw Error(
          "recording: what is called branches on a number that is not known before (if, ?:, std::max, Eigen's "
          "normalized, a conversion to double): select and choose record both branches, as do min, max and clamp of "
          "recorded numbers, and x / x.norm() needs none");
    return value_;
  }
  /// Returns the value at the nominal inputs. There the library chooses the pivots of loops and checks the parameters
  /// of robots, and Eigen chooses the pivots of PartialPivLU.
  /// @throws Error if the number depends on inputs without nominal values
  double nominal() const {
    if (tape_ && !tape()[at_].is_nominal)
      throw Error(
          "recording: what is called decides by the value of a number that is not known before, such as the choice "
          "of a pivot; give nominal values to all inputs (Recording::input) to record what holds there");
    return value_;
  }
  /// Returns the result of an operation: a constant if its operands are constants.
  /// @throws Error for operands of two recordings
  CORIO_NOINLINE static Recorded of(const Operation& o, const Recorded& a, const Recorded& b = {},
                                    const Recorded& c = {}) {
    const Recorded* const all[] = {&a, &b, &c};
    const auto variable = std::ranges::find_if(all, [](const Recorded* x) { return !x->is_constant(); });
    if (variable == std::end(all)) return o.value(a.value_, b.value_, c.value_);
    Tape& tape = (*variable)->tape();
    int at[3] = {};
    for (int i = 0; i < o.operands; ++i) at[i] = all[i]->entry(tape);
    return {tape, tape.record(o, at[0], at[1], at[2])};
  }

  // Signs are taken out of sums and products. Not inlined: flattened kernels would repeat this code in each operation.
  CORIO_NOINLINE friend Recorded operator+(const Recorded& a, const Recorded& b) {
    if (b.is(operation::negative)) return a - b.operand(0);
    if (a.is(operation::negative)) return b - a.operand(0);
    return of(operation::plus, a, b);
  }
  CORIO_NOINLINE friend Recorded operator-(const Recorded& a, const Recorded& b) {
    if (b.is(operation::negative)) return a + b.operand(0);
    return of(operation::minus, a, b);
  }
  CORIO_NOINLINE friend Recorded operator*(const Recorded& a, const Recorded& b) {
    if (a.is(operation::negative)) return -(a.operand(0) * b);
    if (b.is(operation::negative)) return -(a * b.operand(0));
    return of(operation::times, a, b);
  }
  CORIO_NOINLINE friend Recorded operator/(const Recorded& a, const Recorded& b) {
    int exponent;
    if (b.is_constant() && std::abs(std::frexp(b.value_, &exponent)) == 0.5 && std::isnormal(1 / b.value_))
      return a * Recorded(1 / b.value_);  // exact
    if (a.is(operation::negative)) return -(a.operand(0) / b);
    return of(operation::over, a, b);
  }
  CORIO_NOINLINE friend Recorded operator-(const Recorded& a) {
    if (a.is(operation::minus)) return a.operand(1) - a.operand(0);
    return of(operation::negative, a);
  }
  friend Recorded operator+(const Recorded& a) { return a; }
  Recorded& operator+=(const Recorded& b) { return *this = *this + b; }
  Recorded& operator-=(const Recorded& b) { return *this = *this - b; }
  Recorded& operator*=(const Recorded& b) { return *this = *this * b; }
  Recorded& operator/=(const Recorded& b) { return *this = *this / b; }

#define CORIO_RECORDED_FUNCTION(f, derivative) \
  friend Recorded f(const Recorded& a) { return of(operation::f, a); }
  CORIO_RECORDED_FUNCTIONS(CORIO_RECORDED_FUNCTION)
#undef CORIO_RECORDED_FUNCTION
  friend Recorded abs(const Recorded& a) { return of(operation::fabs, a); }
  friend Recorded atan2(const Recorded& a, const Recorded& b) { return of(operation::atan2, a, b); }
  friend Recorded fmod(const Recorded& a, const Recorded& b) { return of(operation::fmod, a, b); }
  friend Recorded hypot(const Recorded& a, const Recorded& b) { return of(operation::hypot, a, b); }
  /// A whole power up to 1024 is a product, which also holds for a <= 0.
  CORIO_NOINLINE friend Recorded pow(const Recorded& a, const Recorded& b) {
    if (!b.is_constant() || b.value_ != std::floor(b.value_) || std::abs(b.value_) > 1024)
      return of(operation::pow, a, b);
    Recorded product(1), square = a;
    for (auto k = static_cast<int>(std::abs(b.value_)); k > 0; k /= 2, square *= square)
      if (k % 2 == 1) product *= square;
    return b.value_ < 0 ? Recorded(1) / product : product;
  }
  friend std::ostream& operator<<(std::ostream& out, const Recorded& a) {
    return a.is_constant() ? out << a.value_ : out << "recorded";
  }

 private:
  bool is(const Operation& o) const { return tape_ && tape()[at_].is(o); }
  Recorded operand(int i) const { return {tape(), tape()[at_].operand[i]}; }

  Tape* const* tape_ = nullptr;
  int at_ = 0;
  double value_;
};

/// The result of a comparison of recorded numbers: known, or recorded if states differ in it. select and choose record
/// both branches; only code that cannot be recorded converts it to bool.
class Condition {
 public:
  Condition(bool known = false) : holds_(known) {}  // NOLINT(google-explicit-constructor)
  Condition(const Operation& o, const Recorded& a, const Recorded& b = {}) : holds_(Recorded::of(o, a, b)) {}
  /// Returns an entry of a tape that is a condition.
  static Condition of(const Recorded& entry) { return {entry, nullptr}; }
  /// Converts implicitly, because Eigen needs it.
  /// @throws Error if it is not known, also if the inputs have nominal values
  operator bool() const { return static_cast<double>(holds_) != 0; }
  bool is_known() const { return holds_.is_constant(); }

  friend Condition operator&&(const Condition& a, const Condition& b) {
    if (a.is_known()) return a ? b : a;
    if (b.is_known()) return b ? a : b;
    return {operation::both, a.holds_, b.holds_};
  }
  friend Condition operator||(const Condition& a, const Condition& b) {
    if (a.is_known()) return a ? a : b;
    if (b.is_known()) return b ? b : a;
    return {operation::either, a.holds_, b.holds_};
  }
  // Without these overloads && of bool would be a candidate, too.
  friend Condition operator&&(bool a, const Condition& b) { return Condition(a) && b; }
  friend Condition operator&&(const Condition& a, bool b) { return a && Condition(b); }
  friend Condition operator||(bool a, const Condition& b) { return Condition(a) || b; }
  friend Condition operator||(const Condition& a, bool b) { return a || Condition(b); }
  Condition operator!() const { return {operation::opposite, holds_}; }
  /// A condition that is not known counts as one that holds in some states only.
  friend bool in_every_state(const Condition& a) { return a.is_known() && bool(a); }
  friend bool in_any_state(const Condition& a) { return !a.is_known() || bool(a); }
  friend bool at_nominal(const Condition& a) { return a.holds_.nominal() != 0; }
  /// Returns a if the condition holds, else b.
  friend Recorded select(const Condition& where, const Recorded& a, const Recorded& b) {
    if (where.is_known()) return where ? a : b;
    return Recorded::of(operation::choice, where.holds_, a, b);
  }

 private:
  Condition(const Recorded& holds, std::nullptr_t) : holds_(holds) {}
  Recorded holds_;
};
/// Comparisons are known if both numbers are constants.
inline Condition operator<(const Recorded& a, const Recorded& b) { return {operation::less, a, b}; }
inline Condition operator<=(const Recorded& a, const Recorded& b) { return {operation::less_equal, a, b}; }
inline Condition operator==(const Recorded& a, const Recorded& b) { return {operation::equal, a, b}; }
inline Condition operator!=(const Recorded& a, const Recorded& b) { return !(a == b); }
inline Condition operator>(const Recorded& a, const Recorded& b) { return b < a; }
inline Condition operator>=(const Recorded& a, const Recorded& b) { return b <= a; }
/// Records an operation of its own: a comparison with the largest number would depend on the precision of the code.
inline Condition isfinite(const Recorded& a) { return {operation::finite, a}; }
inline Condition isnan(const Recorded& a) { return a != a; }
inline Recorded(min)(const Recorded& a, const Recorded& b) { return select(b < a, b, a); }
inline Recorded(max)(const Recorded& a, const Recorded& b) { return select(a < b, b, a); }
inline Recorded clamp(const Recorded& a, const Recorded& low, const Recorded& high) {
  return (min)((max)(a, low), high);
}

/// Selects entry by entry.
template <class T, int rows, int columns>
Eigen::Matrix<T, rows, columns> select(const Condition& where, const Eigen::Matrix<T, rows, columns>& a,
                                       const Eigen::Matrix<T, rows, columns>& b) {
  Eigen::Matrix<T, rows, columns> out = a;
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = select(where, a(i), b(i));
  return out;
}
/// Returns then() if the condition holds, else otherwise(): see choose of bool.
template <class Then, class Otherwise>
auto choose(const Condition& where, Then&& then, Otherwise&& otherwise) {
  if (in_every_state(where)) return then();
  if (!in_any_state(where)) return otherwise();
  const auto a = then();
  const auto b = otherwise();
  return select(where, a, b);
}

}}}  // namespace corio::codegen

#include "corio/codegen/recorded_traits.hpp"
