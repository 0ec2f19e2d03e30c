#pragma once

#include "corio/algorithms/derivative_columns.hpp"
#include "corio/algorithms/strips.hpp"

namespace corio::detail {

/// What a degree of freedom brings to inverse_dynamics_hessian as the upper one of a pair.
template <class S>
struct HessianRow {
  Motion<S> phi, psi, psi_dot, chi, psi_U;
};

/// Of dof i, the upper one, against [begin, end), at or below it:
///   qq(k,i) = qq(i,k) = psi_dot . P(k) + psi . m(k) + psi_U . F1(k),
///   vq(k,i) = psi . n(k) + psi_U . F2(k),   vq(i,k) = chi . P(k) + phi . m(k),   vv(k,i) = vv(i,k) = phi . n(k),
///   aq(k,i) = psi_U . F3(k),                aq(i,k) = phi . P(k),
/// where m and n are moments.
template <class S>
void hessian_strip(const HessianRow<S>& x, const typename Data<S>::Work& c, int i, int begin, int end,
                   InverseDynamicsHessian<S>& out) {
  const Coordinates<S> p(x.phi), s(x.psi), t(x.psi_dot), h(x.chi), u(x.psi_U);
  S *const qq = out.qq.data(), *const vq = out.vq.data(), *const vv = out.vv.data(), *const aq = out.aq.data();
  const std::ptrdiff_t n = out.qq.rows();
  for_each_block<S>(begin, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const Place to(n, i, k);
    const BlockType<S> along_q = dot_block(t.x, c.P, k) + dot_block(s.x, c.m, k) + dot_block(u.x, c.F1, k);
    const BlockType<S> along_v = dot_block(p.x, c.n, k);
    store_column(qq, to, count, along_q);
    store_row(qq, to, count, along_q);
    store_column(vq, to, count, dot_block(s.x, c.n, k) + dot_block(u.x, c.F2, k));
    store_row(vq, to, count, dot_block(h.x, c.P, k) + dot_block(p.x, c.m, k));
    store_column(vv, to, count, along_v);
    store_row(vv, to, count, along_v);
    store_column(aq, to, count, dot_block(u.x, c.F3, k));
    store_row(aq, to, count, dot_block(p.x, c.P, k));
  });
}
/// The same for dofs i, k of one joint, where k takes the part of the lower one. Their chi_k = psi_k + dPhi_k depends
/// on v_i too, by phi_i x phi_k, which the first line of n counts twice.
template <class S>
void hessian_pair(const HessianRow<S>& x, const typename Data<S>::Work& c, const Force<S>& momentum, int i, int k,
                  const Motion<S>& phi_k, InverseDynamicsHessian<S>& out) {
  const Vector3<S> n = c.n.vector(k);
  out.qq(k, i) = dot(x.psi_dot, c.P.force(k)) + dot(x.psi.angular, c.m.vector(k)) + dot(x.psi_U, c.F1.force(k));
  out.vq(k, i) = dot(x.psi.angular, n) + dot(x.psi_U, c.F2.force(k));
  out.vv(k, i) = dot(x.phi.angular, n) + dot(cross(phi_k, x.phi), momentum);
  out.aq(k, i) = dot(x.psi_U, c.F3.force(k));
}

}  // namespace corio::detail
