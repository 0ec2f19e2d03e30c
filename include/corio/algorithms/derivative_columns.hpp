#pragma once

#include "corio/algorithms/external_force_derivatives.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/columns/gather.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::detail {

/// The composites F^C, I^C and B^C, from which derivative_columns makes its columns.
template <class S>
void derivative_composites(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  composite_inertias(model, data);
  composite_coriolis(model, data);
  body_forces(model, data, external);
  add_to_parents(model, data.work.force);
}

/// Adds to psi, psi_dot and chi what columns that move in their body add, among those of a block from k on.
template <class S>
CORIO_NOINLINE void add_moving_variations(const Model<S>& model, Data<S>& data, int k) {
  for (int j = k; j < std::min(k + Block<S>::width, model.nv()); ++j) {
    const auto b = static_cast<std::size_t>(model.node_of_dof(j));
    const Node<S>& node = model.nodes()[b];
    if (node.partials_begin < 0) continue;
    const Motion<S> V = node.parent < 0 ? Motion<S>::zero() : data.velocity[static_cast<std::size_t>(node.parent)];
    PairColumns<S>& column = data.work.columns(j);
    Variation<S> x{column.psi.motion(j), column.psi_dot.motion(j), column.chi.motion(j)};
    add_moving_columns(data, b, node, j, V, x);
    column.psi.set(j, x.psi), column.psi_dot.set(j, x.psi_dot), column.chi.set(j, x.chi);
  }
}

/// psi, psi_dot, chi and F1 to F4 of all degrees of freedom, into the columns of these names: how the motions of the
/// subtree vary, and how the forces do,
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// the last one a moment. Source: Singh, Russell and Wensing (2022), eqs. 30 and 32.
template <class S>
void derivative_columns(const Model<S>& model, Data<S>& data) {
  using N = Pack<S>;
  const Motion<N> g{zero3<N>(), broadcast<N>(model.gravity())};
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    PairColumns<S>& column = data.work.columns(k);
    const Motion<N> phi = at.of_dofs(data.phi);
    Variation<N> x =
        variation(phi, at.of_dofs(data.phi_dot), at.of_parents(data.velocity), at.of_parents(data.acceleration) - g);
    column.phi.set(k, phi), column.psi.set(k, x.psi), column.psi_dot.set(k, x.psi_dot), column.chi.set(k, x.chi);
    if (!data.phi_partial.empty()) {
      add_moving_variations(model, data, k);
      x = {column.psi.template motion<N>(k), column.psi_dot.template motion<N>(k), column.chi.template motion<N>(k)};
    }
    const Inertia<N> I = at.of_nodes(data.composite_inertia);
    const BodyCoriolis<N> B = at.of_nodes(data.composite_coriolis), twice = B + B;
    column.F1.set(k, cross(phi, at.of_nodes(data.work.force)) + I * x.psi_dot + twice * x.psi);
    column.F2.set(k, I * x.chi + twice * phi);
    column.F3.set(k, I * phi);
    column.F4.set(k, twice.transpose_moment(phi));
  });
}

}  // namespace corio::detail
