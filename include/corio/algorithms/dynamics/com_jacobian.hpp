#pragma once

#include "corio/algorithms/dynamics/center_of_mass.hpp"
#include "corio/algorithms/dynamics/detail/momentum_columns.hpp"
#include "corio/kernels/composites.hpp"

/// The Jacobian of the centre of mass of all moving bodies, in world axes, and its rate.
///
/// @throws SizeError, ModelError for a model without mass. O(n).
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct ComJacobian;
template <class S>
struct ComJacobianDot;

}  // namespace algorithm

/// Computes J_com with dc/dt = J_com v: column k is the linear momentum of the subtree of degree of freedom k, per unit
/// velocity of k, divided by the total mass.
///
/// @returns 3 x nv, valid until the next com_jacobian.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 7, with the sum over bodies replaced by composites.
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::ComJacobian<S>>(robot).J;
}
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return com_jacobian(robot, forward_kinematics(robot, data, q, __func__));
}

/// Computes dJ_com/dt: d2c/dt2 = J_com a + dJ_com/dt v.
/// @returns 3 x nv, valid until the next com_jacobian_dot.
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::ComJacobianDot<S>>(robot).J;
}
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return com_jacobian_dot(robot, forward_kinematics(robot, data, q, v, __func__));
}

namespace detail {

/// The reciprocal of the total mass, and the centre of mass of all moving bodies.
template <class S>
struct TotalMass {
  S reciprocal;
  Vector3<S> com;  // from the origin of the first tree
};
/// Call it after compute_composite_inertias.
template <class S>
TotalMass<S> total_mass(const Model<S>& model, const Data<S>& data, const char* function) {
  S mass(0);
  Vector3<S> moment = zero3<S>();
  for (int b = 0; b < model.num_nodes(); ++b) {
    if (model.node(b).parent >= 0) continue;
    const Inertia<S>& I_C = data.composite_inertia[b];
    mass += I_C.mass;
    moment += I_C.h + I_C.mass * (data.pose[b].translation + (data.origin[b] - data.origin[0]));
  }
  const S reciprocal = S(1) / checked_mass(model, mass, function);
  return {reciprocal, reciprocal * moment};
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ComJacobian {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "com_jacobian"};
  Matrix3X<S> J;

  explicit ComJacobian(const Model<S>& m) : J(Matrix3X<S>::Zero(3, m.nv())) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void ComJacobian<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  const S reciprocal = detail::total_mass(model, data, needs.name).reciprocal;
  detail::fill_columns<Vector3>(model, data, J.data(),
                                [&](const auto& k) { return detail::momentum(k).force * k.constant(reciprocal); });
}

template <class S>
struct ComJacobianDot {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "com_jacobian_dot"};
  Matrix3X<S> J;

  explicit ComJacobianDot(const Model<S>& m) : J(Matrix3X<S>::Zero(3, m.nv())) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void ComJacobianDot<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  detail::compute_composite_coriolis(model, data);
  const S reciprocal = detail::total_mass(model, data, needs.name).reciprocal;
  detail::fill_columns<Vector3>(model, data, J.data(),
                                [&](const auto& k) { return detail::momentum_rate(k).force * k.constant(reciprocal); });
}

}  // namespace algorithm

}}  // namespace corio
