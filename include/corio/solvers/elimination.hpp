#pragma once

#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/simd/add_multiple.hpp"
#include "corio/solvers/by_state.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Rows [begin, end) of a matrix.
struct RowRange {
  int begin, end;
};

/// Solves A x = b by Gaussian elimination, for the few rows and columns of a cluster of loops, where it takes a quarter
/// of the time of LeastSquares. A may have more rows than columns if b is consistent. Rows stay where they are; a
/// column that depends on the columns before it is passed over. The nonzero entries of the factors are listed, and are
/// few if columns with few entries come first. Matrices are given transposed, so that rows are contiguous. Allocates
/// only when sizes change.
template <class S>
class PivotedElimination {
 public:
  /// Factorizes A, whose rows must have a length of one at most. O(m n min(m, n)).
  /// @param rows  for each column the rows outside which it is zero, and stays zero while the columns before it are
  ///   eliminated; empty for all rows
  void compute(const MatrixX<S>& A_transposed, std::span<const RowRange> rows = {}) {
    A_ = A_transposed;
    const int m = static_cast<int>(A_.cols()), n = static_cast<int>(A_.rows());
    place_.setConstant(m, m), reciprocals_.resize(n);
    int* const place = place_.data();
    order_.clear(), pivots_.clear(), lower_.clear(), upper_.clear();
    for (int j = 0; j < n && rank() < m; ++j) {
      const RowRange range = rows.empty() ? RowRange{0, m} : rows[static_cast<std::size_t>(j)];
      const int pivot = find_pivot(j, range), k = static_cast<int>(rank());
      if (pivot < 0) continue;
      pivots_.push_back(j), order_.push_back(pivot), place[pivot] = k;
      const S* const row = &A_(0, pivot);
      for (int c = j + 1; c < n; ++c)
        if (!is_zero(row[c])) upper_.push_back({k, c, row[c]});
      const S reciprocal = S(1) / row[j];
      reciprocals_[k] = reciprocal;
      S* other = A_.data() + range.begin * n;
      for (int r = range.begin; r < range.end; ++r, other += n) {
        if (place[r] < m || is_zero(other[j])) continue;
        const S x = other[j] * reciprocal;
        lower_.push_back({k, r, x});
        add_multiple<S>(other + j + 1, -x, row + j + 1, n - j - 1);
      }
    }
    for (int r = 0; r < m; ++r)
      if (place[r] == m) place[r] = static_cast<int>(std::ssize(order_)), order_.push_back(r);
    for (Term& term : lower_) term.to = place[term.to];
  }
  Eigen::Index rank() const { return std::ssize(pivots_); }
  /// Returns the columns that do not depend on the columns before them.
  const std::vector<int>& pivots() const { return pivots_; }

  /// Computes X^T = -A^-1 diag(scale) B^T for as many rows as B has; the columns of X from the number of columns of A
  /// on become residuals. X is NaN unless A has full column rank.
  void minus_solve(const MatrixX<S>& B, const VectorX<S>& scale, MatrixX<S>& X) const {
    const Eigen::Index m = A_.cols(), n = A_.rows(), rows = B.rows();
    if (rank() < n) return void(X.setConstant(rows, m, S(std::numeric_limits<double>::quiet_NaN())));
    X.resize(rows, m);
    with_length<S>(rows, [&](auto count) CORIO_INLINE_LAMBDA {
      const auto column = [&](Eigen::Index k) { return X.data() + k * count; };
      for (S* to = X.data(); const int r : order_) {
        const S* const from = B.data() + r * count;
        const S factor = -scale[r];
        for (Eigen::Index i = 0; i < count; ++i) *to++ = factor * from[i];
      }
      for (const auto& [k, to, x] : lower_) add_multiple<S>(column(to), -x, column(k), count);
      auto term = upper_.rbegin();
      for (Eigen::Index k = n - 1; k >= 0; --k) {
        for (; term != upper_.rend() && term->k == k; ++term)
          add_multiple<S>(column(k), -term->x, column(term->to), count);
        for (Eigen::Index i = 0; i < count; ++i) column(k)[i] *= reciprocals_[k];
      }
    });
  }
  /// Solves A^T x = b, if A has full column rank, for the x that is zero in rows without a pivot. b has a number for
  /// each column of A, x for each row; b is overwritten.
  void solve_transposed(VectorX<S>& b, VectorX<S>& x) const {
    const Eigen::Index n = A_.rows();
    auto term = upper_.begin();
    for (Eigen::Index k = 0; k < n; ++k) {
      b[k] *= reciprocals_[k];
      for (; term != upper_.end() && term->k == k; ++term) b[term->to] -= term->x * b[k];
    }
    for (auto lower = lower_.rbegin(); lower != lower_.rend(); ++lower)
      if (lower->to < n) b[lower->k] -= lower->x * b[lower->to];
    x.setZero(A_.cols());
    for (std::size_t k = 0; k < pivots_.size(); ++k) x[order_[k]] = b[static_cast<Eigen::Index>(k)];
  }

 private:
  /// An entry of a factor: of U in the row of pivot k and column `to`, of L in the column of pivot k and the row with
  /// place `to` in the order of pivots.
  struct Term {
    int k, to;
    S x;
  };
  /// Returns the row without a pivot that has the largest entry in column j. Returns -1 if all entries are zero up to
  /// rounding errors, or if one is infinite: its reciprocal is zero, which would hide the infinity.
  int find_pivot(int j, const RowRange& rows) const {
    const int m = static_cast<int>(A_.cols()), n = static_cast<int>(A_.rows());
    int pivot = -1;
    double largest = rank_tolerance<S>();
    const int* const place = place_.data();
    const S* x = A_.data() + rows.begin * n + j;
    for (int r = rows.begin; r < rows.end; ++r, x += n)
      if (place[r] == m)
        if (const double size = std::abs(value_of(*x)); size > largest) largest = size, pivot = r;
    return largest <= (std::numeric_limits<double>::max)() ? pivot : -1;
  }
  /// Returns whether x is zero, but false for any number that has derivatives.
  static bool is_zero([[maybe_unused]] const S& x) {
    if constexpr (std::is_floating_point_v<S>) return x == S(0);
    return false;
  }

  MatrixX<S> A_;  // transposed
  VectorX<S> reciprocals_;
  VectorX<int> place_;               // place of each row in the order of pivots; the number of pivots if a row has none
  std::vector<int> order_, pivots_;  // rows and columns
  std::vector<Term> lower_, upper_;  // ascending by k
};

template <class S>
using EliminationOf = SolverFor<S, PivotedElimination<typename NumberOf<S>::Type>>;

}}}  // namespace corio::detail
