#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"

/// Jacobians of positions: the last three of the six rows of jacobian.hpp, without the rows of rotations.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @throws SizeError, ModelError for a frame of another model. O(d), plus setting the matrix to zero.
/// Source: as jacobian.hpp.
namespace corio { inline namespace CORIO_ABI {

/// The last three rows of body_jacobian and of its rate: J with the velocity J v of a point, and dJ/dt. In
/// `world_aligned` J v is the rate of the point's position in the world.
/// @param J, Jdot  3 x nv, overwritten
template <class S, template <class> class Robot>
void body_position_jacobian(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                            const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> J) {
  detail::check_jacobian<S>(robot, where, J, "body_position_jacobian", 3);
  data.require(robot, Pass::position, "body_position_jacobian", where.node());
  detail::fill_body_jacobian<S, 3>(robot, data, where, J);
}
template <class S, template <class> class Robot>
void body_position_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                            const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> J) {
  detail::check_jacobian<S>(robot, where, J, "body_position_jacobian", 3);
  body_position_jacobian(robot, body_kinematics(robot, data, q, where, __func__), where, J);
}
template <class S, template <class> class Robot>
void body_position_jacobian_dot(const Robot<S>& robot, RateDataOf<Robot<S>>& data,
                                const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  detail::check_jacobian<S>(robot, where, Jdot, "body_position_jacobian_dot", 3);
  data.require(robot, Pass::velocity, "body_position_jacobian_dot", where.node());
  detail::fill_body_jacobian_dot<S, 3>(robot, data, where, Jdot);
}
template <class S, template <class> class Robot>
void body_position_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  detail::check_jacobian<S>(robot, where, Jdot, "body_position_jacobian_dot", 3);
  body_position_jacobian_dot(robot, body_kinematics(robot, data, q, v, where, __func__), where, Jdot);
}

}}  // namespace corio
