#pragma once

#include "corio/algorithms/derivatives/jacobian_derivatives.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Computes d(dJ/dt)/dq, the derivatives of body_jacobian_dot along the degrees of freedom at constant v. D.along(l) is
/// the derivative as q moves to integrate(q, e * e_l), D.jacobian() is dJ/dt itself. The derivatives of dJ/dt with
/// respect to v equal the derivatives of J with respect to q (body_jacobian_derivatives).
///
/// The columns vary by (ColumnsAlong, kinematics/detail/variations.hpp)
///   D_l Phi_k = Phi_l x Phi_k,   D_l dPhi_k = Phi_l x dPhi_k + psi_l x Phi_k
/// in world axes. In a reference frame that moves with W the rate of the column is dPhi_k - W x Phi_k, and the frame
/// itself moves with q along l.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @param D      made for this model, overwritten
/// @throws SizeError; ModelError for a frame of another model, and for users' joints whose axes move and that have no
/// dual form. O(n^2). Source: Garofalo, Ott and Albu-Schaeffer (2013), eqs. 30 and 32, in world axes.
template <class S>
void body_jacobian_dot_derivatives(const Model<S>& model, const Data<S>& data,
                                   const FramePoint<std::type_identity_t<S>>& where, JacobianDerivatives<S>& D) {
  constexpr const char* name = "body_jacobian_dot_derivatives";
  detail::check_jacobian<S>(model, where, D, name);
  data.require(model, {.pass = Pass::velocity, .name = name, .column_rates = true}, where.node());
  D.set_zero();
  if (where.node() < 0) return;
  body_jacobian_dot(model, data, where, D.jacobian());
  const detail::FrameView<S> observer(data, where);
  const Vector3<S> p = data.pose[where.node()].point(where.placement().translation);
  const auto velocity_of_p = [&](const Motion<S>& V) -> Vector3<S> { return V.linear + cross(V.angular, p); };
  // Returns the motion of the reference frame when the body has twist V.
  const auto frame_motion = [&](const Motion<S>& V) -> Motion<S> {
    if (where.reference() == ReferenceFrame::world) return Motion<S>::zero();
    if (where.reference() == ReferenceFrame::body) return V;
    return {zero3<S>(), velocity_of_p(V)};
  };
  const Motion<S>& V = data.velocity[where.node()];
  const Motion<S> W = frame_motion(V);
  const int last = model.node(where.node()).v_end - 1;
  for (int l = last; l >= 0; l = model.parent_dof(l)) {
    const Motion<S>& phi_l = data.phi[l];
    const detail::ColumnsAlong<S> along(model, data, l);
    const Motion<S> change = cross(phi_l, V) + along.psi();  // D_l V
    Motion<S> frame_change = frame_motion(change);           // D_l W
    if (where.reference() == ReferenceFrame::world_aligned)
      frame_change.linear += cross(V.angular, velocity_of_p(phi_l));
    const Motion<S> frame_step = frame_motion(phi_l);
    const MatrixOut<S> page(D.along(l));
    for (int k = last; k >= 0; k = model.parent_dof(k)) {
      const Motion<S>&phi = data.phi[k], &phi_dot = data.phi_dot[k];
      const Motion<S> seen_change = along.of_rate(k) - cross(frame_change, phi) - cross(W, along.of_column(k));
      const Motion<S> carried = cross(frame_step, phi_dot - cross(W, phi));
      detail::set_column<S>(page, 1, k, observer.see(seen_change - carried));
    }
  }
}
template <class S>
void body_jacobian_dot_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                   const FramePoint<std::type_identity_t<S>>& where, JacobianDerivatives<S>& D) {
  detail::check_jacobian<S>(model, where, D, "body_jacobian_dot_derivatives");
  body_jacobian_dot_derivatives(model, body_kinematics(model, data, q, v, where, __func__), where, D);
}

}}  // namespace corio
