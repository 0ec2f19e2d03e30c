#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "corio/core/detail/input.hpp"
#include "corio/simd/add_multiple.hpp"

/// Singular values and symmetric eigenvalues by Jacobi rotations, for real scalars. Source: Golub and Van Loan, Matrix
/// Computations (2013), sections 8.5 and 8.6.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// [x y] <- [x y] [c s; -s c], where the rotation makes [a g; g b] diagonal: entries of two columns with the squared
/// lengths a and b and the product g become orthogonal.
template <class S>
struct JacobiRotation {
  S tangent, c, s;

  JacobiRotation(const S& a, const S& b, const S& g) {
    const S zeta = (b - a) / (S(2) * g);
    tangent = std::copysign(S(1), zeta) / (std::abs(zeta) + std::sqrt(S(1) + zeta * zeta));
    c = S(1) / std::sqrt(S(1) + tangent * tangent), s = c * tangent;
  }
  /// Rotates columns of n numbers.
  void apply(S* x, S* y, Eigen::Index n) const {
    using P = Lanes<S>;
    Eigen::Index k = 0;
    for (; k < n - n % P::width; k += P::width) {
      const P old = P::load(x + k), other = P::load(y + k);
      (c * old - s * other).store(x + k), (s * old + c * other).store(y + k);
    }
    for (; k < n; ++k) {
      const S old = x[k];
      x[k] = c * old - s * y[k], y[k] = s * old + c * y[k];
    }
  }
};
/// This is far more sweeps than convergence takes.
inline constexpr int most_jacobi_sweeps = 60;

/// Returns the singular values of A in decreasing order. They are the lengths of the columns of A after rotations made
/// these orthogonal, so that small values keep digits that they would lose as roots of the eigenvalues of A^T A. A does
/// not have more columns than rows. If A is not finite, all values are NaN. O(m n^2) for each of five to ten sweeps.
template <class Matrix, class S = typename Matrix::Scalar>
Eigen::Matrix<S, Matrix::ColsAtCompileTime, 1, 0, Matrix::MaxColsAtCompileTime> singular_values(Matrix A) {
  const Eigen::Index m = A.rows(), n = A.cols();
  const auto column = [&](Eigen::Index j) { return A.data() + j * m; };
  // Scale A, as lengths would overflow or underflow when their squares do.
  S largest(0);
  for (Eigen::Index k = 0; k < m * n; ++k) largest = (std::max)(largest, std::abs(A.data()[k]));
  Eigen::Matrix<S, Matrix::ColsAtCompileTime, 1, 0, Matrix::MaxColsAtCompileTime> values(n);
  if (!all_finite(A)) {
    std::fill_n(values.data(), n, std::numeric_limits<S>::quiet_NaN());
    return values;
  }
  std::fill_n(values.data(), n, S(0));
  if (!(largest > S(0))) return values;
  for (Eigen::Index k = 0; k < m * n; ++k) A.data()[k] /= largest;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < most_jacobi_sweeps; ++sweep) {
    rotated = false;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = i + 1; j < n; ++j) {
        S *const x = column(i), *const y = column(j);
        const S a = inner_product(x, x, m), b = inner_product(y, y, m), g = inner_product(x, y, m);
        if (std::abs(g) <= std::numeric_limits<S>::epsilon() * std::sqrt(a) * std::sqrt(b)) continue;
        rotated = true;
        JacobiRotation<S>(a, b, g).apply(x, y, m);
      }
  }
  for (Eigen::Index j = 0; j < n; ++j) values[j] = largest * std::sqrt(inner_product(column(j), column(j), m));
  std::sort(values.data(), values.data() + n, std::greater<S>());
  return values;
}

/// Computes A = V diag(values) V^T for a symmetric A: eigenvalues in increasing order, unit eigenvectors as columns of
/// V. O(n^3) for each of five to ten sweeps. Allocates only when the size changes.
template <class Matrix>
class SymmetricEigen {
 public:
  using S = typename Matrix::Scalar;
  Eigen::Matrix<S, Matrix::ColsAtCompileTime, 1> values;
  Matrix vectors;

  SymmetricEigen() = default;
  explicit SymmetricEigen(const Matrix& A) { compute(A); }

  void resize(Eigen::Index n) { rotated_.resize(n, n), values.resize(n), vectors.resize(n, n); }

  void compute(const Matrix& symmetric) {
    resize(symmetric.rows());
    Matrix& A = rotated_;
    A = symmetric;
    vectors.setIdentity();
    const Eigen::Index n = A.rows();
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < most_jacobi_sweeps; ++sweep) {
      rotated = false;
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = i + 1; j < n; ++j) {
          const S a = A(i, i), b = A(j, j), g = A(i, j);
          if (std::abs(g) <= std::numeric_limits<S>::epsilon() * std::sqrt(std::abs(a)) * std::sqrt(std::abs(b)))
            continue;
          rotated = true;
          const JacobiRotation<S> rotation(a, b, g);
          rotation.apply(&A(0, i), &A(0, j), n);
          for (Eigen::Index k = 0; k < n; ++k) A(i, k) = A(k, i), A(j, k) = A(k, j);
          A(i, i) = a - rotation.tangent * g, A(j, j) = b + rotation.tangent * g;
          A(i, j) = A(j, i) = S(0);
          rotation.apply(&vectors(0, i), &vectors(0, j), n);
        }
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::Index least = i;
      for (Eigen::Index j = i + 1; j < n; ++j)
        if (A(j, j) < A(least, least)) least = j;
      values[i] = std::exchange(A(least, least), A(i, i));
      if (least != i) std::swap_ranges(&vectors(0, i), &vectors(0, i) + n, &vectors(0, least));
    }
  }

 private:
  Matrix rotated_;
};

}}}  // namespace corio::detail
