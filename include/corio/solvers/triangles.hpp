#pragma once

#include "corio/simd/add_multiple.hpp"

/// Operations on upper triangular matrices, column by column. Entries below the diagonal are not read.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Sets x <- R^-1 x for the first n rows and columns of R.
template <class Matrix, class S>
void solve_triangle(const Matrix& R, S* x, Eigen::Index n) {
  for (; n > 0; --n) {
    x[n - 1] /= R(n - 1, n - 1);
    add_multiple<S>(x, -x[n - 1], &R(0, n - 1), n - 1);
  }
}

/// Sets x <- R^-T x for the first n rows and columns of R.
template <class Matrix, class S>
void solve_transposed_triangle(const Matrix& R, S* x, Eigen::Index n) {
  for (Eigen::Index k = 0; k < n; ++k) x[k] = (x[k] - inner_product<S>(&R(0, k), x, k)) / R(k, k);
}

/// Returns R^-1, upper triangular.
template <class S>
MatrixX<S> inverse_of_triangle(const MatrixX<S>& R) {
  MatrixX<S> X = MatrixX<S>::Identity(R.rows(), R.cols());
  for (Eigen::Index k = 0; k < X.cols(); ++k) solve_triangle(R, &X(0, k), k + 1);
  return X;
}

/// Returns X X^T for an upper triangle X.
template <class S>
MatrixX<S> times_transpose(const MatrixX<S>& X) {
  MatrixX<S> out = MatrixX<S>::Zero(X.rows(), X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    for (Eigen::Index k = j; k < X.cols(); ++k) add_multiple<S>(&out(0, j), X(j, k), &X(0, k), j + 1);
    for (Eigen::Index i = 0; i < j; ++i) out(j, i) = out(i, j);
  }
  return out;
}

}}}  // namespace corio::detail
