#pragma once

#include "corio/algorithms/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_hessian.hpp"

namespace corio {
namespace detail {

/// forward_dynamics_hessian in the state of a velocity pass.
template <class S>
const ForwardDynamicsHessian<S>& forward_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                                          VectorIn<S> lambda, ExternalForces<S> external) {
  require_fixed_columns(model, "forward_dynamics_hessian");
  const int n = model.nv();
  data.work.unit = lambda;  // it may be a result that is about to be written anew
  const auto& [da_dq, da_dv, M_inverse] = forward_dynamics_derivatives(model, data, tau, external);
  VectorX<S>& mu = data.work.u;
  mu.setZero();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) mu[i] -= M_inverse(i, k) * data.work.unit[k];
  const auto& H = inverse_dynamics_hessian(model, data, mu, external);

  auto& [qq, vq, vv, tau_q] = data.forward_dynamics_hessian;
  MatrixX<S>&aq_transposed = data.work.factor, &product = vv;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) aq_transposed(k, i) = H.aq(i, k);
  negative_product(aq_transposed, da_dq, product);
  for (int l = 0; l < n; ++l)
    for (int j = 0; j < n; ++j) qq(j, l) = H.qq(j, l) - product(j, l) - product(l, j);
  negative_product(aq_transposed, da_dv, product);
  for (int l = 0; l < n; ++l)
    for (int j = 0; j < n; ++j) vq(j, l) = H.vq(j, l) - product(l, j);
  negative_product(M_inverse, H.aq, tau_q);
  tau_q = -tau_q;
  vv = H.vv;
  return data.forward_dynamics_hessian;
}

}  // namespace detail

/// Second derivatives of the scalar lambda^T a(q, v, tau), with the a of aba: the terms by which differential dynamic
/// programming goes beyond iLQR. With mu = -M^-1 lambda and H the inverse_dynamics_hessian of mu^T tau at that a,
///   qq = H.qq + X + X^T with X = H.aq^T da_dq,   vq = H.vq + da_dv^T H.aq,   vv = H.vv,   tau_q = M^-1 H.aq,
/// where (j,l) is the derivative by the first letter's degree of freedom j, then by the second's l. Those by tau and v,
/// or by tau twice, are zero.
///
/// @param tau       nv generalized forces (N m, N)
/// @param lambda    nv
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @returns {qq, vq, vv, tau_q}, each nv x nv, in data.forward_dynamics_hessian; valid until the next call. The first
///          derivatives are in data.forward_dynamics_derivatives and a in data.forward_dynamics.
/// @throws SizeError; ModelError for a user's joint with axes that move in its body. O(n^3) with a small factor: three
///         matrix products; no allocation.
/// Source: aba(q, v, rnea(q, v, a)) = a, derived twice.
template <class S>
const ForwardDynamicsHessian<S>& forward_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                          VectorIn<S> v, VectorIn<S> tau, VectorIn<S> lambda,
                                                          ExternalForces<S> external = {}) {
  detail::check_size("tau", tau.size(), model.nv());
  detail::check_size("lambda", lambda.size(), model.nv());
  forward_kinematics(model, data, q, v);
  return detail::forward_dynamics_hessian(model, data, tau, lambda, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws SizeError, StateError without it
template <class S>
const ForwardDynamicsHessian<S>& forward_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                                          VectorIn<S> lambda, ExternalForces<S> external = {}) {
  detail::check_size("lambda", lambda.size(), model.nv());
  data.require(model, Pass::velocity, "forward_dynamics_hessian");
  return detail::forward_dynamics_hessian(model, data, tau, lambda, external);
}

}  // namespace corio
