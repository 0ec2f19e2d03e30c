#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <concepts>
#include <limits>

#include "corio/core/input.hpp"
#include "corio/loops/least_squares.hpp"

namespace corio::detail {

/// Directions of a task whose mobility is below this share of the robot's are given up, unless told otherwise: those
/// in which the task moves less than eps^(1/4) as fast as others at the same kinetic energy, 1e-4 in double.
template <class S>
inline const S mobility_tolerance = std::sqrt(std::numeric_limits<S>::epsilon());

/// Lambda = A^+ of a mobility A = J M^-1 J^T, acceleration per force: symmetric, and singular where the robot cannot
/// follow. Rows in m and in rad differ in size, so A is judged with each row scaled to the mobility that it has in a
/// robot without constraints and other tasks,
///   D A D = sum_i l_i u_i u_i^T,   Lambda = D (sum of u_i u_i^T / l_i over all l_i > tolerance) D.
/// Forces in the other directions are zero, and of all accelerations within reach the one is nearest that has the least
/// error in rows so scaled.
template <std::floating_point S>
class TruncatedInverse {
 public:
  /// @param A         m x m, of which the lower triangle is read
  /// @param mobility  m, the diagonal that A has without constraints and other tasks
  /// @returns how many l_i exceed the tolerance.
  /// @throws Error for an A that is not finite. O(m^3). Allocates only when m changes.
  int compute(const MatrixX<S>& A, const VectorX<S>& mobility, S tolerance, MatrixX<S>& Lambda, const char* caller) {
    if (!all_finite(A)) throw Error(join({caller, ": the mobility J M^-1 J^T of a task or of contacts is not finite"}));
    scale_ = mobility.cwiseMax(S(0)).cwiseSqrt();
    to_row_scales<S>(scale_);
    scaled_ = scale_.asDiagonal() * A * scale_.asDiagonal();
    const int rank = invert(tolerance, Lambda);
    Lambda.array().colwise() *= scale_.array();
    Lambda.array().rowwise() *= scale_.transpose().array();
    return rank;
  }

 private:
  int invert(S tolerance, MatrixX<S>& inverse) {
    const Eigen::Index m = scaled_.rows();
    inverse.setIdentity(m, m);
    if (m == 0) return 0;
    // Most tasks are far from singular, and the norm of the inverse is at least 1 / l_i.
    cholesky_.compute(scaled_);
    if (cholesky_.info() == Eigen::Success) {
      cholesky_.solveInPlace(inverse);
      if (inverse.norm() * tolerance < S(1)) return static_cast<int>(m);
    }
    eigen_.compute(scaled_);
    const auto& l = eigen_.eigenvalues();
    inverse.setZero(m, m);
    int rank = 0;
    for (Eigen::Index i = 0; i < m; ++i) {
      if (!(l[i] > tolerance)) continue;
      inverse.noalias() += (S(1) / l[i]) * eigen_.eigenvectors().col(i) * eigen_.eigenvectors().col(i).transpose();
      ++rank;
    }
    return rank;
  }

  MatrixX<S> scaled_;
  VectorX<S> scale_;
  Eigen::LLT<MatrixX<S>> cholesky_;
  Eigen::SelfAdjointEigenSolver<MatrixX<S>> eigen_;
};

}  // namespace corio::detail
