#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kernels/gather.hpp"
#include "corio/kernels/pair_blocks.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {

/// What coriolis_matrix returns, each nv x nv.
template <class S>
struct CoriolisMatrices {
  MatrixX<S> C, M, Mdot;
};

namespace detail {

/// The columns from which C, M and Mdot are made, for the composite operators B^C of whichever factorization:
///   F1 = I^C dPhi + B^C Phi,   F2 = I^C Phi,   F3 = B^C^T Phi, the moment of which is F4.
template <class S>
struct CoriolisColumns {
  BlockColumns<S, 6> phi, phi_dot, F1, F2, F3;
  BlockColumns<S, 3> F4;
};

template <class S, template <class> class B, class Columns>
void coriolis_columns(const Model<S>& model, const Data<S>& data, const PerNode<B<S>>& composite, Columns& columns) {
  for_dof_packs(model, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    auto& column = columns[k];
    const auto phi = at.of_dofs(data.phi), phi_dot = at.of_dofs(data.phi_dot);
    const auto I = at.placed(data, data.composite_inertia);
    const auto B_C = at.placed(data, composite);
    column.phi.set(k, phi), column.phi_dot.set(k, phi_dot);
    column.F1.set(k, I * phi_dot + B_C * phi);
    column.F2.set(k, I * phi);
    const auto transposed = apply_transpose(B_C, phi);
    column.F4.set(k, transposed);
    if constexpr (!std::is_same_v<B<S>, BodyCoriolis<S>>) column.F3.set(k, transposed);
  });
}

/// Lines 8-26 of the algorithm, from the columns.
/// @param only_moments  whether F3 has no force part
/// @param further       called in each block with the same arguments as here, for what is made of the same columns
template <class S, class Columns, class Matrices, class F>
CORIO_INLINE void coriolis_blocks(const Model<S>& model, const Columns& columns, bool only_moments, Matrices& out,
                                  F&& further) {
  MatrixX<S>&C = out.C, &M = out.M, &Mdot = out.Mdot;
  for_pair_blocks(model, columns, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    const auto upper = dot(i.phi, j.F1);
    auto lower = dot(i.phi_dot, j.F2) + dot(i.phi, j.F4);
    if (!only_moments) lower = lower + dot_forces(i.phi, j.F3);
    pairs.store(C, lower, upper);
    pairs.store_symmetric(Mdot, lower + upper);
    pairs.store_symmetric(M, dot(i.phi, j.F2));
    further(pairs, i, j);
  });
  for (int k = 0; k < model.nv(); ++k) {
    Mdot(k, k) = C(k, k) + C(k, k);  // exactly
    M(k, k) += model.armature()[k];
  }
}

}  // namespace detail

namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct coriolis_matrix {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "coriolis_matrix"};
  CoriolisMatrices<S> result;
  detail::PerBlock<S, detail::CoriolisColumns<S>> columns;
  detail::CompositeOperators<S, Factorization> operators;

  explicit coriolis_matrix(const Model<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)}, columns(m.nv()), operators(m) {}
  void run(const Model<S>& model, Data<S>& data, const Factorization& B = {});
};
template <class S, class Factorization>
void coriolis_matrix<S, Factorization>::run(const Model<S>& model, Data<S>& data, const Factorization& B) {
  detail::composite_inertias(model, data);
  detail::coriolis_columns(model, data, operators.of_velocities(model, data, B), columns);
  detail::coriolis_blocks(model, columns, operators.only_moments, result, [](const auto&...) {});
}

}  // namespace algorithm

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
/// @returns {C, M, Mdot}, each nv x nv and complete, valid until the next call.
/// @throws SizeError. O(n d) for n degrees of freedom at depth at most d.
/// Source: Echeandia and Wensing (2021), Algorithm 1 (eqs. 17-18), with the Christoffel body-level factorization in the
/// 12 numbers of BodyCoriolis.
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatrices<S>& coriolis_matrix(const Model<S>& model, Data<S>& data, const Factorization& B = {}) {
  return data.template run<algorithm::coriolis_matrix<S, Factorization>>(model, B).result;
}
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatrices<S>& coriolis_matrix(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                           const Factorization& B = {}) {
  return coriolis_matrix(model, forward_kinematics(model, data, q, v), B);
}

}  // namespace corio
