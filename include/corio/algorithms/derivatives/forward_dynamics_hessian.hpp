#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_hessian.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of forward_dynamics_hessian, nv x nv each.
template <class S>
struct ForwardDynamicsHessianResult {
  MatrixX<S> qq, vq, vv, tau_q;
};

namespace algorithm {

template <class S>
struct ForwardDynamicsHessian;

}  // namespace algorithm

/// Computes second derivatives of the scalar lambda^T a(q, v, tau), with the a of aba, which differential dynamic
/// programming needs in addition to iLQR. With mu = -M^-1 lambda and H the inverse_dynamics_hessian of mu^T tau at that
/// a,
///   tau_q = M^-1 H.aq,   qq = H.qq - X - X^T with X = tau_q^T dtau_dq,   vq = H.vq - dtau_dv^T tau_q,   vv = H.vv,
/// where (j,l) is the derivative with respect to degree of freedom j of the first letter, then l of the second.
/// Derivatives with respect to tau and v, and twice with respect to tau, are zero.
///
/// @param tau       nv generalized forces (N m, N)
/// @param lambda    nv
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @returns {qq, vq, vv, tau_q}, each nv x nv; valid until the next call.
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form, and for a joint that
///         moves no inertia. O(n^2 r) with a small factor, with r degrees of freedom related to one on average: three
///         matrix products.
/// Source: aba(q, v, rnea(q, v, a)) = a, differentiated twice.
template <class S>
const ForwardDynamicsHessianResult<S>& forward_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                                                VectorIn<S> lambda, ExternalForces<S> external = {}) {
  return data.template run<algorithm::ForwardDynamicsHessian<S>>(model, tau, lambda, external).result;
}
template <class S>
const ForwardDynamicsHessianResult<S>& forward_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                                VectorIn<S> v, VectorIn<S> tau, VectorIn<S> lambda,
                                                                ExternalForces<S> external = {}) {
  detail::check_speeds("tau", tau, model);
  detail::check_speeds("lambda", lambda, model);
  return forward_dynamics_hessian(model, forward_kinematics(model, data, q, v, __func__), tau, lambda, external);
}

namespace detail {

/// Computes mu = -M^-1 lambda.
template <class S>
void virtual_motion(const MatrixX<S>& M_inverse, VectorIn<S> lambda, VectorX<S>& mu) {
  mu.setZero();
  for (Eigen::Index k = 0; k < mu.size(); ++k)
    for (Eigen::Index i = 0; i < mu.size(); ++i) mu[i] -= M_inverse(i, k) * lambda[k];
}
/// Applies the formulas of forward_dynamics_hessian to the first derivatives of tau and the H of mu^T tau.
/// @param negative_product  negative_product(W, D, out) computes out = -W D, where D is H.aq or a derivative of tau
template <class S, class Product>
void invert_hessian(const MatrixX<S>& M_inverse, const InverseDynamicsDerivativesResult<S>& first,
                    const InverseDynamicsHessianResult<S>& H, Product&& negative_product, MatrixX<S>& W,
                    ForwardDynamicsHessianResult<S>& result) {
  const Eigen::Index n = H.aq.rows();
  auto& [qq, vq, vv, tau_q] = result;
  MatrixX<S>& product = vv;  // until the end tau_q and W = tau_q^T have the opposite sign
  negative_product(M_inverse, H.aq, tau_q);
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index i = 0; i < n; ++i) W(i, k) = tau_q(k, i);
  negative_product(W, first.dtau_dq, product);
  for (Eigen::Index l = 0; l < n; ++l)
    for (Eigen::Index j = 0; j < n; ++j) qq(j, l) = H.qq(j, l) - product(j, l) - product(l, j);
  negative_product(W, first.dtau_dv, product);
  for (Eigen::Index l = 0; l < n; ++l)
    for (Eigen::Index j = 0; j < n; ++j) vq(j, l) = H.vq(j, l) - product(l, j);
  tau_q = -tau_q;
  vv = H.vv;
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ForwardDynamicsHessian {
  static constexpr detail::Needs needs{
      .pass = Pass::velocity, .name = "forward_dynamics_hessian", .regular = true, .column_rates = true};
  ForwardDynamicsHessianResult<S> result;
  ForwardDynamicsDerivatives<S> first;
  InverseDynamicsHessian<S> inverse;
  VectorX<S> mu;
  MatrixX<S> tau_q_transposed;

  explicit ForwardDynamicsHessian(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)},
        first(m),
        inverse(m),
        mu(zeros<S>(m.nv())),
        tau_q_transposed(detail::nv_by_nv(m)) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, VectorIn<S> lambda, ExternalForces<S> external);
};
template <class S>
void ForwardDynamicsHessian<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, VectorIn<S> lambda,
                                    ExternalForces<S> external) {
  detail::check_speeds("tau", tau, model, needs.name);
  detail::check_speeds("lambda", lambda, model, needs.name);
  first.differentiate(model, data, tau, external);
  detail::virtual_motion(first.result.da_dtau, lambda, mu);
  inverse.differentiate(model, data, {first.acceleration, first.aba.a, first.force}, mu, external);
  const auto negative_product = [&](auto&... matrices) { first.product.negative(model, matrices...); };
  detail::invert_hessian(first.result.da_dtau, first.inverse_dynamics.result, inverse.result, negative_product,
                         tau_q_transposed, result);
}

}  // namespace algorithm

}}  // namespace corio
