#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "corio/core/detail/input.hpp"
#include "corio/simd/add_multiple.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Solves A x = b for a symmetric A that is positive semidefinite up to rounding, by P A P^T = L D L^T with diagonal
/// pivoting, which needs no root. When the only pivots left are rounding errors of their diagonal entries, the
/// remaining entries of P x are zero: x is a solution if a solution exists. If A or b is not finite, neither is x.
/// Allocates only when A is larger than any before. Source: Higham, Accuracy and Stability of Numerical Algorithms
/// (2002), section 10.3.
template <class S>
class SymmetricFactor {
 public:
  /// Reserves memory for n rows.
  void reserve(Eigen::Index n) {
    if (L_.rows() >= n) return;
    L_.resize(n, n), rows_.resize(several, n), reciprocal_d_.resize(n), rounding_.resize(n), from_.resize(n);
  }
  /// Factorizes A, reading its lower triangle. O(n^3).
  template <class Matrix>
  void compute(const Matrix& A) {
    n_ = A.rows(), is_finite_ = true;
    reserve(n_);
    for (Eigen::Index j = 0; j < n_; ++j)
      for (Eigen::Index i = j; i < n_; ++i) L_(i, j) = A(i, j);
    const S share = S(4.0 * static_cast<double>(n_)) * Eigen::NumTraits<S>::epsilon();
    for (Eigen::Index i = 0; i < n_; ++i) rounding_[i] = share * L_(i, i);
    for (rank_ = 0; rank_ < n_; ++rank_) {
      const Eigen::Index k = rank_;
      Eigen::Index largest = -1;
      for (Eigen::Index i = k; i < n_; ++i)
        if (at_nominal(L_(i, i) > S(0)) && at_nominal(L_(i, i) > rounding_[i]) &&
            (largest < 0 || at_nominal(L_(i, i) > L_(largest, largest))))
          largest = i;
      if (largest < 0) {
        // Numbers that are not finite do not become pivots, and may remain.
        for (Eigen::Index j = k; j < n_; ++j) is_finite_ = is_finite_ && all_finite(L_.col(j).segment(j, n_ - j));
        return;
      }
      from_[k] = largest;
      exchange(k, largest);
      reciprocal_d_[k] = S(1) / L_(k, k);
      // Column k divided by D_k, which is 1 / reciprocal_d_[k], becomes column k of L.
      S* const column = &L_(k, k);
      for (Eigen::Index j = k + 1; j < n_; ++j)
        add_multiple<S>(&L_(j, j), -reciprocal_d_[k] * column[j - k], column + j - k, n_ - j);
      for (Eigen::Index i = 1; i < n_ - k; ++i) column[i] *= reciprocal_d_[k];
    }
  }
  /// Returns how many pivots are positive and not rounding errors.
  Eigen::Index rank() const { return rank_; }
  /// Replaces x, n numbers, by A^-1 x.
  void solve(S* x) const {
    if (!is_finite_) return void(std::fill_n(x, n_, not_a_number()));
    for (Eigen::Index k = 0; k < rank_; ++k) std::swap(x[k], x[from_[k]]);
    for (Eigen::Index k = 0; k < rank_; ++k) add_multiple<S>(x + k + 1, -x[k], &L_(k, k) + 1, n_ - k - 1);
    for (Eigen::Index k = rank_; k < n_; ++k) x[k] -= x[k];  // zero, or NaN if b is not finite
    for (Eigen::Index k = rank_ - 1; k >= 0; --k)
      x[k] = reciprocal_d_[k] * x[k] - inner_product<S>(&L_(k, k) + 1, x + k + 1, n_ - k - 1);
    for (Eigen::Index k = rank_ - 1; k >= 0; --k) std::swap(x[k], x[from_[k]]);
  }
  /// Solves for each column of X, several at a time.
  template <class Matrix>
  void solve_columns(Matrix& X) {
    Eigen::Index j = 0;
    for (; j + several <= X.cols(); j += several) {
      for (Eigen::Index k = 0; k < n_; ++k)
        for (int l = 0; l < several; ++l) rows_(l, k) = X(k, j + l);
      solve_rows();
      for (Eigen::Index k = 0; k < n_; ++k)
        for (int l = 0; l < several; ++l) X(k, j + l) = rows_(l, k);
    }
    for (; j < X.cols(); ++j) solve(X.data() + j * X.outerStride());
  }

 private:
  using P = Lanes<S>;
  static constexpr int several = 2 * P::width;

  static S not_a_number() { return S(std::numeric_limits<double>::quiet_NaN()); }
  /// Runs solve for the rows of rows_.
  void solve_rows() {
    if (!is_finite_) return void(rows_.setConstant(not_a_number()));
    const auto exchange_with = [&](Eigen::Index k) {
      if (from_[k] != k) std::swap_ranges(&rows_(0, k), &rows_(0, k) + several, &rows_(0, from_[k]));
    };
    const auto subtract = [&](Eigen::Index i, const S& factor, const P& x, const P& y) {
      S* const row = &rows_(0, i);
      (P::load(row) - factor * x).store(row), (P::load(row + P::width) - factor * y).store(row + P::width);
    };
    for (Eigen::Index k = 0; k < rank_; ++k) exchange_with(k);
    for (Eigen::Index k = 0; k < rank_; ++k) {
      S* const row = &rows_(0, k);
      const P x = P::load(row), y = P::load(row + P::width);
      for (Eigen::Index i = k + 1; i < rank_; ++i) subtract(i, L_(i, k), x, y);
      (reciprocal_d_[k] * x).store(row), (reciprocal_d_[k] * y).store(row + P::width);
    }
    for (Eigen::Index k = rank_; k < n_; ++k) rows_.col(k) -= rows_.col(k);  // as in solve
    for (Eigen::Index k = rank_ - 1; k >= 0; --k) {
      const P x = P::load(&rows_(0, k)), y = P::load(&rows_(P::width, k));
      for (Eigen::Index i = 0; i < k; ++i) subtract(i, L_(k, i), x, y);
    }
    for (Eigen::Index k = rank_ - 1; k >= 0; --k) exchange_with(k);
  }
  /// Exchanges rows and columns i <= j of the part that is not eliminated, and rows i and j of L.
  void exchange(Eigen::Index i, Eigen::Index j) {
    if (i == j) return;
    std::swap(L_(i, i), L_(j, j)), std::swap(rounding_[i], rounding_[j]);
    for (Eigen::Index k = 0; k < i; ++k) std::swap(L_(i, k), L_(j, k));
    for (Eigen::Index k = i + 1; k < j; ++k) std::swap(L_(k, i), L_(j, k));
    for (Eigen::Index k = j + 1; k < n_; ++k) std::swap(L_(k, i), L_(k, j));
  }

  MatrixX<S> L_, rows_;                 // rows_ holds several right sides
  VectorX<S> reciprocal_d_, rounding_;  // rounding_ holds the rounding errors of the diagonal
  VectorX<Eigen::Index> from_;
  Eigen::Index n_ = 0, rank_ = 0;
  bool is_finite_ = true;
};

}}}  // namespace corio::detail
