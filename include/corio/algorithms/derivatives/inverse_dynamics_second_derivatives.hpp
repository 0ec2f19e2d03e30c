#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_hessian.hpp"
#include "corio/core/tensor3.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Second derivatives of the inverse dynamics, with D_j the derivative along degree of freedom j as in
/// inverse_dynamics_derivatives:
///   d2tau_dqdq(i,j,l) = D_l D_j tau_i,     d2tau_dvdq(i,j,l) = D_l dtau_i/dv_j,
///   d2tau_dvdv(i,j,l) = d2tau_i/dv_j dv_l, dM_dq(i,j,l) = D_l M(i,j) = D_l dtau_i/da_j.
/// D_l D_j and D_j D_l differ by the bracket of the two motions if j and l belong to one joint whose motions do not
/// commute. Entries of unrelated degrees of freedom, and dM_dq(i,j,l) with the joint of l above the joints of i and j,
/// are zero from construction on; the algorithm does not write them.
template <class S>
class InverseDynamicsSecondDerivativesResult {
 public:
  Tensor3<S> d2tau_dqdq, d2tau_dvdq, d2tau_dvdv, dM_dq;

  /// Makes zeros of the size of the model. Only this constructor allocates.
  explicit InverseDynamicsSecondDerivativesResult(const Model<S>& m)
      : d2tau_dqdq(m.nv()), d2tau_dvdq(m.nv()), d2tau_dvdv(m.nv()), dM_dq(m.nv()), model_(m, "second derivatives") {}

  /// @throws SizeError or StateError for tensors of another model, or tensors that were moved from or resized
  void check_fits(const Model<S>& model) const {
    for (const Tensor3<S>* T : {&d2tau_dqdq, &d2tau_dvdq, &d2tau_dvdv, &dM_dq}) model_.check_fits(model, T->size());
  }

 private:
  detail::ModelOfTensor model_;
};

namespace algorithm {

template <class S>
struct InverseDynamicsSecondDerivatives;

}  // namespace algorithm

/// Computes all second derivatives of rnea(q, v, a) in closed form. For finite arguments, entries of unrelated degrees
/// of freedom are zero.
///
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @param out       made for this model
/// @throws SizeError or StateError for wrong sizes; ModelError for users' joints whose axes move and that have no dual
/// form. O(n d^2); O(n^2 d) for a model that has joints whose axes move in the body, as n Hessians. Source: the
/// formulas of Singh, Russell and Wensing (2022), differentiated, with the 12 numbers of BodyCoriolis.
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data,
                                         InverseDynamicsSecondDerivativesResult<S>& out,
                                         ExternalForces<S> external = {}) {
  using Algorithm = algorithm::InverseDynamicsSecondDerivatives<S>;
  data.require(model, Algorithm::needs);
  out.check_fits(model);
  data.template of<Algorithm>(model).run(model, data, out, external);
}
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, InverseDynamicsSecondDerivativesResult<S>& out,
                                         ExternalForces<S> external = {}) {
  out.check_fits(model);
  inverse_dynamics_second_derivatives(model, forward_kinematics(model, data, q, v, a, __func__), out, external);
}

namespace algorithm {

template <class S>
struct InverseDynamicsSecondDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "inverse_dynamics_second_derivatives", .column_rates = true};
  InverseDynamicsHessian<S> hessian;  // the Hessian of one component of tau
  detail::DofArrays<S, BodyCoriolis> B, A;
  VectorX<S> unit, subtree_end;
  PerDof<detail::Tiles<S>> related;  // tiles with rows and columns related to i

  explicit InverseDynamicsSecondDerivatives(const Model<S>& m)
      : hessian(m),
        B(m.nv()),
        A(m.nv()),
        unit(zeros<S>(m.nv())),
        subtree_end(zeros<S>(m.nv() + detail::group_padding<S>)) {
    for (int i = 0; i < m.nv(); ++i)
      subtree_end[i] = S(m.subtree_end(i)), related.push_back(detail::tiles_with(m, hessian.columns.tiles(), i));
  }
  void run(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivativesResult<S>& out,
           ExternalForces<S> external);

 private:
  static bool carries(const Model<S>& model, int i, int b) {
    const Node<S>& joint = model.node(model.node_of(i));
    return joint.v_begin <= model.node(b).v_begin && model.node(b).v_begin < joint.subtree_v_end;
  }
  void move_along(const Model<S>& model, int i);
};

/// The columns for the virtual motion of degree of freedom i alone. If j is at or above i, or belongs to the joint of
/// i, they contain the forces of i, which turn with j,
///   F_U = Phi x* momentum_i,       m_U = w x 2 (B^C)^T Phi_i - 2 B_i^T psi,   n_U = -2 B_i^T Phi,
/// and if j is below the joint of i, they contain the forces of j, with B = B(Phi, I^C) and A = D B^C along j,
///   F_U = B Phi_i + B^T Phi_i,     m_U = 2 A^T Phi_i,              n_U = 2 B^T Phi_i,   psi_U = Phi_i x Phi.
template <class S>
void InverseDynamicsSecondDerivatives<S>::move_along(const Model<S>& model, int i) {
  using N = detail::Lanes<S>;
  const Node<S>& joint = model.node(model.node_of(i));
  const auto of_i = hessian.columns.all(i);
  const auto B_i = B.all(i);
  const auto one = hessian.columns.constant(S(1)), two = one + one;
  detail::for_groups(related[i], [&](int k) {
    const auto of_j = hessian.columns.group(k);
    detail::VirtualColumn<N> column{Motion<N>::zero(), Force<N>::zero(), Couple<N>::zero(), Couple<N>::zero()};
    if (k < joint.v_end) {
      const auto is_above = one.keep(0, joint.v_end - k).keep_where_at_least(N::load(&subtree_end[k]), joint.v_end);
      const auto phi = of_j.phi * is_above, psi = of_j.psi * is_above;
      column.F_U = cross(phi, of_i.momentum);
      column.m_U = cross(phi, of_i.twice_B_T_phi) - two * B_i.transpose_times(psi);
      column.n_U = -two * B_i.transpose_times(phi);
    }
    if (joint.v_end < k + N::width) {
      const auto U = of_i.phi * one.keep(joint.v_end - k, joint.subtree_v_end - k);
      const auto B_j = B.group(k), A_j = A.group(k);
      const auto couple = B_j.transpose_times(U);
      column.psi_U = cross(U, of_j.phi);
      column.F_U = column.F_U + B_j * U + couple;
      column.m_U = column.m_U + two * A_j.transpose_times(U);
      column.n_U = column.n_U + two * couple;
    }
    hessian.virtual_columns.set(k, column);
  });
}
template <class S>
void InverseDynamicsSecondDerivatives<S>::run(const Model<S>& model, Data<S>& data,
                                              InverseDynamicsSecondDerivativesResult<S>& out,
                                              ExternalForces<S> external) {
  detail::body_forces(model, data, data.acceleration, external, hessian.force);
  detail::sum_inward(model, hessian.force);
  const detail::DerivativeState<S> state{data.acceleration, data.a, hessian.force};
  detail::fill_derivative_columns(model, data, state, hessian.columns);
  B.fill(model, data, [](const auto& k, auto& B_k) { B_k = body_coriolis(k.phi(), k.composite_inertia()); });
  A.fill(model, data, [&](const auto& k, auto& A_k) {
    const auto column = hessian.columns.group(k.first());
    A_k = transported(column.phi, k.composite_coriolis()) + body_coriolis(column.psi, k.composite_inertia());
  });
  const bool columns_move = model.num_partials() > 0;
  for (int i = 0; i < model.nv(); ++i) {
    struct {
      typename Tensor3<S>::Page qq, vq, vv, aq;
    } H{out.d2tau_dqdq.page(i), out.d2tau_dvdq.page(i), out.d2tau_dvdv.page(i), out.dM_dq.page(i)};
    unit[i] = S(1);
    if (columns_move) {
      // Columns that move in their body contribute to all pairs of their joint, for every i.
      hessian.move_along(model, data, unit);
      hessian.write(model, data, state, unit, external, hessian.columns.tiles(), 0, H);
    } else {
      move_along(model, i);
      hessian.write(model, data, state, unit, external, related[i], model.node(model.node_of(i)).v_end, H);
    }
    for (int b = 0; b < model.num_nodes() && !external.empty() && !columns_move; ++b)
      hessian.U[b] = carries(model, i, b) ? data.phi[i] : Motion<S>::zero();
    for (const ExternalForce<S>& e : external)
      if (e.node() >= 0 && carries(model, i, e.node()))
        detail::add_fixed_axes_hessian<S>(model, data, e, hessian.U, H.qq);
    unit[i] = S(0);
  }
}

}  // namespace algorithm

}}  // namespace corio
