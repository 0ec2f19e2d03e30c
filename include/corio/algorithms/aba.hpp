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
  auto& articulated = data.work.articulated;
  auto& force = data.work.articulated_force;
  auto& acceleration = data.work.articulated_acceleration;
  auto& gain = data.work.gain;
  auto &reciprocal_d = data.work.reciprocal_d, &u = data.work.u;
  auto& external_force = data.work.force;
  const std::size_t nodes = data.pose.size();

  std::fill(external_force.begin(), external_force.end(), Force<S>::zero());
  detail::subtract_external(model, data, external);

  auto inertias = detail::from_children(model, articulated);
  auto forces = detail::from_children(model, force);
  for (std::size_t b = nodes; b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    auto I = detail::Articulated<S>::from(data.inertia[b]);
    detail::ArticulatedForce<S> p = cross(detail::in_registers(data.velocity[b]), I * data.velocity[b]);
    p += detail::in_registers(external_force[b]);
    inertias.add_to(I, b);
    forces.add_to(p, b);
    articulated[b] = I;
    force[b].moment = p.moment, force[b].force = p.force;
    p += I * data.bias[b];
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const auto i = static_cast<std::size_t>(k);
      detail::ArticulatedForce<S> G;
      const auto r = I.eliminate(data.phi[i], model.armature()[k], G);
      const auto x = detail::subtract_dot(tau[k], detail::in_registers(data.phi[i]), p);
      p += G * x;
      gain[i].moment = G.moment, gain[i].force = G.force;
      reciprocal_d[k] = detail::any_lane(r);
      u[k] = detail::any_lane(r) * detail::any_lane(x);
    }
    inertias.give(I, b);
    forces.give(p, b);
  }

  using A = detail::ArticulatedMotion<S>;
  const A base = detail::in_registers(Motion<S>{zero3<S>(), -model.gravity()});
  A carried = base;  // with the node before
  for (std::size_t b = 0; b < nodes; ++b) {
    const Node<S>& node = model.nodes()[b];
    A a = carried;
    if (node.parent < 0)
      a = base;
    else if (node.parent + 1 != static_cast<int>(b))
      a = acceleration[static_cast<std::size_t>(node.parent)];
    carried = a + detail::in_registers(data.bias[b]);  // in u since the inward sweep
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const auto x = detail::subtract_dot(u[k], a, gain[i]);
      const A change = detail::in_registers(data.phi[i]) * x;
      data.forward_dynamics[k] = detail::any_lane(x);
      a += change;
      carried += change;
    }
    acceleration[b].angular = carried.angular, acceleration[b].linear = carried.linear;
  }
  return data.forward_dynamics;
}

namespace detail {

/// Completes the velocity pass that aba worked on by the accelerations it found.
template <class S>
void complete_accelerations(const Model<S>& model, Data<S>& data) {
  data.dv = data.forward_dynamics;
  const auto gravity = in_registers(Motion<S>{zero3<S>(), model.gravity()});
  for (std::size_t b = 0; b < data.pose.size(); ++b)
    store<S>(data.work.articulated_acceleration[b] + gravity, data.acceleration[b]);
  data.raise_pass(Pass::acceleration);
}

/// data.work.force: what each joint transmits, the composite force F^C of the subtree behind it, I^A a + p^A of the
/// last aba.
template <class S>
void joint_forces(Data<S>& data) {
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    ArticulatedForce<S> F = data.work.articulated[b] * data.work.articulated_acceleration[b];
    F += data.work.articulated_force[b];
    store<S>(F, data.work.force[b]);
  }
}

}  // namespace detail
}  // namespace corio
