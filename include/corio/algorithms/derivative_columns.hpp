#pragma once

#include "corio/algorithms/external_force_derivatives.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/neighbours.hpp"
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

/// Columns k, for one degree of freedom or a pack of them: how the motions of the subtree vary, and how the forces do,
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// the last one a moment. Source: Singh, Russell and Wensing (2022), eqs. 30 and 32.
template <class N, class S>
CORIO_INLINE void set_derivative_columns(int k, const Motion<N>& phi, const Variation<N>& x, const Inertia<N>& I,
                                         const BodyCoriolis<N>& B, const Force<N>& F, PairColumns<S>& out) {
  const BodyCoriolis<N> twice = B + B;
  out.phi.set(k, phi), out.psi.set(k, x.psi), out.psi_dot.set(k, x.psi_dot), out.chi.set(k, x.chi);
  out.F1.set(k, cross(phi, F) + I * x.psi_dot + twice * x.psi);
  out.F2.set(k, I * x.chi + twice * phi);
  out.F3.set(k, I * phi);
  out.F4.set(k, twice.transpose_moment(phi));
}

/// psi, psi_dot, chi and F1 to F4 of all degrees of freedom, into the columns of these names.
template <class S>
void derivative_columns(const Model<S>& model, Data<S>& data) {
  using N = Pack<S>;
  const Motion<N> g{zero3<N>(), broadcast<N>(model.gravity())};
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = at.of_dofs(data.phi);
    const Variation<N> x =
        variation(phi, at.of_dofs(data.phi_dot), at.of_parents(data.velocity), at.of_parents(data.acceleration) - g);
    set_derivative_columns<N, S>(k, phi, x, at.of_nodes(data.composite_inertia), at.of_nodes(data.composite_coriolis),
                                 at.of_nodes(data.work.force), data.work.columns(k));
  });
  if (data.phi_partial.empty()) return;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    const Motion<S> V = node.parent < 0 ? Motion<S>::zero() : data.velocity[static_cast<std::size_t>(node.parent)];
    for (int j = node.v_begin; j < node.v_end && node.partials_begin >= 0; ++j) {
      PairColumns<S>& column = data.work.columns(j);
      Variation<S> x{column.psi.motion(j), column.psi_dot.motion(j), column.chi.motion(j)};
      add_moving_columns(data, b, node, j, V, x);
      set_derivative_columns<S, S>(j, data.phi[static_cast<std::size_t>(j)], x, data.composite_inertia[b],
                                   data.composite_coriolis[b], data.work.force[b], column);
    }
  }
}

}  // namespace corio::detail
