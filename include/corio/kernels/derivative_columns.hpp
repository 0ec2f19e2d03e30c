#pragma once

#include "corio/kernels/pairs.hpp"
#include "corio/kernels/variation_packs.hpp"
#include "corio/kinematics/composites.hpp"

namespace corio::inline CORIO_ABI::detail {

/// How the motions of the subtree of a degree of freedom vary, psi, psi_dot and chi (kinematics/variations.hpp), and
/// how the forces do,
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi.
/// Source: Singh, Russell and Wensing (2022), eqs. 30 and 32.
template <class N>
struct DerivativeColumn {
  Motion<N> phi, psi, psi_dot, chi;
  Force<N> F1, F2, F3;
  Couple<N> F4;
};

/// The accelerations at which the inverse dynamics is differentiated, and the forces F^C of whole subtrees that go with
/// them, external ones included.
template <class S>
struct DerivativeState {
  const PerNode<Motion<S>>& acceleration;  // without gravity
  const VectorX<S>& a;
  const PerNode<Force<S>>& force;
};

/// The derivative columns of all degrees of freedom.
template <class S, class Columns>
void derivative_columns(const Model<S>& model, Data<S>& data, const DerivativeState<S>& state, Columns& columns) {
  using N = Lanes<S>;
  composite_inertias(model, data);
  composite_coriolis(model, data);
  columns.fill(model, data, [&](const auto& of, auto& column) {
    const Motion<N> phi = of(data.phi);
    const Variation<N> x = variation(model, data, of, phi, state.acceleration, state.a);
    const auto I_C = of(data.composite_inertia);
    const auto B = of(data.composite_coriolis), twice = B + B;
    column.phi = phi, column.psi = x.psi, column.psi_dot = x.psi_dot, column.chi = x.chi;
    column.F1 = cross(phi, of(state.force)) + I_C * x.psi_dot + twice * x.psi;
    column.F2 = I_C * x.chi + twice * phi;
    column.F3 = I_C * phi;
    column.F4 = twice.transpose_times(phi);
  });
}

}  // namespace corio::detail
