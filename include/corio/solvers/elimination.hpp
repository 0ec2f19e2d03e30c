#pragma once

#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/simd/add_multiple.hpp"
#include "corio/solvers/by_state.hpp"

namespace corio::inline CORIO_ABI::detail {

/// A x = b by Gaussian elimination, for the few rows and columns of a cluster of loops, where it takes a quarter of the
/// time of LeastSquares. A may have more rows than columns if b is consistent. Rows are exchanged; a column that
/// depends on those before it is passed over. Zeros are skipped, and most stay zeros if columns with few entries come
/// first. Allocates only when sizes change.
template <class S>
class PivotedElimination {
 public:
  /// Rows of A are of length one at most. O(m n min(m, n)).
  void compute(const MatrixX<S>& A) {
    LU_ = A;
    const Eigen::Index m = A.rows(), n = A.cols();
    order_.resize(m);
    std::iota(order_.begin(), order_.end(), Eigen::Index(0));
    pivots_.clear();
    for (Eigen::Index j = 0; j < n && rank() < m; ++j) {
      const Eigen::Index k = rank(), below = m - k - 1;
      Eigen::Index i = -1;
      double largest = rank_tolerance<S>();
      S* const column = &LU_(0, j);
      for (Eigen::Index r = k; r < m; ++r)
        if (const double size = std::abs(value_of(column[r])); size > largest) largest = size, i = r;
      if (i < 0) continue;
      pivots_.push_back(static_cast<int>(j));
      swap_rows(k, i);
      const S reciprocal = S(1) / column[k];
      for (Eigen::Index r = k + 1; r < m; ++r) column[r] *= reciprocal;
      for (Eigen::Index c = j + 1; c < n; ++c)
        if (!is_zero(LU_(k, c))) add_multiple<S>(&LU_(k, c) + 1, -LU_(k, c), column + k + 1, below);
    }
  }
  Eigen::Index rank() const { return std::ssize(pivots_); }
  /// The columns that do not depend on those before them.
  const std::vector<int>& pivots() const { return pivots_; }

  /// X^T = -A^-1 diag(scale) B^T for as many rows as B has; the columns of X from the number of columns of A on become
  /// residuals. X is not a number unless A has full column rank.
  void minus_solve(const MatrixX<S>& B, const VectorX<S>& scale, MatrixX<S>& X) const {
    const Eigen::Index m = LU_.rows(), n = LU_.cols(), count = B.rows();
    if (rank() < n) return void(X.setConstant(count, m, S(std::numeric_limits<double>::quiet_NaN())));
    X.resize(count, m);
    const auto column = [&](Eigen::Index i) { return X.data() + i * count; };
    for (Eigen::Index k = 0; k < m; ++k) {
      const Eigen::Index r = order_[k];
      for (Eigen::Index i = 0; i < count; ++i) column(k)[i] = -scale[r] * B(i, r);
    }
    const auto subtract = [&](Eigen::Index r, Eigen::Index k) {
      if (!is_zero(LU_(r, k))) add_multiple<S>(column(r), -LU_(r, k), column(k), count);
    };
    for (Eigen::Index k = 0; k < n; ++k)
      for (Eigen::Index r = k + 1; r < m; ++r) subtract(r, k);
    for (Eigen::Index k = n - 1; k >= 0; --k) {
      const S reciprocal = S(1) / LU_(k, k);
      for (Eigen::Index i = 0; i < count; ++i) column(k)[i] *= reciprocal;
      for (Eigen::Index r = 0; r < k; ++r) subtract(r, k);
    }
  }
  /// A^T x = b, if A has full column rank: the x that is zero in rows without a pivot. b has a number for each column
  /// of A, x for each row; b is overwritten.
  void solve_transposed(VectorX<S>& b, VectorX<S>& x) const {
    const Eigen::Index m = LU_.rows(), n = LU_.cols();
    for (Eigen::Index k = 0; k < n; ++k) {
      for (Eigen::Index r = 0; r < k; ++r) b[k] -= LU_(r, k) * b[r];
      b[k] /= LU_(k, k);
    }
    for (Eigen::Index k = n - 1; k >= 0; --k)
      for (Eigen::Index r = k + 1; r < n; ++r) b[k] -= LU_(r, k) * b[r];
    x.setZero(m);
    for (Eigen::Index k = 0; k < n; ++k) x[order_[k]] = b[k];
  }

 private:
  /// For numbers without derivatives alone.
  static bool is_zero([[maybe_unused]] const S& x) {
    if constexpr (std::is_floating_point_v<S>) return x == S(0);
    return false;
  }
  void swap_rows(Eigen::Index i, Eigen::Index j) {
    if (i == j) return;
    std::swap(order_[i], order_[j]);
    for (Eigen::Index c = 0; c < LU_.cols(); ++c) std::swap(LU_(i, c), LU_(j, c));
  }

  MatrixX<S> LU_;
  VectorX<Eigen::Index> order_;  // of the rows of A in the factors
  std::vector<int> pivots_;
};

template <class S>
using EliminationOf = SolverFor<S, PivotedElimination<typename NumberOf<S>::Type>>;

}  // namespace corio::detail
