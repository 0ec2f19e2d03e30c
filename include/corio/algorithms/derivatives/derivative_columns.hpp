#pragma once

#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::inline CORIO_ABI::detail {

/// psi of kinematics/variations.hpp alone, of the motions V of the nodes that go with speeds x.
template <class Of, class N, class S, class Vector>
CORIO_INLINE Motion<N> motion_variation(const Model<S>& model, const Data<S>& data, const Of& of, const Motion<N>& phi,
                                        const PerNode<Motion<S>>& V, const Vector& x) {
  Motion<N> psi = cross(of.of_parents(V), phi);
  of.change_moving(psi, [&](Motion<S>& of_k, int k) { of_k += moving_axes_term(model, data, k, x); });
  return psi;
}
/// psi, psi_dot and chi, for accelerations without gravity: that of free fall, or zero.
template <class Of, class N, class S>
CORIO_INLINE Variation<N> variation(const Model<S>& model, const Data<S>& data, const Of& of, const Motion<N>& phi,
                                    const PerNode<Motion<S>>& acceleration, const VectorX<S>& a,
                                    const Vector3<S>& gravity) {
  const Motion<N> g{zero3<N>(), of.constant(gravity)};
  auto x = variation(phi, of(data.phi_dot), of.of_parents(data.velocity), of.of_parents(acceleration) - g);
  of.change_moving(x, [&](Variation<S>& of_k, int k) {
    const Variation<S> more = moving_axes_variation(model, data, a, k);
    of_k.psi += more.psi, of_k.psi_dot += more.psi_dot, of_k.chi += more.chi;
  });
  return x;
}

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

/// The point of linearisation: accelerations (without gravity) and the subtree forces F^C they produce, external forces
/// included.
template <class S>
struct DerivativeState {
  const PerNode<Motion<S>>& acceleration;  // without gravity
  const VectorX<S>& a;
  const PerNode<Force<S>>& force;
};

/// The derivative columns of all degrees of freedom.
template <class S, class Columns>
void derivative_columns(const Model<S>& model, Data<S>& data, const DerivativeState<S>& state, Columns& columns) {
  composite_inertias(model, data);
  composite_coriolis(model, data);
  columns.fill(model, data, [&](const auto& of, auto& column) {
    const auto phi = of(data.phi);
    const auto x = variation(model, data, of, phi, state.acceleration, state.a, model.gravity());
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
