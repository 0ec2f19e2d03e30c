#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"

/// The motion of a second place relative to a first one: its pose, its twist, the Jacobian of the twist and the rate of
/// the Jacobian. A place is a body, a frame or a point, on the ground, too. Motions describe the second body as seen
/// from the first, in the reference frame of the second place. With the places exchanged, the motion is the negative of
/// this motion, in the reference frame of the other place.
///
/// @param first, second  a body or frame (body axes), or {body or frame, reference frame, point}
/// @throws SizeError, ModelError for a frame of another model; StateError before forward_kinematics of the level that
/// the function's first form needs.
/// Source: columns of body_jacobian; columns of degrees of freedom that move both places cancel.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S, template <class> class Robot>
void check_places(const Robot<S>& robot, const DataOf<Robot<S>>& data, Pass pass, const FramePoint<S>& first,
                  const FramePoint<S>& second, const char* function) {
  for (const FramePoint<S>* where : {&first, &second}) require<S>(robot, data, pass, *where, function);
}

}  // namespace detail

/// Returns the pose of the second place, its axes and point, in the axes and from the point of the first: X_first^-1
/// X_second, in any reference frames. O(1).
template <class S, template <class> class Robot>
Pose<S> relative_pose(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                      const FramePoint<std::type_identity_t<S>>& first,
                      const FramePoint<std::type_identity_t<S>>& second) {
  detail::check_places<S>(robot, data, Pass::position, first, second, "relative_pose");
  const Data<S>& state = data.of_tree();
  const auto pose = [&](const FramePoint<S>& where) {
    return where.node() < 0 ? where.placement() : state.pose[where.node()] * where.placement();
  };
  Pose<S> X = pose(second);
  X.translation += detail::origin_of(state, second.node()) - detail::origin_of(state, first.node());
  return pose(first).inverse() * X;
}

/// Returns the twist of the second body relative to the first, [angular; linear]: in `body` axes X^-1 dX/dt for the X
/// of relative_pose. O(1).
template <class S, template <class> class Robot>
Motion<S> relative_velocity(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                            const FramePoint<std::type_identity_t<S>>& first,
                            const FramePoint<std::type_identity_t<S>>& second) {
  detail::check_places<S>(robot, data, Pass::velocity, first, second, "relative_velocity");
  const Data<S>& state = data.of_tree();
  const auto twist = [&](int b) { return b < 0 ? Motion<S>::zero() : state.velocity[b]; };
  const Vector3<S> to_second = detail::origin_of(state, second.node()) - detail::origin_of(state, first.node());
  return detail::FrameView<S>(state, second).see(twist(second.node()) - about(twist(first.node()), to_second));
}

/// Computes J with relative_velocity = J v. O(d) plus zeroing the output.
/// @param J  6 x nv, overwritten
template <class S, template <class> class Robot>
void relative_jacobian(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                       const FramePoint<std::type_identity_t<S>>& first,
                       const FramePoint<std::type_identity_t<S>>& second, MatrixOut<S> J) {
  detail::check_places<S>(robot, data, Pass::position, first, second, "relative_jacobian");
  detail::check_jacobian<S>(robot, second, J, "relative_jacobian");
  const Data<S>& state = data.of_tree();
  detail::sum_jacobian<S, Pass::position, 6>(robot, data, first.node(), second, J,
                                             [&](const auto& observer, int k) { return observer.see(state.phi[k]); });
}
template <class S, template <class> class Robot>
void relative_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                       const FramePoint<std::type_identity_t<S>>& first,
                       const FramePoint<std::type_identity_t<S>>& second, MatrixOut<S> J) {
  detail::check_owns(robot.tree(), first, "relative_jacobian");
  detail::check_jacobian<S>(robot, second, J, "relative_jacobian");
  relative_jacobian(robot, forward_kinematics(robot, data, q, __func__), first, second, J);
}

/// Computes dJ/dt, the rate of the entries of J: the components of the relative velocity change by J a + dJ/dt v. O(d)
/// plus zeroing the output.
/// @param Jdot  6 x nv, overwritten
template <class S, template <class> class Robot>
void relative_jacobian_dot(const Robot<S>& robot, RateDataOf<Robot<S>>& data,
                           const FramePoint<std::type_identity_t<S>>& first,
                           const FramePoint<std::type_identity_t<S>>& second, MatrixOut<S> Jdot) {
  detail::check_places<S>(robot, data, Pass::velocity, first, second, "relative_jacobian_dot");
  detail::check_jacobian<S>(robot, second, Jdot, "relative_jacobian_dot");
  const Data<S>& state = data.of_tree();
  detail::sum_jacobian<S, Pass::velocity, 6>(robot, data, first.node(), second, Jdot, [&](const auto& observer, int k) {
    return observer.see_rate(state.phi[k], state.phi_dot[k]);
  });
}
template <class S, template <class> class Robot>
void relative_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                           const FramePoint<std::type_identity_t<S>>& first,
                           const FramePoint<std::type_identity_t<S>>& second, MatrixOut<S> Jdot) {
  detail::check_owns(robot.tree(), first, "relative_jacobian_dot");
  detail::check_jacobian<S>(robot, second, Jdot, "relative_jacobian_dot");
  relative_jacobian_dot(robot, forward_kinematics(robot, data, q, v, __func__), first, second, Jdot);
}

}}  // namespace corio
