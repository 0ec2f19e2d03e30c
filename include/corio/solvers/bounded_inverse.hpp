#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>

#include "corio/core/detail/input.hpp"
#include "corio/solvers/jacobi.hpp"
#include "corio/solvers/symmetric_factor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Computes the inverse of a mobility A = J M^-1 J^T with bounded inertia. For the scaled D^(-1/2) A D^(-1/2) = sum s u
/// u^T,
///   Lambda = D^(-1/2) (sum u u^T / max(s, least)) D^(-1/2),   excess = A^+ - Lambda >= 0,
/// continuous in A, and exactly A^-1 if no s is below `least`. Positive pivots of the scaled A minus `least` prove this
/// case, so that eigenvalues are computed only near singularities. Directions whose mobility consists of rounding
/// errors, of A or of the Jacobian, are left out of both results.
template <FloatingPointOrRecorded S>
class BoundedInverse {
 public:
  /// @param A         m x m, symmetric up to rounding
  /// @param mobility  m, D, not less than the diagonal of A; equal for rows that are components of one vector
  /// @returns the number of directions with s >= least
  /// @throws Error for an A that is not finite. O(m^3). Allocates only when m changes.
  int compute(const MatrixX<S>& A, const VectorX<S>& mobility, S least, MatrixX<S>& Lambda, MatrixX<S>& excess,
              const char* caller) {
    if (!all_finite(A)) throw Error(join({caller, ": the mobility J M^-1 J^T of a task is not finite"}));
    const Eigen::Index m = A.rows();
    scale_ = mobility.unaryExpr([](const S& x) { return x > S(0) ? S(1) / std::sqrt(x) : S(0); });
    scaled_ = scale_.asDiagonal() * A * scale_.asDiagonal();
    excess.setZero(m, m);
    eigen_.resize(m), direction_.resize(m), weighted_.resize(m);
    less_ = scaled_;
    less_.diagonal().array() -= least;
    factor_.compute(less_);
    if (factor_.rank() == m) {
      factor_.compute(scaled_);
      Lambda.setIdentity(m, m);
      factor_.solve_columns(Lambda);
      Lambda = scale_.asDiagonal() * Lambda * scale_.asDiagonal();
      return static_cast<int>(m);
    }
    eigen_.compute(scaled_);
    Lambda.setZero(m, m);
    // Rounding errors among the entries of a scaled J give mobilities of the size of their squares, even if J contains
    // nothing else.
    const S tolerance = static_cast<S>(rank_tolerance<S>());
    const S rounding = tolerance * (std::max)(tolerance, eigen_.values.cwiseAbs().maxCoeff());
    int rank = 0;
    for (Eigen::Index i = 0; i < m; ++i) {
      const S s = eigen_.values[i];
      if (!(s > rounding)) continue;
      rank += s >= least;
      direction_ = scale_.cwiseProduct(eigen_.vectors.col(i));
      weighted_ = direction_ / (std::max)(s, least);
      Lambda.noalias() += weighted_ * direction_.transpose();
      if (!(s < least)) continue;
      weighted_ = direction_ * (1 / s - 1 / least);
      excess.noalias() += weighted_ * direction_.transpose();
    }
    return rank;
  }

 private:
  MatrixX<S> scaled_, less_;
  VectorX<S> scale_, direction_, weighted_;
  SymmetricFactor<S> factor_;
  SymmetricEigen<MatrixX<S>> eigen_;
};

}}}  // namespace corio::detail
