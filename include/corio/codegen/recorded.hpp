#pragma once

#include <Eigen/Core>

#include "corio/codegen/tape.hpp"
#include "corio/core/inline.hpp"
#include "corio/core/scalar.hpp"

namespace corio::inline CORIO_ABI::codegen {

class Condition;

/// A number that records on the tape of a Recording how it is computed. Constants have no tape and are folded; 0 x is
/// 0, and x / x is 1. Comparisons give a Condition, so that both branches of a calculation are recorded.
class Recorded {
 public:
  Recorded(double x = 0) : value_(x) {}  // NOLINT(google-explicit-constructor)
  Recorded(Tape& tape, int at) : value_(tape[at].value) {
    if (!tape[at].is(operation::constant)) tape_ = &tape, at_ = at;
  }

  bool is_constant() const { return !tape_; }
  /// Its entry on a tape; a constant is added to it.
  int entry(Tape& tape) const { return tape_ ? at_ : tape.constant(value_); }
  /// The value of a constant, or the value at the nominal values of the inputs.
  /// @throws Error if it is not constant and the inputs have no nominal values
  explicit operator double() const {
    if (tape_ && !tape_->is_nominal())
      throw Error(
          "recording: what is called decides by the value of a number that is not known before, such as the choice "
          "of a pivot; give nominal values to all inputs (Recording::input) to record what holds there");
    return value_;
  }
  /// The result of an operation: known if its operands are constants.
  /// @throws Error for operands of two recordings
  CORIO_NOINLINE static Recorded of(const Operation& o, const Recorded& a, const Recorded& b = {},
                                    const Recorded& c = {}) {
    Tape* tape = nullptr;
    for (const Recorded* x : {&a, &b, &c}) {
      if (tape && x->tape_ && tape != x->tape_) throw Error("recording: numbers of two recordings meet");
      if (x->tape_) tape = x->tape_;
    }
    if (!tape) return o.value(a.value_, b.value_, c.value_);
    int at[3] = {};
    for (int i = 0; i < o.operands; ++i) at[i] = (i == 0 ? a : i == 1 ? b : c).entry(*tape);
    return {*tape, tape->record(o, at[0], at[1], at[2])};
  }

  // Signs are taken out of sums and products. Not inlined: kernels are flattened, and every operation in them would
  // repeat this code.
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
    if (b.is_constant() && std::abs(std::frexp(b.value_, &exponent)) == 0.5)
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

  friend Recorded sqrt(const Recorded& a) { return of(operation::root, a); }
  friend Recorded abs(const Recorded& a) { return of(operation::absolute, a); }
  friend Recorded sin(const Recorded& a) { return of(operation::sine, a); }
  friend Recorded cos(const Recorded& a) { return of(operation::cosine, a); }
  friend Recorded tan(const Recorded& a) { return of(operation::tangent, a); }
  friend Recorded atan(const Recorded& a) { return of(operation::arc_tangent, a); }
  friend Recorded atan2(const Recorded& a, const Recorded& b) { return of(operation::arc_tangent2, a, b); }
  friend Recorded tanh(const Recorded& a) { return of(operation::hyperbolic_tangent, a); }
  friend Recorded exp(const Recorded& a) { return of(operation::exponential, a); }
  friend Recorded log(const Recorded& a) { return of(operation::logarithm, a); }
  friend Recorded floor(const Recorded& a) { return of(operation::floor, a); }
  friend Recorded round(const Recorded& a) { return of(operation::round, a); }
  friend Recorded hypot(const Recorded& a, const Recorded& b) { return sqrt(a * a + b * b); }

 private:
  bool is(const Operation& o) const { return tape_ && (*tape_)[at_].is(o); }
  Recorded operand(int i) const { return {*tape_, (*tape_)[at_].operand[i]}; }

  Tape* tape_ = nullptr;
  int at_ = 0;
  double value_;
};

/// The result of a comparison of recorded numbers: known, or recorded where it differs from state to state. select and
/// choose record both branches of it; only code that cannot be recorded converts it to bool.
class Condition {
 public:
  Condition(bool known = false) : holds_(known) {}  // NOLINT(google-explicit-constructor)
  Condition(const Operation& o, const Recorded& a, const Recorded& b = {}) : holds_(Recorded::of(o, a, b)) {}
  /// What holds at the nominal values of the inputs, if it is not known.
  /// @throws Error if it is not known and the inputs have no nominal values
  explicit operator bool() const { return static_cast<double>(holds_) != 0; }
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
  Condition operator!() const { return {operation::opposite, holds_}; }
  /// A condition that is not known holds in some states.
  friend bool in_every_state(const Condition& a) { return a.is_known() ? bool(a) : false; }
  friend bool in_any_state(const Condition& a) { return a.is_known() ? bool(a) : true; }
  /// a where the condition holds, b elsewhere.
  friend Recorded select(const Condition& where, const Recorded& a, const Recorded& b) {
    if (where.is_known()) return where ? a : b;
    return Recorded::of(operation::choice, where.holds_, a, b);
  }

 private:
  Recorded holds_;
};
/// A condition, known where both numbers are constants.
inline Condition operator<(const Recorded& a, const Recorded& b) { return {operation::less, a, b}; }
/// See operator<.
inline Condition operator<=(const Recorded& a, const Recorded& b) { return {operation::less_equal, a, b}; }
/// See operator<.
inline Condition operator==(const Recorded& a, const Recorded& b) { return {operation::equal, a, b}; }
/// See operator<.
inline Condition operator!=(const Recorded& a, const Recorded& b) { return !(a == b); }
/// See operator<.
inline Condition operator>(const Recorded& a, const Recorded& b) { return b < a; }
/// See operator<.
inline Condition operator>=(const Recorded& a, const Recorded& b) { return b <= a; }
/// An operation of its own: comparing with the largest number would depend on the precision of the code.
inline Condition isfinite(const Recorded& a) { return {operation::finite, a}; }
inline Recorded(min)(const Recorded& a, const Recorded& b) { return select(b < a, b, a); }
inline Recorded(max)(const Recorded& a, const Recorded& b) { return select(a < b, b, a); }

/// Entry by entry.
template <class T, int rows, int columns>
Eigen::Matrix<T, rows, columns> select(const Condition& where, const Eigen::Matrix<T, rows, columns>& a,
                                       const Eigen::Matrix<T, rows, columns>& b) {
  Eigen::Matrix<T, rows, columns> out = a;
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = select(where, a(i), b(i));
  return out;
}
/// then() where the condition holds, otherwise() elsewhere: see choose of bool.
template <class Then, class Otherwise>
auto choose(const Condition& where, Then&& then, Otherwise&& otherwise) {
  if (in_every_state(where)) return then();
  if (!in_any_state(where)) return otherwise();
  const auto a = then();
  const auto b = otherwise();
  return select(where, a, b);
}

/// The value that comparisons use: the recorded number itself, with double as the type of its constants.
struct RecordedValue : Recorded {
  using Recorded::Recorded;
  RecordedValue(const Recorded& x) : Recorded(x) {}  // NOLINT(google-explicit-constructor)
};
/// The reciprocal in place of a power of two: as a scale it differs by rounding alone.
inline Recorded scale_to_one(const Recorded& size) {
  return select(size > Recorded(0) && isfinite(size), Recorded(1) / size, Recorded(1));
}

}  // namespace corio::codegen

namespace corio::inline CORIO_ABI {

template <>
struct NumberOf<codegen::RecordedValue> {
  using Type = double;
};
template <>
inline constexpr bool is_checked<codegen::Recorded> = false;
template <>
struct ScalarValue<codegen::Recorded> {
  static codegen::RecordedValue of(const codegen::Recorded& x) { return codegen::RecordedValue(x); }
};

}  // namespace corio

template <>
struct Eigen::NumTraits<corio::codegen::Recorded> : Eigen::NumTraits<double> {
  using Real = corio::codegen::Recorded;
  using NonInteger = corio::codegen::Recorded;
  using Nested = corio::codegen::Recorded;
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
