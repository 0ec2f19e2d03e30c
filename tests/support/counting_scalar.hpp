#pragma once

#include <Eigen/Core>
#include <cmath>
#include <ostream>

namespace corio::test {

/// The number of operations of each kind in a computation. Signs are free, comparisons are not counted.
struct Operations {
  long add = 0, multiply = 0, divide = 0, function = 0;

  long total() const { return add + multiply + divide + function; }
  friend bool operator==(const Operations&, const Operations&) = default;
  friend Operations operator-(const Operations& a, const Operations& b) {
    return {a.add - b.add, a.multiply - b.multiply, a.divide - b.divide, a.function - b.function};
  }
  friend Operations operator+(const Operations& a, const Operations& b) {
    return {a.add + b.add, a.multiply + b.multiply, a.divide + b.divide, a.function + b.function};
  }
  friend Operations operator*(long n, const Operations& a) {
    return {n * a.add, n * a.multiply, n * a.divide, n * a.function};
  }
  friend std::ostream& operator<<(std::ostream& out, const Operations& a) {
    return out << a.multiply << " multiplications, " << a.add << " additions, " << a.divide << " divisions, "
               << a.function << " functions";
  }
};

/// A double that counts the operations on it.
class Counting {
 public:
  inline static Operations operations{};

  Counting() = default;
  explicit Counting(double x) : x_(x) {}
  double value() const { return x_; }

  Counting operator-() const { return Counting(-x_); }
  Counting& operator+=(const Counting& b) { return *this = *this + b; }
  Counting& operator-=(const Counting& b) { return *this = *this - b; }
  Counting& operator*=(const Counting& b) { return *this = *this * b; }
  Counting& operator/=(const Counting& b) { return *this = *this / b; }
  friend Counting operator+(const Counting& a, const Counting& b) { return ++operations.add, Counting(a.x_ + b.x_); }
  friend Counting operator-(const Counting& a, const Counting& b) { return ++operations.add, Counting(a.x_ - b.x_); }
  friend Counting operator*(const Counting& a, const Counting& b) {
    return ++operations.multiply, Counting(a.x_ * b.x_);
  }
  friend Counting operator/(const Counting& a, const Counting& b) { return ++operations.divide, Counting(a.x_ / b.x_); }
  friend bool operator==(const Counting& a, const Counting& b) { return a.x_ == b.x_; }
  friend auto operator<=>(const Counting& a, const Counting& b) { return a.x_ <=> b.x_; }

  friend Counting sin(const Counting& a) { return ++operations.function, Counting(std::sin(a.x_)); }
  friend Counting cos(const Counting& a) { return ++operations.function, Counting(std::cos(a.x_)); }
  friend Counting sqrt(const Counting& a) { return ++operations.function, Counting(std::sqrt(a.x_)); }
  friend Counting tanh(const Counting& a) { return ++operations.function, Counting(std::tanh(a.x_)); }
  friend Counting atan(const Counting& a) { return ++operations.function, Counting(std::atan(a.x_)); }
  friend Counting abs(const Counting& a) { return Counting(std::abs(a.x_)); }

 private:
  double x_ = 0;
};

/// Counts the operations in f().
template <class F>
Operations operations_of(F&& f) {
  const Operations before = Counting::operations;
  f();
  return Counting::operations - before;
}

}  // namespace corio::test

template <>
struct Eigen::NumTraits<corio::test::Counting> : Eigen::NumTraits<double> {
  using Real = corio::test::Counting;
  using NonInteger = corio::test::Counting;
  using Nested = corio::test::Counting;
  using Literal = corio::test::Counting;
  // Functions that return type Real, which Eigen 5 requires.
  static Real epsilon() { return Real(Eigen::NumTraits<double>::epsilon()); }
  static Real highest() { return Real(Eigen::NumTraits<double>::highest()); }
  static Real infinity() { return Real(Eigen::NumTraits<double>::infinity()); }
  static Real quiet_NaN() { return Real(Eigen::NumTraits<double>::quiet_NaN()); }
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
