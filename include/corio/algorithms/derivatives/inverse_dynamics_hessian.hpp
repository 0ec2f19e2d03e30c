#pragma once

#include "corio/algorithms/derivatives/detail/moving_columns_hessian.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of inverse_dynamics_hessian, each nv x nv.
template <class S>
struct InverseDynamicsHessianResult {
  MatrixX<S> qq, vq, vv, aq;
};

namespace algorithm {

template <class S>
struct InverseDynamicsHessian;

}  // namespace algorithm

/// Computes second derivatives of the scalar lambda^T tau(q, v, a), the power of the generalized forces of rnea in a
/// virtual motion lambda, for optimal control. Unlike inverse_dynamics_second_derivatives it needs no tensors; it costs
/// about as much as inverse_dynamics_derivatives. With D_j the derivative along degree of freedom j as in that
/// function, and the components of lambda, v and a held,
///   qq(j,l) = D_l D_j lambda^T tau,   vq(j,l) = D_l d(lambda^T tau)/dv_j,   vv(j,l) = d2(lambda^T tau)/dv_j dv_l,
///   aq(j,l) = D_l d(lambda^T tau)/da_j = D_l (M lambda)_j.
/// Second derivatives with respect to a and v, or twice with respect to a, are zero. qq is symmetric, except within
/// joints whose motions do not commute.
///
/// The virtual motion U moves through the equations as the velocity does: with psi^U_j = U_parent x Phi_j beside psi,
/// psi_a, chi and dF_dq, dF_dv, momentum of inverse_dynamics_derivatives, and sums over the subtree of j,
///   F_U = Phi_j x* (sum I U) + I^C psi^U,   m_U = w_j x (sum 2 B^T U) + 2 (B^C^T psi^U - (sum B(U, I))^T psi),
///   n_U = -2 (sum B(U, I))^T Phi_j,
/// the entries are, for i at or above j,
///   qq(i,j) = qq(j,i) = psi_a_i . F_U + psi_i . m_U + psi^U_i . dF_dq,
///   vq(j,i) = psi_i . n_U + psi^U_i . dF_dv,   vq(i,j) = chi_i . F_U + Phi_i . m_U,   vv(i,j) = Phi_i . n_U,
///   aq(j,i) = psi^U_i . momentum,            aq(i,j) = Phi_i . F_U.
///
/// @param lambda    nv
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @returns {qq, vq, vv, aq}, each nv x nv; valid until the next call.
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form. O(n d).
/// Source: derived for corio: the second derivatives of inverse_dynamics_second_derivatives, summed over i before
/// anything is multiplied out.
template <class S, template <class> class Robot>
const InverseDynamicsHessianResult<S>& inverse_dynamics_hessian(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                VectorIn<S> lambda, ExternalForces<S> external = {}) {
  return data.template run<algorithm::InverseDynamicsHessian<S>>(robot, lambda, external).result;
}
template <class S, template <class> class Robot>
const InverseDynamicsHessianResult<S>& inverse_dynamics_hessian(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                VectorIn<S> lambda, ExternalForces<S> external = {}) {
  detail::check_speeds("lambda", lambda, robot);
  return inverse_dynamics_hessian(robot, forward_kinematics(robot, data, q, v, a, __func__), lambda, external);
}

namespace detail {

/// The variation psi_U of a virtual motion U of the robot along a degree of freedom, and the variations of products of
/// U with forces.
template <class N>
struct VirtualColumn {
  Motion<N> psi_U;
  Force<N> F_U;
  Couple<N> m_U, n_U;
};

}  // namespace detail

namespace algorithm {

template <class S>
struct InverseDynamicsHessian {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "inverse_dynamics_hessian", .column_rates = true};
  InverseDynamicsHessianResult<S> result;
  detail::DofColumns<S, detail::DerivativeColumn> columns;
  detail::DofColumns<S, detail::VirtualColumn> virtual_columns;
  PerNode<Force<S>> force;
  PerNode<Motion<S>> U;                  // virtual motion of each node
  PerNode<detail::VirtualSums<S>> sums;  // sums over the node's subtree, about the origin of the tree

  explicit InverseDynamicsHessian(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)},
        columns(m),
        virtual_columns(m),
        force(m.num_nodes()),
        U(m.num_nodes()),
        sums(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> lambda, ExternalForces<S> external);
  /// Computes the Hessian at the accelerations of `state`, which may differ from the accelerations in data.
  void differentiate(const Model<S>& model, Data<S>& data, const detail::DerivativeState<S>& state, VectorIn<S> lambda,
                     ExternalForces<S> external);
  /// Sets the virtual motion with speeds lambda: U, its sums and its columns.
  void move_along(const Model<S>& model, const Data<S>& data, VectorIn<S> lambda);
  /// Computes the derivatives of the power U^T tau, from both kinds of columns, for these pairs of degrees of freedom.
  /// psi_U and its entries of aq are zero before degree of freedom `moving`; these entries are not written.
  template <class Hessian>
  void write(const Model<S>& model, const Data<S>& data, const detail::DerivativeState<S>& state, VectorIn<S> lambda,
             ExternalForces<S> external, const detail::Tiles<S>& tiles, int moving, Hessian& H);
};

/// Computes U_b = sum of Phi_i lambda_i over the degrees of freedom that carry node b.
template <class S>
void InverseDynamicsHessian<S>::move_along(const Model<S>& model, const Data<S>& data, VectorIn<S> lambda) {
  detail::sum_outward(model, U, data.phi, lambda);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto I_b = detail::at_node(data, data.inertia, b);
    sums[b] = detail::VirtualSums<S>::of(I_b.own, I_b.here(data.velocity[b]), I_b.here(U[b]));
  }
  detail::sum_inward_about_nodes(model, data, sums);
  for (int b = 0; b < model.num_nodes(); ++b) sums[b] = about(sums[b], -data.pose[b].translation);
  virtual_columns.fill(model, data, [&](const auto& k, auto& column) {
    const auto phi = k.phi(), psi = columns.group(k.first()).psi;
    const auto psi_U = detail::motion_variation(model, data, k, phi, U, lambda);
    const auto B = k.composite_coriolis();
    const auto S_U = k.entry(sums);
    column.psi_U = psi_U;
    column.F_U = cross(phi, S_U.momentum) + k.composite_inertia() * psi_U;
    column.m_U =
        cross(phi, S_U.moment) + k.constant(S(2)) * (B.transpose_times(psi_U) - S_U.coriolis.transpose_times(psi));
    column.n_U = k.constant(S(-2)) * S_U.coriolis.transpose_times(phi);
  });
}

template <class S>
template <class Hessian>
void InverseDynamicsHessian<S>::write(const Model<S>& model, const Data<S>& data,
                                      const detail::DerivativeState<S>& state, VectorIn<S> lambda,
                                      ExternalForces<S> external, const detail::Tiles<S>& tiles, int moving,
                                      Hessian& H) {
  const auto write_tile = [&](const auto& pairs, auto rows_move) CORIO_INLINE_LAMBDA {
    const auto &i = columns.in_memory(pairs.row()), &j = columns.in_memory(pairs.column());
    const auto &i_U = virtual_columns.in_memory(pairs.row()), &j_U = virtual_columns.in_memory(pairs.column());
    auto qq = dot(i.psi_a, j_U.F_U) + dot(i.psi, j_U.m_U), vq = dot(i.psi, j_U.n_U);
    if constexpr (rows_move) qq = qq + dot(i_U.psi_U, j.dF_dq), vq = vq + dot(i_U.psi_U, j.dF_dv);
    pairs.symmetric(H.qq, detail::within_joint) = qq;
    pairs.ji(H.vq, detail::within_joint) = vq;
    pairs.ij(H.vq) = dot(i.chi, j_U.F_U) + dot(i.phi, j_U.m_U);
    // Within a joint each speed changes the other's chi: the entry is the mean of this formula in both orders.
    pairs.mean(H.vv) = dot(i.phi, j_U.n_U);
    if constexpr (rows_move)
      pairs.ji(H.aq, detail::within_joint) = dot(i_U.psi_U, j.momentum);
    else if (pairs.is_within_joint())
      pairs.ji(H.aq, detail::within_joint) = detail::TileValues<S>{};
    pairs.ij(H.aq) = dot(i.phi, j_U.F_U);
  };
  for (const auto& pairs : tiles)
    if (moving < pairs.row() + detail::Tile<S>::side)
      write_tile(pairs, std::true_type());
    else
      write_tile(pairs, std::false_type());
  detail::add_moving_columns_hessian(model, data, state, lambda, external, U, sums, H);
}

template <class S>
void InverseDynamicsHessian<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> lambda,
                                    ExternalForces<S> external) {
  detail::check_speeds("lambda", lambda, model, needs.name);
  detail::body_forces(model, data, data.acceleration, external, force);
  detail::sum_inward(model, force);
  differentiate(model, data, {data.acceleration, data.a, force}, lambda, external);
}
template <class S>
void InverseDynamicsHessian<S>::differentiate(const Model<S>& model, Data<S>& data,
                                              const detail::DerivativeState<S>& state, VectorIn<S> lambda,
                                              ExternalForces<S> external) {
  detail::fill_derivative_columns(model, data, state, columns);
  move_along(model, data, lambda);
  write(model, data, state, lambda, external, columns.tiles(), 0, result);
  detail::add_fixed_axes_hessian(model, data, external, U, result.qq);
}

}  // namespace algorithm

}}  // namespace corio
