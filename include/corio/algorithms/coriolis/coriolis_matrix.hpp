#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio::inline CORIO_ABI {

/// What coriolis_matrix returns, each nv x nv.
template <class S>
struct CoriolisMatrices {
  MatrixX<S> C, M, Mdot;
};

namespace detail {

/// What C, M and Mdot are made of, for composite operators B^C of type B,
///   F1 = I^C dPhi + B^C Phi,   F2 = I^C Phi,   F3 = B^C^T Phi.
template <class N, template <class> class B>
struct CoriolisColumn {
  Motion<N> phi, phi_dot;
  Force<N> F1, F2;
  decltype(std::declval<B<N>>().transpose_times(Motion<N>())) F3;

  template <class Composite, class Operator>
  CORIO_INLINE void set(const Motion<N>& Phi, const Motion<N>& dPhi, const Composite& I_C, const Operator& B_C) {
    phi = Phi, phi_dot = dPhi;
    F1 = I_C * dPhi + B_C * Phi;
    F2 = I_C * Phi;
    F3 = B_C.transpose_times(Phi);
  }
};

/// Lines 8-26 of the algorithm for the pairs (i, j).
template <class Pairs, class Column, class Matrices>
CORIO_INLINE void store_coriolis(const Pairs& pairs, const Column& i, const Column& j, Matrices& out) {
  const auto C_ij = dot(i.phi, j.F1), C_ji = dot(i.phi_dot, j.F2) + dot(i.phi, j.F3);
  pairs.ji(out.C) = C_ji;
  pairs.ij(out.C) = C_ij;
  pairs.symmetric(out.Mdot) = C_ij + C_ji;
  pairs.symmetric(out.M) = dot(i.phi, j.F2);
}
/// The diagonals, where Mdot is 2 C exactly.
template <class S, class Matrices>
void set_diagonals(const Model<S>& model, Matrices& out) {
  for (int k = 0; k < model.nv(); ++k) {
    out.Mdot(k, k) = out.C(k, k) + out.C(k, k);
    out.M(k, k) += model.armature()[k];
  }
}

}  // namespace detail

namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct CoriolisMatrix {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "coriolis_matrix"};
  template <class N>
  using Column = detail::CoriolisColumn<N, detail::CompositeOperators<S, Factorization>::template Operator>;
  CoriolisMatrices<S> result;
  detail::DofColumns<S, Column> columns;
  detail::CompositeOperators<S, Factorization> operators;

  explicit CoriolisMatrix(const Model<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)}, columns(m), operators(m) {}
  void run(const Model<S>& model, Data<S>& data, const Factorization& B = {});
};
template <class S, class Factorization>
void CoriolisMatrix<S, Factorization>::run(const Model<S>& model, Data<S>& data, const Factorization& B) {
  detail::composite_inertias(model, data);
  const auto& composite = operators.of_velocities(model, data, B);
  columns.fill(model, data, [&](const auto& of, auto& column) {
    column.set(of(data.phi), of(data.phi_dot), of(data.composite_inertia), of(composite));
  });
  columns.for_pairs([&](const auto& pairs, const auto& i, const auto& j) { store_coriolis(pairs, i, j, result); });
  detail::set_diagonals(model, result);
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
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const CoriolisMatrices<S>& coriolis_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data, const Factorization& B = {}) {
  return data.template run<algorithm::CoriolisMatrix<S, Factorization>>(robot, B).result;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const CoriolisMatrices<S>& coriolis_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                           const Factorization& B = {}) {
  return coriolis_matrix(robot, forward_kinematics(robot, data, q, v), B);
}

}  // namespace corio
