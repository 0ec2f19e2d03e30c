#pragma once

#include "corio/algorithms/external_force_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"

namespace corio {
namespace detail {

/// Virtual motions U_b = sum of Phi_i lambda_i over the degrees of freedom that carry node b, in data.work.motion, and
/// the sums over subtrees that they make, in data.work.virtual_sums.
template <class S>
void virtual_motions(const Model<S>& model, Data<S>& data, const S* lambda) {
  auto& U = data.work.motion;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    U[b] = node.parent < 0 ? Motion<S>::zero() : U[static_cast<std::size_t>(node.parent)];
    for (int k = node.v_begin; k < node.v_end; ++k) U[b] += data.phi[static_cast<std::size_t>(k)] * lambda[k];
    data.work.virtual_sums[b] = VirtualSums<S>::of(data.inertia[b], data.velocity[b], U[b]);
  }
  add_to_parents(model, data.work.virtual_sums);
}

/// The columns psi_U, P, m and n of all degrees of freedom.
template <class S>
void virtual_columns(const Model<S>& model, Data<S>& data) {
  auto& work = data.work;
  using N = Pack<S>;
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = at.of_dofs(data.phi);
    auto& column = work.columns(k);
    const Motion<N> psi = column.psi.template motion<N>(k), psi_U = cross(at.of_parents(work.motion), phi);
    const BodyCoriolis<N> B = at.of_nodes(data.composite_coriolis);
    const VirtualSums<N> sums = at.of_nodes(work.virtual_sums);
    const Vector3<N> half = B.transpose_moment(psi_U) - sums.coriolis.transpose_moment(psi);
    const Vector3<N> n = sums.coriolis.transpose_moment(phi);
    column.psi_U.set(k, psi_U);
    column.P.set(k, cross(phi, sums.momentum) + at.of_nodes(data.composite_inertia) * psi_U);
    column.m.set(k, cross(phi.angular, sums.moment) + (half + half));
    column.n.set(k, -(n + n));
  });
}

/// The entries (j, i) of degrees of freedom of one joint, of node b, where j takes the part of the lower one. Their
/// chi_j = psi_j + dPhi_j depends on v_i too, by Phi_i x Phi_j, which the first line of n counts twice.
template <class S>
void hessian_pair(Data<S>& data, std::size_t b, int i, int j) {
  const auto &upper = data.work.columns(i), &lower = data.work.columns(j);
  auto& [qq, vq, vv, aq] = data.inverse_dynamics_hessian;
  const Motion<S> phi = upper.phi.motion(i), psi_U = upper.psi_U.motion(i);
  const Vector3<S> psi = upper.psi.vector(i), n = lower.n.vector(j);
  qq(j, i) =
      dot(upper.psi_dot.motion(i), lower.P.force(j)) + dot(psi, lower.m.vector(j)) + dot(psi_U, lower.F1.force(j));
  vq(j, i) = dot(psi, n) + dot(psi_U, lower.F2.force(j));
  vv(j, i) = dot(phi.angular, n) + dot(cross(lower.phi.motion(j), phi), data.work.virtual_sums[b].momentum);
  aq(j, i) = dot(psi_U, lower.F3.force(j));
}

}  // namespace detail

/// Second derivatives of the scalar lambda^T tau(q, v, a), the power of the generalized forces of rnea in a virtual
/// motion lambda: what optimal control needs, without the tensors of inverse_dynamics_second_derivatives and for about
/// the cost of inverse_dynamics_derivatives. With D_j the derivative along degree of freedom j as there, and the
/// components of lambda, v and a held,
///   qq(j,l) = D_l D_j lambda^T tau,   vq(j,l) = D_l d(lambda^T tau)/dv_j,   vv(j,l) = d2(lambda^T tau)/dv_j dv_l,
///   aq(j,l) = D_l d(lambda^T tau)/da_j = D_l (M lambda)_j.
/// Those by a and v, or by a twice, are zero. qq is symmetric but in the blocks of joints whose motions do not commute.
///
/// The virtual motion U moves through the equations as the velocity does: with psi^U_j = U_parent x Phi_j beside
/// psi, psi_dot, chi and F1, F2, F3 of inverse_dynamics_derivatives, and sums over the subtree of j,
///   P = Phi_j x* (sum I U) + I^C psi^U,   m = w_j x (sum 2 B^T U) + 2 (B^C^T psi^U - (sum B(U, I))^T psi),
///   n = -2 (sum B(U, I))^T Phi_j,
/// the entries are, for i at or above j,
///   qq(i,j) = qq(j,i) = psi_dot_i . P + psi_i . m + psi^U_i . F1,
///   vq(j,i) = psi_i . n + psi^U_i . F2,   vq(i,j) = chi_i . P + Phi_i . m,   vv(i,j) = Phi_i . n,
///   aq(j,i) = psi^U_i . F3,               aq(i,j) = Phi_i . P.
///
/// @param lambda    nv
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @returns {qq, vq, vv, aq}, each nv x nv, in data.inverse_dynamics_hessian; valid until the next call.
/// @throws SizeError; ModelError for a user's joint with axes that move in its body. O(n d), no allocation.
/// Source: corio's own: the second derivatives of inverse_dynamics_second_derivatives, summed over i before anything is
/// multiplied out.
template <class S>
const InverseDynamicsHessian<S>& inverse_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                          VectorIn<S> v, VectorIn<S> a, VectorIn<S> lambda,
                                                          ExternalForces<S> external = {}) {
  detail::check_size("lambda", lambda.size(), model.nv());
  forward_kinematics(model, data, q, v, a);
  return inverse_dynamics_hessian(model, data, lambda, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
const InverseDynamicsHessian<S>& inverse_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> lambda,
                                                          ExternalForces<S> external = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_hessian");
  detail::check_size("lambda", lambda.size(), model.nv());
  detail::require_fixed_columns(model, "inverse_dynamics_hessian");
  detail::derivative_composites(model, data, external);
  detail::virtual_motions(model, data, lambda.data());
  detail::derivative_columns(model, data);
  detail::virtual_columns(model, data);
  auto& H = data.inverse_dynamics_hessian;
  detail::for_tiles(model, data, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store_symmetric(H.qq, dot(i.psi_dot, j.P) + dot(i.psi, j.m) + dot(i.psi_U, j.F1));
    pairs.store(H.vq, dot(i.psi, j.n) + dot(i.psi_U, j.F2), dot(i.chi, j.P) + dot(i.phi, j.m));
    pairs.store_symmetric(H.vv, dot(i.phi, j.n));
    pairs.store(H.aq, dot(i.psi_U, j.F3), dot(i.phi, j.P));
  });
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    if (node.v_end == node.v_begin + 1) continue;
    for (int i = node.v_begin; i < node.v_end; ++i)
      for (int j = node.v_begin; j < node.v_end; ++j) detail::hessian_pair(data, b, i, j);
  }
  detail::add_fixed_axes_hessian(model, data, external, H.qq);
  return H;
}

}  // namespace corio
