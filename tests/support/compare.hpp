#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "corio/spatial/pose.hpp"
#include "support/eager.hpp"

/// Comparisons in tests: CHECK(relative_error(computed, reference) < tolerance<S>()).
namespace corio::test {

/// Bounds relative_error for products of a few spatial operations on values of order one. Observed over tests/spatial:
/// below 5e-14 in double (most of it from the matrix exponential of the reference) and 1e-6 in float, some ten
/// roundings; a wrong term shows as an error of order 0.1.
template <class S>
constexpr double tolerance() {
  return std::is_same_v<S, float> ? 1e-5 : 1e-12;
}

/// Scalars and corio's own types, as opposed to Eigen expressions.
template <class T>
concept NotEigen = !std::is_base_of_v<Eigen::EigenBase<T>, T>;

/// Returns |x| as a double, for any scalar; for a complex number the modulus, so that wrong imaginary parts count.
template <class S>
double magnitude(const S& x) {
  using std::abs;
  return value_of(abs(x));
}

// ---- Matrices. Comparisons are everywhere and take many types of expression, so their common part is compiled once.

template <class S>
double max_magnitude(const Entries<S>& a) {
  double largest = 0;
  for (Eigen::Index j = 0; j < a.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) {
      const double m = magnitude(a(i, j));
      if (!std::isfinite(m)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, m);
    }
  return largest;
}

template <class S>
double relative_error(const Entries<S>& a, const Entries<S>& reference, double scale) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.rows != reference.rows || a.cols != reference.cols) return infinity;
  double largest = 0;
  for (Eigen::Index j = 0; j < a.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) {
      const S difference = a(i, j) - reference(i, j);
      const double m = magnitude(difference);
      if (!std::isfinite(m)) return infinity;
      largest = std::max(largest, m);
    }
  return largest / std::max({1.0, scale, max_magnitude(reference)});
}

#define CORIO_TEST_COMPARE(EXTERN, S)                      \
  EXTERN template double max_magnitude(const Entries<S>&); \
  EXTERN template double relative_error(const Entries<S>&, const Entries<S>&, double);
CORIO_TEST_COMPARE(extern, float)
CORIO_TEST_COMPARE(extern, double)
CORIO_TEST_COMPARE(extern, long double)
CORIO_TEST_COMPARE(extern, std::complex<double>)

/// Returns the largest modulus of the entries, or infinity if one of them is NaN.
template <class A>
double max_magnitude(const Eigen::MatrixBase<A>& a) {
  return max_magnitude(entries(evaluated(a)));
}

/// Returns the largest difference of two entries, over the largest entry of the reference if that exceeds one, or over
/// `scale`, the size of what was differentiated or summed up, if that exceeds both: rounding is of its size. Returns
/// infinity if the shapes differ or the difference is NaN, so that such results fail every bound.
template <class A, class B>
double relative_error(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& reference, double scale = 1) {
  const auto& x = evaluated(a);
  const auto& y = evaluated(reference);
  return relative_error(entries(x), entries(y), scale);
}

/// Returns the difference of two scalars over `scale`, the size of their terms: a sum may cancel, its error does not.
template <NotEigen S>
double relative_error(const S& a, const std::type_identity_t<S>& reference, double scale = 1) {
  const S difference = a - reference;
  const double m = magnitude(difference);
  return std::isfinite(m) ? m / std::max(1.0, std::max(scale, magnitude(reference)))
                          : std::numeric_limits<double>::infinity();
}

template <class S>
double relative_error(const Motion<S>& a, const Motion<S>& reference) {
  return relative_error(a.vector(), reference.vector());
}
template <class S>
double relative_error(const Force<S>& a, const Force<S>& reference) {
  return relative_error(a.vector(), reference.vector());
}
template <class S>
double relative_error(const Inertia<S>& a, const Inertia<S>& reference) {
  return std::max({relative_error(a.mass, reference.mass), relative_error(a.h, reference.h),
                   relative_error(a.sigma.matrix(), reference.sigma.matrix())});
}
template <class S>
double relative_error(const BodyCoriolis<S>& a, const BodyCoriolis<S>& reference) {
  return std::max(relative_error(a.P, reference.P), relative_error(a.f, reference.f));
}
template <class S>
double relative_error(const Pose<S>& a, const Pose<S>& reference) {
  return std::max(relative_error(a.rotation, reference.rotation), relative_error(a.translation, reference.translation));
}

}  // namespace corio::test
