#pragma once

#include "corio/algorithms/derivatives/detail/external_force_derivatives.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of inverse_dynamics_derivatives, each nv x nv.
template <class S>
struct InverseDynamicsDerivativesResult {
  MatrixX<S> dtau_dq, dtau_dv, M;
};

namespace algorithm {

template <class S>
struct InverseDynamicsDerivatives;

}  // namespace algorithm

/// Computes derivatives of the inverse dynamics tau(q, v, a) of rnea, in one sweep:
///   dtau_dq(i,j): as q moves to integrate(q, h e_j), at h = 0, along degree of freedom j (e_j: its unit vector), with
///                 the components of v and a held;
///   dtau_dv(i,j): as v_j grows;   M = dtau/da.
/// To check them: (rnea(integrate(q, h e_j), v, a) - rnea(integrate(q, -h e_j), v, a)) / (2 h), likewise v +- h e_j.
///
/// With the twist V and the acceleration A of the parent of its node, a degree of freedom has
///   psi = V x Phi,   psi_a = (A - gravity) x Phi + V x psi,   chi = psi + dPhi   (variations.hpp),
/// and with the sums F^C, I^C, B^C over its subtree, of forces, inertias and Coriolis operators, the derivatives of F^C
///   dF_dq = Phi x* F^C + I^C psi_a + 2 B^C psi,   dF_dv = I^C chi + 2 B^C Phi,   momentum = dF_da = I^C Phi.
/// For i at or above j
///   dtau_dq(i,j) = Phi_i . dF_dq_j (not within a joint),   dtau_dv(i,j) = Phi_i . dF_dv_j,
///   dtau_dq(j,i) = psi_a_i . momentum_j + psi_i . 2 (B^C)^T Phi_j,
///   dtau_dv(j,i) = chi_i . momentum_j + Phi_i . 2 (B^C)^T Phi_j;
/// within a joint the formula of dtau_dq(j,i) holds for i before j and for j before i. For joints whose columns move
/// in the child body, dtau_dq(i,j) has D_j S_i . F^C in addition, with D_j S_i the derivative of Phi_i along degree of
/// freedom j as seen in the body.
///
/// @param a         nv, rate of v
/// @param external  wrenches on bodies. As q changes, each wrench is held constant in the axes and about the point in
///                  which it was given:
///                  - in body axes: it turns with the body;
///                  - in world axes about a point of the world: it stays;
///                  - in world axes at a point of the body: the point moves with the body, the axes do not turn.
/// @returns {dtau_dq, dtau_dv, M}, each nv x nv, all entries written; valid until the next call with this data.
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form.
/// Cost O(n d).
/// In plain form, for revolute joints: guide/plain_forms.md.
/// Source: Singh, Russell and Wensing (2022), eqs. 30-32, Algorithm 1, with B stored as in body_coriolis.hpp.
template <class S, template <class> class Robot>
const InverseDynamicsDerivativesResult<S>& inverse_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                        ExternalForces<S> external = {}) {
  return data.template run<algorithm::InverseDynamicsDerivatives<S>>(robot, external).result;
}
template <class S, template <class> class Robot>
const InverseDynamicsDerivativesResult<S>& inverse_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                        VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                        ExternalForces<S> external = {}) {
  return inverse_dynamics_derivatives(robot, forward_kinematics(robot, data, q, v, a, __func__), external);
}

namespace detail {

/// The column of a degree of freedom: the variation along it of the motions of its subtree (variations.hpp), and of the
/// force F^C on the subtree, by the formulas above.
template <class N>
struct DerivativeColumn {
  Motion<N> phi, psi, psi_a, chi;
  Force<N> dF_dq, dF_dv, momentum;
  Couple<N> twice_B_T_phi;
};

/// The accelerations at which derivatives are computed, and F^C, the sums over subtrees of the forces for these
/// accelerations, minus the external forces.
template <class S>
struct DerivativeState {
  const PerNode<Motion<S>>& acceleration;  // without gravity
  const VectorX<S>& a;
  const PerNode<Force<S>>& F_C;
};

template <class S, class Columns>
void fill_derivative_columns(const Model<S>& model, Data<S>& data, const DerivativeState<S>& state, Columns& columns) {
  compute_composite_inertias(model, data);
  compute_composite_coriolis(model, data);
  columns.fill(model, data, [&](const auto& k, auto& column) {
    const auto phi = k.phi();
    const auto [psi, psi_a, chi] = variation(model, data, k, phi, state.acceleration, state.a, model.gravity());
    const auto I_C = k.composite_inertia();
    const auto B_C = k.composite_coriolis(), twice_B = B_C + B_C;
    column.phi = phi, column.psi = psi, column.psi_a = psi_a, column.chi = chi;
    column.dF_dq = cross(phi, k.entry(state.F_C)) + I_C * psi_a + twice_B * psi;
    column.dF_dv = I_C * chi + twice_B * phi;
    column.momentum = I_C * phi;
    column.twice_B_T_phi = twice_B.transpose_times(phi);
  });
}

}  // namespace detail

namespace algorithm {

template <class S>
struct InverseDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "inverse_dynamics_derivatives", .column_rates = true};
  InverseDynamicsDerivativesResult<S> result;
  detail::DofColumns<S, detail::DerivativeColumn> columns;
  PerNode<Force<S>> force;                         // force on each body, then F^C of its subtree
  PerNode<detail::FixedAxesForces<S>> fixed_axes;  // scratch for external forces that do not turn with their body

  explicit InverseDynamicsDerivatives(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)},
        columns(m),
        force(m.num_nodes()),
        fixed_axes(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, ExternalForces<S> external);
  /// Computes dtau_dq and dtau_dv at q and v of data and the accelerations of `state`, and M unless with_M is false, as
  /// for forward dynamics.
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
  detail::fill_derivative_columns(model, data, state, columns);
  MatrixX<S>&dtau_dq = result.dtau_dq, &dtau_dv = result.dtau_dv, &M = result.M;
  columns.for_pairs([&](const auto& pairs, const auto& i, const auto& j) {
    // ij and ji write the tiles of rows i and columns j, and the reverse (kernels/pairs.hpp). For i and j of one joint,
    // the diagonal included, only the tile that is within_joint is written: its formula holds in both orders.
    pairs.ji(dtau_dq, detail::within_joint) = dot(i.psi_a, j.momentum) + dot(i.psi, j.twice_B_T_phi);
    pairs.ij(dtau_dq) = dot(i.phi, j.dF_dq);
    pairs.ji(dtau_dv) = dot(i.chi, j.momentum) + dot(i.phi, j.twice_B_T_phi);
    pairs.ij(dtau_dv) = dot(i.phi, j.dF_dv);
    if constexpr (with_M) pairs.symmetric(M) = dot(i.phi, j.momentum);
  });
  // Adds the terms for joints whose columns move in the child body.
  detail::for_column_partials(model, data, [&](int j, int i, const Motion<S>& D_j_S_i) {
    dtau_dq(i, j) += dot(D_j_S_i, state.F_C[model.node_of(i)]);
  });
  detail::add_fixed_axes_forces(model, data, external, fixed_axes, dtau_dq);
  if constexpr (with_M)
    for (int k = 0; k < model.nv(); ++k) M(k, k) += model.armature()[k];
}

}  // namespace algorithm

}}  // namespace corio
