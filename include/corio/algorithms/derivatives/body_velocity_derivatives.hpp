#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/kernels/lanes_of_dofs.hpp"

/// Derivatives of the velocity of a body, frame or point (for its acceleration: body_acceleration_derivatives.hpp), for
/// controllers and optimisers that linearise tasks. Derivatives with respect to v and a that are not here are
/// Jacobians: dV/dv = da/da = J of body_jacobian. As with Jacobians, results are the caller's 6 x nv matrices,
/// column-major or row-major, blocks or maps, and all their entries are written; several places at once have 6 rows
/// each. For a Mechanism include mechanism/derivatives.hpp; its derivatives are along motions that keep loops closed,
/// at constant y and dy/dt, and with respect to y.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}, or a vector of these
/// @throws SizeError, ModelError for a frame of another model, and for a user's joint whose axes move in its body and
/// that is not a template. O(d) plus zeroing the output.
/// Source: Singh, Russell and Wensing (2022), eqs. 18-29: the columns psi, psi_a and chi of their derivatives of
/// inverse dynamics, here as seen in a reference frame that moves itself.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S, template <class> class Robot>
void add_velocity_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const FramePoint<S>& where,
                              const MatrixOut<S>& dV_dq);
template <class S>
using Places = std::span<const FramePoint<std::type_identity_t<S>>>;
template <class S, template <class> class Robot>
void check_stack(const Robot<S>& robot, Places<S> places, const char* function,
                 std::initializer_list<MatrixOut<S>> all);

}  // namespace detail

/// Computes dV/dq for the twist that body_velocity(robot, data, where) gives.
/// @param dV_dq  6 x nv, overwritten
template <class S, template <class> class Robot>
void body_velocity_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, detail::Places<S> places,
                               MatrixOut<S> dV_dq) {
  for (const auto& where : places) detail::require<S>(robot, data, Pass::velocity, where, "body_velocity_derivatives");
  detail::check_stack<S>(robot, places, "body_velocity_derivatives", {dV_dq});
  dV_dq.set_zero();
  for (Eigen::Index row = 0; const auto& where : places)
    detail::add_velocity_derivatives<S>(robot, data, where, dV_dq.middle_rows(std::exchange(row, row + 6), 6));
}
template <class S, template <class> class Robot>
void body_velocity_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data,
                               const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq) {
  body_velocity_derivatives(robot, data, detail::Places<S>(&where, 1), dV_dq);
}
template <class S, template <class> class Robot>
void body_velocity_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                               const FramePoint<std::type_identity_t<S>>& where, MatrixOut<S> dV_dq) {
  detail::check_stack<S>(robot, detail::Places<S>(&where, 1), "body_velocity_derivatives", {dV_dq});
  body_velocity_derivatives(robot, body_kinematics(robot, data, q, v, where, __func__), where, dV_dq);
}

namespace detail {

/// Calls f(k, view) for the degrees of freedom k that move a place, several at a time, with the place's reference
/// frame.
template <class S, class F>
void for_columns_of(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where, F&& f) {
  if (where.node() < 0) return;
  const auto axes = Constants<S>::constant(FrameView<S>(data, where).axes());
  const auto view = FrameView<Lanes<S>>::at_rest(where.reference(), axes);
  for_dofs_above(model, data, where.node(), [&](const auto& k) { f(k, view); });
}
/// Adds the columns x of degrees of freedom k of the tree, multiplied by dv_k/dy.
template <class S, template <class> class Robot>
void add_columns(const Robot<S>& robot, const DataOf<Robot<S>>& data, const LanesOfDofs<S>& k,
                 const Motion<Lanes<S>>& x, const MatrixOut<S>& J) {
  k.for_each([&](int dof, const auto& of) {
    if constexpr (std::is_same_v<Robot<S>, Model<S>>)
      set_column<S>(J, J.row_stride(), dof, of(x));
    else
      for_each_speed(robot, data, dof, [&, one = of(x)](int c, const S& g) { add_to_column<S>(J, c, one * g); });
  });
}

/// Adds the derivatives for one place to matrices of zeros.
template <class S, template <class> class Robot>
void add_velocity_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const FramePoint<S>& where,
                              const MatrixOut<S>& dV_dq) {
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  for_columns_of(model, state, where, [&](const auto& k, const auto& view) {
    const auto phi = k.phi(), V = k.constant(state.velocity[where.node()]);
    const auto psi = motion_variation(model, state, k, phi, state.velocity, state.v);
    add_columns<S>(robot, data, k, view.see_change(phi, V, psi), dV_dq);
    const auto J = view.see(phi);
    k.for_each([&](int dof, const auto& of) {
      for_each_speed_derivative(robot, data, dof, Pass::velocity, [&](int c, const S& dv_dq, const S&, const S&) {
        add_to_column<S>(dV_dq, c, of(J) * dv_dq);
      });
    });
  });
}
/// Checks all arguments of each matrix, except the state.
template <class S, template <class> class Robot>
void check_stack(const Robot<S>& robot, Places<S> places, const char* function,
                 std::initializer_list<MatrixOut<S>> all) {
  for (const auto& where : places) check_owns(robot.tree(), where, function);
  for (const auto& A : all) check_shape("a matrix", A.rows(), A.cols(), 6 * std::ssize(places), robot.nv(), function);
}

}  // namespace detail

}}  // namespace corio
