#pragma once

#include "corio/algorithms/christoffel_tensor.hpp"
#include "corio/algorithms/external_force_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/second_derivative_strips.hpp"

namespace corio {

/// Second derivatives of the inverse dynamics, with D_j the derivative along degree of freedom j as in
/// inverse_dynamics_derivatives:
///   d2tau_dqdq(i,j,l) = D_l D_j tau_i,     d2tau_dvdq(i,j,l) = D_l dtau_i/dv_j,
///   d2tau_dvdv(i,j,l) = d2tau_i/dv_j dv_l, dM_dq(i,j,l) = D_l M(i,j) = D_l dtau_i/da_j.
/// D_l D_j and D_j D_l differ by the bracket of the two: in j and l of one joint whose motions do not commute.
template <class S>
class InverseDynamicsSecondDerivatives {
 public:
  Tensor3<S> d2tau_dqdq, d2tau_dvdq, d2tau_dvdv, dM_dq;

  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit InverseDynamicsSecondDerivatives(const Model<S>& model)
      : d2tau_dqdq(model.nv()),
        d2tau_dvdq(model.nv()),
        d2tau_dvdv(model.nv()),
        dM_dq(model.nv()),
        columns(model.nv()),
        tree_stamp_(model.tree_stamp()) {}

  /// @throws SizeError or StateError for those of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), dM_dq.size(), model.name());
  }

  detail::SecondDerivativeColumns<S> columns;  // of the algorithm

 private:
  std::uint64_t tree_stamp_;
};

namespace detail {

template <class S>
void second_derivative_columns(const Model<S>& model, Data<S>& data, SecondDerivativeColumns<S>& out) {
  using N = Pack<S>;
  derivative_columns(model, data);
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    const PairColumns<S>& column = data.work.columns(k);
    const Motion<N> phi = at.of_dofs(data.phi), psi = column.psi.template motion<N>(k);
    const Inertia<N> I = at.of_nodes(data.composite_inertia);
    const BodyCoriolis<N> B = at.of_nodes(data.composite_coriolis);
    out.F1.set(k, column.F1.template force<N>(k)), out.F2.set(k, column.F2.template force<N>(k));
    out.F3.set(k, column.F3.template force<N>(k)), out.F4.set(k, column.F4.template vector<N>(k));
    out.B.set(k, BodyCoriolis<N>::from(phi + phi, I));
    out.A.set(k, transported(phi, B + B) + BodyCoriolis<N>::from(psi + psi, I));
  });
  for (const Node<S>& node : model.nodes()) {
    const bool single = node.v_end == node.v_begin + 1;
    for (int j = node.v_begin; j < node.v_end; ++j) {
      const PairColumns<S>& column = data.work.columns(j);
      out.rows[static_cast<std::size_t>(j)] = {column.phi.motion(j),
                                               column.psi.motion(j),
                                               column.psi_dot.motion(j),
                                               column.chi.motion(j),
                                               Motion<S>::zero(),
                                               node.v_begin,
                                               node.v_end,
                                               single ? node.v_begin : node.v_end,
                                               node.subtree_v_end};
    }
  }
}

/// All entries with the generator g and columns strictly below it, for which tau_g is derived. These are all in the
/// page of g.
template <class S>
void derivatives_of_generator(const Model<S>& model, const Node<S>& node, int g,
                              InverseDynamicsSecondDerivatives<S>& out) {
  const int own_end = node.v_end, end = node.subtree_v_end;
  auto& rows = out.columns.rows;
  const SecondDerivativeRow<S>& x = rows[static_cast<std::size_t>(g)];
  const TripleEntries<S, ColumnsAre::varied> entries(out, g);
  out.columns.generate_from_above(x, own_end, end);
  for (int a = own_end - 1; a >= 0; a = model.dof_parent(a)) entries.template write<false>(a, own_end, end);
  for (int a = own_end; a < end; ++a) {
    SecondDerivativeRow<S>& r = rows[static_cast<std::size_t>(a)];
    r.u = cross(x.phi, r.phi);
    entries.template write<true, true>(a, r.own_begin, r.pairs_begin);
    entries.template write<true>(a, r.pairs_begin, r.pairs_end);
  }
}

/// All entries with the columns k of a block, for which tau_k is derived, and all generators at or above these. They
/// are in the pages of the block.
template <class S>
void derivatives_of_block(const Model<S>& model, int k, InverseDynamicsSecondDerivatives<S>& out) {
  constexpr int width = Block<S>::width;
  const auto row = [&](int g) -> const SecondDerivativeRow<S>& {
    return out.columns.rows[static_cast<std::size_t>(g)];
  };
  const auto generate = [&](int g) {
    const int begin = std::max(row(g).own_begin, k), end = std::min(row(g).pairs_end, k + width);
    const TripleEntries<S, ColumnsAre::derived> entries(out, g);
    out.columns.generate_for_columns(row(g), begin, end);
    for (int a = row(g).own_end - 1; a >= 0; a = model.dof_parent(a))
      if (a < row(g).own_begin)
        entries.template write<true>(a, begin, end);
      else if (a < row(g).pairs_begin)
        entries.template write<false, true>(a, begin, end);
      else
        entries.template write<false>(a, begin, end);
  };
  // Those that carry column k, then those of joints that begin inside the block or go on behind it.
  for (int g = k; g >= 0; g = model.dof_parent(g)) generate(g);
  for (int g = k + 1; g < model.nv() && row(g).own_begin < k + width; ++g) generate(g);
}

/// The strips of one joint leave out of d2tau_dvdv that chi_k depends on the joint's own velocity: half of it each way.
template <class S>
void symmetrize(const Model<S>& model, const Node<S>& node, Tensor3<S>& T) {
  const auto symmetrize_page = [&](int i) {
    for (int j = node.v_begin; j < node.v_end; ++j)
      for (int l = node.v_begin; l < j; ++l) T(i, j, l) = T(i, l, j) = S(0.5) * (T(i, j, l) + T(i, l, j));
  };
  if (node.v_end == node.v_begin + 1) return;
  for (int i = model.dof_parent(node.v_begin); i >= 0; i = model.dof_parent(i)) symmetrize_page(i);
  for (int i = node.v_begin; i < node.subtree_v_end; ++i) symmetrize_page(i);
}

}  // namespace detail

/// All second derivatives of rnea(q, v, a) in closed form, for the joints that corio has (users' joints with axes that
/// move in the body are refused). Entries for unrelated degrees of freedom are zero.
///
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @param out       of this model
/// @throws SizeError or StateError for wrong sizes, ModelError. O(n d^2) beside the zeros, no allocation.
/// Source: the formulas of Singh, Russell and Wensing (2022) derived once more, in the 12 numbers of BodyCoriolis.
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, InverseDynamicsSecondDerivatives<S>& out,
                                         ExternalForces<S> external = {}) {
  out.check_fits(model);
  forward_kinematics(model, data, q, v, a);
  inverse_dynamics_second_derivatives(model, data, out, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivatives<S>& out,
                                         ExternalForces<S> external = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_second_derivatives");
  out.check_fits(model);
  detail::require_fixed_columns(model, "inverse_dynamics_second_derivatives");
  detail::derivative_composites(model, data, external);
  detail::second_derivative_columns(model, data, out.columns);
  for (const Node<S>& node : model.nodes())
    for (int g = node.v_begin; g < node.v_end; ++g) detail::derivatives_of_generator(model, node, g, out);
  for (int k = 0; k < model.nv(); k += detail::Block<S>::width) detail::derivatives_of_block(model, k, out);
  for (const Node<S>& node : model.nodes()) detail::symmetrize(model, node, out.d2tau_dvdv);
  detail::add_fixed_axes_second_derivatives(model, data, external, out.d2tau_dqdq);
}

}  // namespace corio
