#pragma once

#include "corio/algorithms/dynamics/aba.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of hybrid_dynamics, each nv.
template <class S>
struct HybridDynamicsResult {
  VectorX<S> a, tau;
};

namespace algorithm {

template <class S>
struct HybridDynamics;

}  // namespace algorithm

/// Hybrid dynamics: the accelerations of some speeds are prescribed and the forces of the others are given (zero for
/// the joints of an underactuated robot that have no motor). The function finds the remaining entries of a and tau so
/// that rnea(q, v, a, external) = tau. Prescribed joints are not eliminated in the articulated sweep; their
/// accelerations are part of the bias. If no speed is prescribed the function equals aba; if all speeds are prescribed
/// it equals rnea. For a Mechanism (mechanism/dynamics.hpp) some of the independent speeds are prescribed.
///
/// @param a           nv; only the prescribed entries are read
/// @param tau         nv (N m, N); only the other entries are read
/// @param prescribed  indices of speeds: robot.v_indices({"elbow_joint", "ball[2]"})
/// @param external    wrenches on bodies, each with its axes and point
/// @returns {a, tau}, both complete; valid until the next call
/// @throws SizeError; ModelError for an index that belongs to no speed, and for a joint that moves no inertia. O(n).
/// Source: Featherstone (2008), sec. 9.2.
template <class S, template <class> class Robot>
const HybridDynamicsResult<S>& hybrid_dynamics(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> a,
                                               VectorIn<S> tau, const std::vector<int>& prescribed,
                                               ExternalForces<S> external = {}) {
  return data.template run<algorithm::HybridDynamics<S>>(robot, a, tau, prescribed, external).result;
}
template <class S, template <class> class Robot>
const HybridDynamicsResult<S>& hybrid_dynamics(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                               VectorIn<S> v, VectorIn<S> a, VectorIn<S> tau,
                                               const std::vector<int>& prescribed, ExternalForces<S> external = {}) {
  detail::check_speeds("a", a, robot);
  detail::check_speeds("tau", tau, robot);
  return hybrid_dynamics(robot, forward_kinematics(robot, data, q, v, __func__), a, tau, prescribed, external);
}

namespace detail {

/// @throws ModelError for an index that belongs to no speed
inline void mark_prescribed(const std::vector<int>& prescribed, PerDof<char>& held, const char* function) {
  for (const int k : prescribed) check_dof("a prescribed speed", k, held.size(), function);
  std::fill(held.begin(), held.end(), char(0));
  for (const int k : prescribed) held[k] = 1;
}

/// Sets out = x for the degrees of freedom whose entry of held is `which`, and zero for the others, where x may be
/// anything.
template <class S>
void where_held(VectorIn<S> x, const PerDof<char>& held, char which, VectorX<S>& out) {
  for (int k = 0; k < held.size(); ++k) out[k] = held[k] == which ? S(x[k]) : S(0);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct HybridDynamics {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "hybrid_dynamics", .regular = true};
  HybridDynamicsResult<S> result;
  PerDof<char> held;
  VectorX<S> x;
  PerNode<Motion<S>> acceleration, change;  // accelerations of bodies from the prescribed joints; their change
  PerNode<Force<S>> force;
  detail::ArticulatedFactor<S> factor;

  explicit HybridDynamics(const Model<S>& m)
      : result{zeros<S>(m.nv()), zeros<S>(m.nv())},
        held(m.nv(), 0),
        x(zeros<S>(m.nv())),
        acceleration(m.num_nodes()),
        change(m.num_nodes()),
        force(m.num_nodes()),
        factor(m) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> a, VectorIn<S> tau, const std::vector<int>& prescribed,
           ExternalForces<S> external);
};
template <class S>
void HybridDynamics<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> a, VectorIn<S> tau,
                            const std::vector<int>& prescribed, ExternalForces<S> external) {
  detail::check_speeds("a", a, model, needs.name);
  detail::check_speeds("tau", tau, model, needs.name);
  detail::check_external(model, external);
  detail::mark_prescribed(prescribed, held, needs.name);
  detail::where_held<S>(a, held, 1, x);
  detail::sum_outward(model, acceleration, data.phi, x);
  for (int b = 0; b < model.num_nodes(); ++b) acceleration[b] += data.bias[b];
  detail::body_forces(model, data, acceleration, external, force);
  detail::where_held<S>(tau, held, 0, x);
  detail::compute_body_inertias(model, data);
  factor.compute(model, data, x, force, held);
  factor.sweep_outward(model, data, x);
  detail::sum_outward(model, change, data.phi, x);
  for (int b = 0; b < model.num_nodes(); ++b) force[b] += detail::at_node(data, data.inertia, b) * change[b];
  detail::sum_inward(model, force);
  for (int k = 0; k < model.nv(); ++k) {  // a and tau may refer to the last result
    const S a_k = held[k] ? S(a[k]) : x[k], F_k = dot(data.phi[k], force[model.node_of(k)]) + model.armature()[k] * a_k;
    result.tau[k] = held[k] ? F_k : S(tau[k]);
    result.a[k] = a_k;
  }
}

}  // namespace algorithm

}}  // namespace corio
