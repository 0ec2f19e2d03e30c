#pragma once

#include <Eigen/Core>

#include "corio/codegen/tape.hpp"
#include "corio/core/inline.hpp"
#include "corio/core/scalar.hpp"

namespace corio::inline CORIO_ABI::codegen {

class Recorded;

/// The result of a comparison of recorded numbers: known, or recorded where it differs from state to state. select and
/// choose record both branches of it; only code that cannot be recorded converts it to bool.
class Condition {
 public:
  Condition(bool known = false) : known_(known) {}  // NOLINT(google-explicit-constructor)
  Condition(Tape& tape, int at) : tape_(&tape), at_(at) {}
  /// What holds at the nominal values of the inputs, if it is not known.
  /// @throws Error if it is not known and the inputs have no nominal values
  explicit operator bool() const;
  bool is_known() const { return !tape_; }

  friend Condition operator&&(const Condition& a, const Condition& b) {
    if (a.is_known()) return a.known_ ? b : a;
    if (b.is_known()) return b.known_ ? a : b;
    return {*a.tape_, a.tape_->record(Operation::both, a.at_, b.at_)};
  }
  friend Condition operator||(const Condition& a, const Condition& b) {
    if (a.is_known()) return a.known_ ? a : b;
    if (b.is_known()) return b.known_ ? b : a;
    return {*a.tape_, a.tape_->record(Operation::either, a.at_, b.at_)};
  }
  Condition operator!() const {
    if (is_known()) return !known_;
    return {*tape_, tape_->record(Operation::opposite, at_)};
  }
  /// A condition that is not known holds in some states.
  friend bool in_every_state(const Condition& a) { return a.is_known() && a.known_; }
  friend bool in_any_state(const Condition& a) { return !a.is_known() || a.known_; }
  friend Recorded select(const Condition& where, const Recorded& a, const Recorded& b);

 private:
  Tape* tape_ = nullptr;
  union {
    int at_;
    bool known_;
  };
};

/// A number that records on the tape of a Recording how it is computed. Constants have no tape and are folded; 0 x is
/// 0, and x / x is 1. Comparisons give a Condition, so that both branches of a calculation are recorded.
class Recorded {
 public:
  Recorded(double x = 0) : value_(x) {}  // NOLINT(google-explicit-constructor)
  Recorded(Tape& tape, int at) {
    const Tape::Entry& e = tape[at];
    if (e.operation == Operation::constant)
      value_ = e.value;
    else
      tape_ = &tape, at_ = at;
  }

  bool is_constant() const { return !tape_; }
  const Tape* tape() const { return tape_; }
  /// Its entry on a tape; a constant is added to it.
  int entry(Tape& tape) const { return tape_ ? at_ : tape.constant(value_); }
  /// The value of a constant, or the value at the nominal values of the inputs.
  /// @throws Error if it is not constant and the inputs have no nominal values
  explicit operator double() const {
    if (!tape_) return value_;
    require_nominal(*tape_);
    return (*tape_)[at_].value;
  }

  // Signs are taken out of sums and products. Not inlined: kernels are flattened, and every operation in them would
  // repeat this code.
  CORIO_NOINLINE friend Recorded operator+(const Recorded& a, const Recorded& b) {
    if (b.is(Operation::negative)) return a - b.operand(0);
    if (a.is(Operation::negative)) return b - a.operand(0);
    return record(Operation::plus, a, b);
  }
  CORIO_NOINLINE friend Recorded operator-(const Recorded& a, const Recorded& b) {
    if (b.is(Operation::negative)) return a + b.operand(0);
    return record(Operation::minus, a, b);
  }
  CORIO_NOINLINE friend Recorded operator*(const Recorded& a, const Recorded& b) {
    if (a.is(Operation::negative)) return -(a.operand(0) * b);
    if (b.is(Operation::negative)) return -(a * b.operand(0));
    return record(Operation::times, a, b);
  }
  CORIO_NOINLINE friend Recorded operator/(const Recorded& a, const Recorded& b) {
    int exponent;
    if (b.is_constant() && std::abs(std::frexp(b.value_, &exponent)) == 0.5)
      return a * Recorded(1 / b.value_);  // exact
    if (a.is(Operation::negative)) return -(a.operand(0) / b);
    return record(Operation::over, a, b);
  }
  CORIO_NOINLINE friend Recorded operator-(const Recorded& a) {
    if (a.is(Operation::minus)) return a.operand(1) - a.operand(0);
    return record(Operation::negative, a);
  }
  friend Recorded operator+(const Recorded& a) { return a; }
  Recorded& operator+=(const Recorded& b) { return *this = *this + b; }
  Recorded& operator-=(const Recorded& b) { return *this = *this - b; }
  Recorded& operator*=(const Recorded& b) { return *this = *this * b; }
  Recorded& operator/=(const Recorded& b) { return *this = *this / b; }

  friend Condition operator<(const Recorded& a, const Recorded& b) { return compare(Operation::less, a, b); }
  friend Condition operator<=(const Recorded& a, const Recorded& b) { return compare(Operation::less_equal, a, b); }
  friend Condition operator==(const Recorded& a, const Recorded& b) { return compare(Operation::equal, a, b); }
  friend Condition operator!=(const Recorded& a, const Recorded& b) { return !(a == b); }
  friend Condition operator>(const Recorded& a, const Recorded& b) { return b < a; }
  friend Condition operator>=(const Recorded& a, const Recorded& b) { return b <= a; }
  /// a where the condition holds, b elsewhere.
  CORIO_NOINLINE friend Recorded select(const Condition& where, const Recorded& a, const Recorded& b) {
    if (where.is_known()) return where.known_ ? a : b;
    Tape& tape = *where.tape_;
    const int x = a.entry(tape), y = b.entry(tape);
    return {tape, x == y ? x : tape.record(Operation::choice, where.at_, x, y)};
  }

  friend Recorded sqrt(const Recorded& a) { return record(Operation::root, a); }
  friend Recorded abs(const Recorded& a) { return record(Operation::absolute, a); }
  friend Recorded sin(const Recorded& a) { return record(Operation::sine, a); }
  friend Recorded cos(const Recorded& a) { return record(Operation::cosine, a); }
  friend Recorded tan(const Recorded& a) { return record(Operation::tangent, a); }
  friend Recorded atan(const Recorded& a) { return record(Operation::arc_tangent, a); }
  friend Recorded atan2(const Recorded& a, const Recorded& b) { return record(Operation::arc_tangent2, a, b); }
  friend Recorded tanh(const Recorded& a) { return record(Operation::hyperbolic_tangent, a); }
  friend Recorded exp(const Recorded& a) { return record(Operation::exponential, a); }
  friend Recorded log(const Recorded& a) { return record(Operation::logarithm, a); }
  friend Recorded floor(const Recorded& a) { return record(Operation::floor, a); }
  friend Recorded round(const Recorded& a) { return record(Operation::round, a); }
  friend Recorded hypot(const Recorded& a, const Recorded& b) { return sqrt(a * a + b * b); }
  friend Recorded(min)(const Recorded& a, const Recorded& b) { return select(b < a, b, a); }
  friend Recorded(max)(const Recorded& a, const Recorded& b) { return select(a < b, b, a); }
  /// An operation of its own: comparing with the largest number would depend on the precision of the code.
  friend Condition isfinite(const Recorded& a) {
    if (a.is_constant()) return std::isfinite(a.value_);
    return {*a.tape_, a.tape_->record(Operation::finite, a.at_)};
  }

  static void require_nominal(const Tape& tape) {
    if (!tape.is_nominal())
      throw Error(
          "recording: what is called decides by the value of a number that is not known before, such as the choice "
          "of a pivot; give nominal values to all inputs (Recording::input) to record what holds there");
  }

 private:
  static Tape* tape_of(const Recorded& a, const Recorded& b) {
    if (a.tape_ && b.tape_ && a.tape_ != b.tape_) throw Error("recording: numbers of two recordings meet");
    return a.tape_ ? a.tape_ : b.tape_;
  }
  CORIO_NOINLINE static Recorded record(Operation o, const Recorded& a) {
    if (!a.tape_) return evaluate(o, a.value_, 0, 0);
    return {*a.tape_, a.tape_->record(o, a.at_)};
  }
  static Recorded record(Operation o, const Recorded& a, const Recorded& b) {
    Tape* const tape = tape_of(a, b);
    if (!tape) return evaluate(o, a.value_, b.value_, 0);
    const int x = a.entry(*tape), y = b.entry(*tape);
    return {*tape, tape->record(o, x, y)};
  }
  CORIO_NOINLINE static Condition compare(Operation o, const Recorded& a, const Recorded& b) {
    Tape* const tape = tape_of(a, b);
    if (!tape) return evaluate(o, a.value_, b.value_, 0) != 0;
    const int x = a.entry(*tape), y = b.entry(*tape);
    return {*tape, tape->record(o, x, y)};
  }
  bool is(Operation o) const { return tape_ && (*tape_)[at_].operation == o; }
  Recorded operand(int i) const { return {*tape_, (*tape_)[at_].operand[i]}; }

  Tape* tape_ = nullptr;
  union {
    int at_;
    double value_;
  };
};

inline Condition::operator bool() const {
  if (is_known()) return known_;
  Recorded::require_nominal(*tape_);
  return (*tape_)[at_].value != 0;
}

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
