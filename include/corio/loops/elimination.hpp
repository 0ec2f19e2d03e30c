#pragma once

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "corio/core/least_squares.hpp"
#include "corio/simd/add_multiple.hpp"

namespace corio::detail {

/// A x = b by Gaussian elimination with full pivoting, for the few rows and columns of a cluster of loops, where it
/// takes a quarter of the time of LeastSquares. A may have more rows than columns if b is consistent. Allocates only
/// when sizes change.
template <class S>
class PivotedElimination {
 public:
  /// Rows of A are of length one at most. O(m n min(m, n)).
  void compute(const MatrixX<S>& A) {
    LU_ = A;
    const Eigen::Index m = A.rows(), n = A.cols();
    rows_.resize(m), columns_.resize(n);
    for (rank_ = 0; rank_ < std::min(m, n); ++rank_) {
      const Eigen::Index k = rank_, below = m - k - 1;
      Eigen::Index i = -1, j = -1;
      double largest = loop_tolerance<S>();
      for (Eigen::Index c = k; c < n; ++c)
        for (Eigen::Index r = k; r < m; ++r)
          if (const double size = std::abs(value_of(LU_(r, c))); size > largest) largest = size, i = r, j = c;
      if (i < 0) return;
      rows_[k] = i, columns_[k] = j;
      swap_rows(LU_, k, i);
      LU_.col(k).swap(LU_.col(j));
      const S* const pivot = &LU_(k, k);
      for (Eigen::Index r = k + 1; r < m; ++r) LU_(r, k) /= *pivot;
      for (Eigen::Index c = k + 1; c < n; ++c) add_multiple<S>(&LU_(k, c) + 1, -LU_(k, c), pivot + 1, below);
    }
  }
  Eigen::Index rank() const { return rank_; }
  /// The pivot columns, as many as the rank.
  std::vector<int> pivots() const {
    std::vector<int> order(static_cast<std::size_t>(columns_.size()));
    std::iota(order.begin(), order.end(), 0);
    for (Eigen::Index k = 0; k < rank_; ++k)
      std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(columns_[k])]);
    order.resize(static_cast<std::size_t>(rank_));
    return order;
  }

  /// Solves for every column of B, if A has full column rank: the first rows of B become the solution, the others
  /// residuals.
  void solve(MatrixX<S>& B) const {
    const Eigen::Index m = LU_.rows(), n = LU_.cols();
    for (Eigen::Index k = 0; k < n; ++k) swap_rows(B, k, rows_[k]);
    for (Eigen::Index c = 0; c < B.cols(); ++c) {
      S* const b = &B(0, c);
      for (Eigen::Index k = 0; k < n; ++k) add_multiple<S>(b + k + 1, -b[k], &LU_(k, k) + 1, m - k - 1);
      for (Eigen::Index k = n - 1; k >= 0; --k) {
        b[k] /= LU_(k, k);
        add_multiple<S>(b, -b[k], &LU_(0, k), k);
      }
    }
    for (Eigen::Index k = n - 1; k >= 0; --k) swap_rows(B, k, columns_[k]);
  }
  /// A^T x = b, if A has full column rank: the x that is zero in rows without a pivot. b has a number for each column
  /// of A, x for each row.
  void solve_transposed(const VectorX<S>& b, VectorX<S>& x) const {
    const Eigen::Index m = LU_.rows(), n = LU_.cols();
    x.setZero(m);
    x.head(n) = b;
    const auto swap = [&](Eigen::Index k, Eigen::Index other) { std::swap(x[k], x[other]); };
    for (Eigen::Index k = 0; k < n; ++k) swap(k, columns_[k]);
    for (Eigen::Index k = 0; k < n; ++k) {
      for (Eigen::Index r = 0; r < k; ++r) x[k] -= LU_(r, k) * x[r];
      x[k] /= LU_(k, k);
    }
    for (Eigen::Index k = n - 1; k >= 0; --k)
      for (Eigen::Index r = k + 1; r < n; ++r) x[k] -= LU_(r, k) * x[r];
    for (Eigen::Index k = n - 1; k >= 0; --k) swap(k, rows_[k]);
  }

 private:
  static void swap_rows(MatrixX<S>& X, Eigen::Index i, Eigen::Index j) {
    if (i == j) return;
    for (Eigen::Index c = 0; c < X.cols(); ++c) std::swap(X(i, c), X(j, c));
  }

  MatrixX<S> LU_;
  VectorX<Eigen::Index> rows_, columns_;  // step k swapped these with k
  Eigen::Index rank_ = 0;
};

}  // namespace corio::detail
