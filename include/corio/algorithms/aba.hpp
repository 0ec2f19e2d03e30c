#pragma once

#include "corio/algorithms/external_force.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {

/// Forward dynamics: the a with rnea(q, v, a, external) = tau, by the articulated-body algorithm in world axes. Degrees
/// of freedom are eliminated one at a time, last to first, each by a rank-one update, which equals the block
/// elimination of a joint with several of them and needs no matrix inverse.
///
/// @param tau       nv generalized forces (N m, N)
/// @param external  wrenches on bodies, each with its axes and point
/// @returns nv, rate of v, in data.forward_dynamics; valid until the next aba.
/// @throws SizeError. O(n), no allocation.
/// Source: Featherstone (1983; 2008, ch. 7).
template <class S>
const VectorX<S>& aba(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                      ExternalForces<S> external = {}) {
  detail::check_size("tau", tau.size(), model.nv());
  forward_kinematics(model, data, q, v);
  return aba(model, data, tau, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws SizeError, StateError without it
template <class S>
const VectorX<S>& aba(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external = {}) {
  data.require(model, Pass::velocity, "aba");
  detail::check_size("tau", tau.size(), model.nv());
  detail::world_inertias(model, data);
  auto& acceleration = data.work.acceleration;
  auto& force = data.work.force;
  auto& articulated = data.work.articulated;
  auto& U = data.work.U;
  auto &reciprocal_d = data.work.reciprocal_d, &u = data.work.u;
  const std::size_t nodes = data.pose.size();

  for (std::size_t b = 0; b < nodes; ++b) {
    articulated[b] = detail::Articulated<S>::from(data.inertia[b]);
    force[b] = cross(data.velocity[b], data.inertia[b] * data.velocity[b]);
  }
  detail::subtract_external(model, data, external);

  for (std::size_t b = nodes; b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    detail::Articulated<S>& I = articulated[b];
    Force<S>& p = force[b];
    p += I * data.bias[b];
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const auto i = static_cast<std::size_t>(k);
      reciprocal_d[k] = I.eliminate(data.phi[i], model.armature()[k], U[i]);
      u[k] = tau[k] - dot(data.phi[i], p);
      p += U[i] * S(reciprocal_d[k] * u[k]);
    }
    if (node.parent >= 0) {
      articulated[static_cast<std::size_t>(node.parent)] += I;
      force[static_cast<std::size_t>(node.parent)] += p;
    }
  }

  const Motion<S> base{zero3<S>(), -model.gravity()};
  for (std::size_t b = 0; b < nodes; ++b) {
    const Node<S>& node = model.nodes()[b];
    Motion<S> a = node.parent >= 0 ? acceleration[static_cast<std::size_t>(node.parent)] : base;
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const auto i = static_cast<std::size_t>(k);
      data.forward_dynamics[k] = reciprocal_d[k] * (u[k] - dot(U[i], a));
      a += data.phi[i] * data.forward_dynamics[k];
    }
    acceleration[b] = a + data.bias[b];  // in u since the inward sweep
  }
  return data.forward_dynamics;
}

namespace detail {

/// Completes the velocity pass that aba worked on by the accelerations it found.
template <class S>
void complete_accelerations(const Model<S>& model, Data<S>& data) {
  data.dv = data.forward_dynamics;
  for (std::size_t b = 0; b < data.pose.size(); ++b)
    data.acceleration[b] = {data.work.acceleration[b].angular, data.work.acceleration[b].linear + model.gravity()};
  data.raise_pass(Pass::acceleration);
}

}  // namespace detail
}  // namespace corio
