#pragma once

#include "corio/kinematics/forward_kinematics.hpp"

namespace corio::detail {

/// How the motion of a subtree changes as the configuration moves along degree of freedom j of its first joint, apart
/// from being carried along by Phi_j: with D_j the derivative at constant v and dv/dt, for every body k of the subtree
///   D_j V_k = Phi_j x V_k + psi,   D_j a_k = Phi_j x a_k + psi x V_k + psi_dot,
///   dV_k/dv_j = Phi_j,             da_k/dv_j = Phi_j x V_k + chi.
/// The same for all of them. Source: Singh, Russell and Wensing (2022), eqs. 18-29.
template <class S>
struct Variation {
  Motion<S> psi, psi_dot, chi;
};

/// Velocity and acceleration, gravity included, of what carries node b.
template <class S>
struct Carrier {
  Motion<S> V, a;
};
template <class S>
CORIO_INLINE Carrier<S> carrier(const Model<S>& model, const Data<S>& data, const Node<S>& node) {
  Carrier<S> c{Motion<S>::zero(), Motion<S>::zero()};
  if (node.parent >= 0)
    c = {data.velocity[static_cast<std::size_t>(node.parent)],
         data.acceleration[static_cast<std::size_t>(node.parent)]};
  c.a.linear -= model.gravity();
  return c;
}

template <class S>
CORIO_INLINE Variation<S> variation(const Carrier<S>& carrier, const Motion<S>& phi, const Motion<S>& phi_dot) {
  const Motion<S> psi = cross(carrier.V, phi);
  return {psi, cross(carrier.a, phi) + cross(carrier.V, psi), psi + phi_dot};
}

}  // namespace corio::detail
