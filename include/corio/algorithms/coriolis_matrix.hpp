#pragma once

#include "corio/algorithms/factorization.hpp"
#include "corio/columns/tiles.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/columns/gather.hpp"

namespace corio {
namespace detail {

/// The columns of coriolis_tiles, for the composite operators B^C of whichever factorization:
///   F1 = I^C dPhi + B^C Phi,   F2 = I^C Phi,   F3 = B^C^T Phi, the moment of which is F4.
template <class S, class B>
void coriolis_columns(const Model<S>& model, Data<S>& data, const std::vector<B>& composite) {
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    auto& column = data.work.columns(k);
    const auto phi = at.of_dofs(data.phi), phi_dot = at.of_dofs(data.phi_dot);
    const auto I = at.of_nodes(data.composite_inertia);
    const auto B_C = at.of_nodes(composite);
    column.phi.set(k, phi), column.phi_dot.set(k, phi_dot);
    column.F1.set(k, I * phi_dot + B_C * phi);
    column.F2.set(k, I * phi);
    const auto transposed = apply_transpose(B_C, phi);
    column.F4.set(k, transposed);
    if constexpr (!std::is_same_v<B, BodyCoriolis<S>>) column.F3.set(k, transposed);
  });
}

/// Lines 8-26 of the algorithm, from the columns; with those of their rates also dC/dt, if it is wanted.
/// @param only_moments  whether F3 and its rate G3 have no force part
template <class S>
void coriolis_tiles(const Model<S>& model, Data<S>& data, bool only_moments, MatrixX<S>& C, MatrixX<S>& M,
                    MatrixX<S>& Mdot, MatrixX<S>* Cdot = nullptr) {
  for_tiles(model, data, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    const auto upper = dot(i.phi, j.F1);
    auto lower = dot(i.phi_dot, j.F2) + dot(i.phi, j.F4);
    if (!only_moments) lower = lower + dot_forces(i.phi, j.F3);
    pairs.store(C, lower, upper);
    pairs.store_symmetric(Mdot, lower + upper);
    pairs.store_symmetric(M, dot(i.phi, j.F2));
    if (Cdot == nullptr) return;
    auto lower_dot = dot(i.phi_ddot, j.F2) + dot(i.phi_dot, j.G2) + dot(i.phi, j.G4);
    if (!only_moments) lower_dot = lower_dot + dot_forces(i.phi, j.G3);
    pairs.store(*Cdot, lower_dot, dot(i.phi_dot, j.F1) + dot(i.phi, j.G1));
  });
  for (int k = 0; k < model.nv(); ++k) {
    Mdot(k, k) = C(k, k) + C(k, k);  // exactly
    M(k, k) += model.armature()[k];
  }
}

}  // namespace detail

/// Coriolis matrix, with the mass matrix and its rate, in one sweep:
///   M(i,j) = Phi_i . I^C Phi_j,   C(i,j) = Phi_i . (I^C dPhi_j + B^C Phi_j),   Mdot = C + C^T,
/// with the composites of whichever of i, j is nearer the leaves; zero for unrelated i, j. B is the sum over the
/// subtree of the factorization of the bodies' velocity-product forces (factorization.hpp). Armature enters M only.
///
/// With factorization::Christoffel, the default, C v = nonlinear_effects - generalized_gravity, Mdot - 2 C is
/// skew-symmetric, and C(i,j) = sum_k Gamma(i,j,k) v_k with the Christoffel symbols of the first kind. The first
/// property needs a valid B, the second an admissible one; only then is Mdot the rate of M.
///
///   coriolis_matrix(model, data, q, v);                        // Christoffel
///   coriolis_matrix<factorization::Plain>(model, data, q, v);  // another one
///   coriolis_matrix(model, data, q, v, my_B);                  // one's own
///
/// @returns {C, M, Mdot}, each nv x nv and complete, in data.coriolis; valid until the next call.
/// @throws SizeError. O(n d) for n degrees of freedom at depth at most d, no allocation.
/// Source: Echeandia and Wensing (2021), Algorithm 1 (eqs. 17-18), with the Christoffel body-level factorization in the
/// 12 numbers of BodyCoriolis.
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatrices<S>& coriolis_matrix(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                           const Factorization& B = {}) {
  forward_kinematics(model, data, q, v);
  return coriolis_matrix(model, data, B);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatrices<S>& coriolis_matrix(const Model<S>& model, Data<S>& data, const Factorization& B = {}) {
  data.require(model, Pass::velocity, "coriolis_matrix");
  detail::composite_inertias(model, data);
  constexpr bool is_christoffel = std::is_same_v<Factorization, factorization::Christoffel>;
  if constexpr (is_christoffel) {
    detail::composite_coriolis(model, data);
    detail::coriolis_columns(model, data, data.composite_coriolis);
  } else {
    auto& composite = detail::operators_for<Factorization>(data.work.composite_plain, data.work.composite_operator);
    for (std::size_t b = 0; b < composite.size(); ++b)
      composite[b] = detail::body_operator(B, data.velocity[b], data.inertia[b]);
    detail::add_to_parents(model, composite);
    detail::coriolis_columns(model, data, composite);
  }
  detail::coriolis_tiles(model, data, is_christoffel, data.coriolis.C, data.coriolis.M, data.coriolis.Mdot);
  return data.coriolis;
}

/// Mdot(i,j) = dPhi_i . I^C Phi_j + Phi_i . (I^C dPhi_j + (B^C + B^C^T) Phi_j), the rate of the mass matrix along v.
///
/// @returns nv x nv, symmetric, both triangles filled, in data.mass_matrix_dot; valid until the next call.
/// @throws SizeError. O(n d), no allocation.
/// Source: Echeandia and Wensing (2021), Algorithm 1, line 22.
template <class S>
const MatrixX<S>& mass_matrix_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return mass_matrix_dot(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
const MatrixX<S>& mass_matrix_dot(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::velocity, "mass_matrix_dot");
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  detail::for_neighbours(model, [&](int k, const detail::Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    auto& column = data.work.columns(k);
    const auto phi = at.of_dofs(data.phi), phi_dot = at.of_dofs(data.phi_dot);
    const auto I = at.of_nodes(data.composite_inertia);
    const auto B = at.of_nodes(data.composite_coriolis);
    auto rate = I * phi_dot + B * phi;
    rate.moment += B.transpose_moment(phi);
    column.phi.set(k, phi), column.phi_dot.set(k, phi_dot);
    column.F1.set(k, rate);
    column.F2.set(k, I * phi);
  });
  detail::for_tiles(model, data, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store_symmetric(data.mass_matrix_dot, dot(i.phi, j.F1) + dot(i.phi_dot, j.F2));
  });
  return data.mass_matrix_dot;
}

}  // namespace corio
