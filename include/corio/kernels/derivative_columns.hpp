#pragma once

#include "corio/kernels/columns.hpp"
#include "corio/kernels/gather.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::detail {

/// How the motions of the subtree of a degree of freedom vary, psi, psi_dot and chi (kinematics/variations.hpp), and
/// how the forces do,
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// the last one a moment. Source: Singh, Russell and Wensing (2022), eqs. 30 and 32.
template <class S>
struct DerivativeColumns {
  BlockColumns<S, 6> phi, psi, psi_dot, chi, F1, F2, F3;
  BlockColumns<S, 3> F4;
};

/// The accelerations at which the inverse dynamics is differentiated, and the forces F^C of whole subtrees that go with
/// them, external ones included.
template <class S>
struct DerivativeState {
  const PerNode<Motion<S>>& acceleration;  // without gravity
  const VectorX<S>& dv;
  const PerNode<Force<S>>& force;
};

/// Adds to psi, psi_dot and chi what columns that move in their body add, among those of a pack from k on.
template <class S, class Columns>
CORIO_NOINLINE void add_moving_variations(const Model<S>& model, const Data<S>& data, const VectorX<S>& dv, int k,
                                          Columns& column) {
  for (int j = k; j < std::min(k + pack_width<S>, model.nv()); ++j) {
    const int b = model.node_of_dof(j);
    const Node<S>& node = model.node(b);
    if (node.partials_begin < 0) continue;
    const Motion<S> V = node.parent < 0 ? Motion<S>::zero() : data.velocity[node.parent];
    Variation<S> x{column.psi.motion(j), column.psi_dot.motion(j), column.chi.motion(j)};
    add_moving_columns(data, dv, b, node, j, V, x);
    column.psi.set(j, x.psi), column.psi_dot.set(j, x.psi_dot), column.chi.set(j, x.chi);
  }
}

/// The derivative columns of all degrees of freedom.
template <class S, class Columns>
void derivative_columns(const Model<S>& model, Data<S>& data, const DerivativeState<S>& state, Columns& columns) {
  using N = Pack<S>;
  composite_inertias(model, data);
  composite_coriolis(model, data);
  const Motion<N> g{zero3<N>(), broadcast<N>(model.gravity())};
  for_dof_packs(model, [&](int k, const DofPack<S>& at) CORIO_INLINE_LAMBDA {
    auto& column = columns[k];
    const Motion<N> phi = at.of_dofs(data.phi);
    Variation<N> x =
        variation(phi, at.of_dofs(data.phi_dot), at.of_parents(data.velocity), at.of_parents(state.acceleration) - g);
    column.phi.set(k, phi), column.psi.set(k, x.psi), column.psi_dot.set(k, x.psi_dot), column.chi.set(k, x.chi);
    if (!data.phi_partial.empty()) {
      add_moving_variations(model, data, state.dv, k, column);
      x = {column.psi.template motion<N>(k), column.psi_dot.template motion<N>(k), column.chi.template motion<N>(k)};
    }
    const auto I = at.placed(data, data.composite_inertia);
    const auto B = at.placed(data, data.composite_coriolis), twice = B + B;
    column.F1.set(k, cross(phi, at.of_nodes(state.force)) + I * x.psi_dot + twice * x.psi);
    column.F2.set(k, I * x.chi + twice * phi);
    column.F3.set(k, I * phi);
    column.F4.set(k, transpose_moment(twice, phi));
  });
}

}  // namespace corio::detail
