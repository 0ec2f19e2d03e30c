#pragma once

#include <cmath>
#include <compare>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/core/dual.hpp"
#include "corio/core/error.hpp"
#include "corio/spatial/lie.hpp"

/// A scalar that stands for any other. A user's joint is compiled for a few scalars and for AnyScalar, behind virtual
/// functions, which cannot be templates. For every scalar that is not among the few, Model::cast evaluates the joint
/// through AnyScalar, at some thirty times the instructions.
namespace corio { inline namespace CORIO_ABI { namespace joint {

/// The numbers of one scalar with which AnyScalar calculates, each stored at a numbered place.
class AnyNumbers {
 public:
  enum class Operation {
    negative,
    plus,
    minus,
    times,
    over,
    root,
    sine,
    cosine,
    arc_tangent,
    arc_tangent2,
    exponential,
    logarithm,
    hyperbolic_tangent
  };

  virtual int constant(double x) = 0;
  /// Returns the place of the result for the numbers at a and, if the operation has two operands, b.
  virtual int apply(Operation operation, int a, int b) = 0;
  virtual double value(int place) const = 0;

 protected:
  ~AnyNumbers() = default;
};

/// Returns the result of an operation over T.
/// @throws Error for exp, log and tanh if T lacks them
template <class T>
T apply(AnyNumbers::Operation operation, const T& a, const T& b) {
  using enum AnyNumbers::Operation;
  using std::sqrt, std::sin, std::cos, std::exp, std::log, std::tanh;
  switch (operation) {
    case negative: return T(-a);
    case plus: return T(a + b);
    case minus: return T(a - b);
    case times: return T(a * b);
    case over: return T(a / b);
    case root: return T(sqrt(a));
    case sine: return T(sin(a));
    case cosine: return T(cos(a));
    case arc_tangent: return corio::detail::arc_tangent(a);
    case arc_tangent2: return corio::detail::arc_tangent(a, b);
    case exponential:
      if constexpr (requires { T(exp(a)); }) return T(exp(a));
      break;
    case logarithm:
      if constexpr (requires { T(log(a)); }) return T(log(a));
      break;
    case hyperbolic_tangent:
      if constexpr (requires { T(tanh(a)); }) return T(tanh(a));
      break;
  }
  throw Error("a user's joint needs exp, log or tanh, which the scalar of this model lacks");
}

/// A constant, or the number at a place of AnyNumbers. Its value in double decides branches.
class AnyScalar {
  using Operation = AnyNumbers::Operation;

 public:
  template <class T>
  requires std::is_arithmetic_v<T> AnyScalar(T x)  // NOLINT(google-explicit-constructor)
      : constant_(static_cast<double>(x)) {}
  AnyScalar() : constant_(0) {}
  AnyScalar(AnyNumbers& numbers, int place) : numbers_(&numbers), place_(place) {}

  double value() const { return numbers_ ? numbers_->value(place_) : constant_; }
  /// Returns the place of a number among these numbers; a constant is added to them.
  int place_in(AnyNumbers& numbers) const { return numbers_ ? place_ : numbers.constant(constant_); }

  friend AnyScalar operator+(const AnyScalar& a) { return a; }
  friend AnyScalar operator-(const AnyScalar& a) { return of(Operation::negative, a); }
  friend AnyScalar operator+(const AnyScalar& a, const AnyScalar& b) { return of(Operation::plus, a, b); }
  friend AnyScalar operator-(const AnyScalar& a, const AnyScalar& b) { return of(Operation::minus, a, b); }
  friend AnyScalar operator*(const AnyScalar& a, const AnyScalar& b) { return of(Operation::times, a, b); }
  friend AnyScalar operator/(const AnyScalar& a, const AnyScalar& b) { return of(Operation::over, a, b); }
  AnyScalar& operator+=(const AnyScalar& b) { return *this = *this + b; }
  AnyScalar& operator-=(const AnyScalar& b) { return *this = *this - b; }
  AnyScalar& operator*=(const AnyScalar& b) { return *this = *this * b; }
  AnyScalar& operator/=(const AnyScalar& b) { return *this = *this / b; }
  friend bool operator==(const AnyScalar& a, const AnyScalar& b) { return a.value() == b.value(); }
  friend auto operator<=>(const AnyScalar& a, const AnyScalar& b) { return a.value() <=> b.value(); }

  friend AnyScalar sqrt(const AnyScalar& a) { return of(Operation::root, a); }
  friend AnyScalar sin(const AnyScalar& a) { return of(Operation::sine, a); }
  friend AnyScalar cos(const AnyScalar& a) { return of(Operation::cosine, a); }
  friend AnyScalar tan(const AnyScalar& a) { return sin(a) / cos(a); }
  friend AnyScalar atan(const AnyScalar& a) { return of(Operation::arc_tangent, a); }
  friend AnyScalar atan2(const AnyScalar& a, const AnyScalar& b) { return of(Operation::arc_tangent2, a, b); }
  friend AnyScalar asin(const AnyScalar& a) { return atan2(a, sqrt((1 - a) * (1 + a))); }
  friend AnyScalar acos(const AnyScalar& a) { return atan2(sqrt((1 - a) * (1 + a)), a); }
  friend AnyScalar exp(const AnyScalar& a) { return of(Operation::exponential, a); }
  friend AnyScalar log(const AnyScalar& a) { return of(Operation::logarithm, a); }
  friend AnyScalar sinh(const AnyScalar& a) { return (exp(a) - exp(-a)) / 2; }
  friend AnyScalar cosh(const AnyScalar& a) { return (exp(a) + exp(-a)) / 2; }
  friend AnyScalar tanh(const AnyScalar& a) { return of(Operation::hyperbolic_tangent, a); }
  friend AnyScalar abs(const AnyScalar& a) { return a.value() < 0 ? -a : a; }
  friend AnyScalar hypot(const AnyScalar& a, const AnyScalar& b) { return sqrt(a * a + b * b); }
  friend AnyScalar pow(const AnyScalar& a, const AnyScalar& b) {
    const double n = b.value();
    return b.numbers_ || n != std::floor(n) ? exp(b * log(a)) : pow(Dual<AnyScalar>(a), n).x;
  }

 private:
  static AnyScalar of(Operation operation, const AnyScalar& a) { return of(operation, a, a); }
  static AnyScalar of(Operation operation, const AnyScalar& a, const AnyScalar& b) {
    AnyNumbers* const numbers = a.numbers_ ? a.numbers_ : b.numbers_;
    if (!numbers) return joint::apply(operation, a.constant_, b.constant_);
    return {*numbers, numbers->apply(operation, a.place_in(*numbers), b.place_in(*numbers))};
  }

  AnyNumbers* numbers_ = nullptr;
  union {
    int place_;
    double constant_;
  };
};

/// The numbers of one thread over T. They are kept until the end of the call of the joint: nothing is allocated from
/// its second call on.
template <class T>
class NumbersOf final : public AnyNumbers {
 public:
  /// Replaces the scalar T in ConvertedJoint, for one call. The numbers of the call are dropped at its end.
  class Call {
   public:
    using Number = AnyScalar;
    template <class F>
    static void each(F&& f) {
      const Call call(of_this_thread());
      f(call);
    }
    AnyScalar get(const T& x) const { return {numbers_, numbers_.add(x)}; }
    void put(T& x, const AnyScalar& number) const { x = numbers_.all_[index(number.place_in(numbers_))]; }
    void put(T& x, double number) const { x = number_of(number); }

   private:
    explicit Call(NumbersOf& numbers) : numbers_(numbers), begin_(numbers.all_.size()) {}
    Call(const Call&) = delete;
    ~Call() { numbers_.all_.erase(numbers_.all_.begin() + static_cast<std::ptrdiff_t>(begin_), numbers_.all_.end()); }

    NumbersOf& numbers_;
    std::size_t begin_;
  };

  int constant(double x) override { return add(number_of(x)); }
  int apply(Operation operation, int a, int b) override {
    return add(joint::apply(operation, all_[index(a)], all_[index(b)]));
  }
  double value(int place) const override { return corio::detail::known_value(all_[index(place)]); }

 private:
  static NumbersOf& of_this_thread() {
    thread_local NumbersOf numbers;
    return numbers;
  }
  static std::size_t index(int place) { return static_cast<std::size_t>(place); }
  static T number_of(double x) { return T(static_cast<corio::detail::RealOf<T>>(x)); }
  int add(const T& x) {
    all_.push_back(x);
    return static_cast<int>(all_.size()) - 1;
  }

  std::vector<T> all_;
};

}}}  // namespace corio::joint

namespace Eigen {

template <>
struct NumTraits<corio::joint::AnyScalar> : NumTraits<double> {
  using Real = corio::joint::AnyScalar;
  using NonInteger = corio::joint::AnyScalar;
  using Nested = corio::joint::AnyScalar;
  enum { RequireInitialization = 1, AddCost = 10, MulCost = 10 };
};

}  // namespace Eigen
