#pragma once

#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/simd/add_multiple.hpp"
#include "corio/solvers/by_state.hpp"

namespace corio::inline CORIO_ABI::detail {

/// A x = b by Gaussian elimination, for the few rows and columns of a cluster of loops, where it takes a quarter of the
/// time of LeastSquares. A may have more rows than columns if b is consistent. A column that depends on those before it
/// is passed over. Only the entries of the factors that are not zero are listed and visited; they are few if columns
/// with few entries come first. Allocates only when sizes change.
template <class S>
class PivotedElimination {
 public:
  /// Rows of A are of length one at most. O(m n min(m, n)).
  void compute(const MatrixX<S>& A) {
    A_ = A;
    const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
    order_.resize(m), place_.resize(m), reciprocals_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    pivots_.clear(), lower_.clear(), upper_.clear();
    for (int j = 0; j < n && rank() < m; ++j) {
      const int k = static_cast<int>(rank());
      const auto begin = lower_.size();
      if (!choose_pivot(&A_(0, j), k)) {
        lower_.resize(begin);
        continue;
      }
      pivots_.push_back(j);
      for (int i = 0; i < k; ++i)
        if (const S x = A_(order_[i], j); !is_zero(x)) upper_.push_back({k, order_[i], x});
      const int pivot = order_[k];
      reciprocals_[k] = S(1) / A_(pivot, j);
      const std::span<Term> below = std::span(lower_).subspan(begin);
      for (Term& term : below) term.x *= reciprocals_[k];
      for (int c = j + 1; c < n && !below.empty(); ++c) {
        S* const column = &A_(0, c);
        if (const S x = column[pivot]; !is_zero(x))
          for (const Term& term : below) column[term.row] -= x * term.x;
      }
    }
    for (int k = 0; k < m; ++k) place_[order_[k]] = k;
    for (auto* const terms : {&lower_, &upper_})
      for (Term& term : *terms) term.row = place_[term.row];
  }
  Eigen::Index rank() const { return std::ssize(pivots_); }
  /// The columns that do not depend on those before them.
  const std::vector<int>& pivots() const { return pivots_; }

  /// X^T = -A^-1 diag(scale) B^T for as many rows as B has; the columns of X from the number of columns of A on become
  /// residuals. X is not a number unless A has full column rank.
  void minus_solve(const MatrixX<S>& B, const VectorX<S>& scale, MatrixX<S>& X) const {
    const Eigen::Index m = A_.rows(), n = A_.cols(), rows = B.rows();
    if (rank() < n) return void(X.setConstant(rows, m, S(std::numeric_limits<double>::quiet_NaN())));
    X.resize(rows, m);
    with_length<S>(rows, [&](auto count) CORIO_INLINE_LAMBDA {
      const auto column = [&](Eigen::Index k) { return X.data() + k * count; };
      for (Eigen::Index k = 0; k < m; ++k) {
        const Eigen::Index r = order_[k];
        for (Eigen::Index i = 0; i < count; ++i) column(k)[i] = -scale[r] * B.data()[r * count + i];
      }
      for (const auto& [k, row, x] : lower_) add_multiple<S>(column(row), -x, column(k), count);
      auto term = upper_.rbegin();
      for (Eigen::Index k = n - 1; k >= 0; --k) {
        for (Eigen::Index i = 0; i < count; ++i) column(k)[i] *= reciprocals_[k];
        for (; term != upper_.rend() && term->k == k; ++term)
          add_multiple<S>(column(term->row), -term->x, column(k), count);
      }
    });
  }
  /// A^T x = b, if A has full column rank: the x that is zero in rows without a pivot. b has a number for each column
  /// of A, x for each row; b is overwritten.
  void solve_transposed(VectorX<S>& b, VectorX<S>& x) const {
    const Eigen::Index n = A_.cols();
    auto term = upper_.begin();
    for (Eigen::Index k = 0; k < n; ++k) {
      for (; term != upper_.end() && term->k == k; ++term) b[k] -= term->x * b[term->row];
      b[k] *= reciprocals_[k];
    }
    for (auto lower = lower_.rbegin(); lower != lower_.rend(); ++lower)
      if (lower->row < n) b[lower->k] -= lower->x * b[lower->row];
    x.setZero(A_.rows());
    for (Eigen::Index k = 0; k < n; ++k) x[order_[k]] = b[k];
  }

 private:
  /// An entry of a factor in the column of pivot k: in this row of A, and after compute in this row in the order of
  /// pivots.
  struct Term {
    int k, row;
    S x;
  };
  /// Takes the largest entry of a column as pivot k, and lists the others, in rows without a pivot, in lower_.
  /// @returns false if all are zero up to rounding errors
  bool choose_pivot(const S* column, int k) {
    int chosen = -1;
    std::size_t place = 0;
    double largest = rank_tolerance<S>();
    for (int i = k; i < order_.size(); ++i) {
      const S& x = column[order_[i]];
      if (is_zero(x)) continue;
      if (const double size = std::abs(value_of(x)); size > largest) largest = size, chosen = i, place = lower_.size();
      lower_.push_back({k, order_[i], x});
    }
    if (chosen < 0) return false;
    lower_[place] = lower_.back();
    lower_.pop_back();
    std::swap(order_[k], order_[chosen]);
    return true;
  }
  /// For numbers without derivatives alone.
  static bool is_zero([[maybe_unused]] const S& x) {
    if constexpr (std::is_floating_point_v<S>) return x == S(0);
    return false;
  }

  MatrixX<S> A_;
  VectorX<S> reciprocals_;      // of pivots
  VectorX<int> order_, place_;  // rows of A in the order of pivots, and the other way round
  std::vector<int> pivots_;
  std::vector<Term> lower_, upper_;  // ascending by k
};

template <class S>
using EliminationOf = SolverFor<S, PivotedElimination<typename NumberOf<S>::Type>>;

}  // namespace corio::detail
