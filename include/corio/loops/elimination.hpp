#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
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

/// The same for a pack of states, one state after the other, as each has pivots of its own. Of a state in which A has
/// not full column rank the solutions are not numbers.
template <class P>
class EliminationByState {
  using N = typename NumberOf<P>::Type;

 public:
  void compute(const MatrixX<P>& A) {
    rows_ = A.rows(), columns_ = A.cols();
    for (int l = 0; l < states_of<P>; ++l) of_state_[l].compute(take(A, l, B_));
  }
  /// That of the states whose solutions are numbers.
  Eigen::Index rank() const { return columns_; }
  void solve(MatrixX<P>& B) {
    for (int l = 0; l < states_of<P>; ++l) {
      take(B, l, B_);
      if (is_sound(l)) of_state_[l].solve(B_);
      put(B_, l, B);
    }
  }
  void solve_transposed(const VectorX<P>& b, VectorX<P>& x) {
    x.resize(rows_), x_.resize(rows_);
    for (int l = 0; l < states_of<P>; ++l) {
      if (take(b, l, b_); is_sound(l)) of_state_[l].solve_transposed(b_, x_);
      put(x_, l, x);
    }
  }

 private:
  bool is_sound(int l) const { return of_state_[l].rank() == columns_; }
  template <class X, class Y>
  static const Y& take(const X& from, int l, Y& to) {
    to.resize(from.rows(), from.cols());
    for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i] = from.data()[i][l];
    return to;
  }
  template <class Y, class X>
  void put(const Y& from, int l, X& to) const {
    const bool sound = is_sound(l);
    for (Eigen::Index i = 0; i < to.size(); ++i)
      to.data()[i].set(l, sound ? from.data()[i] : std::numeric_limits<N>::quiet_NaN());
  }

  PivotedElimination<N> of_state_[states_of<P>];
  MatrixX<N> B_;
  VectorX<N> b_, x_;
  Eigen::Index rows_ = 0, columns_ = 0;
};

template <class S>
using EliminationOf = std::conditional_t<states_of<S> == 1, PivotedElimination<S>, EliminationByState<S>>;

/// x where the condition holds, not a number elsewhere: how a state of a pack fails without the others.
template <class Where, class X>
void keep_where(const Where& holds, X&& x) {
  using S = typename std::decay_t<X>::Scalar;
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      x(i, j) = select(holds, S(x(i, j)), S(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace corio::detail
