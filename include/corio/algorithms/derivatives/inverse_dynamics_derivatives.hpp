#pragma once

#include "corio/algorithms/derivatives/derivative_columns.hpp"
#include "corio/algorithms/derivatives/external_force_derivatives.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"

namespace corio::inline CORIO_ABI {

/// What inverse_dynamics_derivatives returns, each nv x nv.
template <class S>
struct InverseDynamicsDerivatives {
  MatrixX<S> dtau_dq, dtau_dv, M;
};

namespace algorithm {

template <class S>
struct InverseDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "inverse_dynamics_derivatives", .column_rates = true};
  corio::InverseDynamicsDerivatives<S> result;
  detail::DofColumns<S, detail::DerivativeColumn> columns;
  PerNode<Force<S>> force;
  PerNode<detail::FixedAxesForces<S>> fixed_axes;

  explicit InverseDynamicsDerivatives(const Model<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)},
        columns(m),
        force(m.num_nodes()),
        fixed_axes(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, ExternalForces<S> external);
  /// dtau_dq, dtau_dv and, if asked for, M, at the q and v of data and the accelerations of `state`.
  template <bool with_M>
  void differentiate(const Model<S>& model, Data<S>& data, const detail::DerivativeState<S>& state,
                     ExternalForces<S> external);
};
template <class S>
void InverseDynamicsDerivatives<S>::run(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  detail::body_forces(model, data, data.acceleration, external, force);
  detail::sum_inward(model, force);
  differentiate<true>(model, data, {data.acceleration, data.a, force}, external);
}
template <class S>
template <bool with_M>
void InverseDynamicsDerivatives<S>::differentiate(const Model<S>& model, Data<S>& data,
                                                  const detail::DerivativeState<S>& state, ExternalForces<S> external) {
  detail::derivative_columns(model, data, state, columns);
  MatrixX<S>&dtau_dq = result.dtau_dq, &dtau_dv = result.dtau_dv, &M = result.M;
  columns.for_pairs([&](const auto& pairs, const auto& i, const auto& j) {
    pairs.ji(dtau_dq, detail::within_joint) = dot(i.psi_dot, j.F3) + dot(i.psi, j.F4);
    pairs.ij(dtau_dq) = dot(i.phi, j.F1);
    pairs.ji(dtau_dv) = dot(i.chi, j.F3) + dot(i.phi, j.F4);
    pairs.ij(dtau_dv) = dot(i.phi, j.F2);
    if constexpr (with_M) pairs.symmetric(M) = dot(i.phi, j.F3);
  });
  detail::for_column_partials(model, data, [&](int j, int i, const Motion<S>& D_j_S_i) {
    dtau_dq(i, j) += dot(D_j_S_i, state.force[model.node_of(i)]);
  });
  detail::add_fixed_axes_forces(model, data, external, fixed_axes, dtau_dq);
  if constexpr (with_M)
    for (int k = 0; k < model.nv(); ++k) M(k, k) += model.armature()[k];
}

}  // namespace algorithm

/// Derivatives of the inverse dynamics tau(q, v, a) of rnea, in one sweep:
///   dtau_dq(i,j): as q moves to integrate(q, h e_j), at h = 0, with the components of v and a held;
///   dtau_dv(i,j): as v_j grows;   M = dtau/da.
/// To check them: (rnea(integrate(q, h e_j), v, a) - rnea(integrate(q, -h e_j), v, a)) / (2 h), likewise v +- h e_j.
///
/// With the velocity V of what carries the joint, and its acceleration a less gravity, a degree of freedom has
///   psi = V x Phi,   psi_dot = a x Phi + V x psi,   chi = psi + dPhi   (kinematics/variations.hpp),
/// and with the composite forces F^C, inertias I^C and Coriolis operators B^C
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// and for i at or above j
///   dtau_dq(j,i) = psi_dot_i . F3_j + psi_i . F4_j,   dtau_dv(j,i) = chi_i . F3_j + Phi_i . F4_j,
///   dtau_dq(i,j) = Phi_i . F1_j  (of two joints),      dtau_dv(i,j) = Phi_i . F2_j.
/// Within a joint the formula of dtau_dq(j,i) holds in either order. Where columns S_i move in their body,
/// dtau_dq(i,j) has D_j S_i . F^C in addition.
///
/// @param a         nv, rate of v
/// @param external  wrenches on bodies. As q changes, each wrench is held constant in the axes and about the point in
///                  which it was given: one in body axes turns with the body, one in world axes about a world point
///                  stays, one in world axes at a point of the body moves with this point and keeps its axes.
/// @returns {dtau_dq, dtau_dv, M}, each nv x nv, all entries written; valid until the next call. O(n d).
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form
/// Source: Singh, Russell and Wensing (2022), eqs. 30-32, Algorithm 1, where psi has a dot and psi_dot two; with B as
/// in spatial/body_coriolis.hpp.
template <class S, template <class> class Robot>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                  ExternalForces<S> external = {}) {
  return data.template run<algorithm::InverseDynamicsDerivatives<S>>(robot, external).result;
}
template <class S, template <class> class Robot>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                  VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                  ExternalForces<S> external = {}) {
  return inverse_dynamics_derivatives(robot, forward_kinematics(robot, data, q, v, a), external);
}

}  // namespace corio
