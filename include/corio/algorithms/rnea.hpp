#pragma once

#include "corio/algorithms/external_force.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/columns/gather.hpp"

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

/// data.work.force: what gives each body its acceleration a_b - gravity.
template <class S>
void newton_euler(const Model<S>& model, Data<S>& data, const std::vector<Motion<S>>& a, const Vector3<S>& gravity) {
  using N = Pack<S>;
  const Motion<N> g{zero3<N>(), broadcast<N>(gravity)};
  for (std::size_t b = 0; b < data.pose.size(); b += Block<S>::width) {
    const auto body = of_nodes_from<InertialParameters>(
        model, b, [&](std::size_t i) -> const InertialParameters<S>& { return model.nodes()[i].parameters; });
    const auto X = of_nodes_from(model, b, data.pose);
    const auto V = of_nodes_from(model, b, data.velocity);
    scatter_from(model, b, newton_euler(X, body, V, of_nodes_from(model, b, a) - g), data.work.force);
  }
}

/// data.work.force: what accelerates each body apart from the external forces.
template <class S>
void body_forces(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  newton_euler(model, data, data.acceleration, model.gravity());
  subtract_external(model, data, external);
}

/// tau_k = Phi_k . F^C_b, leaf to root: data.work.force becomes its sum over subtrees.
template <class S>
void project_forces(const Model<S>& model, Data<S>& data, VectorX<S>& tau) {
  auto& force = data.work.force;
  for (std::size_t b = force.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    const Force<S>& F = force[b];
    for (int k = node.v_begin; k < node.v_end; ++k) tau[k] = dot(data.phi[static_cast<std::size_t>(k)], F);
    if (node.parent >= 0) force[static_cast<std::size_t>(node.parent)] += F;
  }
}

}  // namespace detail

/// tau = M(q) a + C(q, v) v + g(q) - sum J^T f_ext, including armature.
///
/// @param a         nv, rate of v
/// @param external  wrenches on bodies, each with its axes and point
/// @returns nv generalized forces (N m, N) in data.tau, valid until the next rnea.
/// @throws SizeError. O(n), no allocation.
template <class S>
const VectorX<S>& rnea(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                       ExternalForces<S> external = {}) {
  forward_kinematics(model, data, q, v, a);
  return rnea(model, data, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
const VectorX<S>& rnea(const Model<S>& model, Data<S>& data, ExternalForces<S> external = {}) {
  data.require(model, Pass::acceleration, "rnea");
  detail::body_forces(model, data, external);
  detail::project_forces(model, data, data.tau);
  for (int k = 0; k < model.nv(); ++k) data.tau[k] += model.armature()[k] * data.dv[k];
  return data.tau;
}

/// C(q, v) v + g(q): what rnea gives for zero acceleration, also called the bias.
/// @returns nv, in data.nonlinear. O(n), no allocation.
template <class S>
const VectorX<S>& nonlinear_effects(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return nonlinear_effects(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
const VectorX<S>& nonlinear_effects(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::velocity, "nonlinear_effects");
  auto& acceleration = data.work.acceleration;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const int parent = model.nodes()[b].parent;
    acceleration[b] = parent < 0 ? data.bias[b] : acceleration[static_cast<std::size_t>(parent)] + data.bias[b];
  }
  detail::newton_euler(model, data, acceleration, model.gravity());
  detail::project_forces(model, data, data.nonlinear);
  return data.nonlinear;
}

/// g(q), the gradient of the potential energy along the degrees of freedom: the weight of every subtree at its centre
/// of mass, projected.
/// @returns nv, in data.gravity. O(n), no allocation.
template <class S>
const VectorX<S>& generalized_gravity(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return generalized_gravity(model, data);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
const VectorX<S>& generalized_gravity(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::position, "generalized_gravity");
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const auto& body = model.nodes()[b].parameters;
    const Vector3<S> f = -body.mass * model.gravity();
    data.work.force[b] = {cross<S>(data.pose[b].point(body.com), f), f};
  }
  detail::project_forces(model, data, data.gravity);
  return data.gravity;
}

}  // namespace corio
