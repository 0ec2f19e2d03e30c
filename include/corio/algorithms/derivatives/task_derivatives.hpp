#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include "corio/algorithms/dynamics/jacobian.hpp"

/// Derivatives of the velocity and the acceleration of a body, frame or point, for controllers and optimisers that
/// linearise tasks. Derivatives by v and a that are not here are Jacobians: dV/dv = da/da = J of body_jacobian. As
/// there, results are the caller's 6 x nv matrices, column-major or row-major, blocks or maps, written completely; of
/// several places at once 6 rows for each. For a Mechanism include loops/mechanism_derivatives.hpp: derivatives along
/// motions that keep its loops closed, at constant y and dy/dt, and by y.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}, or a vector of these
/// @throws SizeError, ModelError for a frame of another model, and for a user's joint whose axes move in its body and
/// that is no template. O(d), and the zeros.
/// Source: Singh, Russell and Wensing (2022), eqs. 18-29: the columns psi, psi_a and chi of their derivatives of
/// inverse dynamics, here as seen in a reference frame that moves itself.
namespace corio::inline CORIO_ABI {
namespace detail {

/// What a degree of freedom j at or above a body changes of its twist V and acceleration a, in world axes about the
/// origin of the tree: D_j V, D_j a and da/dv_j.
template <class S>
struct TaskChange {
  Motion<S> dV_dq, da_dq, da_dv;
};
template <class S>
TaskChange<S> task_change(const Model<S>& model, const Data<S>& data, int j, const Motion<S>& V, const Motion<S>& a,
                          Pass pass) {
  const int parent = model.node(model.node_of(j)).parent;
  const Motion<S> zero = Motion<S>::zero(), &phi = data.phi[j];
  const bool moves_too = pass == Pass::acceleration;
  Variation<S> x = variation(phi, data.phi_dot[j], parent < 0 ? zero : data.velocity[parent],
                             parent < 0 || !moves_too ? zero : data.acceleration[parent]);
  if (columns_move(model, j)) {
    if (moves_too) {
      const Variation<S> more = moving_axes_variation(model, data, data.a, j);
      x.psi += more.psi, x.psi_a += more.psi_a, x.chi += more.chi;
    } else {
      x.psi += moving_axes_term(model, data, j, data.v);
    }
  }
  return {cross(phi, V) + x.psi, cross(phi, a) + cross(x.psi, V) + x.psi_a, cross(phi, V) + x.chi};
}

/// f(j, change) for the degrees of freedom that move the body of `where`.
template <class S, class F>
void for_task_changes(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where, Pass pass, F&& f) {
  if (where.node() < 0) return;
  const Motion<S>&V = data.velocity[where.node()], &a = data.acceleration[where.node()];
  for (int j = model.node(where.node()).v_end - 1; j >= 0; j = model.parent_dof(j))
    f(j, task_change(model, data, j, V, a, pass));
}

/// The derivatives of one place, added to matrices of zeros.
template <class S, template <class> class Robot>
void add_velocity_derivatives(const Robot<S>& robot, const DataOf<Robot<S>>& data, const FramePoint<S>& where,
                              const MatrixOut<S>& dV_dq) {
  const Data<S>& state = data.of_tree();
  const FrameView<S> observer(state, where);
  for_task_changes(robot.tree(), state, where, Pass::velocity, [&](int j, const TaskChange<S>& x) {
    const Motion<S>& phi = state.phi[j];
    const auto add = [&](const Motion<S>& dV) {
      return [&, dV](int c, const S& g, const auto&...) { add_to_column<S>(dV_dq, c, dV * g); };
    };
    for_each_speed(robot, data, j, add(observer.see_change(phi, state.velocity[where.node()], x.dV_dq)));
    for_each_speed_derivative(robot, data, j, Pass::velocity, add(observer.see(phi)));
  });
}
template <class S, template <class> class Robot>
void add_acceleration_derivatives(const Robot<S>& robot, const DataOf<Robot<S>>& data, const FramePoint<S>& where,
                                  bool classical, const MatrixOut<S>& da_dq, const MatrixOut<S>& da_dv) {
  const Data<S>& state = data.of_tree();
  const FrameView<S> observer(state, where);
  const Motion<S> zero = Motion<S>::zero(), &V = where.node() < 0 ? zero : state.velocity[where.node()],
                  &a = where.node() < 0 ? zero : state.acceleration[where.node()], seen = observer.see(V);
  // The classical acceleration has w x v of the components of V in addition.
  const auto add_centripetal = [&](Motion<S>& da, const Motion<S>& dV) {
    if (classical) da.linear += cross(dV.angular, seen.linear) + cross(seen.angular, dV.linear);
  };
  for_task_changes(robot.tree(), state, where, Pass::acceleration, [&](int j, const TaskChange<S>& x) {
    const Motion<S> J_j = observer.see(state.phi[j]);
    Motion<S> by_q = observer.see_change(state.phi[j], a, x.da_dq), by_v = observer.see(x.da_dv);
    add_centripetal(by_q, observer.see_change(state.phi[j], V, x.dV_dq));
    add_centripetal(by_v, J_j);
    for_each_speed(robot, data, j, [&](int c, const S& g) {
      add_to_column<S>(da_dq, c, by_q * g), add_to_column<S>(da_dv, c, by_v * g);
    });
    for_each_speed_derivative(robot, data, j, Pass::acceleration,
                              [&](int c, const S& dv_dq, const S& da_dq_c, const S& da_dy) {
                                add_to_column<S>(da_dq, c, by_v * dv_dq + J_j * da_dq_c);
                                add_to_column<S>(da_dv, c, J_j * da_dy);
                              });
  });
}

template <class S>
using Places = std::span<const FramePoint<std::type_identity_t<S>>>;
/// Checks all arguments except the state, for each of the matrices.
template <class S, template <class> class Robot>
void check_stack(const Robot<S>& robot, Places<S> places, const char* function,
                 std::initializer_list<MatrixOut<S>> all) {
  for (const auto& where : places) check_owns(robot.tree(), where, function);
  for (const auto& A : all) check_shape("a matrix", A.rows(), A.cols(), 6 * std::ssize(places), robot.nv(), function);
}

}  // namespace detail

/// dV/dq of the twist that body_velocity(robot, data, where) gives.
/// @param dV_dq  6 x nv, overwritten
template <class S, template <class> class Robot>
void body_velocity_derivatives(const Robot<S>& robot, const DataOf<Robot<S>>& data, detail::Places<S> places,
                               MatrixOut<S> dV_dq) {
  data.require(robot, Pass::velocity, "body_velocity_derivatives");
  detail::check_stack<S>(robot, places, "body_velocity_derivatives", {dV_dq});
  dV_dq.set_zero();
  for (Eigen::Index row = 0; const auto& where : places)
    detail::add_velocity_derivatives<S>(robot, data, where, dV_dq.middle_rows(std::exchange(row, row + 6), 6));
}
template <class S, template <class> class Robot>
void body_velocity_derivatives(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                               const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq) {
  body_velocity_derivatives(robot, data, detail::Places<S>(&where, 1), dV_dq);
}
template <class S, template <class> class Robot>
void body_velocity_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                               const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq) {
  detail::check_stack<S>(robot, detail::Places<S>(&where, 1), "body_velocity_derivatives", {dV_dq});
  body_velocity_derivatives(robot, forward_kinematics(robot, data, q, v), where, dV_dq);
}

/// Which acceleration of a point: the spatial one of body_acceleration, or that of body_classical_acceleration.
enum class Acceleration { spatial, classical };

/// da/dq and da/dv of the acceleration that body_acceleration(robot, data, where) gives, or
/// body_classical_acceleration.
/// @param da_dq, da_dv  6 x nv, overwritten
template <class S, template <class> class Robot>
void body_acceleration_derivatives(const Robot<S>& robot, const DataOf<Robot<S>>& data, detail::Places<S> places,
                                   MatrixOut<S> da_dq, MatrixOut<S> da_dv,
                                   Acceleration acceleration = Acceleration::spatial) {
  data.require(robot, Pass::acceleration, "body_acceleration_derivatives");
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
void body_acceleration_derivatives(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> da_dq,
                                   MatrixOut<S> da_dv, Acceleration acceleration = Acceleration::spatial) {
  body_acceleration_derivatives(robot, data, detail::Places<S>(&where, 1), da_dq, da_dv, acceleration);
}
template <class S, template <class> class Robot>
void body_acceleration_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                   VectorIn<S> a, const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> da_dq,
                                   MatrixOut<S> da_dv, Acceleration acceleration = Acceleration::spatial) {
  detail::check_stack<S>(robot, detail::Places<S>(&where, 1), "body_acceleration_derivatives", {da_dq, da_dv});
  body_acceleration_derivatives(robot, forward_kinematics(robot, data, q, v, a), where, da_dq, da_dv, acceleration);
}

}  // namespace corio
