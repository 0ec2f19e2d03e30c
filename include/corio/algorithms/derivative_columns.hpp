#pragma once

#include "corio/algorithms/external_force_derivatives.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::detail {

/// Of degree of freedom j of node b: how the motions of its subtree vary, and how the forces do. With the composites
/// F^C, I^C and B^C of b,
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// the last one a moment. Source: Singh, Russell and Wensing (2022), eqs. 30 and 32.
template <class S>
struct DerivativeColumn {
  Variation<S> variation;
  Force<S> F1, F2, F3;
  Vector3<S> F4;
};

/// The composites, after which derivative_column may be called.
template <class S>
void derivative_composites(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  composite_inertias(model, data);
  composite_coriolis(model, data);
  body_forces(model, data, external);
  add_to_parents(model, data.work.force);
}

// Not inlined into the three algorithms that use it, which would then compile for twice as long.
template <class S>
CORIO_NOINLINE void derivative_column(const Model<S>& model, const Data<S>& data, std::size_t b, int j,
                                      DerivativeColumn<S>& out) {
  const Inertia<S>& I = data.composite_inertia[b];
  const BodyCoriolis<S> B = data.composite_coriolis[b] + data.composite_coriolis[b];
  const Motion<S>& phi = data.phi[static_cast<std::size_t>(j)];
  out.variation = variation(model, data, b, j);
  const auto& [psi, psi_dot, chi] = out.variation;
  out.F1 = cross(phi, data.work.force[b]) + I * psi_dot + B * psi;
  out.F2 = I * chi + B * phi;
  out.F3 = I * phi;
  out.F4 = B.transpose_moment(phi);
}

}  // namespace corio::detail
