#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"
#include "corio/kernels/inverse_sweeps.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {
namespace algorithm {

template <class S>
struct aba {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "aba", true};
  VectorX<S> a;
  // Articulated inertia I^A and bias force p^A of each node about its origin, before its own joint gives
  // way; acceleration with gravity, about the origin of the tree.
  PerNode<detail::Vec4Articulated<S>> inertia;
  PerNode<detail::Vec4Force<S>> bias_force;
  PerNode<detail::Vec4Motion<S>> acceleration;
  detail::Elimination<S> eliminated;
  VectorX<S> u;
  PerNode<Force<S>> external_force;

  explicit aba(const Model<S>& m)
      : a(zeros<S>(m.nv())),
        inertia(m.num_nodes()),
        bias_force(m.num_nodes()),
        acceleration(m.num_nodes()),
        eliminated(m),
        u(a),
        external_force(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external);
};
template <class S>
void aba<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
  detail::check_input("tau", tau, model.nv(), requires_pass.name);
  detail::composite_inertias(model, data);
  if (!external.empty()) {
    std::fill(external_force.begin(), external_force.end(), Force<S>::zero());
    detail::subtract_external(model, data, external, external_force);
  }

  using Motion = detail::Vec4Motion<S>;
  auto inertias = detail::from_children(model, inertia);
  auto forces = detail::from_children(model, bias_force);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    const auto origin = detail::position(data, b);
    const Motion V = about(detail::Vec4Motion<S>::load(data.velocity[b]), origin);
    const auto body = detail::Vec4Inertia<S>::load(data.inertia[b]);
    auto I = detail::Vec4Articulated<S>::from(body);
    detail::Vec4Force<S> p = cross(V, body * V);
    if (!external.empty()) p += about(detail::Vec4Force<S>::load(external_force[b]), origin);
    inertias.add_to(I, b);
    forces.add_to(p, b);
    inertia[b] = I;
    bias_force[b].moment = p.moment, bias_force[b].force = p.force;
    p += I * about(detail::Vec4Motion<S>::load(data.bias[b]), origin);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Motion phi = about(detail::Vec4Motion<S>::load(data.phi[k]), origin);
      detail::Vec4Force<S> G;
      const auto r = eliminated.eliminate(data, node, I, phi, origin, model.armature()[k], k, G);
      const auto x = detail::subtract_dot(tau[k], phi, p);
      u[k] = r[0] * x[0];
      if (k == node.v_begin && node.parent >= 0) p = about(p, detail::position(data, node.parent) - origin);
      p += G * x;
    }
    inertias.pass_to_parent(I, b);
    forces.pass_to_parent(p, b);
  }

  const Motion base = detail::Vec4Motion<S>::load(corio::Motion<S>{zero3<S>(), -model.gravity()});
  Motion carried = base;  // of the node before
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    Motion of_parent = carried;
    if (node.parent < 0)
      of_parent = base;
    else if (node.parent + 1 != b)
      of_parent = acceleration[node.parent];
    carried = of_parent + detail::Vec4Motion<S>::load(data.bias[b]);  // in u since the inward sweep
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const auto x = detail::subtract_dot(u[k], of_parent, eliminated.gain[k]);
      const Motion change = detail::Vec4Motion<S>::load(data.phi[k]) * x;
      a[k] = x[0];
      of_parent += change;
      carried += change;
    }
    acceleration[b].angular = carried.angular, acceleration[b].linear = carried.linear;
  }
}

}  // namespace algorithm

/// Forward dynamics: the a with rnea(q, v, a, external) = tau, by the articulated-body algorithm in world axes. Degrees
/// of freedom are eliminated one at a time, last to first, each by a rank-one update, which equals the block
/// elimination of a joint with several of them and needs no matrix inverse.
///
/// @param tau       nv generalized forces (N m, N)
/// @param external  wrenches on bodies, each with its axes and point
/// @returns nv, rate of v; valid until the next aba. Huge numbers, or none, where M is singular at q: Euler angles at
/// gimbal lock, for instance, which check_joint_conditioning reports.
/// @throws SizeError; ModelError for a joint that moves no inertia. O(n).
/// Source: Featherstone (1983; 2008, ch. 7).
template <class S>
const VectorX<S>& aba(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external = {}) {
  return data.template run<algorithm::aba<S>>(model, tau, external).a;
}
template <class S>
const VectorX<S>& aba(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                      ExternalForces<S> external = {}) {
  detail::check_input("tau", tau, model.nv());
  return aba(model, forward_kinematics(model, data, q, v), tau, external);
}

}  // namespace corio
