#pragma once

#include <cmath>

#include "corio/core/scalar.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Returns atan2(y, x); for complex numbers, in the quadrant of the real parts.
template <class S>
S arc_tangent(const S& y, const S& x) {
  using std::atan2;
  if constexpr (requires { atan2(y, x); }) {
    return atan2(y, x);
  } else {
    const double up = value_of(y), right = value_of(x), pi = std::acos(-1.0);
    if (std::abs(up) > std::abs(right)) return S(std::copysign(pi / 2.0, up)) - arc_tangent(S(x / y));
    const S angle = arc_tangent(S(y / x));
    return right < 0.0 ? S(angle + S(std::copysign(pi, up))) : angle;
  }
}

}  // namespace detail

/// Dual number x + dx e with e^2 = 0: a value and its derivative along one direction. corio uses it to differentiate
/// users' templates on the scalar, such as the columns of joints and relations of coordinates. Dual<Dual<S>> has second
/// derivatives.
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
  // Comparisons compare the values alone; over scalars that record or are packs they return conditions.
  friend auto operator==(const Dual& a, const Dual& b) { return a.x == b.x; }
  friend auto operator!=(const Dual& a, const Dual& b) { return a.x != b.x; }
  friend auto operator<(const Dual& a, const Dual& b) { return a.x < b.x; }
  friend auto operator<=(const Dual& a, const Dual& b) { return a.x <= b.x; }
  friend auto operator>(const Dual& a, const Dual& b) { return a.x > b.x; }
  friend auto operator>=(const Dual& a, const Dual& b) { return a.x >= b.x; }
  friend auto isfinite(const Dual& a) {
    using std::isfinite;
    return isfinite(a.x) && isfinite(a.dx);
  }
  friend Dual(min)(const Dual& a, const Dual& b) { return select(b < a, b, a); }
  friend Dual(max)(const Dual& a, const Dual& b) { return select(a < b, b, a); }
  friend Dual clamp(const Dual& a, const Dual& low, const Dual& high) {
    const Dual raised = select(a < low, low, a);
    return select(high < raised, high, raised);
  }

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
  friend Dual atan2(const Dual& a, const Dual& b) {
    return {detail::arc_tangent(a.x, b.x), (b.x * a.dx - a.x * b.dx) / (a.x * a.x + b.x * b.x)};
  }
  friend Dual asin(const Dual& a) {
    using std::asin, std::sqrt;
    return {asin(a.x), a.dx / sqrt(S(1) - a.x * a.x)};
  }
  friend Dual acos(const Dual& a) {
    using std::acos, std::sqrt;
    return {acos(a.x), -a.dx / sqrt(S(1) - a.x * a.x)};
  }
  friend Dual exp(const Dual& a) {
    using std::exp;
    const S e = exp(a.x);
    return {e, e * a.dx};
  }
  friend Dual log(const Dual& a) {
    using std::log;
    return {log(a.x), a.dx / a.x};
  }
  friend Dual expm1(const Dual& a) {
    using std::exp, std::expm1;
    return {expm1(a.x), exp(a.x) * a.dx};
  }
  friend Dual log1p(const Dual& a) {
    using std::log1p;
    return {log1p(a.x), a.dx / (S(1) + a.x)};
  }
  friend Dual cbrt(const Dual& a) {
    using std::cbrt;
    const S root = cbrt(a.x);
    return {root, a.dx / (S(3) * root * root)};
  }
  friend Dual sinh(const Dual& a) {
    using std::cosh, std::sinh;
    return {sinh(a.x), cosh(a.x) * a.dx};
  }
  friend Dual cosh(const Dual& a) {
    using std::cosh, std::sinh;
    return {cosh(a.x), sinh(a.x) * a.dx};
  }
  friend Dual tanh(const Dual& a) {
    using std::tanh;
    const S t = tanh(a.x);
    return {t, (S(1) - t * t) * a.dx};
  }
  /// The derivative at zero is the right-hand one.
  friend Dual abs(const Dual& a) { return select(detail::real_value(a.x) < 0.0, -a, a); }
  friend Dual fabs(const Dual& a) { return abs(a); }
  friend Dual floor(const Dual& a) {
    using std::floor;
    return floor(a.x);
  }
  friend Dual ceil(const Dual& a) {
    using std::ceil;
    return ceil(a.x);
  }
  friend Dual round(const Dual& a) {
    using std::round;
    return round(a.x);
  }
  /// Selects over a Pack (simd/state_pack.hpp): each state takes its own branch.
  template <class Mask>
  requires(!std::is_same_v<Mask, bool>) friend Dual select(const Mask& where, const Dual& a, const Dual& b) {
    return {select(where, a.x, b.x), select(where, a.dx, b.dx)};
  }
  friend Dual hypot(const Dual& a, const Dual& b) { return sqrt(a * a + b * b); }
  /// An integer power is a product, which also holds for a <= 0 and for complex steps.
  template <class T>
  requires std::is_arithmetic_v<T>
  friend Dual pow(const Dual& a, T n) {
    using std::pow, std::floor, std::abs;
    const double exponent = static_cast<double>(n);
    if (exponent != floor(exponent) || abs(exponent) > 1e9)
      return {pow(a.x, exponent), S(exponent) * pow(a.x, exponent - 1.0) * a.dx};
    Dual result(1), square = a;
    for (auto k = static_cast<long>(abs(exponent)); k > 0; k /= 2, square *= square)
      if (k % 2 == 1) result *= square;
    return exponent < 0.0 ? Dual(1) / result : result;
  }
  friend Dual pow(const Dual& a, const Dual& b) { return exp(b * log(a)); }
};

/// The scalar is checked if the numbers that it consists of are.
template <class S>
inline constexpr bool is_checked<Dual<S>> = is_checked<S>;

}}  // namespace corio

namespace Eigen {

template <class S>
struct NumTraits<corio::Dual<S>> : NumTraits<S> {
  using Real = corio::Dual<S>;
  using NonInteger = corio::Dual<S>;
  using Nested = corio::Dual<S>;
  enum { IsComplex = 0, RequireInitialization = 1, AddCost = 2, MulCost = 3 };
};

}  // namespace Eigen
