#pragma once

#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/robot.hpp"

/// Passive forces of joints: dampers, Coulomb friction, springs. Among the functions of dynamics only step includes
/// them. For the accelerations of a robot that has passive forces, call aba with tau + passive_forces(model, data, q,
/// v). For its motor torques, subtract passive_forces(model, data) from rnea, in a second statement, since C++ may
/// compute the right side of a minus before the left side. Derivatives: passive_force_derivatives.hpp.
namespace corio { inline namespace CORIO_ABI {

/// The default velocity, rad/s or m/s, that smooths Coulomb friction.
inline constexpr double friction_smoothing = 0.01;

namespace detail {

template <class S>
S spring_energy_at(const Model<S>& model, const VectorX<S>& x);

}  // namespace detail

namespace algorithm {

template <class S>
struct PassiveForces;

}  // namespace algorithm

/// Computes the forces of dampers, Coulomb friction and springs in the joints,
///   tau_k = -damping_k v_k - friction_k tanh(v_k / smoothing) - dV/dq_k,   V = sum stiffness_k x_k^2 / 2,
/// where x = difference(rest, q), and dV/dq_k is the derivative of V along degree of freedom k of q. dV/dq_k is
/// stiffness_k x_k for joints whose configurations are plain vectors, and for a ball joint with three equal
/// stiffnesses. For other joints, x holds the exponential coordinates of the motion from rest, and dV/dq
/// is J^T K x, with J the inverse of the right Jacobian of exp and K = diag(stiffness): linear springs of a free
/// flyer also exert moments. At half a turn from rest, |difference| = pi, V has a kink, and a jump if the linear
/// stiffnesses of a free flyer or planar joint differ.
///
/// @param smoothing  the velocity, rad/s or m/s, at which friction has reached three quarters of its value; zero for
///                   friction that has the sign of v, and is zero at rest
/// @returns nv, N m or N; valid until the next call.
/// @throws SizeError; Error for a negative smoothing; ModelError for a user's joint with springs whose difference is
/// not a template on its scalar. O(n).
template <class S, template <class> class Robot>
const VectorX<S>& passive_forces(const Robot<S>& robot, DataOf<Robot<S>>& data, double smoothing = friction_smoothing) {
  return data.template run<algorithm::PassiveForces<S>>(robot, smoothing).tau;
}
template <class S, template <class> class Robot>
const VectorX<S>& passive_forces(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                 double smoothing = friction_smoothing) {
  return passive_forces(robot, forward_kinematics(robot, data, q, v, __func__), smoothing);
}

/// Returns the energy V of the springs, sum stiffness_k difference(rest, q)_k^2 / 2, J; passive_forces contains its
/// negative gradient. Allocates.
template <class S>
S spring_energy(const Model<S>& model, VectorIn<S> q) {
  return detail::spring_energy_at<S>(model, difference<S>(model, model.rest_configuration(), q));
}

namespace detail {

/// Returns the direction of Coulomb friction, tanh(v / smoothing), or the sign of v if smoothing is zero.
template <class S>
S friction_direction(const S& v, double smoothing) {
  using std::tanh;
  if (smoothing > 0.0) return tanh(v / S(smoothing));
  const auto value = real_value(v);
  return S(select(value > 0, S(1), S(0)) - select(value < 0, S(1), S(0)));
}
/// Computes the forces of the springs alone, zero if there are no springs.
template <class S>
void spring_forces(const Model<S>& model, const VectorX<S>& q, VectorX<S>& tau) {
  tau.setZero();
  for_each_sprung_joint(model, q, "passive_forces",
                        [&](const auto& joint, const S* rest, const S* at, const S* stiffness, int k) {
                          return spring_force(joint, rest, at, stiffness, tau.data() + k);
                        });
}
/// Returns sum stiffness_k x_k^2 / 2.
template <class S>
S spring_energy_at(const Model<S>& model, const VectorX<S>& x) {
  S twice(0);
  for (int k = 0; k < model.nv(); ++k) twice += model.stiffness()[k] * x[k] * x[k];
  return twice / S(2);
}
inline void check_smoothing(double smoothing, const char* function = __builtin_FUNCTION()) {
  if (!(smoothing >= 0.0 && std::isfinite(smoothing)))
    throw Error(join({plain_name(function), ": the velocity that smooths Coulomb friction is ", number(smoothing),
                      ", must be positive, or zero for exact friction"}));
}

}  // namespace detail

namespace algorithm {

template <class S>
struct PassiveForces {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "passive_forces"};
  VectorX<S> tau, springs;  // forces of all elements, and of springs alone

  explicit PassiveForces(const Model<S>& m) : tau(zeros<S>(m.nv())), springs(tau) {}
  void run(const Model<S>& model, const Data<S>& data, double smoothing);
};
template <class S>
void PassiveForces<S>::run(const Model<S>& model, const Data<S>& data, double smoothing) {
  detail::check_smoothing(smoothing, needs.name);
  detail::spring_forces(model, data.q, springs);
  for (int k = 0; k < model.nv(); ++k)
    tau[k] = springs[k] - model.damping()[k] * data.v[k] -
             model.friction()[k] * detail::friction_direction<S>(data.v[k], smoothing);
}

}  // namespace algorithm

}}  // namespace corio
