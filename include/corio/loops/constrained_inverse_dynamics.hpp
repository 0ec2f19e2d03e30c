#pragma once

#include <cmath>

#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {

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
  for (Eigen::Index j = 0; j < ease.size(); ++j) ease[j] = std::isfinite(effort[j]) ? least / effort[j] : S(0);
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

}  // namespace detail

namespace algorithm::of_mechanism {

template <class S>
struct constrained_inverse_dynamics {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "constrained_inverse_dynamics"};
  DriveForces<S> result;
  VectorX<S> ease, root, scale;
  MatrixX<S> A, error, u, K, Kt, rest, lambda;
  detail::LeastSquares<S> drives, loops;

  explicit constrained_inverse_dynamics(const Mechanism<S>& m)
      : root(m.tree().nv()), A(m.nv(), m.tree().nv()), K(m.loops().rows(), m.tree().nv()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> effort);
};
template <class S>
void constrained_inverse_dynamics<S>::run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> effort) {
  const Model<S>& tree = mechanism.tree();
  // tau = root u, where the shortest u is the solution.
  detail::find_ease<S>(effort, ease);
  for (Eigen::Index j = 0; j < root.size(); ++j) root[j] = std::sqrt(ease[j]);
  A.setZero();
  for (int r = 0; r < tree.nv(); ++r) mechanism.for_each_entry(r, [&](int c, int e) { A(c, r) = data.G[e] * root[r]; });
  drives.compute(A);
  error = corio::rnea<S>(mechanism, data);
  drives.solve(error, u);
  result.tau = root.cwiseProduct(u.col(0));
  result.rank = static_cast<int>(drives.rank());
  const auto lost = error.col(0).tail(error.rows() - drives.rank());
  result.missing = lost.size() > 0 ? lost.norm() : S(0);

  // K^T lambda is the additional force that the tree needs.
  constraint_jacobian<S>(tree, data.tree, mechanism.loops(), K);
  detail::find_row_scales<S>(tree, data.tree, mechanism.loops(), K, detail::loop_tolerance<S>(), scale);
  Kt = K.transpose() * scale.asDiagonal();
  loops.compute(Kt);
  rest = corio::rnea(tree, data.tree) - result.tau;
  loops.solve(rest, lambda);
  result.lambda = scale.cwiseProduct(lambda.col(0));
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
/// @throws SizeError, Error for an effort that is not positive; and as forward_kinematics of the mechanism. O(n^3).
template <std::floating_point S>
const DriveForces<S>& constrained_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                   VectorIn<S> effort) {
  detail::check_effort<S>(mechanism, effort);
  return data.template run<algorithm::of_mechanism::constrained_inverse_dynamics<S>>(mechanism, effort).result;
}
template <std::floating_point S>
const DriveForces<S>& constrained_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                   VectorIn<S> y, VectorIn<S> ydot, VectorIn<S> effort) {
  return constrained_inverse_dynamics<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), effort);
}

}  // namespace corio
