#pragma once

#include <cmath>

#include "corio/simd/add_multiple.hpp"

/// Householder reflections H = 1 - t [1; v] [1; v]^T of columns. Source: Golub and Van Loan, Matrix Computations
/// (2013), section 5.1.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Takes x, of n >= 1 numbers that are not all zero, to (x_0, 0, ..), without cancellation, and writes v in place of
/// the zeros. @returns t
template <class S>
S make_reflection(S* x, Eigen::Index n) {
  using std::sqrt;
  const S length = sqrt(inner_product(x, x, n));
  const S image = select(real_value(x[0]) < 0.0, length, S(-length)), difference = x[0] - image;
  for (Eigen::Index i = 1; i < n; ++i) x[i] /= difference;
  x[0] = image;
  return -difference / image;
}

/// Sets y <- H y, n numbers.
template <class S>
CORIO_INLINE void reflect(const S* v, const S& t, S* y, Eigen::Index n) {
  const S sum = t * (y[0] + inner_product(v, y + 1, n - 1));
  y[0] -= sum;
  add_multiple<S>(y + 1, -sum, v, n - 1);
}

}}}  // namespace corio::detail
