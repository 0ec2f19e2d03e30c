#pragma once

#include <algorithm>

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kernels/articulated_factor.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct Aba;

}  // namespace algorithm

/// Computes forward dynamics: the a with rnea(q, v, a, external) = tau, by the articulated-body algorithm in world
/// axes.
/// The sums I^A and p^A over subtrees start from the inertia of each body and
///   p_b = I_b (bias_b - gravity) + V_b x* I_b V_b - f_ext,
/// and two sweeps follow (kernels/articulated_factor.hpp):
///   inward   U_k = I^A Phi_k,   d_k = Phi_k . U_k + armature_k,   u_k = tau_k - Phi_k . p^A,
///            I^A <- I^A - U_k U_k^T / d_k,   p^A <- p^A + U_k u_k / d_k,
///   outward  a_k = (u_k - U_k . A) / d_k,    A <- A + Phi_k a_k,
/// for the degrees of freedom k of a joint one after the other. A is zero on the ground, and A + bias the acceleration
/// of a body: the velocity products and the acceleration -gravity of the ground, which the textbook adds in the outward
/// sweep, are already in p_b.
///
/// @param tau       nv generalized forces (N m, N)
/// @param external  wrenches on bodies, each with its axes and point
/// @returns nv, rate of v; valid until the next aba. If M is singular at q (Euler angles at gimbal lock) it is huge,
/// infinite or NaN; check_joint_conditioning reports such q. O(n).
/// @throws SizeError; ModelError for a joint that moves no inertia.
/// In plain form, for revolute joints: guide/plain_forms.md.
/// Source: Featherstone (1983; 2008, ch. 7).
template <class S, template <class> class Robot>
const VectorX<S>& aba(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau, ExternalForces<S> external = {}) {
  return data.template run<algorithm::Aba<S>>(robot, tau, external).a;
}
template <class S, template <class> class Robot>
const VectorX<S>& aba(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                      ExternalForces<S> external = {}) {
  detail::check_speeds("tau", tau, robot);  // checks before the pass changes data
  return aba(robot, forward_kinematics(robot, data, q, v, __func__), tau, external);
}

namespace algorithm {

template <class S>
struct Aba {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "aba", .regular = true};
  VectorX<S> a;
  PerNode<Force<S>> force;  // p_b
  detail::ArticulatedFactor<S> factor;

  explicit Aba(const Model<S>& m) : a(zeros<S>(m.nv())), force(m.num_nodes()), factor(m) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    sweep_inward(model, data, tau, external);
    factor.sweep_outward(model, data, a);
  }
  /// Computes I^A, p^A, U and d; leaves u_k / d_k in a.
  void sweep_inward(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    detail::check_speeds("tau", tau, model, needs.name);
    detail::body_forces(model, data, data.bias, external, force);
    std::copy_n(tau.data(), tau.size(), a.data());  // a is tau, then u_k / d_k, and after the outward sweep a
    factor.compute(model, data, a, force);
  }
};

}  // namespace algorithm

}}  // namespace corio
