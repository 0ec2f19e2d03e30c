#pragma once

#include "corio/algorithms/derivatives/body_velocity_derivatives.hpp"

/// Derivatives of the acceleration of a body, frame or point: arguments, errors, cost and source as in
/// body_velocity_derivatives.hpp.
namespace corio { inline namespace CORIO_ABI {

/// Selects which acceleration of a point is differentiated: body_acceleration or body_classical_acceleration.
enum class Acceleration { spatial, classical };

namespace detail {

template <class S, template <class> class Robot>
void add_acceleration_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const FramePoint<S>& where,
                                  bool classical, const MatrixOut<S>& da_dq, const MatrixOut<S>& da_dv,
                                  const MatrixOut<S>* dV_dq = nullptr, const MatrixOut<S>* dV_dv = nullptr);

}  // namespace detail

/// Computes da/dq and da/dv of the acceleration that body_acceleration(robot, data, where) or
/// body_classical_acceleration gives.
/// @param da_dq, da_dv  6 x nv, overwritten
template <class S, template <class> class Robot>
void body_acceleration_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, detail::Places<S> places,
                                   MatrixOut<S> da_dq, MatrixOut<S> da_dv,
                                   Acceleration acceleration = Acceleration::spatial) {
  for (const auto& where : places)
    detail::require<S>(robot, data, Pass::acceleration, where, "body_acceleration_derivatives");
  robot.tree().check_column_rates("body_acceleration_derivatives");
  detail::check_stack<S>(robot, places, "body_acceleration_derivatives", {da_dq, da_dv});
  da_dq.set_zero(), da_dv.set_zero();
  const bool classical = acceleration == Acceleration::classical;
  for (Eigen::Index row = 0; const auto& where : places) {
    detail::add_acceleration_derivatives<S>(robot, data, where, classical, da_dq.middle_rows(row, 6),
                                            da_dv.middle_rows(row, 6));
    row += 6;
  }
}
template <class S, template <class> class Robot>
void body_acceleration_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data,
                                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> da_dq,
                                   MatrixOut<S> da_dv, Acceleration acceleration = Acceleration::spatial) {
  body_acceleration_derivatives(robot, data, detail::Places<S>(&where, 1), da_dq, da_dv, acceleration);
}
/// Also computes dV/dq and dV/dv = da/da = J, in one pass over the columns.
template <class S, template <class> class Robot>
void body_acceleration_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data,
                                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq,
                                   MatrixOut<S> da_dq, MatrixOut<S> da_dv, MatrixOut<S> J,
                                   Acceleration acceleration = Acceleration::spatial) {
  const char* const name = "body_acceleration_derivatives";
  detail::require<S>(robot, data, Pass::acceleration, where, name);
  robot.tree().check_column_rates(name);
  detail::check_stack<S>(robot, detail::Places<S>(&where, 1), name, {dV_dq, da_dq, da_dv, J});
  for (const auto* x : {&dV_dq, &da_dq, &da_dv, &J}) x->set_zero();
  detail::add_acceleration_derivatives<S>(robot, data, where, acceleration == Acceleration::classical, da_dq, da_dv,
                                          &dV_dq, &J);
}
template <class S, template <class> class Robot>
void body_acceleration_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                   VectorIn<S> a, const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> da_dq,
                                   MatrixOut<S> da_dv, Acceleration acceleration = Acceleration::spatial) {
  detail::check_stack<S>(robot, detail::Places<S>(&where, 1), "body_acceleration_derivatives", {da_dq, da_dv});
  body_acceleration_derivatives(robot, body_kinematics(robot, data, q, v, a, where, __func__), where, da_dq, da_dv,
                                acceleration);
}

namespace detail {

/// Adds the derivatives for one place to matrices of zeros.
template <class S, template <class> class Robot>
void add_acceleration_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const FramePoint<S>& where,
                                  bool classical, const MatrixOut<S>& da_dq, const MatrixOut<S>& da_dv,
                                  const MatrixOut<S>* dV_dq, const MatrixOut<S>* dV_dv) {
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  for_columns_of(model, state, where, [&](const auto& k, const auto& view) {
    const auto phi = k.phi(), V = k.constant(state.velocity[where.node()]),
               a = k.constant(state.acceleration[where.node()]), J = view.see(phi);
    const auto x = variation(model, state, k, phi, state.acceleration, state.a, zero3<S>());
    auto by_q = view.see_change(phi, a, cross(x.psi, V) + x.psi_a), by_v = view.see(cross(phi, V) + x.chi);
    const auto dV = view.see_change(phi, V, x.psi);
    if (classical) {  // the classical acceleration also has w x v, with the components of V
      const auto seen = view.see(V);
      by_q.linear += cross(dV.angular, seen.linear) + cross(seen.angular, dV.linear);
      by_v.linear += cross(J.angular, seen.linear) + cross(seen.angular, J.linear);
    }
    add_columns<S>(robot, data, k, by_q, da_dq);
    add_columns<S>(robot, data, k, by_v, da_dv);
    if (dV_dq) add_columns<S>(robot, data, k, dV, *dV_dq);
    if (dV_dv) add_columns<S>(robot, data, k, J, *dV_dv);
    k.for_each([&](int dof, const auto& of) {
      for_each_speed_derivative(robot, data, dof, Pass::acceleration,
                                [&](int c, const S& dv_dq, const S& da_dq_c, const S& da_dy) {
                                  add_to_column<S>(da_dq, c, of(by_v) * dv_dq + of(J) * da_dq_c);
                                  add_to_column<S>(da_dv, c, of(J) * da_dy);
                                  if (dV_dq) add_to_column<S>(*dV_dq, c, of(J) * dv_dq);
                                });
    });
  });
}

}  // namespace detail

}}  // namespace corio
