#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "corio/core/detail/input.hpp"
#include "corio/solvers/by_state.hpp"
#include "corio/solvers/householder.hpp"
#include "corio/solvers/triangles.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Computes x = A^+ b, the shortest x that minimises |A x - b|, by a rank-revealing factorization with column pivoting,
///   A P = Q [R; 0],   and for a rank below the number of columns   R^T = Q2 [U; 0],   x = P Q2 [U^-T (Q^T b); 0].
/// An A whose squares overflow or underflow is divided by a power of two first. If A is not finite its rank is 0 and x
/// is NaN; x is also NaN for a b that is not finite. Allocates only when sizes or rank change, and not at all if Matrix
/// is of bounded size. Source: Golub and Van Loan, Matrix Computations (2013), sections 5.4 and 5.5.
template <class S, class Matrix = MatrixX<S>>
class LeastSquares {
 public:
  /// @param tolerance  columns whose remainder is not longer than this share of the longest column are dependent.
  /// O(m n min(m, n)).
  void compute(const Matrix& A, double tolerance = rank_tolerance<S>()) {
    const Eigen::Index m = A.rows(), n = A.cols();
    QR_ = A, rank_ = 0, scale_ = S(1), is_finite_ = true;
    order_.resize(n), squares_.resize(n), t_.resize(n);
    find_squares();
    if (!squares_are_exact()) {
      is_finite_ = all_finite(A);
      if (!is_finite_) return;
      rescale_matrix();
    }
    auto least = real_value(S(0));
    for (; rank_ < (std::min)(m, n); ++rank_) {
      const Eigen::Index k = rank_, left = m - k;
      Eigen::Index longest = k;
      for (Eigen::Index j = k + 1; j < n; ++j)
        if (real_value(squares_[j]) > real_value(squares_[longest])) longest = j;
      const auto length = std::sqrt(real_value(squares_[longest]));
      if (k == 0) least = static_cast<decltype(least)>(tolerance) * length;
      if (!(length > least)) break;
      std::swap(order_[k], order_[longest]), std::swap(squares_[k], squares_[longest]);
      if (longest != k) std::swap_ranges(at(k), at(k) + m, at(longest));
      S* const column = at(k) + k;
      t_[k] = make_reflection(column, left);
      for (Eigen::Index j = k + 1; j < n; ++j) {
        S* const other = at(j) + k;
        reflect(column + 1, t_[k], other, left);
        squares_[j] = inner_product(other + 1, other + 1, left - 1);
      }
    }
    if (rank_ > 0 && rank_ < n) factorize_transposed();
  }
  Eigen::Index rank() const { return rank_; }
  /// Returns the column of A at place i in the order of pivoting.
  int pivot(Eigen::Index i) const { return order_[i]; }

  /// Computes X = A^+ B for all columns of B, which is overwritten: its rows from the rank on become the residual.
  void solve(Matrix& B, Matrix& X) {
    const Eigen::Index m = QR_.rows(), n = QR_.cols();
    X.setZero(n, B.cols());
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      if (!is_finite_ || !all_finite(B.col(j))) {
        X.col(j).setConstant(S(std::numeric_limits<double>::quiet_NaN()));
        continue;
      }
      S *const b = B.data() + j * m, *const x = X.data() + j * n;
      for (Eigen::Index i = 0; i < rank_; ++i) reflect(at(i) + i + 1, t_[i], b + i, m - i);
      unordered_.setZero(n);
      std::copy_n(b, rank_, unordered_.data());
      if (rank_ == n) {
        solve_triangle(QR_, unordered_.data(), n);
      } else {
        solve_transposed_triangle(transposed_, unordered_.data(), rank_);
        for (Eigen::Index i = rank_ - 1; i >= 0; --i)
          reflect(&transposed_(i, i) + 1, t_of_transposed_[i], unordered_.data() + i, n - i);
      }
      for (Eigen::Index i = 0; i < n; ++i) x[order_[i]] = scale_ * unordered_[i];
    }
  }

 private:
  template <class T>
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, Matrix::MaxColsAtCompileTime>;

  S* at(Eigen::Index column) { return QR_.data() + column * QR_.rows(); }
  void find_squares() {
    for (Eigen::Index j = 0; j < QR_.cols(); ++j)
      order_[j] = static_cast<int>(j), squares_[j] = inner_product(at(j), at(j), QR_.rows());
  }
  /// Returns whether squares of columns neither overflow nor lose digits that count. The sum of the squares is NaN or
  /// infinite if one of them is.
  bool squares_are_exact() const {
    using Real = decltype(real_value(S(0)));
    const Real least = (std::numeric_limits<Real>::min)() /
                       (std::numeric_limits<Real>::epsilon() * std::numeric_limits<Real>::epsilon());
    Real sum(0);
    for (Eigen::Index j = 0; j < QR_.cols(); ++j) sum += real_value(squares_[j]);
    return sum >= least && sum <= (std::numeric_limits<Real>::max)();
  }
  /// Divides A by the power of two that is nearest to its largest entry.
  void rescale_matrix() {
    using std::abs;
    auto largest = real_value(S(0));
    for (Eigen::Index i = 0; i < QR_.size(); ++i)
      largest = (std::max)(largest, static_cast<decltype(largest)>(abs(real_value(QR_.data()[i]))));
    if (!(largest > 0)) return;
    int exponent = 0;
    std::frexp(largest, &exponent);
    exponent = (std::max)(exponent, 1 - std::numeric_limits<decltype(largest)>::max_exponent);
    scale_ = S(std::ldexp(decltype(largest)(1), -exponent));
    for (Eigen::Index i = 0; i < QR_.size(); ++i) QR_.data()[i] *= scale_;
    find_squares();
  }
  /// Computes R^T = Q2 [U; 0].
  void factorize_transposed() {
    const Eigen::Index n = QR_.cols();
    transposed_.setZero(n, rank_), t_of_transposed_.resize(rank_);
    for (Eigen::Index i = 0; i < rank_; ++i)
      for (Eigen::Index j = i; j < n; ++j) transposed_(j, i) = QR_(i, j);
    for (Eigen::Index i = 0; i < rank_; ++i) {
      S* const column = &transposed_(i, i);
      t_of_transposed_[i] = make_reflection(column, n - i);
      for (Eigen::Index j = i + 1; j < rank_; ++j) reflect(column + 1, t_of_transposed_[i], &transposed_(i, j), n - i);
    }
  }

  Matrix QR_, transposed_;  // R above the diagonal, the vectors of the reflections below
  Vector<S> t_, t_of_transposed_, squares_, unordered_;
  Vector<int> order_;
  S scale_{1};  // QR_ holds the factors of scale_ A
  Eigen::Index rank_ = 0;
  bool is_finite_ = true;
};

template <class S>
using LeastSquaresOf = SolverFor<S, LeastSquares<typename NumberOf<S>::Type>>;

}}}  // namespace corio::detail
