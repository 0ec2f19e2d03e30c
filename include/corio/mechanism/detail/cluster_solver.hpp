#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "corio/mechanism/clusters.hpp"

namespace corio { inline namespace CORIO_ABI {

template <class S>
class Mechanism;

namespace detail {

/// Sets x to NaN in the states of a pack in which `holds` is false.
template <class Where, class X>
void keep_where(const Where& holds, X&& x) {
  using S = typename std::decay_t<X>::Scalar;
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      x(i, j) = select(holds, S(x(i, j)), S(std::numeric_limits<double>::quiet_NaN()));
}

/// Returns "model 'm': in loops 'a', 'b' the independent joints (c, d)", with which error messages about a cluster
/// begin.
template <class S>
std::string cluster_label(const Model<S>& model, const LoopCluster& cluster) {
  std::string names;
  for (const int k : cluster.independent()) names += join({names.empty() ? "" : ", ", joint_of_dof(model, k)});
  return join({"model '", model.name(), "': in loops ", cluster.names, " the independent joints (",
               names.empty() ? "none" : names, ")"});
}

/// The entries of the K of a cluster, or of a rate of K, that can be nonzero: the columns of each of
/// LoopCluster::blocks, one after the other. K = [K_d K_i] has a row for each condition of the cluster and a column for
/// each of LoopCluster::dofs.
template <class S>
using ConditionEntries = std::vector<S>;

/// Solves K_d X^T = -B^T for a cluster, with one factorization for each state: B and X have a row for each right side.
/// Rows of K_d beyond its rank must be consistent.
template <class S>
class ClusterSolver {
 public:
  ConditionEntries<S> Kdot, Kddot;
  VectorX<S> scale;  // scales of the rows of K

  // Scratch for right sides and solutions: B and X have a row for each speed of the cluster, b and x have one row.
  MatrixX<S> B, X, b, x;

  void resize(const LoopCluster& cluster) {
    const auto m = std::ssize(cluster.rows), n = std::ssize(cluster.speeds), d = std::ssize(cluster.dofs) - n;
    scale.resize(m), K_d_.setZero(d, m), tau_d_.resize(d);
    B.resize(n, m), X.resize(n, m), b.resize(1, m), x.resize(1, m);
  }
  /// Starts a new K. The caller then sets its entries (i, j) by `put`, where j is a place in LoopCluster::dofs, and the
  /// scales of its rows.
  void begin() { std::fill_n(B.data(), B.size(), S(0)); }
  void put(int i, int j, const S& entry) {
    if (const auto d = K_d_.rows(); j < d)
      K_d_(j, i) = entry;
    else
      B(j - d, i) = entry;
  }
  /// Returns whether all entries of K are finite. A row with a positive scale is finite.
  bool is_finite() const {
    const auto finite = [](const S& entry) { return std::isfinite(entry); };
    return std::all_of(scale.data(), scale.data() + scale.size(), [](const S& of_row) { return of_row > S(0); }) ||
           (std::all_of(B.data(), B.data() + B.size(), finite) &&
            std::all_of(K_d_.data(), K_d_.data() + K_d_.size(), finite));
  }
  /// Computes G_d = -K_d^-1 K_i. Rows of K beyond the rank of K_d must not restrict the independent speeds.
  /// @throws ModelError if the independent speeds do not determine the others, or are restricted themselves; in such a
  /// state of a pack G_d is NaN instead
  const MatrixX<S>& solve(const Model<S>& model, const LoopCluster& cluster) {
    const auto m = K_d_.cols(), d = K_d_.rows();
    for (Eigen::Index i = 0; i < m; ++i)
      for (S *entry = K_d_.data() + i * d, *const end = entry + d; entry != end; ++entry) *entry *= scale[i];
    solver_.compute(K_d_, cluster.rows_of_dofs);
    const auto rank = solver_.rank();
    if constexpr (states_of<S> == 1)
      if (rank < d) fail(model, cluster, rank);
    minus_solve(B, X);
    if (m <= d) return X;
    // Redundant conditions are consistent up to the residual of the loops and the accuracy of parallel axes.
    using std::sqrt;
    using Real = decltype(real_value(S(0)));
    const auto consistent =
        sqrt(squares(X.rightCols(m - d))) <= Real(redundancy_tolerance<S>()) * (1 + sqrt(squares(X.leftCols(d))));
    if constexpr (states_of<S> == 1) {
      if (!at_nominal(consistent)) fail(model, cluster, rank);
    } else {
      keep_where(consistent, X);
    }
    return X;
  }
  /// Computes X^T = -K_d^-1 B^T with the factorization of the last solve. The first columns of X belong to the
  /// dependent degrees of freedom.
  const MatrixX<S>& minus_solve(const MatrixX<S>& right, MatrixX<S>& solution) {
    solver_.minus_solve(right, scale, solution);
    return solution;
  }
  /// Solves K_d^T lambda = tau_d with the same factorization, and writes the rows of lambda of the cluster.
  /// @param tau  tau(r, i) returns the force on degree of freedom r, the i-th of the dependent ones
  template <class Tau>
  void find_multipliers(const LoopCluster& cluster, Tau&& tau, VectorX<S>& lambda) {
    for (int i = 0; const int r : cluster.dependent()) tau_d_[i] = tau(r, i), ++i;
    solver_.solve_transposed(tau_d_, lambda_);
    for (Eigen::Index i = 0; const int row : cluster.rows) lambda[row] = scale[i] * lambda_[i], ++i;
  }

 private:
  template <class Columns>
  static auto squares(const Columns& columns) {
    auto sum = real_value(S(0));
    for (Eigen::Index j = 0; j < columns.cols(); ++j)
      for (Eigen::Index i = 0; i < columns.rows(); ++i) sum += real_value(columns(i, j)) * real_value(columns(i, j));
    return sum;
  }

  [[noreturn]] static void fail(const Model<S>& model, const LoopCluster& cluster, Eigen::Index rank) {
    const auto others = std::ssize(cluster.dependent());
    if (others == 0)
      throw ModelError(join({cluster_label(model, cluster),
                             " cannot all be independent, because the loops restrict them and move no other joint; "
                             "leave out one or more"}));
    throw ModelError(
        join({cluster_label(model, cluster), " determine ", std::to_string(rank), " of ", std::to_string(others),
              " other degrees of freedom",
              rank == others ? ", but are not free themselves; choose fewer or other joints, close the loops"
                             : "; choose other joints",
              ", or leave a singular configuration"}));
  }

  MatrixX<S> K_d_;  // transposed
  VectorX<S> tau_d_, lambda_;
  EliminationOf<S> solver_;
};

}  // namespace detail
}}  // namespace corio
