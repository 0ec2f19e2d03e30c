#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"
#include "corio/kernels/gather.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

/// Inverse dynamics by recursive Newton-Euler, and its special cases. Source: Luh, Walker and Paul (1980);
/// Featherstone (2008), ch. 5. World axes throughout.
namespace corio {
namespace detail {

/// F_b = I_b a_b + V_b x* I_b V_b of one body, for accelerations in which gravity is included. Written as Newton's law
/// for the centre of mass and Euler's about it, because that needs no inertia in world axes.
template <class S>
Force<S> newton_euler(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V, const Motion<S>& a) {
  const Vector3<S> c = X.point(body.com);
  const Vector3<S> w = transpose_times(X.rotation, V.angular);
  const Vector3<S> dw = transpose_times(X.rotation, a.angular);
  const Vector3<S> velocity = V.linear + cross(V.angular, c);
  const Vector3<S> acceleration = a.linear + cross(a.angular, c) + cross(V.angular, velocity);
  const Vector3<S> f = body.mass * acceleration;
  const Vector3<S> n = body.inertia * dw + cross(w, body.inertia * w);
  return {X.rotation * n + cross(c, f), f};
}

/// I_b V_b of one body, written like newton_euler.
template <class S>
Force<S> body_momentum(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V) {
  const Vector3<S> c = X.point(body.com);
  const Vector3<S> p = body.mass * (V.linear + cross(V.angular, c));
  return {X.rotation * (body.inertia * transpose_times(X.rotation, V.angular)) + cross(c, p), p};
}

/// The forces that give the bodies their accelerations a_b - gravity, apart from the external ones.
template <class S>
void body_forces(const Model<S>& model, const Data<S>& data, const PerNode<Motion<S>>& a, ExternalForces<S> external,
                 PerNode<Force<S>>& force) {
  using N = Pack<S>;
  const Motion<N> g{zero3<N>(), broadcast<N>(model.gravity())};
  for (int b = 0; b < model.num_nodes(); b += N::width) {
    const auto at = PackIndices<S>::from(b, model.num_nodes());
    const auto body =
        at.template gather<InertialParameters>([&](int i) -> const auto& { return model.node(i).parameters; });
    const auto F = newton_euler(at.gather(data.pose), body, at.gather(data.velocity), at.gather(a) - g);
    scatter<Force, S>(F, &force[b], std::min(N::width, model.num_nodes() - b));
  }
  subtract_external(model, data, external, force);
}

/// tau_k = Phi_k . F^C_b, leaf to root: the forces become their sums over subtrees.
template <class S>
void project_forces(const Model<S>& model, const PerDof<Motion<S>>& phi, PerNode<Force<S>>& force, VectorX<S>& tau) {
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    const Force<S>& F = force[b];
    for (int k = node.v_begin; k < node.v_end; ++k) tau[k] = dot(phi[k], F);
    if (node.parent >= 0) force[node.parent] += F;
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
struct rnea {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "rnea"};
  VectorX<S> tau;
  PerNode<Force<S>> force;

  explicit rnea(const Model<S>& m) : tau(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data, ExternalForces<S> external);
};
template <class S>
void rnea<S>::run(const Model<S>& model, const Data<S>& data, ExternalForces<S> external) {
  detail::body_forces<S>(model, data, data.acceleration, external, force);
  detail::project_forces(model, data.phi, force, tau);
  for (int k = 0; k < model.nv(); ++k) tau[k] += model.armature()[k] * data.dv[k];
}

template <class S>
struct nonlinear_effects {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "nonlinear_effects"};
  VectorX<S> tau;
  PerNode<Motion<S>> acceleration;
  PerNode<Force<S>> force;

  explicit nonlinear_effects(const Model<S>& m)
      : tau(zeros<S>(m.nv())), acceleration(m.num_nodes()), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void nonlinear_effects<S>::run(const Model<S>& model, const Data<S>& data) {
  Motion<S>* const a = acceleration.data();
  const Motion<S>* const bias = data.bias.data();
  for (int b = 0; b < model.num_nodes(); ++b) {
    const int parent = model.node(b).parent;
    a[b] = parent < 0 ? bias[b] : a[parent] + bias[b];
  }
  detail::body_forces<S>(model, data, acceleration, {}, force);
  detail::project_forces(model, data.phi, force, tau);
}

template <class S>
struct generalized_gravity {
  static constexpr detail::Requirement requires_pass{Pass::position, "generalized_gravity"};
  VectorX<S> g;
  PerNode<Force<S>> force;

  explicit generalized_gravity(const Model<S>& m) : g(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void generalized_gravity<S>::run(const Model<S>& model, const Data<S>& data) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Vector3<S> f = -body.mass * model.gravity();
    force[b] = {cross<S>(data.pose[b].point(body.com), f), f};
  }
  detail::project_forces(model, data.phi, force, g);
}

}  // namespace algorithm

/// tau = M(q) a + C(q, v) v + g(q) - sum J^T f_ext, including armature.
///
/// @param a         nv, rate of v
/// @param external  wrenches on bodies, each with its axes and point
/// @returns nv generalized forces (N m, N), valid until the next rnea.
/// @throws SizeError. O(n).
template <class S>
const VectorX<S>& rnea(const Model<S>& model, Data<S>& data, ExternalForces<S> external = {}) {
  return data.template run<algorithm::rnea<S>>(model, external).tau;
}
template <class S>
const VectorX<S>& rnea(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                       ExternalForces<S> external = {}) {
  return rnea(model, forward_kinematics(model, data, q, v, a), external);
}

/// C(q, v) v + g(q): what rnea gives for zero acceleration, also called the bias.
/// @returns nv. O(n).
template <class S>
const VectorX<S>& nonlinear_effects(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::nonlinear_effects<S>>(model).tau;
}
template <class S>
const VectorX<S>& nonlinear_effects(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return nonlinear_effects(model, forward_kinematics(model, data, q, v));
}

/// g(q), the gradient of the potential energy along the degrees of freedom: the weight of every subtree at its centre
/// of mass, projected.
/// @returns nv. O(n).
template <class S>
const VectorX<S>& generalized_gravity(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::generalized_gravity<S>>(model).g;
}
template <class S>
const VectorX<S>& generalized_gravity(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  return generalized_gravity(model, forward_kinematics(model, data, q));
}

}  // namespace corio
