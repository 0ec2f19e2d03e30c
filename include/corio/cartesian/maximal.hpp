#pragma once

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"

/// Maximal coordinates: pose, velocity and acceleration of each body, as physics engines use them.
///
/// Everywhere in cartesian/, column i belongs to model.bodies()[i], motions are [angular; linear] and wrenches are
/// [moment; force], in world axes. The linear part, or the moment, is at a point of the body: see BodyPoint. Units are
/// rad/s, m/s, N m, N.
/// Source: Liu and Jain, A quick tutorial on multibody dynamics, secs. 5.2 and 6; their order is linear before angular.
namespace corio { inline namespace CORIO_ABI {

/// The point of a body at which maximal coordinates are given: its centre of mass (including welded bodies; the origin
/// if it has no mass), or the origin of its frame.
enum class BodyPoint { center_of_mass, origin };

namespace algorithm {

template <class S>
struct MaximalPoses;
template <class S>
struct MaximalVelocities;
template <class S>
struct MaximalAccelerations;

}  // namespace algorithm

/// Computes the poses of the frames of all bodies in the world, as body_pose gives them.
/// @returns one for each of model.bodies(), valid until the next maximal_poses. O(n).
template <class S>
const PerBody<Pose<S>>& maximal_poses(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::MaximalPoses<S>>(model).X;
}
template <class S>
const PerBody<Pose<S>>& maximal_poses(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  return maximal_poses(model, forward_kinematics(model, data, q, __func__));
}

/// Computes V = J v: the angular velocity of each body and the velocity of its point, in world axes.
/// @returns 6 x bodies, valid until the next maximal_velocities. O(n). Source: Liu and Jain, eq. 60.
template <class S>
const Matrix6X<S>& maximal_velocities(const Model<S>& model, Data<S>& data,
                                      BodyPoint point = BodyPoint::center_of_mass) {
  return data.template run<algorithm::MaximalVelocities<S>>(model, point).V;
}
template <class S>
const Matrix6X<S>& maximal_velocities(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                      BodyPoint point = BodyPoint::center_of_mass) {
  return maximal_velocities(model, forward_kinematics(model, data, q, v, __func__), point);
}

/// Computes dV/dt = J a + dJ/dt v: the angular acceleration of each body and the acceleration of its point (the second
/// derivative of its position), without gravity. generalized_velocities inverts this function if it is given the
/// difference from the accelerations for a = 0:
///   forward_kinematics(model, data, q, v, zero);
///   a = generalized_velocities(model, data, Vdot - maximal_accelerations(model, data)).v
/// @returns 6 x bodies, rad/s^2 and m/s^2, valid until the next maximal_accelerations. O(n).
template <class S>
const Matrix6X<S>& maximal_accelerations(const Model<S>& model, Data<S>& data,
                                         BodyPoint point = BodyPoint::center_of_mass) {
  return data.template run<algorithm::MaximalAccelerations<S>>(model, point).A;
}
template <class S>
const Matrix6X<S>& maximal_accelerations(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, BodyPoint point = BodyPoint::center_of_mass) {
  return maximal_accelerations(model, forward_kinematics(model, data, q, v, a, __func__), point);
}

namespace detail {

/// Returns the point in the axes of the body's node.
template <class S>
Vector3<S> point_of_body(const Model<S>& model, const Body<S>& body, BodyPoint point) {
  const InertialParameters<S>& parameters = model.node(body.node()).parameters;
  const bool at_com = point == BodyPoint::center_of_mass && in_every_state(detail::real_value(parameters.mass) != 0.0);
  return at_com ? parameters.com : body.placement().translation;
}

/// Returns world axes at that point, relative to the origin of the body's tree.
template <class S>
Pose<S> axes_at(const Model<S>& model, const Data<S>& data, const Body<S>& body, BodyPoint point) {
  return {identity3<S>(), data.pose[body.node()].point(point_of_body(model, body, point))};
}

/// Returns world axes at the origin of the moving frame of the body's joint, relative to the origin of its tree.
template <class S>
Pose<S> axes_at_joint(const Data<S>& data, const Body<S>& body) {
  return {identity3<S>(), data.pose[body.node()].translation};
}

/// Returns world axes at the body's point, for frames.hpp and jacobian.hpp.
template <class S>
FramePoint<S> where_of(const Model<S>& model, const Body<S>& body, BodyPoint point) {
  return {body, ReferenceFrame::world_aligned, body.placement().point_inverse(point_of_body(model, body, point))};
}

template <class S>
Eigen::Index num_bodies(const Model<S>& model) {
  return std::ssize(model.bodies());
}
template <class S>
Matrix6X<S> zero_for_bodies(const Model<S>& model) {
  return Matrix6X<S>::Zero(6, num_bodies(model));
}

/// Checks an argument with a column of six numbers for each body, 6 x bodies.
template <class S>
void check_of_bodies(const char* what, MatrixIn<S> X, const Model<S>& model, const char* function) {
  check_shape(what, X.rows(), X.cols(), 6, num_bodies(model), function);
  if constexpr (checks_inputs)
    for (Eigen::Index i = 0; i < X.cols(); ++i) check_vector(what, X.col(i), 6, function);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct MaximalPoses {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "maximal_poses"};
  PerBody<Pose<S>> X;

  explicit MaximalPoses(const Model<S>& m) : X(static_cast<int>(detail::num_bodies(m)), Pose<S>::identity()) {}
  void run(const Model<S>& model, const Data<S>& data) {
    for (const Body<S>& body : model.bodies()) X[body.index()] = body_pose(model, data, body);
  }
};

template <class S>
struct MaximalVelocities {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "maximal_velocities"};
  Matrix6X<S> V;

  explicit MaximalVelocities(const Model<S>& m) : V(detail::zero_for_bodies(m)) {}
  void run(const Model<S>& model, const Data<S>& data, BodyPoint point) {
    for (const Body<S>& body : model.bodies())
      V.col(body.index()) = body_velocity(model, data, detail::where_of(model, body, point)).vector();
  }
};

template <class S>
struct MaximalAccelerations {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "maximal_accelerations"};
  Matrix6X<S> A;

  explicit MaximalAccelerations(const Model<S>& m) : A(detail::zero_for_bodies(m)) {}
  void run(const Model<S>& model, const Data<S>& data, BodyPoint point) {
    for (const Body<S>& body : model.bodies())
      A.col(body.index()) = body_classical_acceleration(model, data, detail::where_of(model, body, point)).vector();
  }
};

}  // namespace algorithm

}}  // namespace corio
