#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of coriolis_matrix, each nv x nv.
template <class S>
struct CoriolisMatrices {
  MatrixX<S> C, M, Mdot;
};

namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct CoriolisMatrix;

}  // namespace algorithm

/// Computes the Coriolis matrix, the mass matrix and the rate of the mass matrix in one sweep:
///   M(i,j) = Phi_i . I^C Phi_j,   C(i,j) = Phi_i . (I^C dPhi_j + B^C Phi_j),   Mdot = C + C^T,
/// with I^C and B^C of the deeper joint of i and j; entries of unrelated i, j are zero. B^C is the sum over the subtree
/// of the operators B(V, I) of the bodies, the factorization of their velocity-product forces V x* I V
/// (factorization.hpp). Armature enters M only. These properties depend on the choice of B:
///   B V = V x* I V (valid):                  C v = nonlinear_effects - generalized_gravity;
///   and B + B^T = dI/dt (admissible):        dM/dt = Mdot, and dM/dt - 2 C is skew-symmetric;
///   factorization::Christoffel, the default: both, and C(i,j) = sum_k Gamma(i,j,k) v_k with the Christoffel symbols of
///                                            the first kind.
///
///   coriolis_matrix(model, data, q, v);                        // Christoffel
///   coriolis_matrix<factorization::Plain>(model, data, q, v);  // another factorization
///   coriolis_matrix(model, data, q, v, my_B);                  // your own
///
/// @returns {C, M, Mdot}, each nv x nv, all entries written; valid until the next call with this data.
/// @throws SizeError.
/// Cost O(n d) for n degrees of freedom at depth at most d.
/// In plain form, for revolute joints: guide/reading.md.
/// Source: Echeandia and Wensing (2021), Algorithm 1 (eqs. 17-18), with B stored as in body_coriolis.hpp.
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const CoriolisMatrices<S>& coriolis_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                           const Factorization& factorization = {}) {
  return data.template run<algorithm::CoriolisMatrix<S, Factorization>>(robot, factorization).result;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const CoriolisMatrices<S>& coriolis_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                           const Factorization& factorization = {}) {
  return coriolis_matrix(robot, forward_kinematics(robot, data, q, v, __func__), factorization);
}

namespace detail {

/// The column of a degree of freedom, for composite operators B^C of type Operator:
///   F = I^C dPhi + B^C Phi,   momentum = I^C Phi,   B_T_phi = (B^C)^T Phi.
template <class N, template <class> class Operator>
struct CoriolisColumn {
  Motion<N> phi, phi_dot;
  Force<N> F, momentum;
  typename Operator<N>::TransposeProduct B_T_phi;  // a couple, for the default factorization
};
template <class Column, class N, class Inertia, class Operator>
CORIO_INLINE void set_coriolis_column(Column& column, const Motion<N>& phi, const Motion<N>& phi_dot,
                                      const Inertia& I_C, const Operator& B_C) {
  column.phi = phi, column.phi_dot = phi_dot;
  column.F = I_C * phi_dot + B_C * phi;
  column.momentum = I_C * phi;
  column.B_T_phi = B_C.transpose_times(phi);
}

/// For i at or above j (Echeandia and Wensing, Algorithm 1, lines 8-26),
///   C(i,j) = Phi_i . F_j,              C(j,i) = dPhi_i . momentum_j + Phi_i . (B^C)^T Phi_j,
///   M(i,j) = Phi_i . momentum_j,       Mdot = C + C^T.
template <class Pairs, class Column, class Matrices>
CORIO_INLINE void store_coriolis(const Pairs& pairs, const Column& i, const Column& j, Matrices& out) {
  const auto C_ij = dot(i.phi, j.F), C_ji = dot(i.phi_dot, j.momentum) + dot(i.phi, j.B_T_phi);
  pairs.ji(out.C) = C_ji;
  pairs.ij(out.C) = C_ij;
  pairs.symmetric(out.Mdot) = C_ij + C_ji;
  pairs.symmetric(out.M) = dot(i.phi, j.momentum);
}
/// Sets Mdot(k,k) to 2 C(k,k), which is exact although C_ij + C_ji is rounded, and adds armature to M.
template <class S, class Matrices>
void finish_diagonals(const Model<S>& model, Matrices& out) {
  for (int k = 0; k < model.nv(); ++k) {
    out.Mdot(k, k) = out.C(k, k) + out.C(k, k);
    out.M(k, k) += model.armature()[k];
  }
}

}  // namespace detail

namespace algorithm {

template <class S, class Factorization>
struct CoriolisMatrix {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "coriolis_matrix"};
  template <class N>
  using Column = detail::CoriolisColumn<N, detail::CompositeOperators<S, Factorization>::template Operator>;
  CoriolisMatrices<S> result;
  detail::DofColumns<S, Column> columns;
  detail::CompositeOperators<S, Factorization> operators;  // B^C of each node (factorization.hpp)

  explicit CoriolisMatrix(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)}, columns(m), operators(m) {}
  void run(const Model<S>& model, Data<S>& data, const Factorization& factorization = {});
};
template <class S, class Factorization>
void CoriolisMatrix<S, Factorization>::run(const Model<S>& model, Data<S>& data, const Factorization& factorization) {
  detail::compute_composite_inertias(model, data);
  const auto& B_C = operators.compute(model, data, factorization);
  columns.fill(model, data, [&](const auto& k, auto& column) {
    detail::set_coriolis_column(column, k.phi(), k.phi_dot(), k.composite_inertia(), k.entry(B_C));
  });
  columns.for_pairs(
      [&](const auto& pairs, const auto& i, const auto& j) { detail::store_coriolis(pairs, i, j, result); });
  detail::finish_diagonals(model, result);
}

}  // namespace algorithm

}}  // namespace corio
