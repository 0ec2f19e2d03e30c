#pragma once

#include "corio/algorithms/strips.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {

/// Christoffel-consistent Coriolis matrix with the mass matrix and its rate, in one sweep:
///   M(i,j) = Phi_i . I^C Phi_j,   C(i,j) = Phi_i . (I^C dPhi_j + B^C Phi_j),   Mdot = C + C^T,
/// with the composites of whichever of i, j is nearer the leaves; zero for unrelated i, j. So C v = nonlinear_effects -
/// generalized_gravity, Mdot - 2 C is skew-symmetric, and C(i,j) = sum_k Gamma(i,j,k) v_k with the Christoffel symbols
/// of the first kind. Armature enters M only.
///
/// @returns {C, M, Mdot}, each nv x nv and complete, in data.coriolis; valid until the next call.
/// @throws SizeError. O(n d) for n degrees of freedom at depth at most d, no allocation.
/// Source: Echeandia and Wensing (2021), Algorithm 1 (eqs. 17-18), with the body-level factorization in the 12 numbers
/// of BodyCoriolis.
template <class S>
const CoriolisMatrices<S>& coriolis_matrix(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return coriolis_matrix(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
const CoriolisMatrices<S>& coriolis_matrix(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::velocity, "coriolis_matrix");
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  auto &F1 = data.work.F1, &F2 = data.work.F2;
  auto& F3 = data.work.F3;
  auto& [C, M, Mdot] = data.coriolis;

  for (std::size_t b = model.nodes().size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    const int begin = node.v_begin, own_end = node.v_end, end = node.subtree_v_end;
    const Inertia<S>& I = data.composite_inertia[b];
    const BodyCoriolis<S>& B = data.composite_coriolis[b];
    Force<S> f1[joint::max_nv], f2[joint::max_nv];  // of the joint's own degrees of freedom
    for (int j = begin; j < own_end; ++j) {
      const Motion<S>&phi = data.phi[static_cast<std::size_t>(j)], &phi_dot = data.phi_dot[static_cast<std::size_t>(j)];
      F1.set(j, f1[j - begin] = I * phi_dot + B * phi);
      F2.set(j, f2[j - begin] = I * phi);
      F3.set_moment(j, B.transpose_moment(phi));
    }
    for (int i = begin; i < own_end; ++i) {
      const Motion<S>&phi = data.phi[static_cast<std::size_t>(i)], &phi_dot = data.phi_dot[static_cast<std::size_t>(i)];
      // The joint's own block of C is not symmetric: each of its degrees of freedom writes its row.
      for (int k = begin; k < own_end; ++k) {
        C(i, k) = dot(phi, f1[k - begin]);
        M(i, k) = dot(phi, f2[k - begin]);
      }
      detail::coriolis_strip(phi, phi_dot, F1, F2, F3, i, own_end, end, data.coriolis);
    }
    for (int i = begin; i < own_end; ++i)
      for (int k = begin; k < own_end; ++k) Mdot(i, k) = C(i, k) + C(k, i);
  }
  for (int k = 0; k < model.nv(); ++k) M(k, k) += model.armature()[k];
  return data.coriolis;
}

}  // namespace corio
