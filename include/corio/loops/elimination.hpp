#pragma once

#include <Eigen/Core>
#include <cmath>
#include <utility>
#include <vector>

#include "corio/loops/least_squares.hpp"

namespace corio::detail {

/// A x = b by Gaussian elimination with full pivoting, for the few rows and columns of a cluster of loops, where it
/// takes a quarter of the time of LeastSquares. A may have more rows than columns, as long as b is consistent with
/// them. Allocates only when sizes change.
template <class S>
class PivotedElimination {
 public:
  /// Rows of A are of length one at most. O(m n min(m, n)).
  void compute(const MatrixX<S>& A) {
    LU_ = A;
    const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
    rows_.resize(static_cast<std::size_t>(m)), columns_.resize(static_cast<std::size_t>(n));
    for (rank_ = 0; rank_ < std::min(m, n); ++rank_) {
      Eigen::Index i = 0, j = 0;
      const S pivot = LU_.bottomRightCorner(m - rank_, n - rank_).cwiseAbs().maxCoeff(&i, &j);
      if (!(pivot > loop_tolerance<S>)) return;
      const int k = rank_;
      rows_[static_cast<std::size_t>(k)] = static_cast<int>(i) + k;
      columns_[static_cast<std::size_t>(k)] = static_cast<int>(j) + k;
      swap_rows(LU_, k, static_cast<int>(i) + k);
      for (int r = 0; r < m; ++r) std::swap(LU_(r, k), LU_(r, static_cast<int>(j) + k));
      for (int r = k + 1; r < m; ++r) LU_(r, k) /= LU_(k, k);
      for (int c = k + 1; c < n; ++c)
        for (int r = k + 1; r < m; ++r) LU_(r, c) -= LU_(r, k) * LU_(k, c);
    }
  }
  Eigen::Index rank() const { return rank_; }

  /// Solves for every column of B, if the rank is that of the columns of A: its first rows become the solution, the
  /// others what is inconsistent.
  void solve(MatrixX<S>& B) const {
    const int m = static_cast<int>(LU_.rows()), n = static_cast<int>(LU_.cols());
    for (int k = 0; k < n; ++k) swap_rows(B, k, rows_[static_cast<std::size_t>(k)]);
    for (int k = 0; k < n; ++k)
      for (Eigen::Index c = 0; c < B.cols(); ++c)
        for (int r = k + 1; r < m; ++r) B(r, c) -= LU_(r, k) * B(k, c);
    for (int k = n - 1; k >= 0; --k)
      for (Eigen::Index c = 0; c < B.cols(); ++c) {
        B(k, c) /= LU_(k, k);
        for (int r = 0; r < k; ++r) B(r, c) -= LU_(r, k) * B(k, c);
      }
    for (int k = n - 1; k >= 0; --k) swap_rows(B, k, columns_[static_cast<std::size_t>(k)]);
  }
  /// A^T x = b, if the rank is that of the columns of A: the x that has nothing in the rows which that rank does not
  /// need. b has a number for each column of A, x for each row.
  void solve_transposed(const VectorX<S>& b, VectorX<S>& x) const {
    const int m = static_cast<int>(LU_.rows()), n = static_cast<int>(LU_.cols());
    x.setZero(m);
    x.head(n) = b;
    const auto swap = [&](int k, int other) { std::swap(x[k], x[other]); };
    for (int k = 0; k < n; ++k) swap(k, columns_[static_cast<std::size_t>(k)]);
    for (int k = 0; k < n; ++k) {
      for (int r = 0; r < k; ++r) x[k] -= LU_(r, k) * x[r];
      x[k] /= LU_(k, k);
    }
    for (int k = n - 1; k >= 0; --k)
      for (int r = k + 1; r < n; ++r) x[k] -= LU_(r, k) * x[r];
    for (int k = n - 1; k >= 0; --k) swap(k, rows_[static_cast<std::size_t>(k)]);
  }

 private:
  static void swap_rows(MatrixX<S>& X, int i, int j) {
    if (i == j) return;
    for (Eigen::Index c = 0; c < X.cols(); ++c) std::swap(X(i, c), X(j, c));
  }

  MatrixX<S> LU_;
  std::vector<int> rows_, columns_;  // step k swapped these with k
  int rank_ = 0;
};

}  // namespace corio::detail
