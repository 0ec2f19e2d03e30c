#pragma once

#include <Eigen/Householder>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/core/scalar.hpp"
#include "corio/simd/add_multiple.hpp"

namespace corio::inline CORIO_ABI::detail {

/// x = A^+ b, the shortest x that minimises |A x - b|, by a rank-revealing factorization with column pivoting,
///   A P = Q [R; 0],   and for a rank below the number of columns   R^T = Q2 [U; 0],   x = P Q2 [U^-T (Q^T b); 0].
/// Allocates only when sizes or rank change, and not at all where Matrix is of bounded size.
template <class S, class Matrix = MatrixX<S>>
class LeastSquares {
 public:
  /// O(m n min(m, n)).
  void compute(const Matrix& A, double tolerance = rank_tolerance<S>()) {
    columns_ = A.cols();
    rank_ = 0;
    if (A.size() == 0) return;
    qr_.setThreshold(static_cast<S>(tolerance));
    qr_.compute(A);
    rank_ = qr_.rank();
    if (rank_ == 0 || rank_ == columns_) return;
    transposed_ = qr_.matrixQR().topRows(rank_).template triangularView<Eigen::Upper>().transpose();
    factorize_transposed();
  }
  Eigen::Index rank() const { return rank_; }
  /// The columns of A in the order of pivoting.
  int pivot(Eigen::Index i) const { return qr_.colsPermutation().indices()[i]; }

  /// X = A^+ B for as many columns as B has; B is overwritten. Rows of B from the rank on become the residual.
  void solve(Matrix& B, Matrix& X) {
    X.setZero(columns_, B.cols());
    if (rank_ == 0) return;
    grow_work(B.cols());
    for (Eigen::Index i = 0; i < rank_; ++i) reflect(qr_.matrixQR(), qr_.hCoeffs()[i], i, B);
    auto c = B.topRows(rank_);
    if (rank_ == columns_) {
      solve_each(qr_.matrixQR().topRows(rank_).template triangularView<Eigen::Upper>(), c);
      for (Eigen::Index i = 0; i < rank_; ++i) X.row(pivot(i)) = c.row(i);
      return;
    }
    solve_each(transposed_.topRows(rank_).template triangularView<Eigen::Upper>().transpose(), c);
    unpermuted_.setZero(columns_, B.cols());
    unpermuted_.topRows(rank_) = c;
    for (Eigen::Index i = rank_ - 1; i >= 0; --i) reflect(transposed_, coefficients_[i], i, unpermuted_);
    for (Eigen::Index i = 0; i < columns_; ++i) X.row(pivot(i)) = unpermuted_.row(i);
  }

 private:
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, Matrix::MaxColsAtCompileTime>;

  /// R^T = Q2 [U; 0] in place, column by column: Eigen's HouseholderQR allocates for matrices larger than its blocks.
  void factorize_transposed() {
    coefficients_.resize(rank_), grow_work(rank_);
    for (Eigen::Index i = 0; i < rank_; ++i) {
      const Eigen::Index below = columns_ - i - 1;
      S diagonal(0);
      transposed_.col(i).tail(below + 1).makeHouseholderInPlace(coefficients_[i], diagonal);
      transposed_(i, i) = diagonal;
      transposed_.bottomRightCorner(below + 1, rank_ - i - 1)
          .applyHouseholderOnTheLeft(transposed_.col(i).tail(below), coefficients_[i], work_.data());
    }
  }
  /// Column by column: for several at once Eigen copies blocks of the triangle, to the stack or, if they are large, to
  /// memory that it allocates.
  template <class Triangle, class Columns>
  static void solve_each(const Triangle& triangle, Columns& columns) {
    for (Eigen::Index i = 0; i < columns.cols(); ++i) {
      auto column = columns.col(i);
      triangle.solveInPlace(column);
    }
  }
  void grow_work(Eigen::Index n) {
    if (work_.size() < n) work_.resize(n);
  }
  /// B <- H_i B, with the vector of H_i below the diagonal of column i.
  void reflect(const Matrix& vectors, const S& coefficient, Eigen::Index i, Matrix& B) {
    const Eigen::Index below = vectors.rows() - i - 1;
    B.bottomRows(below + 1).applyHouseholderOnTheLeft(vectors.col(i).tail(below), coefficient, work_.data());
  }

  Eigen::ColPivHouseholderQR<Matrix> qr_;
  Matrix transposed_, unpermuted_;
  Vector coefficients_, work_;
  Eigen::Index columns_ = 0, rank_ = 0;
};

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
  VectorX<Eigen::Index> order_;  // of the rows of A in that of the factors
  std::vector<int> pivots_;
};

/// Number of state l of each entry of a matrix of packs.
template <class X, class Y>
Y& take_state(const X& from, int l, Y& to) {
  to.resize(from.rows(), from.cols());
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i] = from.data()[i][l];
  return to;
}
/// The other way round, into a matrix of this size.
template <class Y, class X>
void put_state(const Y& from, int l, X& to) {
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i].set(l, from.data()[i]);
}

/// One of the solvers above for a pack of states, one state after the other, as each has pivots of its own.
template <class P, class Solver>
class SolverByState {
  using N = typename NumberOf<P>::Type;

 public:
  void compute(const MatrixX<P>& A) {
    for (int l = 0; l < states_of<P>; ++l) of_state_[l].compute(take_state(A, l, B_));
  }
  /// The largest one.
  Eigen::Index rank() const { return std::ranges::max_element(of_state_, {}, &Solver::rank)->rank(); }
  void solve(MatrixX<P>& B, MatrixX<P>& X) {
    for (int l = 0; l < states_of<P>; ++l) {
      of_state_[l].solve(take_state(B, l, B_), X_);
      X.resize(X_.rows(), X_.cols());
      put_state(B_, l, B), put_state(X_, l, X);
    }
  }
  void minus_solve(const MatrixX<P>& B, const VectorX<P>& scale, MatrixX<P>& X) {
    for (int l = 0; l < states_of<P>; ++l) {
      of_state_[l].minus_solve(take_state(B, l, B_), take_state(scale, l, b_), X_);
      X.resize(X_.rows(), X_.cols());
      put_state(X_, l, X);
    }
  }
  void solve_transposed(const VectorX<P>& b, VectorX<P>& x) {
    for (int l = 0; l < states_of<P>; ++l) {
      of_state_[l].solve_transposed(take_state(b, l, b_), x_);
      x.resize(x_.rows());
      put_state(x_, l, x);
    }
  }

 private:
  Solver of_state_[states_of<P>];
  MatrixX<N> B_, X_;
  VectorX<N> b_, x_;
};

template <class S, class Solver>
using SolverFor = std::conditional_t<states_of<S> == 1, Solver, SolverByState<S, Solver>>;
template <class S>
using LeastSquaresOf = SolverFor<S, LeastSquares<typename NumberOf<S>::Type>>;
template <class S>
using EliminationOf = SolverFor<S, PivotedElimination<typename NumberOf<S>::Type>>;

}  // namespace corio::detail
