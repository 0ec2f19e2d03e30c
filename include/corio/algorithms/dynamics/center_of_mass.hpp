#pragma once

#include "corio/kinematics/robot.hpp"

/// The centre of mass of all moving bodies, in world axes.
///
/// @throws SizeError, ModelError for a model without mass. O(n).
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S, class F>
Vector3<S> mass_average(const Model<S>& model, const Data<S>& data, const char* function, F&& of);
template <class S>
Vector3<S> center_of_mass_in_tree(const Model<S>& model, const Data<S>& data, const char* function);

}  // namespace detail

/// Returns the centre of mass c in world coordinates, m.
template <class S, template <class> class Robot>
Vector3<S> center_of_mass(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::position, "center_of_mass");
  const Vector3<S> c = detail::center_of_mass_in_tree(robot.tree(), data.of_tree(), "center_of_mass");
  return c + data.of_tree().origin[0];
}
template <class S, template <class> class Robot>
Vector3<S> center_of_mass(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return center_of_mass(robot, forward_kinematics(robot, data, q, __func__));
}

/// Returns dc/dt, m/s.
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
  return center_of_mass_velocity(robot, forward_kinematics(robot, data, q, v, __func__));
}

/// Returns d2c/dt2, without gravity, m/s^2.
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
  return center_of_mass_acceleration(robot, forward_kinematics(robot, data, q, v, a, __func__));
}

namespace detail {

/// Returns the total mass. @throws ModelError if it is zero
template <class S>
const S& checked_mass(const Model<S>& model, const S& mass, const char* function) {
  if (finds_fault<S>(real_value(mass) == 0))
    throw ModelError(join({function, ": model '", model.name(), "' has no mass, hence no centre of mass"}));
  return mass;
}

/// Returns the mean of of(b, x_b) over the bodies b, weighted by mass, where x_b is a body's centre of mass relative to
/// the origin of its tree.
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

/// Returns the centre of mass relative to the origin of the first tree, which keeps digits for a robot far from the
/// world's origin.
template <class S>
Vector3<S> center_of_mass_in_tree(const Model<S>& model, const Data<S>& data, const char* function) {
  return mass_average(model, data, function,
                      [&](int b, const Vector3<S>& x) -> Vector3<S> { return x + (data.origin[b] - data.origin[0]); });
}

}  // namespace detail

}}  // namespace corio
