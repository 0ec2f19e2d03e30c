#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/core/least_squares.hpp"
#include "corio/model/model.hpp"
#include "corio/simd/add_multiple.hpp"

namespace corio {

template <class S>
class Mechanism;

namespace detail {

/// A x = b by Gaussian elimination, for the few rows and columns of a cluster of loops, where it takes a quarter of the
/// time of LeastSquares. A may have more rows than columns if b is consistent. Rows are exchanged; a column that
/// depends on those before it is passed over. Allocates only when sizes change.
template <class S>
class PivotedElimination {
 public:
  /// Rows of A are of length one at most. O(m n min(m, n)).
  void compute(const MatrixX<S>& A) {
    LU_ = A;
    const Eigen::Index m = A.rows(), n = A.cols();
    rows_.resize(m);
    pivots_.clear();
    for (Eigen::Index j = 0; j < n && rank() < m; ++j) {
      const Eigen::Index k = rank(), below = m - k - 1;
      Eigen::Index i = -1;
      double largest = loop_tolerance<S>();
      S* const column = &LU_(0, j);
      for (Eigen::Index r = k; r < m; ++r)
        if (const double size = std::abs(value_of(column[r])); size > largest) largest = size, i = r;
      if (i < 0) continue;
      pivots_.push_back(static_cast<int>(j));
      rows_[k] = i;
      swap_rows(LU_, k, i);
      const S reciprocal = S(1) / column[k];
      for (Eigen::Index r = k + 1; r < m; ++r) column[r] *= reciprocal;
      for (Eigen::Index c = j + 1; c < n; ++c) add_multiple<S>(&LU_(k, c) + 1, -LU_(k, c), column + k + 1, below);
    }
  }
  Eigen::Index rank() const { return std::ssize(pivots_); }
  /// The columns that do not depend on those before them.
  const std::vector<int>& pivots() const { return pivots_; }

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
  }
  /// A^T x = b, if A has full column rank: the x that is zero in rows without a pivot. b has a number for each column
  /// of A, x for each row.
  void solve_transposed(const VectorX<S>& b, VectorX<S>& x) const {
    const Eigen::Index m = LU_.rows(), n = LU_.cols();
    x.setZero(m);
    x.head(n) = b;
    for (Eigen::Index k = 0; k < n; ++k) {
      for (Eigen::Index r = 0; r < k; ++r) x[k] -= LU_(r, k) * x[r];
      x[k] /= LU_(k, k);
    }
    for (Eigen::Index k = n - 1; k >= 0; --k)
      for (Eigen::Index r = k + 1; r < n; ++r) x[k] -= LU_(r, k) * x[r];
    for (Eigen::Index k = n - 1; k >= 0; --k) std::swap(x[k], x[rows_[k]]);
  }

 private:
  static void swap_rows(MatrixX<S>& X, Eigen::Index i, Eigen::Index j) {
    if (i == j) return;
    for (Eigen::Index c = 0; c < X.cols(); ++c) std::swap(X(i, c), X(j, c));
  }

  MatrixX<S> LU_;
  VectorX<Eigen::Index> rows_;  // step k swapped this one with k
  std::vector<int> pivots_;
};

/// The same for a pack of states, one state after the other, as each has pivots of its own. Of a state in which A has
/// not full column rank the solutions are not numbers.
template <class P>
class EliminationByState {
  using N = typename NumberOf<P>::Type;

 public:
  void compute(const MatrixX<P>& A) {
    rows_ = A.rows(), columns_ = A.cols();
    for (int l = 0; l < states_of<P>; ++l) of_state_[l].compute(take_state(A, l, B_));
  }
  /// That of the states whose solutions are numbers.
  Eigen::Index rank() const { return columns_; }
  void solve(MatrixX<P>& B) const {
    for (int l = 0; l < states_of<P>; ++l) {
      take_state(B, l, B_);
      if (is_sound(l))
        of_state_[l].solve(B_);
      else
        B_.setConstant(unknown);
      put_state(B_, l, B);
    }
  }
  void solve_transposed(const VectorX<P>& b, VectorX<P>& x) const {
    x.resize(rows_), x_.resize(rows_);
    for (int l = 0; l < states_of<P>; ++l) {
      if (take_state(b, l, b_); is_sound(l))
        of_state_[l].solve_transposed(b_, x_);
      else
        x_.setConstant(unknown);
      put_state(x_, l, x);
    }
  }

 private:
  static constexpr N unknown = std::numeric_limits<N>::quiet_NaN();
  bool is_sound(int l) const { return of_state_[l].rank() == columns_; }

  PivotedElimination<N> of_state_[states_of<P>];
  mutable MatrixX<N> B_;  // scratch of solve
  mutable VectorX<N> b_, x_;
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

/// "model 'm': in loops 'a', 'b' the independent joints (c, d)", the beginning of error messages on a cluster.
template <class S>
std::string who_determines(const Model<S>& model, const typename Mechanism<S>::Cluster& cluster) {
  std::string names;
  for (const int k : cluster.independent) names += (names.empty() ? "" : ", ") + joint_of_dof(model, k);
  return join({"model '", model.name(), "': in loops ", cluster.loops, " the independent joints (",
               names.empty() ? "none" : names, ")"});
}

/// Below this share of its terms a row of K counts as zero: about 1e-6 in double precision.
template <class S>
double play_of_conditions() {
  return 100.0 * std::sqrt(value_of(Eigen::NumTraits<S>::epsilon()));
}

/// The rows of G that belong to the dependent speeds of a cluster, and their rates. Matrices have a row for each
/// condition of the cluster, and a column for each of its degrees of freedom, the dependent ones first.
template <class S>
class ClusterSolver {
 public:
  using Cluster = typename Mechanism<S>::Cluster;

  MatrixX<S> K, Kdot, Kddot;
  VectorX<S> scale;  // of the rows of K

  void resize(const Cluster& cluster) {
    const auto m = std::ssize(cluster.rows), d = std::ssize(cluster.dependent), n = std::ssize(cluster.independent);
    K.resize(m, d + n), scale.resize(m), B_.resize(m, n), b_.resize(m, 1), tau_d_.resize(d), K_d_.resize(m, d);
  }
  /// G_d = -K_d^-1 K_i in the first rows of the result, where other rows of K must not restrict the independent speeds.
  /// @throws ModelError  if the independent speeds do not determine the others, or are restricted themselves. Of a
  /// state of a pack it is then not a number.
  const MatrixX<S>& solve(const Model<S>& model, const Cluster& cluster) {
    const auto m = K_d_.rows(), d = K_d_.cols();
    const auto scaled = [&](Eigen::Index from, MatrixX<S>& out, const S& sign) {
      for (Eigen::Index j = 0; j < out.cols(); ++j)
        for (Eigen::Index i = 0; i < m; ++i) out(i, j) = sign * scale[i] * K(i, from + j);
    };
    scaled(0, K_d_, S(1)), scaled(d, B_, S(-1));
    solver_.compute(K_d_);
    const auto rank = solver_.rank();
    if (rank < d) fail(model, cluster, rank);
    solver_.solve(B_);
    if (m == d) return B_;
    // Redundant conditions are consistent only up to the residual of the loops and the accuracy of parallel axes.
    using std::sqrt;
    const auto consistent =
        sqrt(squares(B_.bottomRows(m - d))) <= play_of_conditions<S>() * (1.0 + sqrt(squares(B_.topRows(d))));
    if constexpr (states_of<S> == 1) {
      if (!consistent) fail(model, cluster, rank);
    } else {
      keep_where(consistent, B_);
    }
    return B_;
  }
  /// -K_d^-1 X with the factorization of the last solve, for a matrix X or a vector, with a row for each condition.
  const MatrixX<S>& rate(MatrixX<S>& X) const {
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      for (Eigen::Index i = 0; i < X.rows(); ++i) X(i, j) *= -scale[i];
    solver_.solve(X);
    return X;
  }
  /// The forces of the cluster's loops, K_d^T lambda = tau_d, with the factorization of the last solve.
  void multipliers(const Cluster& cluster, const VectorX<S>& tau, VectorX<S>& lambda) {
    for (Eigen::Index i = 0; i < tau_d_.size(); ++i) tau_d_[i] = tau[cluster.dependent[static_cast<std::size_t>(i)]];
    solver_.solve_transposed(tau_d_, forces_);
    for (Eigen::Index i = 0; i < forces_.size(); ++i)
      lambda[cluster.rows[static_cast<std::size_t>(i)]] = scale[i] * forces_[i];
  }
  /// Scratch: one column for each independent speed of the cluster; one column.
  MatrixX<S>& columns() { return B_; }
  MatrixX<S>& column() { return b_; }

 private:
  template <class X>
  static auto squares(const X& x) {
    auto sum = real_value(S(0));
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i) sum += real_value(x(i, j)) * real_value(x(i, j));
    return sum;
  }

  [[noreturn]] static void fail(const Model<S>& model, const Cluster& cluster, Eigen::Index rank) {
    const auto others = std::ssize(cluster.dependent);
    if (others == 0)
      throw ModelError(join({who_determines(model, cluster),
                             " are all that they move, and are not free; leave out those that they determine"}));
    throw ModelError(join({who_determines(model, cluster), " determine ", std::to_string(rank), " of ",
                           std::to_string(others), " other degrees of freedom",
                           rank == others ? ", but are not free themselves; choose fewer or other ones, close the loops"
                                          : "; choose other ones",
                           ", or leave a singular configuration"}));
  }

  MatrixX<S> K_d_, B_, b_;
  VectorX<S> tau_d_, forces_;
  EliminationOf<S> solver_;
};

}  // namespace detail
}  // namespace corio
