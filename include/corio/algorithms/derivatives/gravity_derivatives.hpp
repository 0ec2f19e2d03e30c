#pragma once

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct GravityDot;
template <class S>
struct GravityDerivatives;

}  // namespace algorithm

/// Computes the rate of generalized_gravity as q moves along v. From g_k = Phi_k . W_k with the force W_k that supports
/// the weight of the subtree of k, about the origin of the tree,
///   gdot_k = dPhi_k . W_k + Phi_k . [gravity x p_k; 0]   for its linear momentum p_k.
///
/// @returns nv; valid until the next call.
/// @throws SizeError. O(n).
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 25c, in sums of forces.
template <class S>
const VectorX<S>& gravity_dot(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::GravityDot<S>>(model).g_dot;
}
template <class S>
const VectorX<S>& gravity_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return gravity_dot(model, forward_kinematics(model, data, q, v, __func__));
}

/// Computes D_l g_i, the derivative of generalized_gravity along degree of freedom l of q (integrate(q, e e_l)). With
/// f_k = force part of I^C Phi_k and n_k = gravity x f_k,
///   D_k g_i = D_i g_k = w_i . n_k   for i above k,   D_l g_i = w_l . n_i   within a joint,
/// plus -gravity . (force part of I^C D_l S_i) for a column that varies in its body. The matrix is symmetric, as the
/// Hessian of the potential energy, except within joints whose motions do not commute.
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
  return gravity_derivatives(model, forward_kinematics(model, data, q, __func__));
}

namespace algorithm {

template <class S>
struct GravityDot {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "gravity_dot"};
  VectorX<S> g_dot;
  PerNode<Force<S>> force;

  explicit GravityDot(const Model<S>& m) : g_dot(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void GravityDot<S>::run(const Model<S>& model, const Data<S>& data) {
  detail::sum_and_project(model, data.phi_dot, force, g_dot,
                          [&](int b) { return detail::body_support(model, data, b); });
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Vector3<S> p = detail::body_momentum(data.pose[b], body, data.velocity[b]).force;
    force[b] = {cross(model.gravity(), p), zero3<S>()};
  }
  detail::sum_inward_and_project(model, data.phi, force, g_dot);
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

  explicit GravityDerivatives(const Model<S>& m) : dg_dq(detail::nv_by_nv(m)), columns(m) {}
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

}}  // namespace corio
