#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/moving_columns_hessian.hpp"
#include "corio/kernels/moving_sums.hpp"

namespace corio {

/// What inverse_dynamics_hessian returns, each nv x nv.
template <class S>
struct InverseDynamicsHessian {
  MatrixX<S> qq, vq, vv, aq;
};

namespace algorithm {

template <class S>
struct inverse_dynamics_hessian {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "inverse_dynamics_hessian"};
  struct Columns : detail::DerivativeColumns<S> {
    detail::BlockColumns<S, 6> psi_U, F_U;
    detail::BlockColumns<S, 3> m_U, n_U;
  };
  InverseDynamicsHessian<S> result;
  detail::PerBlock<S, Columns> columns;
  PerNode<Force<S>> force;
  PerNode<Motion<S>> U;                  // virtual motion of each node
  PerNode<detail::VirtualSums<S>> sums;  // over its subtree

  explicit inverse_dynamics_hessian(const Model<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m), detail::square(m)},
        columns(m.nv()),
        force(m.num_nodes()),
        U(m.num_nodes()),
        sums(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> lambda, ExternalForces<S> external);
  /// In another state of accelerations than that of data.
  void differentiate(const Model<S>& model, Data<S>& data, const detail::DerivativeState<S>& state, VectorIn<S> lambda,
                     ExternalForces<S> external);

 private:
  void virtual_columns(const Model<S>& model, const Data<S>& data, VectorIn<S> lambda);
};

/// U_b = sum of Phi_i lambda_i over the degrees of freedom that carry node b, the sums that it makes, and their
/// columns.
template <class S>
void inverse_dynamics_hessian<S>::virtual_columns(const Model<S>& model, const Data<S>& data, VectorIn<S> lambda) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    U[b] = node.parent < 0 ? Motion<S>::zero() : U[node.parent];
    for (int k = node.v_begin; k < node.v_end; ++k) U[b] += data.phi[k] * lambda[k];
    const auto I = detail::placed(data, data.inertia, b);
    sums[b] = detail::VirtualSums<S>::of(I.own, I.here(data.velocity[b]), I.here(U[b]));
  }
  detail::add_to_parents(model, data, sums);
  for (int b = 0; b < model.num_nodes(); ++b) sums[b] = about(sums[b], -data.pose[b].translation);
  using N = detail::Pack<S>;
  detail::for_dof_packs(model, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    auto& column = columns[k];
    const Motion<N> phi = at.of_dofs(data.phi);
    const Motion<N> psi = column.psi.template motion<N>(k);
    Motion<N> psi_U = cross(at.of_parents(U), phi);
    if (!data.phi_partial.empty()) psi_U += detail::moving_sums(model, data, lambda, k);
    const auto B = at.placed(data, data.composite_coriolis);
    const detail::VirtualSums<N> S_U = at.of_nodes(sums);
    const Vector3<N> half = transpose_moment(B, psi_U) - S_U.coriolis.transpose_moment(psi);
    const Vector3<N> n = S_U.coriolis.transpose_moment(phi);
    column.psi_U.set(k, psi_U);
    column.F_U.set(k, cross(phi, S_U.momentum) + at.placed(data, data.composite_inertia) * psi_U);
    column.m_U.set(k, cross(phi.angular, S_U.moment) + (half + half));
    column.n_U.set(k, -(n + n));
  });
}

template <class S>
void inverse_dynamics_hessian<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> lambda,
                                      ExternalForces<S> external) {
  detail::check_input("lambda", lambda, model.nv(), requires_pass.name);
  detail::require_dual_forms(model, data, requires_pass.name);
  detail::body_forces(model, data, data.acceleration, external, force);
  detail::add_to_parents(model, force);
  differentiate(model, data, {data.acceleration, data.dv, force}, lambda, external);
}
template <class S>
void inverse_dynamics_hessian<S>::differentiate(const Model<S>& model, Data<S>& data,
                                                const detail::DerivativeState<S>& state, VectorIn<S> lambda,
                                                ExternalForces<S> external) {
  detail::derivative_columns(model, data, state, columns);
  virtual_columns(model, data, lambda);
  MatrixX<S>&qq = result.qq, &vq = result.vq, &vv = result.vv, &aq = result.aq;
  detail::for_pair_blocks(model, columns, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store_symmetric(qq, dot(i.psi_dot, j.F_U) + dot(i.psi, j.m_U) + dot(i.psi_U, j.F1));
    pairs.store(vq, dot(i.psi, j.n_U) + dot(i.psi_U, j.F2), dot(i.chi, j.F_U) + dot(i.phi, j.m_U));
    pairs.store_symmetric(vv, dot(i.phi, j.n_U));
    pairs.store(aq, dot(i.psi_U, j.F3), dot(i.phi, j.F_U));
  });
  // Of one joint, j takes the part of the lower one. Its chi_j = psi_j + dPhi_j depends on v_i too, by Phi_i x Phi_j,
  // which n_U counts twice.
  detail::for_own_pairs(model, [&](int b, int i, int j) {
    const auto &upper = columns[i], &lower = columns[j];
    const Motion<S> phi = upper.phi.motion(i), psi_U = upper.psi_U.motion(i);
    const Vector3<S> psi = upper.psi.vector(i), n = lower.n_U.vector(j);
    qq(j, i) = dot(upper.psi_dot.motion(i), lower.F_U.force(j)) + dot(psi, lower.m_U.vector(j)) +
               dot(psi_U, lower.F1.force(j));
    vq(j, i) = dot(psi, n) + dot(psi_U, lower.F2.force(j));
    vv(j, i) = dot(phi.angular, n) + dot(cross(lower.phi.motion(j), phi), sums[b].momentum);
    aq(j, i) = dot(psi_U, lower.F3.force(j));
  });
  detail::add_fixed_axes_hessian(model, data, external, U, qq);
  detail::add_moving_columns_hessian(model, data, state, lambda, external, U, sums, result);
}

}  // namespace algorithm

/// Second derivatives of the scalar lambda^T tau(q, v, a), the power of the generalized forces of rnea in a virtual
/// motion lambda: what optimal control needs, without the tensors of inverse_dynamics_second_derivatives and for about
/// the cost of inverse_dynamics_derivatives. With D_j the derivative along degree of freedom j as there, and the
/// components of lambda, v and a held,
///   qq(j,l) = D_l D_j lambda^T tau,   vq(j,l) = D_l d(lambda^T tau)/dv_j,   vv(j,l) = d2(lambda^T tau)/dv_j dv_l,
///   aq(j,l) = D_l d(lambda^T tau)/da_j = D_l (M lambda)_j.
/// Those by a and v, or by a twice, are zero. qq is symmetric but in the blocks of joints whose motions do not commute.
///
/// The virtual motion U moves through the equations as the velocity does: with psi^U_j = U_parent x Phi_j beside psi,
/// psi_dot, chi and F1, F2, F3 of inverse_dynamics_derivatives, and sums over the subtree of j,
///   F_U = Phi_j x* (sum I U) + I^C psi^U,   m_U = w_j x (sum 2 B^T U) + 2 (B^C^T psi^U - (sum B(U, I))^T psi),
///   n_U = -2 (sum B(U, I))^T Phi_j,
/// the entries are, for i at or above j,
///   qq(i,j) = qq(j,i) = psi_dot_i . F_U + psi_i . m_U + psi^U_i . F1,
///   vq(j,i) = psi_i . n_U + psi^U_i . F2,   vq(i,j) = chi_i . F_U + Phi_i . m_U,   vv(i,j) = Phi_i . n_U,
///   aq(j,i) = psi^U_i . F3,                 aq(i,j) = Phi_i . F_U.
///
/// @param lambda    nv
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @returns {qq, vq, vv, aq}, each nv x nv; valid until the next call.
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form. O(n d).
/// Source: corio's own: the second derivatives of inverse_dynamics_second_derivatives, summed over i before anything is
/// multiplied out.
template <class S>
const InverseDynamicsHessian<S>& inverse_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> lambda,
                                                          ExternalForces<S> external = {}) {
  return data.template run<algorithm::inverse_dynamics_hessian<S>>(model, lambda, external).result;
}
template <class S>
const InverseDynamicsHessian<S>& inverse_dynamics_hessian(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                          VectorIn<S> v, VectorIn<S> a, VectorIn<S> lambda,
                                                          ExternalForces<S> external = {}) {
  detail::check_input("lambda", lambda, model.nv());
  return inverse_dynamics_hessian(model, forward_kinematics(model, data, q, v, a), lambda, external);
}

}  // namespace corio
