#pragma once

#include "corio/algorithms/dynamics/momentum_columns.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/robot.hpp"

/// The centre of mass of all moving bodies, in world axes.
///
/// @throws SizeError, ModelError for a model without mass. O(n).
namespace corio::inline CORIO_ABI {
namespace detail {

/// The mass. @throws ModelError if it is zero
template <class S>
const S& checked_mass(const Model<S>& model, const S& mass, const char* function) {
  if (in_any_state(real_value(mass) == 0))
    throw ModelError(join({function, ": model '", model.name(), "' has no mass, hence no centre of mass"}));
  return mass;
}

/// Total mass, as its reciprocal, and centre of mass of all moving bodies.
template <class S>
struct TotalMass {
  S reciprocal;
  Vector3<S> com;  // from the origin of the first tree
};
/// After compute_composite_inertias.
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

/// The mean of of(b, x_b) over the bodies b, weighted by mass, with their centres of mass x_b from the origin of their
/// tree.
template <class S, class F>
Vector3<S> mass_average(const Model<S>& model, const Data<S>& data, const char* function, F&& of) {
  S mass(0);
  Vector3<S> sum = zero3<S>();
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Vector3<S> x = data.pose[b].point(body.com);
    mass += body.mass;
    sum += body.mass * of(b, x);
  }
  return S(S(1) / checked_mass(model, mass, function)) * sum;
}

/// The centre of mass relative to the origin of the first tree, which keeps digits for a robot far from the world's
/// origin.
template <class S>
Vector3<S> center_of_mass_in_tree(const Model<S>& model, const Data<S>& data, const char* function) {
  return mass_average(model, data, function,
                      [&](int b, const Vector3<S>& x) -> Vector3<S> { return x + (data.origin[b] - data.origin[0]); });
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

/// Centre of mass c, world coordinates, m.
template <class S, template <class> class Robot>
Vector3<S> center_of_mass(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::position, "center_of_mass");
  const Vector3<S> c = detail::center_of_mass_in_tree(robot.tree(), data.of_tree(), "center_of_mass");
  return c + data.of_tree().origin[0];
}
template <class S, template <class> class Robot>
Vector3<S> center_of_mass(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return center_of_mass(robot, forward_kinematics(robot, data, q));
}

/// dc/dt, m/s.
template <class S, template <class> class Robot>
Vector3<S> center_of_mass_velocity(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::velocity, "center_of_mass_velocity");
  const Data<S>& state = data.of_tree();
  const auto of_body = [&](int b, const Vector3<S>& x) -> Vector3<S> {
    return state.velocity[b].linear + cross(state.velocity[b].angular, x);
  };
  return detail::mass_average(robot.tree(), state, "center_of_mass_velocity", of_body);
}
template <class S, template <class> class Robot>
Vector3<S> center_of_mass_velocity(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return center_of_mass_velocity(robot, forward_kinematics(robot, data, q, v));
}

/// d2c/dt2, without gravity, m/s^2.
template <class S, template <class> class Robot>
Vector3<S> center_of_mass_acceleration(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::acceleration, "center_of_mass_acceleration");
  const Data<S>& state = data.of_tree();
  const auto of_body = [&](int b, const Vector3<S>& x) -> Vector3<S> {
    const Motion<S>&V = state.velocity[b], &a = state.acceleration[b];
    const Vector3<S> v = V.linear + cross(V.angular, x);
    return a.linear + cross(a.angular, x) + cross(V.angular, v);
  };
  return detail::mass_average(robot.tree(), state, "center_of_mass_acceleration", of_body);
}
template <class S, template <class> class Robot>
Vector3<S> center_of_mass_acceleration(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                       VectorIn<S> a) {
  return center_of_mass_acceleration(robot, forward_kinematics(robot, data, q, v, a));
}

/// J_com with dc/dt = J_com v: column k is the linear momentum of the subtree of degree of freedom k, per unit velocity
/// of k, over the total mass.
///
/// @returns 3 x nv, valid until the next com_jacobian.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 7, with the sum over bodies replaced by composites.
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::ComJacobian<S>>(robot).J;
}
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return com_jacobian(robot, forward_kinematics(robot, data, q));
}

/// dJ_com/dt: d2c/dt2 = J_com a + dJ_com/dt v.
/// @returns 3 x nv, valid until the next com_jacobian_dot.
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::ComJacobianDot<S>>(robot).J;
}
template <class S, template <class> class Robot>
const Matrix3X<S>& com_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return com_jacobian_dot(robot, forward_kinematics(robot, data, q, v));
}

}  // namespace corio
