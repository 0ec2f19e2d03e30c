#pragma once

#include <cmath>
#include <vector>

#include "corio/loops/mechanism_dynamics.hpp"

namespace corio::inline CORIO_ABI {

/// What constrained_inverse_dynamics returns.
template <class S>
struct DriveForces {
  VectorX<S> tau;     // nv of the tree: forces of the drives
  VectorX<S> lambda;  // forces of the loops, one a row; see closure_force
  S missing = S(0);   // norm of the part of G^T tau that the drives cannot produce, N m and N alike
  int rank = 0;       // number of independent speeds that they can move
};

namespace detail {

/// How easily each joint's force is used, 1 / effort as a share of the largest: only shares matter, and of efforts of
/// any size none overflows.
template <class S>
void find_ease(VectorIn<S> effort, VectorX<S>& ease) {
  const S least = effort.size() > 0 ? effort.minCoeff() : S(0);
  ease.resize(effort.size());
  for (Eigen::Index j = 0; j < ease.size(); ++j)
    ease[j] = std::isfinite(value_of(effort[j])) ? least / effort[j] : S(0);
}

/// @throws SizeError, Error
template <class S>
void check_effort(const Mechanism<S>& mechanism, VectorIn<S> effort, const char* function = __builtin_FUNCTION()) {
  check_size("effort", effort.size(), mechanism.tree().nv(), function);
  for (Eigen::Index j = 0; j < effort.size(); ++j)
    if (!(effort[j] > S(0)))
      throw Error(
          join({plain_name(function), ": the effort of joint '", joint_of_dof(mechanism.tree(), static_cast<int>(j)),
                "' must be positive, or infinity where there is no drive"}));
}

/// The drives and the loop forces of a cluster, in its own degrees of freedom and rows: G and K have no entries that
/// relate it to others.
template <class S>
struct ClusterDrives {
  using Cluster = typename Mechanism<S>::Cluster;
  MatrixX<S> A, error, u, K, Kt, rest, lambda;
  VectorX<S> scale;
  LeastSquares<S> drives, loops;

  /// f(r, s) for its degrees of freedom r, the s-th in the order of the columns of K.
  template <class F>
  static void for_each_dof(const Cluster& cluster, F&& f) {
    Eigen::Index s = 0;
    for (const auto* dofs : {&cluster.dependent, &cluster.independent})
      for (const int r : *dofs) f(r, s++);
  }
  /// tau = root u, where the shortest u is the solution.
  /// @param miss  miss(x) for the components of what the drives cannot produce
  /// @returns the rank
  template <class Miss>
  int drive(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Cluster& cluster, const VectorX<S>& root,
            const VectorX<S>& wanted, VectorX<S>& tau, Miss&& miss) {
    const auto n = std::ssize(cluster.columns), d = std::ssize(cluster.dependent);
    A.setZero(n, d + n), error.resize(n, 1);
    for_each_dof(cluster, [&](int r, Eigen::Index s) {
      if (s >= d) A(s - d, s) = root[r];
      for (Eigen::Index i = 0; i < n && s < d; ++i) A(i, s) = data.G[mechanism.entry(r) + i] * root[r];
    });
    for (Eigen::Index i = 0; i < n; ++i) error(i, 0) = wanted[cluster.columns[static_cast<std::size_t>(i)]];
    drives.compute(A);
    drives.solve(error, u);
    for_each_dof(cluster, [&](int r, Eigen::Index s) { tau[r] = root[r] * u(s, 0); });
    for (Eigen::Index i = drives.rank(); i < n; ++i) miss(error(i, 0));
    return static_cast<int>(drives.rank());
  }
  /// K^T lambda = force.
  void close(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Cluster& cluster,
             const VectorX<S>& force, VectorX<S>& all_lambda) {
    scale.resize(std::ssize(cluster.rows));
    write_rows(mechanism, data.tree, cluster, Pass::position, K,
               [&](const auto& loop, int row) { loop.find_scales(K, row, rank_tolerance<S>(), scale); });
    Kt = K.transpose() * scale.asDiagonal();
    rest.resize(K.cols(), 1);
    for_each_dof(cluster, [&](int r, Eigen::Index s) { rest(s, 0) = force[r]; });
    loops.compute(Kt);
    loops.solve(rest, lambda);
    for (Eigen::Index i = 0; i < scale.size(); ++i)
      all_lambda[cluster.rows[static_cast<std::size_t>(i)]] = scale[i] * lambda(i, 0);
  }
};

}  // namespace detail

namespace algorithm::of_mechanism {

template <class S>
struct ConstrainedInverseDynamics {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "constrained_inverse_dynamics"};
  DriveForces<S> result;
  VectorX<S> ease, root, rest, lambda;  // lambda: by rows of conditions()
  std::vector<detail::ClusterDrives<S>> of_cluster;
  std::vector<int> alone;  // the speeds in no cluster

  explicit ConstrainedInverseDynamics(const Mechanism<S>& m) : root(m.tree().nv()), of_cluster(m.clusters().size()) {
    result.tau.resize(m.tree().nv()), lambda = zeros<S>(m.conditions().rows());
    result.lambda = zeros<S>(m.loops().rows());
    PerDof<char> is_alone(m.nv(), 1);
    for (const auto& cluster : m.clusters())
      for (const int k : cluster.columns) is_alone[k] = 0;
    for (int k = 0; k < m.nv(); ++k)
      if (is_alone[k]) alone.push_back(k);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> effort);
};
template <class S>
void ConstrainedInverseDynamics<S>::run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> effort) {
  const Model<S>& tree = mechanism.tree();
  detail::find_ease<S>(effort, ease);
  using std::sqrt;
  for (Eigen::Index j = 0; j < root.size(); ++j) root[j] = sqrt(ease[j]);
  const VectorX<S>& wanted = corio::rnea<S>(mechanism, data);
  result.rank = 0;
  S squares(0);
  const auto miss = [&](const S& x) { squares += x * x; };
  for (const int k : alone) {
    const bool driven = ease[mechanism.dof_of_speed(k)] > S(0);
    result.tau[mechanism.dof_of_speed(k)] = driven ? wanted[k] : S(0);
    driven ? void(++result.rank) : miss(wanted[k]);
  }
  for (std::size_t c = 0; c < of_cluster.size(); ++c)
    result.rank += of_cluster[c].drive(mechanism, data, mechanism.clusters()[c], root, wanted, result.tau, miss);
  result.missing = sqrt(squares);
  // K^T lambda is the additional force that the tree needs.
  rest = corio::rnea(tree, data.tree) - result.tau;
  for (std::size_t c = 0; c < of_cluster.size(); ++c)
    of_cluster[c].close(mechanism, data, mechanism.clusters()[c], rest, lambda);
  for (int row = 0, i = 0; row < result.lambda.size(); ++row)
    if (!mechanism.is_idle(row)) result.lambda[row] = lambda[i++];
}

}  // namespace algorithm::of_mechanism

/// Forces of drives in any joints that give a mechanism the acceleration dy/dt, and the forces of its loops:
///   M a + C v + g = tau + K^T lambda,   a = G dy/dt + dG/dt y,   sum_j effort_j tau_j^2 -> min.
/// With as many drives as independent speeds tau is unique; with more, as in parallel robots with redundant drives, it
/// is the solution of the minimisation; with fewer, `missing` is the norm of the part that they cannot produce.
///
/// @param effort  nv of the tree: weight of the square of each joint's force; infinity where there is no drive. With
///   ones tau is the shortest; with infinity except for some joints only these are driven.
/// @returns {tau, lambda, missing, rank}; where conditions are redundant, lambda has the least norm, with rows of K
/// scaled to length one. Valid until the next call
/// @throws SizeError, Error for an effort that is not positive; and as forward_kinematics of the mechanism. O(n), and
/// O(k^3) for each cluster of k degrees of freedom and rows.
template <std::floating_point S>
const DriveForces<S>& constrained_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                   VectorIn<S> effort) {
  detail::check_effort<S>(mechanism, effort);
  return data.template run<algorithm::of_mechanism::ConstrainedInverseDynamics<S>>(mechanism, effort).result;
}
template <std::floating_point S>
const DriveForces<S>& constrained_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                   VectorIn<S> y, VectorIn<S> ydot, VectorIn<S> effort) {
  return constrained_inverse_dynamics<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), effort);
}

}  // namespace corio
