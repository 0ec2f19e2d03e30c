#pragma once

#include "corio/algorithms/derivative_columns.hpp"
#include "corio/columns/tiles.hpp"

namespace corio {
namespace detail {

/// dtau_dq and dtau_dv, and M or not, from the composites of derivative_composites.
template <bool with_M, class S>
void differentiate_composites(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  derivative_columns(model, data);
  auto& out = data.inverse_dynamics_derivatives;
  MatrixX<S>&dtau_dq = out.dtau_dq, &dtau_dv = out.dtau_dv, &M = out.M;
  for_tiles(model, data, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store(dtau_dq, dot(i.psi_dot, j.F3) + dot(i.psi, j.F4), dot(i.phi, j.F1));
    pairs.store(dtau_dv, dot(i.chi, j.F3) + dot(i.phi, j.F4), dot(i.phi, j.F2));
    if constexpr (with_M) pairs.store_symmetric(M, dot(i.phi, j.F3));
  });
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    // A joint's own blocks are not symmetric: one of the two formulas holds both ways.
    const bool single = node.v_end == node.v_begin + 1;
    for (int i = node.v_begin; i < node.v_end && !single; ++i)
      for (int j = node.v_begin; j < node.v_end; ++j) {
        const auto &upper = data.work.columns(i), &lower = data.work.columns(j);
        const Force<S> F3 = lower.F3.force(j);
        dtau_dq(j, i) = dot(upper.psi_dot.motion(i), F3) + dot(upper.psi.vector(i), lower.F4.vector(j));
        dtau_dv(i, j) = dot(data.phi[static_cast<std::size_t>(i)], lower.F2.force(j));
      }
    add_moving_columns(node, data, data.work.force[b], dtau_dq);
  }
  add_fixed_axes_forces(model, data, external, dtau_dq);
  if constexpr (with_M)
    for (int k = 0; k < model.nv(); ++k) M(k, k) += model.armature()[k];
}

}  // namespace detail

/// Derivatives of the inverse dynamics tau(q, v, a) of rnea, in one sweep:
///   dtau_dq(i,j): as q moves to integrate(q, e e_j), along degree of freedom j, with the components of v and a held;
///   dtau_dv(i,j): as v_j grows;   M = dtau/da.
/// To check them: (rnea(integrate(q, h e_j), v, a) - rnea(integrate(q, -h e_j), v, a)) / (2 h), likewise v +- h e_j.
///
/// With the composite forces F^C, inertias I^C and Coriolis operators B^C, each column is one of
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// and for i at or above j
///   dtau_dq(i,j) = Phi_i . F1_j,   dtau_dq(j,i) = psi_dot_i . F3_j + psi_i . F4_j,
///   dtau_dv(i,j) = Phi_i . F2_j,   dtau_dv(j,i) = chi_i . F3_j + Phi_i . F4_j.
///
/// @param a         nv, rate of v
/// @param external  wrenches on bodies. What is held as q changes is what is given: a wrench in body axes turns with
///                  the body, one in world axes about a world point stays, one in world axes at a point of the body is
///                  carried along without turning.
/// @returns {dtau_dq, dtau_dv, M}, each nv x nv and complete, in data.inverse_dynamics_derivatives; valid until the
///          next call.
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form. O(n d), no allocation.
/// Source: Singh, Russell and Wensing (2022), eqs. 30-32, Algorithm 1, in the 12 numbers of BodyCoriolis.
template <class S>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                                  VectorIn<S> v, VectorIn<S> a,
                                                                  ExternalForces<S> external = {}) {
  forward_kinematics(model, data, q, v, a);
  return inverse_dynamics_derivatives(model, data, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Model<S>& model, Data<S>& data,
                                                                  ExternalForces<S> external = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_derivatives");
  detail::require_dual_forms(model, data, "inverse_dynamics_derivatives");
  detail::derivative_composites(model, data, external);
  detail::differentiate_composites<true>(model, data, external);
  return data.inverse_dynamics_derivatives;
}

}  // namespace corio
