#pragma once

#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::inline CORIO_ABI {
namespace algorithm {

template <class S>
struct GravityDot {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "gravity_dot"};
  VectorX<S> g_dot;

  explicit GravityDot(const Model<S>& m) : g_dot(zeros<S>(m.nv())) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void GravityDot<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  detail::compute_composite_coriolis(model, data);
  for (int k = 0; k < model.nv(); ++k) {
    const int b = model.node_of(k);
    const Vector3<S>& momentum = data.composite_coriolis[b].f;  // the rate of the first moment
    const Force<S> F = detail::at_node(data, data.composite_inertia, b) * data.phi_dot[k];
    g_dot[k] = -dot<S>(model.gravity(), F.force + cross(data.phi[k].angular, momentum));
  }
}

template <class S>
struct GravityDerivatives {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "gravity_derivatives"};
  template <class N>
  struct Column {
    Motion<N> phi;
    Couple<N> n;
  };
  MatrixX<S> dg_dq;
  detail::DofColumns<S, Column> columns;

  explicit GravityDerivatives(const Model<S>& m) : dg_dq(detail::square(m)), columns(m) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void GravityDerivatives<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  const auto gravity = columns.constant(model.gravity());
  columns.fill(model, data, [&](const auto& k, auto& column) {
    const auto phi = k.phi();
    column.phi = phi;
    column.n = {cross(gravity, (k.composite_inertia() * phi).force)};
  });
  columns.for_pairs([&](const auto& pairs, const auto& i, const auto& j) {
    pairs.symmetric(dg_dq, detail::within_joint) = dot(i.phi, j.n);
  });
  detail::for_column_partials(model, data, [&](int l, int k, const Motion<S>& s) {
    const auto I_C = detail::at_node(data, data.composite_inertia, model.node_of(k));
    dg_dq(k, l) -= dot<S>(model.gravity(), (I_C * s).force);
  });
}

}  // namespace algorithm

/// Rate of generalized_gravity as q moves along v. From g_k = -gravity . f_k with the force part f_k of I^C Phi_k,
///   gdot_k = -gravity . (force part of I^C dPhi_k + dI^C/dt Phi_k).
///
/// @returns nv; valid until the next call.
/// @throws SizeError. O(n).
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 25c, in composite form.
template <class S>
const VectorX<S>& gravity_dot(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::GravityDot<S>>(model).g_dot;
}
template <class S>
const VectorX<S>& gravity_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return gravity_dot(model, forward_kinematics(model, data, q, v));
}

/// D_l g_i, the derivative of generalized_gravity along degree of freedom l of q (integrate(q, e e_l)). With f_k =
/// force part of I^C Phi_k and n_k = gravity x f_k,
///   D_k g_i = D_i g_k = w_i . n_k   for i above k,   D_l g_i = w_l . n_i   within a joint,
/// plus -gravity . (force part of I^C D_l S_i) for a column that varies in its body. It is symmetric, the Hessian of
/// the potential energy, except within joints whose motions do not commute.
///
/// @returns nv x nv, row i and column l, complete; valid until the next call.
/// @throws SizeError. O(n d).
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 24d, in composite form.
template <class S>
const MatrixX<S>& gravity_derivatives(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::GravityDerivatives<S>>(model).dg_dq;
}
template <class S>
const MatrixX<S>& gravity_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  return gravity_derivatives(model, forward_kinematics(model, data, q));
}

}  // namespace corio
