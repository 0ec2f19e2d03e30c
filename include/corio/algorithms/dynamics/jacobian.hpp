#pragma once

#include "corio/algorithms/dynamics/detail/jacobian_columns.hpp"
#include "corio/kinematics/detail/variations.hpp"

/// Jacobians of bodies, frames and points, and their rates: the columns of the kinematics pass for the degrees of
/// freedom that move the body, expressed in a reference frame. They are written to the caller's 6 x nv matrix,
/// column-major or row-major, a block or a map; columns of other degrees of freedom become zero.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @throws SizeError, ModelError for a frame of another model. O(d), plus setting the matrix to zero.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), section VI, and Echeandia and Wensing (2021), Remark 4, here for
/// columns in world axes and for joints with any number of degrees of freedom.
namespace corio { inline namespace CORIO_ABI {

/// Computes J with V = J v for the twist V = [angular; linear] of a body, frame or point, as body_velocity(model, data,
/// where) gives it. A wrench F in these axes about this point has the generalized forces J^T F.
/// @param J  6 x nv, overwritten
template <class S, template <class> class Robot>
void body_jacobian(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> J) {
  detail::check_jacobian<S>(robot, where, J, "body_jacobian");
  data.require(robot, Pass::position, "body_jacobian", where.node());
  detail::fill_body_jacobian<S, 6>(robot, data, where, J);
}
template <class S, template <class> class Robot>
void body_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> J) {
  detail::check_jacobian<S>(robot, where, J, "body_jacobian");
  body_jacobian(robot, body_kinematics(robot, data, q, where, __func__), where, J);
}

/// Computes dJ/dt, the rate of the entries of J. J a + dJ/dt v is the rate of the entries of J v: body_acceleration in
/// `world` and `body`, and body_classical_acceleration in `world_aligned`, whose point moves.
/// @param Jdot  6 x nv, overwritten
template <class S, template <class> class Robot>
void body_jacobian_dot(const Robot<S>& robot, RateDataOf<Robot<S>>& data,
                       const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  detail::check_jacobian<S>(robot, where, Jdot, "body_jacobian_dot");
  data.require(robot, Pass::velocity, "body_jacobian_dot", where.node());
  detail::fill_body_jacobian_dot<S, 6>(robot, data, where, Jdot);
}
template <class S, template <class> class Robot>
void body_jacobian_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                       const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  detail::check_jacobian<S>(robot, where, Jdot, "body_jacobian_dot");
  body_jacobian_dot(robot, body_kinematics(robot, data, q, v, where, __func__), where, Jdot);
}

/// Computes d2J/dt2 for given rates v of the configuration and a of v.
/// @param Jddot  6 x nv, overwritten
/// @throws ModelError also for a user's joint whose axes move in its body and whose members are not templates
template <class S>
void body_jacobian_ddot(const Model<S>& model, const Data<S>& data, const FramePoint<std::type_identity_t<S>>& where,
                        MatrixOut<S> Jddot) {
  detail::check_jacobian<S>(model, where, Jddot, "body_jacobian_ddot");
  data.require(model, {.pass = Pass::acceleration, .name = "body_jacobian_ddot", .column_rates = true}, where.node());
  detail::fill_jacobian<S, Pass::acceleration>(model, data, where, Jddot, [&](const auto& observer, int k) {
    return observer.see_second_rate(data.phi[k], data.phi_dot[k], detail::column_second_rate(model, data, k));
  });
}
template <class S>
void body_jacobian_ddot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                        const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> Jddot) {
  detail::check_jacobian<S>(model, where, Jddot, "body_jacobian_ddot");
  body_jacobian_ddot(model, body_kinematics(model, data, q, v, a, where, __func__), where, Jddot);
}

}}  // namespace corio
