#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/kernels/dense_solvers.hpp"
#include "corio/model/model.hpp"

namespace corio::inline CORIO_ABI {

template <class S>
class Mechanism;

namespace detail {

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
std::string cluster_label(const Model<S>& model, const typename Mechanism<S>::Cluster& cluster) {
  std::string names;
  for (const int k : cluster.independent) names += join({names.empty() ? "" : ", ", joint_of_dof(model, k)});
  return join({"model '", model.name(), "': in loops ", cluster.loops, " the independent joints (",
               names.empty() ? "none" : names, ")"});
}

/// Below this share of its terms a row of K counts as zero: about 1e-6 in double precision.
template <class S>
double redundancy_tolerance() {
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
    X_.resize(d, n), x_.resize(d, 1);
  }
  /// G_d = -K_d^-1 K_i, where other rows of K must not restrict the independent speeds.
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
    if constexpr (states_of<S> == 1)
      if (rank < d) fail(model, cluster, rank);
    solver_.solve(B_, X_);
    if (m == d) return X_;
    // Redundant conditions are consistent only up to the residual of the loops and the accuracy of parallel axes.
    using std::sqrt;
    const auto consistent =
        sqrt(squares(B_.bottomRows(m - d))) <= redundancy_tolerance<S>() * (1.0 + sqrt(squares(X_)));
    if constexpr (states_of<S> == 1) {
      if (!consistent) fail(model, cluster, rank);
    } else {
      keep_where(consistent, X_);
    }
    return X_;
  }
  /// -K_d^-1 B with the factorization of the last solve, for a matrix or a vector with a row for each condition, which
  /// is overwritten.
  const MatrixX<S>& rate(MatrixX<S>& B) {
    for (Eigen::Index j = 0; j < B.cols(); ++j)
      for (Eigen::Index i = 0; i < B.rows(); ++i) B(i, j) *= -scale[i];
    MatrixX<S>& X = B.cols() == 1 ? x_ : X_;
    solver_.solve(B, X);
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
      throw ModelError(join({cluster_label(model, cluster),
                             " are all that they move, and are not free; leave out those that they determine"}));
    throw ModelError(join({cluster_label(model, cluster), " determine ", std::to_string(rank), " of ",
                           std::to_string(others), " other degrees of freedom",
                           rank == others ? ", but are not free themselves; choose fewer or other ones, close the loops"
                                          : "; choose other ones",
                           ", or leave a singular configuration"}));
  }

  MatrixX<S> K_d_, B_, b_, X_, x_;
  VectorX<S> tau_d_, forces_;
  EliminationOf<S> solver_;
};

}  // namespace detail
}  // namespace corio
