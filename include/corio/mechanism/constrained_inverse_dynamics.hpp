#pragma once

#include <cmath>
#include <concepts>
#include <vector>

#include "corio/core/compiled.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/solvers/least_squares.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The result of constrained_inverse_dynamics.
template <class S>
struct DriveForces {
  VectorX<S> tau;     // nv of the tree: forces of the drives
  VectorX<S> lambda;  // forces of the loops, one for each row of K; see closure_force
  S missing = S(0);   // norm of the part of G^T tau that the drives cannot produce, in N m and N alike
  int rank = 0;       // number of independent speeds that the drives can move
};

namespace detail {

/// @throws SizeError, Error
template <class S>
void check_effort(const Mechanism<S>& mechanism, VectorIn<S> effort, const char* function = __builtin_FUNCTION()) {
  check_each_speed(
      "effort", effort, mechanism.tree(), "positive, or infinity where there is no drive",
      [](const auto& x) { return x > 0; }, function);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ConstrainedInverseDynamics;

}  // namespace algorithm

/// Forces of drives in any joints that give a mechanism the acceleration dy/dt, and the forces of its loops:
///   M a + C v + g = tau + K^T lambda + tau_external,   a = G dy/dt + dG/dt y,   sum_j effort_j tau_j^2 -> min.
/// With as many drives as independent speeds tau is unique. With more drives, as in parallel robots with redundant
/// ones, tau is the solution of the minimisation. With fewer, `missing` is the norm of the part that they cannot
/// produce.
///
/// @param effort  nv of the tree: weight of the square of each joint's force, and infinity for joints without a drive.
///   If all weights are 1, tau is the shortest.
/// @param external  wrenches on bodies, each with its axes and point
/// @returns {tau, lambda, missing, rank}, valid until the next call; if conditions are redundant, lambda has the least
/// norm, with rows of K scaled to length one
/// @throws SizeError, Error for an effort that is not positive; ModelError for a wrench on a body of another model; and
/// as forward_kinematics of the mechanism. O(n), and O(k^3) for each cluster of k degrees of freedom and rows.
template <std::floating_point S>
const DriveForces<S>& constrained_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                   VectorIn<S> effort, ExternalForces<S> external = {}) {
  detail::check_effort<S>(mechanism, effort);
  return data.template run<algorithm::ConstrainedInverseDynamics<S>>(mechanism, effort, external).result;
}
template <std::floating_point S>
const DriveForces<S>& constrained_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                   VectorIn<S> y, VectorIn<S> ydot, VectorIn<S> effort,
                                                   ExternalForces<S> external = {}) {
  return constrained_inverse_dynamics<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot, __func__),
                                         effort, external);
}

/// joint_reactions with the forces of given drives and of the loops, instead of forces of drives in the independent
/// joints. The type of `drives` is deduced, so that an empty `{}` in its place still means no external forces.
/// @param drives  the result of constrained_inverse_dynamics at this state and with these external forces
template <std::floating_point S, std::same_as<DriveForces<S>> Drives>
const Matrix6X<S>& joint_reactions(const Mechanism<S>& mechanism, MechanismData<S>& data, const Drives& drives,
                                   std::span<const FramePoint<std::type_identity_t<S>>> places = {},
                                   ExternalForces<S> external = {}) {
  data.require(mechanism, Pass::acceleration, "joint_reactions");
  detail::check_vector("lambda", drives.lambda, mechanism.loops().rows());
  auto& own = data.template of<algorithm::JointReactions<S>>(mechanism);
  own.begin(mechanism.tree(), data.tree, external, places);
  own.lambda = drives.lambda;
  own.end(mechanism, data, places);
  return own.wrenches;
}

namespace detail {

/// The drives and the loop forces of a cluster, in its own degrees of freedom and rows: G and K have no entries that
/// couple clusters.
template <class S>
struct ClusterDrives {
  MatrixX<S> A, error, u, Kt, rest, lambda;
  VectorX<S> scale;
  LeastSquares<S> drives, loops;

  /// Solves G^T tau = wanted for tau = sqrt_weight u with the shortest u.
  /// @returns the rank; the drives cannot produce the components error(i, 0) from i = rank on
  int drive(const Mechanism<S>& mechanism, const VectorX<S>& G, const LoopCluster& cluster,
            const VectorX<S>& sqrt_weight, const VectorX<S>& wanted, VectorX<S>& tau) {
    const auto n = std::ssize(cluster.speeds), d = std::ssize(cluster.dependent());
    A.resize(n, d + n), error.resize(n, 1);
    read_map(mechanism, cluster, G, cluster.speeds.size(), A.data());
    for (Eigen::Index s = 0; const int r : cluster.dofs) A.col(s++) *= sqrt_weight[r];
    for (Eigen::Index i = 0; const int k : cluster.speeds) error(i++, 0) = wanted[k];
    drives.compute(A);
    drives.solve(error, u);
    for (Eigen::Index s = 0; const int r : cluster.dofs) tau[r] = sqrt_weight[r] * u(s++, 0);
    return static_cast<int>(drives.rank());
  }
  /// Solves K^T lambda = force.
  void close(const Mechanism<S>& mechanism, const Data<S>& tree, const LoopCluster& cluster, const VectorX<S>& force,
             VectorX<S>& all_lambda) {
    scale.resize(std::ssize(cluster.rows));
    Kt.setZero(std::ssize(cluster.dofs), scale.size());
    for_each_loop(mechanism, cluster, [&](const auto& loop, int row) {
      LoopAtState<S>(mechanism.tree(), tree, loop, Pass::position, mechanism.idle_rows(loop))
          .for_each_entry(rank_tolerance<S>(), scale.data() + row,
                          [&](int i, int j, const S& x) { Kt(mechanism.column_of_K(j), row + i) = x; });
    });
    for (Eigen::Index j = 0; j < Kt.cols(); ++j) Kt.col(j) *= scale[j];
    rest.resize(Kt.rows(), 1);
    for (Eigen::Index s = 0; const int r : cluster.dofs) rest(s++, 0) = force[r];
    loops.compute(Kt);
    loops.solve(rest, lambda);
    for (Eigen::Index i = 0; const int row : cluster.rows) all_lambda[row] = scale[i] * lambda(i, 0), ++i;
  }
};

}  // namespace detail

namespace algorithm {

template <class S>
struct ConstrainedInverseDynamics {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "constrained_inverse_dynamics"};
  DriveForces<S> result;
  VectorX<S> weight, sqrt_weight, rest;  // weight: 1 / effort, relative to the largest
  std::vector<detail::ClusterDrives<S>> of_cluster;
  std::vector<int> free_speeds;  // speeds in no cluster

  explicit ConstrainedInverseDynamics(const Mechanism<S>& m)
      : weight(m.tree().nv()), sqrt_weight(weight), of_cluster(m.clusters().size()) {
    result.tau.resize(m.tree().nv()), result.lambda = zeros<S>(m.loops().rows());
    PerDof<char> is_free(m.nv(), 1);
    for (const auto& cluster : m.clusters())
      for (const int k : cluster.speeds) is_free[k] = 0;
    for (int k = 0; k < m.nv(); ++k)
      if (is_free[k]) free_speeds.push_back(k);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> effort, ExternalForces<S> external = {});
};
template <class S>
void ConstrainedInverseDynamics<S>::run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> effort,
                                        ExternalForces<S> external) {
  const Model<S>& tree = mechanism.tree();
  using std::sqrt;
  // Only shares of the largest weight matter, and shares do not overflow.
  const S least = effort.size() > 0 ? effort.minCoeff() : S(0);
  for (Eigen::Index j = 0; j < weight.size(); ++j) {
    weight[j] = std::isfinite(value_of(effort[j])) ? least / effort[j] : S(0);
    sqrt_weight[j] = sqrt(weight[j]);
  }
  const VectorX<S>& wanted = corio::rnea<S>(mechanism, data, external);
  result.rank = 0;
  S squares(0);  // sum over forces that the drives cannot produce
  for (const int k : free_speeds) {
    const bool driven = weight[mechanism.dof_of_speed(k)] > S(0);
    result.tau[mechanism.dof_of_speed(k)] = driven ? wanted[k] : S(0);
    result.rank += driven, squares += driven ? S(0) : S(wanted[k] * wanted[k]);
  }
  for (std::size_t c = 0; c < of_cluster.size(); ++c) {
    const int rank = of_cluster[c].drive(mechanism, data.G, mechanism.clusters()[c], sqrt_weight, wanted, result.tau);
    result.rank += rank;
    const MatrixX<S>& error = of_cluster[c].error;
    for (Eigen::Index i = rank; i < error.rows(); ++i) squares += error(i, 0) * error(i, 0);
  }
  result.missing = sqrt(squares);
  // K^T lambda has to provide the rest of the tree's forces.
  rest = corio::rnea<S>(tree, data.tree, external) - result.tau;
  for (std::size_t c = 0; c < of_cluster.size(); ++c)
    of_cluster[c].close(mechanism, data.tree, mechanism.clusters()[c], rest, result.lambda);
}

}  // namespace algorithm

#define CORIO_COMPILED_CONSTRAINED_INVERSE_DYNAMICS(EXTERN, S)     \
  EXTERN template struct algorithm::ConstrainedInverseDynamics<S>; \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ConstrainedInverseDynamics<S>)
CORIO_DECLARE_COMPILED(CONSTRAINED_INVERSE_DYNAMICS)

}}  // namespace corio
