#pragma once

#include <Eigen/Householder>
#include <Eigen/QR>
#include <algorithm>
#include <type_traits>

#include "corio/core/scalar.hpp"

namespace corio::detail {

/// Remainders of rows of K and pivots below this share of the largest are rounding errors.
template <class S>
double loop_tolerance() {
  return 1000.0 * value_of(Eigen::NumTraits<S>::epsilon());
}

/// x = A^+ b, the shortest x that minimises |A x - b|, by a rank-revealing factorization with column pivoting,
///   A P = Q [R; 0],   and for a rank below the number of columns   R^T = Q2 [U; 0],   x = P Q2 [U^-T (Q^T b); 0].
/// Allocates only when sizes or rank change, and not at all where Matrix is of bounded size.
template <class S, class Matrix = MatrixX<S>>
class LeastSquares {
 public:
  /// O(m n min(m, n)).
  void compute(const Matrix& A, double tolerance = loop_tolerance<S>()) {
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

/// Number of state l of each entry of a matrix of packs.
template <class X, class Y>
const Y& take_state(const X& from, int l, Y& to) {
  to.resize(from.rows(), from.cols());
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i] = from.data()[i][l];
  return to;
}
/// The other way round, into a matrix of this size.
template <class Y, class X>
void put_state(const Y& from, int l, X& to) {
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i].set(l, from.data()[i]);
}

/// The same for a pack of states, one state after the other, as each has pivots of its own.
template <class P>
class LeastSquaresByState {
  using N = typename NumberOf<P>::Type;

 public:
  void compute(const MatrixX<P>& A) {
    columns_ = A.cols();
    for (int l = 0; l < states_of<P>; ++l) of_state_[l].compute(take_state(A, l, B_));
  }
  /// The largest one.
  Eigen::Index rank() const { return std::ranges::max_element(of_state_, {}, &LeastSquares<N>::rank)->rank(); }
  void solve(const MatrixX<P>& B, MatrixX<P>& X) {
    X.resize(columns_, B.cols());
    for (int l = 0; l < states_of<P>; ++l) {
      take_state(B, l, B_);
      of_state_[l].solve(B_, X_);
      put_state(X_, l, X);
    }
  }

 private:
  LeastSquares<N> of_state_[states_of<P>];
  MatrixX<N> B_, X_;
  Eigen::Index columns_ = 0;
};

template <class S>
using LeastSquaresOf = std::conditional_t<states_of<S> == 1, LeastSquares<S>, LeastSquaresByState<S>>;

}  // namespace corio::detail
