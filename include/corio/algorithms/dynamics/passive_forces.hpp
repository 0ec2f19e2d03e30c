#pragma once

#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/robot.hpp"

/// Passive forces of joints: dampers, Coulomb friction, springs. The functions of dynamics do not include them, but
/// step does: call aba with tau + passive_forces(model, data, q, v) for the motion of a robot that has them, and
/// subtract them from rnea for its motor torques, in a statement of its own, since C++ may compute the right side of a
/// minus before the left one; likewise the derivatives.
namespace corio::inline CORIO_ABI {

/// The default velocity, rad/s or m/s, that smooths Coulomb friction.
inline constexpr double friction_smoothing = 0.01;

/// dtau_dq, dtau_dv of passive forces, nv x nv, block-diagonal by joints.
template <class S>
struct PassiveForceDerivatives {
  MatrixX<S> dtau_dq, dtau_dv;
};

namespace detail {

/// The direction of Coulomb friction, tanh(v / smoothing), or the sign of v where smoothing is zero.
template <class S>
S friction_direction(const S& v, double smoothing) {
  using std::tanh;
  if (smoothing > 0.0) return tanh(v / S(smoothing));
  const auto value = real_value(v);
  return S(select(value > 0, S(1), S(0)) - select(value < 0, S(1), S(0)));
}
/// Forces of the springs alone, zero where there are none.
template <class S>
void spring_forces(const Model<S>& model, const VectorX<S>& q, VectorX<S>& tau) {
  tau.setZero();
  for_each_sprung_joint(model, q, "passive_forces",
                        [&](const auto& joint, const S* rest, const S* at, const S* stiffness, int k) {
                          return spring_force(joint, rest, at, stiffness, tau.data() + k);
                        });
}
/// sum stiffness_k x_k^2 / 2.
template <class S>
S spring_energy_at(const Model<S>& model, const VectorX<S>& x) {
  S twice(0);
  for (int k = 0; k < model.nv(); ++k) twice += model.stiffness()[k] * x[k] * x[k];
  return twice / S(2);
}
/// The derivative of the forces of damper and friction by the speed v of degree of freedom k, -dtau_k/dv_k.
template <class S>
S resistance(const Model<S>& model, int k, const S& v, double smoothing) {
  if (!(smoothing > 0.0)) return model.damping()[k];
  const S direction = friction_direction<S>(v, smoothing);
  return model.damping()[k] + model.friction()[k] * (S(1) - direction * direction) / S(smoothing);
}
inline void check_smoothing(double smoothing) {
  if (!(smoothing >= 0.0 && std::isfinite(smoothing)))
    throw Error(join({"the velocity that smooths Coulomb friction is ", number(smoothing),
                      ", must be positive, or zero for exact friction"}));
}

}  // namespace detail

namespace algorithm {

template <class S>
struct PassiveForces {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "passive_forces"};
  VectorX<S> tau, springs;  // all, and those of springs alone

  explicit PassiveForces(const Model<S>& m) : tau(zeros<S>(m.nv())), springs(tau) {}
  void run(const Model<S>& model, const Data<S>& data, double smoothing);
};
template <class S>
void PassiveForces<S>::run(const Model<S>& model, const Data<S>& data, double smoothing) {
  detail::check_smoothing(smoothing);
  detail::spring_forces(model, data.q, springs);
  for (int k = 0; k < model.nv(); ++k)
    tau[k] = springs[k] - model.damping()[k] * data.v[k] -
             model.friction()[k] * detail::friction_direction<S>(data.v[k], smoothing);
}

template <class S>
struct PassiveForceDerivatives {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "passive_force_derivatives"};
  corio::PassiveForceDerivatives<S> result;

  explicit PassiveForceDerivatives(const Model<S>& m) : result{detail::square(m), detail::square(m)} {}
  void run(const Model<S>& model, const Data<S>& data, double smoothing);
};
template <class S>
void PassiveForceDerivatives<S>::run(const Model<S>& model, const Data<S>& data, double smoothing) {
  detail::check_smoothing(smoothing);
  result.dtau_dq.setZero();
  detail::for_each_sprung_joint(model, data.q, "passive_force_derivatives",
                                [&](const auto& joint, const S* rest, const S* q, const S* stiffness, int k) {
                                  S partials[joint::max_nv * joint::max_nv];
                                  if (!spring_force_partials(joint, rest, q, stiffness, partials)) return false;
                                  result.dtau_dq.block(k, k, joint.nv, joint.nv) =
                                      Eigen::Map<const MatrixX<S>>(partials, joint.nv, joint.nv);
                                  return true;
                                });
  for (int k = 0; k < model.nv(); ++k) result.dtau_dv(k, k) = -detail::resistance<S>(model, k, data.v[k], smoothing);
}

}  // namespace algorithm

/// The forces of dampers, Coulomb friction and springs in the joints,
///   tau_k = -damping_k v_k - friction_k tanh(v_k / smoothing) - dV/dq_k,   V = sum stiffness_k x_k^2 / 2,
/// where x = difference(rest, q), and dV/dq_k is the derivative of V along degree of freedom k of q. It is stiffness_k
/// x_k for joints whose configurations are plain vectors, and for a ball joint with three equal stiffnesses. For others
/// x are the exponential coordinates of the motion from rest, and the forces J^T K x, with J the inverse of the right
/// Jacobian of exp and K = diag(stiffness): linear springs of a free flyer also exert moments. At half a turn from
/// rest, |difference| = pi, V has a kink, and a jump if the linear stiffnesses of a free flyer or planar joint differ.
///
/// @param smoothing  the velocity, rad/s or m/s, at which friction has reached three quarters of its value; zero for
///                   friction that has the sign of v, and is zero at rest
/// @returns nv, N m or N; valid until the next call.
/// @throws SizeError; Error for a negative smoothing; ModelError for a user's joint with springs whose difference is no
/// template on its scalar. O(n).
template <class S, template <class> class Robot>
const VectorX<S>& passive_forces(const Robot<S>& robot, DataOf<Robot<S>>& data, double smoothing = friction_smoothing) {
  return data.template run<algorithm::PassiveForces<S>>(robot, smoothing).tau;
}
template <class S, template <class> class Robot>
const VectorX<S>& passive_forces(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                 double smoothing = friction_smoothing) {
  return passive_forces(robot, forward_kinematics(robot, data, q, v, __func__), smoothing);
}

/// Derivatives of passive_forces along the degrees of freedom of q and by v. For exact friction (smoothing = 0) the
/// jump at rest is left out.
///
/// @returns {dtau_dq, dtau_dv}, valid until the next call.
/// @throws as passive_forces. O(n) beside the zeros.
template <class S>
const PassiveForceDerivatives<S>& passive_force_derivatives(const Model<S>& model, Data<S>& data,
                                                            double smoothing = friction_smoothing) {
  return data.template run<algorithm::PassiveForceDerivatives<S>>(model, smoothing).result;
}
template <class S>
const PassiveForceDerivatives<S>& passive_force_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                            VectorIn<S> v, double smoothing = friction_smoothing) {
  return passive_force_derivatives(model, forward_kinematics(model, data, q, v, __func__), smoothing);
}

/// The damping of each speed: -dtau_k/dv_k of the dampers and friction in passive_forces. For a Mechanism the diagonal
/// of G^T D G, with these numbers D of the joints and v = G y.
/// @param out  nv, N m s or N s/m
template <class S, template <class> class Robot>
void resistances(const Robot<S>& robot, const DataOf<Robot<S>>& data, double smoothing, VectorX<S>& out) {
  const Model<S>& model = robot.tree();
  out.setZero();
  for (int k = 0; k < model.nv(); ++k) {
    const S resistance = detail::resistance<S>(model, k, data.of_tree().v[k], smoothing);
    for_each_speed(robot, data, k, [&](int c, const S& g) { out[c] += g * resistance * g; });
  }
}

/// Energy V of the springs, sum stiffness_k difference(rest, q)_k^2 / 2, J: passive_forces has its gradient. Allocates.
template <class S>
S spring_energy(const Model<S>& model, VectorIn<S> q) {
  return detail::spring_energy_at<S>(model, difference<S>(model, model.rest_configuration(), q));
}

}  // namespace corio
