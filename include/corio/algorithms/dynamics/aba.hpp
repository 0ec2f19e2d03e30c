#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"
#include "corio/kernels/inverse_sweeps.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio::inline CORIO_ABI {
namespace algorithm {

template <class S>
struct Aba {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "aba", .inverse = true};
  VectorX<S> a;
  // Articulated inertia I^A and bias force p^A of each node about its origin, before its own joint gives way; the
  // acceleration that a brings about, apart from the bias, about the origin of the tree.
  PerNode<ArticulatedInertia<InRegisters<S>>> inertia;
  PerNode<Force<S>> bias_force;
  PerNode<Motion<S>> acceleration;
  detail::Elimination<S> eliminated;
  PerNode<Force<S>> external_force;

  explicit Aba(const Model<S>& m)
      : a(zeros<S>(m.nv())),
        inertia(m.num_nodes()),
        bias_force(m.num_nodes()),
        acceleration(m.num_nodes()),
        eliminated(m),
        external_force(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    detail::check_vector("tau", tau, model.nv(), needs.name);
    sweep_inward(model, data, tau, external);
    sweep_outward(model, data);
  }
  /// Sets `eliminated`, and a_k to the share of the acceleration that degree of freedom k gives way by itself.
  void sweep_inward(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external);
  void sweep_outward(const Model<S>& model, const Data<S>& data) {
    detail::sweep_outward(model, data.phi, eliminated, acceleration, a.data());
  }
};
template <class S>
void Aba<S>::sweep_inward(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
  detail::body_inertias(model, data);
  if (!external.empty()) {
    std::fill(external_force.begin(), external_force.end(), Force<S>::zero());
    detail::subtract_external(model, data, external, external_force);
  }

  using detail::load;
  using N = InRegisters<S>;
  const Motion<N> gravity = load(Motion<S>{zero3<S>(), model.gravity()});
  auto inertias = detail::from_children<ArticulatedInertia<N>>(model, inertia);
  auto forces = detail::from_children<Force<N>>(model, bias_force);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    const auto origin = load(data.pose[b].translation);
    const auto here = [&](const Motion<S>& V) CORIO_INLINE_LAMBDA { return about(load(V), origin); };
    const Inertia<N> body = load(data.inertia[b]);
    const Motion<N> V = here(data.velocity[b]);
    auto I_A = ArticulatedInertia<N>::from(body);
    Force<N> p = body * about(load(data.bias[b]) - gravity, origin) + cross(V, body * V);
    if (!external.empty()) p += about(load(external_force[b]), origin);
    inertias.add_to(I_A, b);
    forces.add_to(p, b);
    inertia[b] = I_A;
    detail::store(p, bias_force[b]);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Motion<N> phi = here(data.phi[k]);
      Force<N> G;
      const N r = eliminated.eliminate(data, node, I_A, phi, origin, model.armature()[k], k, G);
      const N x = N(S(tau[k])) - dot(phi, p);
      a[k] = S(r * x);
      if (k == node.v_begin && node.parent >= 0) p = about(p, load(data.pose[node.parent].translation) - origin);
      p += G * x;
    }
    inertias.pass_to_parent(I_A, b);
    forces.pass_to_parent(p, b);
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
template <class S, template <class> class Robot>
const VectorX<S>& aba(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau, ExternalForces<S> external = {}) {
  return data.template run<algorithm::Aba<S>>(robot, tau, external).a;
}
template <class S, template <class> class Robot>
const VectorX<S>& aba(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                      ExternalForces<S> external = {}) {
  detail::check_vector("tau", tau, robot.nv());
  return aba(robot, forward_kinematics(robot, data, q, v), tau, external);
}

}  // namespace corio
