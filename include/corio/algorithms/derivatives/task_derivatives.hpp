#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"

/// Derivatives of the velocity and the acceleration of a body, frame or point, for controllers and optimisers that
/// linearise tasks. Derivatives by v and a that are not here are Jacobians: dV/dv = da/da = J of body_jacobian. As
/// there, results are the caller's 6 x nv matrices, column-major or row-major, blocks or maps, written completely.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @throws SizeError, ModelError for a frame of another model, and for a user's joint whose axes move in its body and
/// that is no template. O(d), and the zeros.
/// Source: Singh, Russell and Wensing (2022), eqs. 18-29: the columns psi, psi_dot and chi of their derivatives of
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
      x.psi += more.psi, x.psi_dot += more.psi_dot, x.chi += more.chi;
    } else {
      x.psi += moving_axes_term(model, data, j, data.v);
    }
  }
  return {cross(phi, V) + x.psi, cross(phi, a) + cross(x.psi, V) + x.psi_dot, cross(phi, V) + x.chi};
}

/// f(j, change) for the degrees of freedom that move the body of `where`.
template <class S, class F>
void for_task_changes(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where, Pass pass, F&& f) {
  if (where.node() < 0) return;
  const Motion<S>&V = data.velocity[where.node()], &a = data.acceleration[where.node()];
  for (int j = model.node(where.node()).v_end - 1; j >= 0; j = model.parent_dof(j))
    f(j, task_change(model, data, j, V, a, pass));
}

}  // namespace detail

/// dV/dq of the twist that body_velocity(model, data, where) gives.
/// @param dV_dq  6 x nv, overwritten
template <class S>
void body_velocity_derivatives(const Model<S>& model, const Data<S>& data,
                               const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq) {
  data.require(model, Pass::velocity, "body_velocity_derivatives");
  detail::check_jacobian<S>(model, where, dV_dq, "body_velocity_derivatives");
  dV_dq.set_zero();
  if (where.node() < 0) return;
  const detail::FrameView<S> observer(data, where);
  detail::for_task_changes(model, data, where, Pass::velocity, [&](int j, const detail::TaskChange<S>& x) {
    detail::set_column<S>(dV_dq, dV_dq.row_stride(), j,
                          observer.see_change(data.phi[j], data.velocity[where.node()], x.dV_dq));
  });
}
template <class S>
void body_velocity_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                               const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq) {
  detail::check_jacobian<S>(model, where, dV_dq, "body_velocity_derivatives");
  body_velocity_derivatives(model, forward_kinematics(model, data, q, v), where, dV_dq);
}

/// Which acceleration of a point: the spatial one of body_acceleration, or that of body_classical_acceleration.
enum class Acceleration { spatial, classical };

/// da/dq and da/dv of the acceleration that body_acceleration(model, data, where) gives, or
/// body_classical_acceleration.
/// @param da_dq, da_dv  6 x nv, overwritten
template <class S>
void body_acceleration_derivatives(const Model<S>& model, const Data<S>& data,
                                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> da_dq,
                                   MatrixOut<S> da_dv, Acceleration acceleration = Acceleration::spatial) {
  const char* const name = "body_acceleration_derivatives";
  data.require(model, {.pass = Pass::acceleration, .name = name, .column_rates = true});
  detail::check_jacobian<S>(model, where, da_dq, name);
  detail::check_jacobian<S>(model, where, da_dv, name);
  da_dq.set_zero(), da_dv.set_zero();
  if (where.node() < 0) return;
  const detail::FrameView<S> observer(data, where);
  const Motion<S>&V = data.velocity[where.node()], &a = data.acceleration[where.node()], seen = observer.see(V);
  // The classical acceleration has w x v of the components of V in addition.
  const auto add_centripetal = [&](Motion<S>& da, const Motion<S>& dV) {
    if (acceleration == Acceleration::classical)
      da.linear += cross(dV.angular, seen.linear) + cross(seen.angular, dV.linear);
  };
  detail::for_task_changes(model, data, where, Pass::acceleration, [&](int j, const detail::TaskChange<S>& x) {
    const Motion<S>& phi = data.phi[j];
    Motion<S> by_q = observer.see_change(phi, a, x.da_dq), by_v = observer.see(x.da_dv);
    add_centripetal(by_q, observer.see_change(phi, V, x.dV_dq));
    add_centripetal(by_v, observer.see(phi));
    detail::set_column<S>(da_dq, da_dq.row_stride(), j, by_q);
    detail::set_column<S>(da_dv, da_dv.row_stride(), j, by_v);
  });
}
template <class S>
void body_acceleration_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                   const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> da_dq,
                                   MatrixOut<S> da_dv, Acceleration acceleration = Acceleration::spatial) {
  detail::check_jacobian<S>(model, where, da_dq, "body_acceleration_derivatives");
  detail::check_jacobian<S>(model, where, da_dv, "body_acceleration_derivatives");
  body_acceleration_derivatives(model, forward_kinematics(model, data, q, v, a), where, da_dq, da_dv, acceleration);
}

}  // namespace corio
