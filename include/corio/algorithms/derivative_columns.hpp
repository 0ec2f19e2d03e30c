#pragma once

#include "corio/algorithms/external_force_derivatives.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::detail {

/// The composites, after which derivative_column may be called.
template <class S>
void derivative_composites(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  composite_inertias(model, data);
  composite_coriolis(model, data);
  body_forces(model, data, external);
  add_to_parents(model, data.work.force);
}

/// How the motions of the subtree vary along degree of freedom j of node b, and into column j how the forces do: with
/// the composites F^C, I^C and B^C of b
///   F1 = Phi x* F^C + I^C psi_dot + 2 B^C psi,   F2 = I^C chi + 2 B^C Phi,   F3 = I^C Phi,   F4 = 2 (B^C)^T Phi,
/// the last one a moment. Source: Singh, Russell and Wensing (2022), eqs. 30 and 32.
// Inlined into the three algorithms that use it, although they compile for longer: 5 % faster.
template <class S>
CORIO_INLINE Variation<S> derivative_column(const Model<S>& model, const Data<S>& data, std::size_t b, int j,
                                            Columns<S, 6>& F1, Columns<S, 6>& F2, Columns<S, 6>& F3,
                                            Columns<S, 3>& F4) {
  const Inertia<S>& I = data.composite_inertia[b];
  const BodyCoriolis<S> B = data.composite_coriolis[b] + data.composite_coriolis[b];
  const Motion<S>& phi = data.phi[static_cast<std::size_t>(j)];
  const Variation<S> x = variation(model, data, b, j);
  F1.set(j, cross(phi, data.work.force[b]) + I * x.psi_dot + B * x.psi);
  F2.set(j, I * x.chi + B * phi);
  F3.set(j, I * phi);
  F4.set(j, B.transpose_moment(phi));
  return x;
}

}  // namespace corio::detail
