#pragma once

#include "corio/algorithms/rnea.hpp"
#include "corio/algorithms/structure_constants.hpp"

namespace corio {

/// The Christoffel-consistent Coriolis matrix from nothing but the bias b(v) = C(v) v:
///   C = (db/dv + M K) / 2,   K(l,j) = sum_a c(l,a,j) v_a,
/// with the structure constants c of the velocities (K = 0 where all joints' motions commute). A slow second way to
/// what coriolis_matrix computes, which shares only the kinematics pass with it. The derivative is the half difference
/// of b(v + e_j) and b(v - e_j), exact because b is quadratic in v.
///
/// @param C  resized to nv x nv if it is not, which allocates
/// @throws SizeError. O(n^2), no further allocation.
/// Source: Echeandia and Wensing (2021), eq. 28; Wensing and Slotine (2023), eqs. 27-30, for the correction.
template <class S>
void coriolis_matrix_by_differentiation(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                        MatrixX<S>& C) {
  detail::check_size("v", v.size(), model.nv());
  C.resize(model.nv(), model.nv());
  VectorX<S>& changed = data.work.u;
  changed = v;  // once: v may be that of data, which the passes below overwrite
  for (int j = 0; j < model.nv(); ++j) {
    const S v_j = changed[j];
    changed[j] = v_j + S(1);
    C.col(j) = nonlinear_effects(model, data, q, changed);
    changed[j] = v_j - S(1);
    C.col(j) -= nonlinear_effects(model, data, q, changed);
    C.col(j) /= S(2);  // 2 e_j apart
    changed[j] = v_j;
  }
  const MatrixX<S>& M = crba(model, data);
  detail::for_each_structure_constant(model, data, [&](int l, int a, int j, const S& c) {
    for (int i = 0; i < model.nv(); ++i) C(i, j) += (i == l ? M(i, l) - model.armature()[l] : M(i, l)) * c * changed[a];
  });
  C /= S(2);
}

}  // namespace corio
