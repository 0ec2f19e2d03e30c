#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/spatial/detail/newton_euler.hpp"

/// Inverse dynamics by recursive Newton-Euler, and its special cases. Source: Luh, Walker and Paul (1980);
/// Featherstone (2008), ch. 5. World axes throughout.
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct Rnea;
template <class S>
struct NonlinearEffects;
template <class S>
struct GeneralizedGravity;

}  // namespace algorithm

/// Computes tau = M(q) a + C(q, v) v + g(q) - sum J^T f_ext, including armature.
///
/// @param a         nv, rate of v
/// @param external  wrenches on bodies, each with its axes and point
/// @returns nv generalized forces (N m, N), valid until the next rnea.
/// In plain form, for revolute joints: guide/plain_forms.md.
/// @throws SizeError. O(n).
template <class S, template <class> class Robot>
const VectorX<S>& rnea(const Robot<S>& robot, DataOf<Robot<S>>& data, ExternalForces<S> external = {}) {
  return data.template run<algorithm::Rnea<S>>(robot, external).tau;
}
template <class S, template <class> class Robot>
const VectorX<S>& rnea(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                       ExternalForces<S> external = {}) {
  return rnea(robot, forward_kinematics(robot, data, q, v, a, __func__), external);
}

/// Computes the Coriolis, centrifugal and gravity torques C(q, v) v + g(q): rnea for a = 0.
/// @returns nv. O(n).
template <class S, template <class> class Robot>
const VectorX<S>& nonlinear_effects(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::NonlinearEffects<S>>(robot).tau;
}
template <class S, template <class> class Robot>
const VectorX<S>& nonlinear_effects(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return nonlinear_effects(robot, forward_kinematics(robot, data, q, v, __func__));
}

/// Computes g(q), the gradient of the potential energy along the degrees of freedom: minus the weight of each subtree,
/// at its centre of mass, projected on the columns.
/// @returns nv. O(n).
template <class S, template <class> class Robot>
const VectorX<S>& generalized_gravity(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::GeneralizedGravity<S>>(robot).tau;
}
template <class S, template <class> class Robot>
const VectorX<S>& generalized_gravity(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return generalized_gravity(robot, forward_kinematics(robot, data, q, __func__));
}

namespace detail {

/// Returns minus the weight of body b.
template <class S>
CORIO_INLINE auto body_support(const Model<S>& model, const Data<S>& data, int b) {
  const InertialParameters<S>& body = model.node(b).parameters;
  return -body_weight(data.pose[b], body, model.gravity());
}
/// Computes the force that the joints must supply to each body for its acceleration a: I (a - gravity) + V x* I V,
/// minus the external force.
template <class S>
void body_forces(const Model<S>& model, const Data<S>& data, const PerNode<Motion<S>>& a, ExternalForces<S> external,
                 PerNode<Force<S>>& force) {
  fill_nodes(model, force, [&](const auto& b) {
    auto a_b = b.entry(a);
    a_b.linear -= b.constant(model.gravity());
    return newton_euler(b.entry(data.pose), b.parameters(), b.entry(data.velocity), a_b);
  });
  subtract_external(model, data, external, force);
}

/// Computes tau = Phi^T of the sums over subtrees of body_forces.
template <class S>
void project_body_forces(const Model<S>& model, const Data<S>& data, const PerNode<Motion<S>>& a,
                         ExternalForces<S> external, PerNode<Force<S>>& force, VectorX<S>& tau) {
  body_forces(model, data, a, external, force);
  tau.setZero();
  sum_inward_and_project(model, data.phi, force, tau);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct Rnea {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "rnea"};
  VectorX<S> tau;
  PerNode<Force<S>> force;

  explicit Rnea(const Model<S>& m) : tau(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data, ExternalForces<S> external);
};
/// Computes tau = Phi^T F^C + armature a.
template <class S>
void Rnea<S>::run(const Model<S>& model, const Data<S>& data, ExternalForces<S> external) {
  detail::project_body_forces<S>(model, data, data.acceleration, external, force, tau);
  for (int k = 0; k < model.nv(); ++k) tau[k] += model.armature()[k] * data.a[k];
}

template <class S>
struct NonlinearEffects {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "nonlinear_effects"};
  VectorX<S> tau;
  PerNode<Force<S>> force;

  explicit NonlinearEffects(const Model<S>& m) : tau(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void NonlinearEffects<S>::run(const Model<S>& model, const Data<S>& data) {
  detail::project_body_forces<S>(model, data, data.bias, {}, force, tau);
}

template <class S>
struct GeneralizedGravity {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "generalized_gravity"};
  VectorX<S> tau;
  PerNode<Force<S>> force;

  explicit GeneralizedGravity(const Model<S>& m) : tau(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void GeneralizedGravity<S>::run(const Model<S>& model, const Data<S>& data) {
  detail::sum_and_project(model, data.phi, force, tau, [&](int b) { return detail::body_support(model, data, b); });
}

}  // namespace algorithm

}}  // namespace corio
