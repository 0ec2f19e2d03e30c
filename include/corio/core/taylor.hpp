#pragma once

#include <array>

#include "corio/core/dual.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A truncated power series in time with N terms: x(t) = c[0] + c[1] t + .. + c[N-1] t^(N-1). As the scalar of a model
/// it gives the time derivatives of every result along a motion up to order N - 1, exact up to rounding. A product
/// costs N (N + 1) / 2 of S. taylor_motion (kinematics/taylor_motion.hpp) computes the series of q, v and a.
///
/// Source: recurrences of truncated power series, Griewank and Walther (2008), table 13.2.
template <class S, int N>
struct Taylor {
  static_assert(N >= 1);
  std::array<S, N> c;

  Taylor() { c.fill(S(0)); }
  Taylor(const S& value) : Taylor() { c[0] = value; }  // NOLINT(google-explicit-constructor)
  template <class T>
  requires std::is_arithmetic_v<T> &&(!std::is_same_v<T, S>)Taylor(T value) : Taylor(S(value)) {}  // NOLINT

  const S& value() const { return c[0]; }
  /// Returns d^k x / dt^k at t = 0: k! c[k], for k < N.
  S derivative(int k) const {
    S x = c[static_cast<std::size_t>(k)];
    for (int i = 2; i <= k; ++i) x *= S(i);
    return x;
  }

  Taylor operator-() const {
    return make([&](std::size_t i, const Taylor&) { return S(-c[i]); });
  }
  Taylor& operator+=(const Taylor& b) { return *this = *this + b; }
  Taylor& operator-=(const Taylor& b) { return *this = *this - b; }
  Taylor& operator*=(const Taylor& b) { return *this = *this * b; }
  Taylor& operator/=(const Taylor& b) { return *this = *this / b; }
  friend Taylor operator+(const Taylor& a, const Taylor& b) {
    return make([&](std::size_t i, const Taylor&) { return S(a.c[i] + b.c[i]); });
  }
  friend Taylor operator-(const Taylor& a, const Taylor& b) {
    return make([&](std::size_t i, const Taylor&) { return S(a.c[i] - b.c[i]); });
  }
  friend Taylor operator*(const Taylor& a, const Taylor& b) {
    return make([&](std::size_t i, const Taylor&) { return product(a, b, 0, i, i); });
  }
  friend Taylor operator/(const Taylor& a, const Taylor& b) {
    return make([&](std::size_t i, const Taylor& x) { return S((a.c[i] - product(b, x, 1, i, i)) / b.c[0]); });
  }
  friend bool operator==(const Taylor& a, const Taylor& b) { return a.c[0] == b.c[0]; }
  friend auto operator<=>(const Taylor& a, const Taylor& b) { return a.c[0] <=> b.c[0]; }

  friend Taylor sqrt(const Taylor& a) {
    using std::sqrt;
    const S root = sqrt(a.c[0]);
    return make([&](std::size_t i, const Taylor& x) {
      return i == 0 ? root : S((a.c[i] - product(x, x, 1, i - 1, i)) / (S(2) * root));
    });
  }
  friend Taylor exp(const Taylor& a) {
    using std::exp;
    return from_rate(a, exp(a.c[0]), [](const Taylor& x) { return x; });
  }
  friend Taylor log(const Taylor& a) {
    using std::log;
    return integral(log(a.c[0]), rate(a) / a);
  }
  friend Taylor sin(const Taylor& a) { return sine_and_cosine(a)[0]; }
  friend Taylor cos(const Taylor& a) { return sine_and_cosine(a)[1]; }
  friend Taylor tan(const Taylor& a) {
    const auto both = sine_and_cosine(a);
    return both[0] / both[1];
  }
  friend Taylor atan(const Taylor& a) { return integral(detail::arc_tangent(a.c[0]), rate(a) / (S(1) + a * a)); }
  friend Taylor atan2(const Taylor& a, const Taylor& b) {
    return integral(detail::arc_tangent(a.c[0], b.c[0]), (b * rate(a) - a * rate(b)) / (a * a + b * b));
  }
  friend Taylor tanh(const Taylor& a) {
    using std::tanh;
    return from_rate(a, tanh(a.c[0]), [](const Taylor& x) { return S(1) - x * x; });
  }
  friend Taylor abs(const Taylor& a) { return select(detail::real_value(a.c[0]) < 0.0, -a, a); }
  friend Taylor hypot(const Taylor& a, const Taylor& b) { return sqrt(a * a + b * b); }
  /// Selects over a Pack (simd/state_pack.hpp): each state takes its own branch.
  template <class Mask>
  requires(!std::is_same_v<Mask, bool>) friend Taylor select(const Mask& where, const Taylor& a, const Taylor& b) {
    return make([&](std::size_t i, const Taylor&) { return S(select(where, a.c[i], b.c[i])); });
  }

 private:
  /// Returns the x with x.c[i] = f(i, x), where f reads only x.c[0] to x.c[i - 1].
  template <class F>
  static Taylor make(F&& f) {
    Taylor x;
    for (std::size_t i = 0; i < N; ++i) x.c[i] = f(i, x);
    return x;
  }
  /// Returns the sum over k in [begin, end] of a.c[k] b.c[i - k].
  static S product(const Taylor& a, const Taylor& b, std::size_t begin, std::size_t end, std::size_t i) {
    S sum(0);
    for (std::size_t k = begin; k <= end && k <= i; ++k) sum += a.c[k] * b.c[i - k];
    return sum;
  }
  /// Return dx/dt, whose last coefficient is unknown and set to zero; and x from its value and dx/dt.
  static Taylor rate(const Taylor& a) {
    return make([&](std::size_t i, const Taylor&) { return i + 1 < N ? S(S(double(i + 1)) * a.c[i + 1]) : S(0); });
  }
  static Taylor integral(const S& value, const Taylor& rate) {
    return make([&](std::size_t i, const Taylor&) { return i == 0 ? value : S(rate.c[i - 1] / S(double(i))); });
  }
  /// Returns the x with the given value and dx/dt = f(x) da/dt, if coefficient i of f depends on the coefficients of x
  /// up to i.
  template <class F>
  static Taylor from_rate(const Taylor& a, const S& value, F&& f) {
    const Taylor a_dot = rate(a);
    return make([&](std::size_t i, const Taylor& x) {
      return i == 0 ? value : S(product(f(x), a_dot, 0, i - 1, i - 1) / S(double(i)));
    });
  }
  static std::array<Taylor, 2> sine_and_cosine(const Taylor& a) {
    using std::cos, std::sin;
    const Taylor a_dot = rate(a);
    Taylor sine(S(sin(a.c[0]))), cosine(S(cos(a.c[0])));
    for (std::size_t i = 1; i < N; ++i) {
      sine.c[i] = product(cosine, a_dot, 0, i - 1, i - 1) / S(double(i));
      cosine.c[i] = -product(sine, a_dot, 0, i - 1, i - 1) / S(double(i));
    }
    return {sine, cosine};
  }
};

/// The scalar is checked if the numbers that it consists of are.
template <class S, int N>
inline constexpr bool is_checked<Taylor<S, N>> = is_checked<S>;

}}  // namespace corio

namespace Eigen {

template <class S, int N>
struct NumTraits<corio::Taylor<S, N>> : NumTraits<S> {
  using Real = corio::Taylor<S, N>;
  using NonInteger = corio::Taylor<S, N>;
  using Nested = corio::Taylor<S, N>;
  enum { IsComplex = 0, RequireInitialization = 1, AddCost = N, MulCost = N * (N + 1) };
};

}  // namespace Eigen
