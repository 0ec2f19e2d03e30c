#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include "corio/core/detail/input.hpp"
#include "corio/solvers/symmetric_factor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Default tolerance: directions with a mobility below this fraction of the largest count as immobile. At equal kinetic
/// energy a task moves in an immobile direction less than eps^(1/4), 1e-4 in double, as fast as in others.
template <class S>
inline const S mobility_tolerance = S(std::sqrt(std::numeric_limits<S>::epsilon()));

/// @throws Error unless the tolerance is in (0, 1)
template <class S>
void check_mobility_tolerance(const char* caller, S tolerance) {
  if (!(tolerance > S(0) && tolerance < S(1)))
    throw Error(join({caller, ": tolerance is ", number(value_of(tolerance)), ", must be in (0, 1)"}));
}

/// Computes the pseudo-inverse Lambda = A^+ of a mobility A = J M^-1 J^T (acceleration per force). A is symmetric, and
/// singular in directions that the robot cannot move in. Cholesky's factorization with diagonal pivoting,
///   A = L L^T + E,   Lambda = (L L^T)^+ = T^T T,   T = L^+ = (L^T L)^-1 L^T,
/// ends as soon as the mobility of every remaining row, with the rows before it held, is within the tolerance: 0 <=
/// E_ii <= tolerance D_i. Lambda gives the nearest feasible acceleration, in rows divided by sqrt(D_i). Source: Higham,
/// Accuracy and Stability of Numerical Algorithms (2002), sec. 10.3. A scalar that records has the pivots and the rank
/// of the nominal inputs.
template <FloatingPointOrRecorded S>
class TruncatedInverse {
 public:
  /// @param A         m x m, symmetric up to rounding
  /// @param mobility  m, D, not less than the diagonal of A; equal for rows that are components of one vector
  /// @returns the rank, the number of columns of L.
  /// @throws Error for an A that is not finite. O(m^3). Allocates only when m changes.
  int compute(const MatrixX<S>& A, const VectorX<S>& mobility, S tolerance, MatrixX<S>& Lambda, const char* caller) {
    if (!all_finite(A)) throw Error(join({caller, ": the mobility J M^-1 J^T of a task or of contacts is not finite"}));
    // Scale by 1 / sqrt(D_i), so that rows in m and in rad compare; rows of rounding errors become zero.
    const S rounding = static_cast<S>(rank_tolerance<S>() * rank_tolerance<S>());
    const S least = mobility.size() > 0 ? mobility.maxCoeff() * rounding : S(0);
    scale_ = mobility.unaryExpr([least](const S& x) {
      using std::sqrt;
      return at_nominal(x > least) ? S(S(1) / sqrt(x)) : S(0);
    });
    scaled_ = scale_.asDiagonal() * A * scale_.asDiagonal();
    const Eigen::Index rank = factorize(tolerance);
    auto T = T_.topRows(rank);
    T = L_.leftCols(rank).transpose();
    Eigen::Ref<MatrixX<S>> L_squared = scaled_.topLeftCorner(rank, rank);
    L_squared.noalias() = T * L_.leftCols(rank);
    factor_.reserve(A.rows());
    factor_.compute(L_squared);
    factor_.solve_columns(T);
    T.array().rowwise() *= scale_.transpose().array();
    Lambda.resize(A.rows(), A.cols());
    Lambda.noalias() = T.transpose() * T;
    return static_cast<int>(rank);
  }

 private:
  Eigen::Index factorize(S tolerance) {
    const Eigen::Index m = scaled_.rows();
    L_.setZero(m, m), T_.resize(m, m);
    left_ = scaled_.diagonal();
    for (Eigen::Index k = 0; k < m; ++k) {
      Eigen::Index row = 0;
      for (Eigen::Index i = 1; i < m; ++i)
        if (at_nominal(left_[i] > left_[row])) row = i;
      const S pivot = left_[row];
      if (!at_nominal(pivot > tolerance)) return k;
      L_.col(k) = scaled_.col(row);
      L_.col(k).noalias() -= L_.leftCols(k) * L_.row(row).head(k).transpose();
      using std::sqrt;
      L_.col(k) /= sqrt(pivot);
      for (Eigen::Index i = 0; i < m; ++i)
        if (at_nominal(left_[i] < S(0))) L_(i, k) = S(0);  // a row already eliminated
      left_ -= L_.col(k).cwiseAbs2();
      left_[row] = S(-1);
    }
    return m;
  }

  SymmetricFactor<S> factor_;
  MatrixX<S> scaled_, L_, T_;
  VectorX<S> scale_, left_;
};

}}}  // namespace corio::detail
