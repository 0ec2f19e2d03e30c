#pragma once

#include "corio/core/scalar.hpp"

namespace corio {

/// a + b e with e^2 = 0: a number and its derivative along one direction. With it corio differentiates what users write
/// as templates on the scalar, such as the columns of their joints. Dual<Dual<S>> gives second derivatives.
template <class S>
struct Dual {
  S x{0}, dx{0};

  Dual() = default;
  Dual(const S& value) : x(value) {}  // NOLINT(google-explicit-constructor)
  Dual(const S& value, const S& derivative) : x(value), dx(derivative) {}
  template <class T>
  requires std::is_arithmetic_v<T> &&(!std::is_same_v<T, S>)Dual(T value) : x(S(value)) {}  // NOLINT
  const S& value() const { return x; }

  Dual operator-() const { return {-x, -dx}; }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.dx + b.dx}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.dx - b.dx}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.x * b.x, a.dx * b.x + a.x * b.dx}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const S q = a.x / b.x;
    return {q, (a.dx - q * b.dx) / b.x};
  }
  friend bool operator==(const Dual& a, const Dual& b) { return a.x == b.x; }
  friend auto operator<=>(const Dual& a, const Dual& b) { return a.x <=> b.x; }

  friend Dual sin(const Dual& a) {
    using std::cos, std::sin;
    return {sin(a.x), cos(a.x) * a.dx};
  }
  friend Dual cos(const Dual& a) {
    using std::cos, std::sin;
    return {cos(a.x), -sin(a.x) * a.dx};
  }
  friend Dual tan(const Dual& a) { return sin(a) / cos(a); }
  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const S root = sqrt(a.x);
    return {root, a.dx / (S(2) * root)};
  }
  friend Dual atan(const Dual& a) { return {detail::arc_tangent(a.x), a.dx / (S(1) + a.x * a.x)}; }
};

}  // namespace corio

namespace Eigen {

template <class S>
struct NumTraits<corio::Dual<S>> : NumTraits<S> {
  using Real = corio::Dual<S>;
  using NonInteger = corio::Dual<S>;
  using Nested = corio::Dual<S>;
  enum { IsComplex = 0, RequireInitialization = 1, AddCost = 2, MulCost = 3 };
};

}  // namespace Eigen
