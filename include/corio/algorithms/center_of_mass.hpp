#pragma once

#include "corio/algorithms/momentum_columns.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

/// The centre of mass of all that moves; bodies welded to the ground do not count.
namespace corio {
namespace detail {

/// sum_b m_b of(b, x_b) / sum_b m_b for bodies with their centres of mass at x_b, from the origin of their tree.
template <class S, class F>
Vector3<S> mass_average(const Model<S>& model, const Data<S>& data, const char* function, F&& of) {
  S mass(0);
  Vector3<S> sum = zero3<S>();
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const auto& body = model.nodes()[b].parameters;
    const Vector3<S> x = data.pose[b].point(body.com);
    mass += body.mass;
    sum += body.mass * of(b, x);
  }
  return S(S(1) / checked_mass(model, mass, function)) * sum;
}

/// The centre of mass from the origin of the first tree: near the robot wherever that is.
template <class S>
Vector3<S> center_of_mass_in_tree(const Model<S>& model, const Data<S>& data, const char* function) {
  return mass_average(model, data, function, [&](std::size_t b, const Vector3<S>& x) -> Vector3<S> {
    return x + (data.origin[b] - data.origin[0]);
  });
}

}  // namespace detail

/// Centre of mass c, world coordinates, m. O(n), no allocation.
/// @throws SizeError, ModelError for a model without mass
template <class S>
Vector3<S> center_of_mass(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return center_of_mass(model, data);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
Vector3<S> center_of_mass(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::position, "center_of_mass");
  return detail::center_of_mass_in_tree(model, data, "center_of_mass") + data.origin[0];
}

/// dc/dt, world axes, m/s. O(n), no allocation.
/// @throws SizeError, ModelError for a model without mass
template <class S>
Vector3<S> center_of_mass_velocity(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return center_of_mass_velocity(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
Vector3<S> center_of_mass_velocity(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::velocity, "center_of_mass_velocity");
  return detail::mass_average(model, data, "center_of_mass_velocity",
                              [&](std::size_t b, const Vector3<S>& x) -> Vector3<S> {
                                const Motion<S>& V = data.velocity[b];
                                return V.linear + cross(V.angular, x);
                              });
}

/// d2c/dt2, world axes, without gravity, m/s^2. O(n), no allocation.
/// @throws SizeError, ModelError for a model without mass
template <class S>
Vector3<S> center_of_mass_acceleration(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                       VectorIn<S> a) {
  forward_kinematics(model, data, q, v, a);
  return center_of_mass_acceleration(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
Vector3<S> center_of_mass_acceleration(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::acceleration, "center_of_mass_acceleration");
  return detail::mass_average(model, data, "center_of_mass_acceleration",
                              [&](std::size_t b, const Vector3<S>& x) -> Vector3<S> {
                                const Motion<S>&V = data.velocity[b], &a = data.acceleration[b];
                                const Vector3<S> v = V.linear + cross(V.angular, x);
                                return a.linear + cross(a.angular, x) + cross(V.angular, v);
                              });
}

/// J_com with dc/dt = J_com v: column k is the linear momentum of what degree of freedom k moves, per unit velocity,
/// over the mass of all.
///
/// @returns 3 x nv, world axes, in data.com_jacobian; valid until the next com_jacobian.
/// @throws SizeError, ModelError for a model without mass. O(n), no allocation.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 7, with the sum over bodies replaced by composites.
template <class S>
const Matrix3X<S>& com_jacobian(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return com_jacobian(model, data);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
const Matrix3X<S>& com_jacobian(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::position, "com_jacobian");
  detail::fill_com_jacobian(model, data, "com_jacobian", data.com_jacobian.data());
  return data.com_jacobian;
}

/// dJ_com/dt: d2c/dt2 = J_com a + dJ_com/dt v.
///
/// @returns 3 x nv, world axes, in data.com_jacobian_dot; valid until the next com_jacobian_dot.
/// @throws SizeError, ModelError for a model without mass. O(n), no allocation.
template <class S>
const Matrix3X<S>& com_jacobian_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return com_jacobian_dot(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
const Matrix3X<S>& com_jacobian_dot(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::velocity, "com_jacobian_dot");
  detail::fill_com_jacobian_dot(model, data, "com_jacobian_dot", data.com_jacobian_dot.data());
  return data.com_jacobian_dot;
}

}  // namespace corio
