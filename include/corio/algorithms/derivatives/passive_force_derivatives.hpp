#pragma once

#include "corio/algorithms/dynamics/passive_forces.hpp"

namespace corio { inline namespace CORIO_ABI {

/// dtau_dq, dtau_dv of passive forces, nv x nv, block-diagonal by joints.
template <class S>
struct PassiveForceDerivativesResult {
  MatrixX<S> dtau_dq, dtau_dv;
};

namespace detail {

template <class S>
S resistance(const Model<S>& model, int k, const S& v, double smoothing);

}  // namespace detail

namespace algorithm {

template <class S>
struct PassiveForceDerivatives;

}  // namespace algorithm

/// Computes derivatives of passive_forces along the degrees of freedom of q and with respect to v. For exact friction
/// (smoothing = 0) the jump at rest is left out.
///
/// @returns {dtau_dq, dtau_dv}, valid until the next call.
/// @throws as passive_forces. O(n), plus setting the matrices to zero.
template <class S>
const PassiveForceDerivativesResult<S>& passive_force_derivatives(const Model<S>& model, Data<S>& data,
                                                                  double smoothing = friction_smoothing) {
  return data.template run<algorithm::PassiveForceDerivatives<S>>(model, smoothing).result;
}
template <class S>
const PassiveForceDerivativesResult<S>& passive_force_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                                  VectorIn<S> v,
                                                                  double smoothing = friction_smoothing) {
  return passive_force_derivatives(model, forward_kinematics(model, data, q, v, __func__), smoothing);
}

/// Computes the damping of each speed: -dtau_k/dv_k of the dampers and friction in passive_forces. For a Mechanism it
/// is the diagonal of G^T D G, where D holds these numbers for the joints and v = G y.
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

namespace detail {

/// Returns -dtau_k/dv_k, the derivative of the damper and friction forces with respect to the speed v of degree of
/// freedom k.
template <class S>
S resistance(const Model<S>& model, int k, const S& v, double smoothing) {
  if (!(smoothing > 0.0)) return model.damping()[k];
  const S direction = friction_direction<S>(v, smoothing);
  return model.damping()[k] + model.friction()[k] * (S(1) - direction * direction) / S(smoothing);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct PassiveForceDerivatives {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "passive_force_derivatives"};
  PassiveForceDerivativesResult<S> result;

  explicit PassiveForceDerivatives(const Model<S>& m) : result{detail::nv_by_nv(m), detail::nv_by_nv(m)} {}
  void run(const Model<S>& model, const Data<S>& data, double smoothing);
};
template <class S>
void PassiveForceDerivatives<S>::run(const Model<S>& model, const Data<S>& data, double smoothing) {
  detail::check_smoothing(smoothing, needs.name);
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

}}  // namespace corio
