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

/// A degree of freedom, for composite operators B^C of type Operator:
///   F1 = I^C dPhi + B^C Phi,   F2 = I^C Phi,   F3 = B^C^T Phi.
template <class N, template <class> class Operator>
struct CoriolisColumn {
  Motion<N> phi, phi_dot;
  Force<N> F1, F2;
  decltype(std::declval<Operator<N>>().transpose_times(Motion<N>())) F3;  // of BodyCoriolis a Couple

  template <class Composite, class Coriolis>
  CORIO_INLINE void set(const Motion<N>& Phi, const Motion<N>& dPhi, const Composite& I_C, const Coriolis& B_C) {
    phi = Phi, phi_dot = dPhi;
    F1 = I_C * dPhi + B_C * Phi;
    F2 = I_C * Phi;
    F3 = B_C.transpose_times(Phi);
  }
};

/// For i at or above j (lines 8-26 of the algorithm):
///   C(j,i) = dPhi_i . F2_j + Phi_i . F3_j,   C(i,j) = Phi_i . F1_j,   Mdot = C + C^T,   M = Phi_i . F2_j.
template <class Pairs, class Column, class Matrices>
CORIO_INLINE void store_coriolis(const Pairs& pairs, const Column& i, const Column& j, Matrices& out) {
  const auto C_ji = dot(i.phi_dot, j.F2) + dot(i.phi, j.F3), C_ij = dot(i.phi, j.F1);
  pairs.ji(out.C) = C_ji;  // before (i, j)
  pairs.ij(out.C) = C_ij;
  pairs.symmetric(out.Mdot) = C_ij + C_ji;
  pairs.symmetric(out.M) = dot(i.phi, j.F2);
}
/// Mdot(k,k) = 2 C(k,k), which C(i,j) + C(j,i) is only up to rounding, and armature.
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
/// with the composites of whichever of i, j is nearer the leaves; zero for unrelated i, j. B^C is the sum over the
/// subtree of the operators B of its bodies (factorization.hpp). Armature enters M only.
///
///   C v = nonlinear_effects - generalized_gravity                if B is valid: B V = V x* I V
///   Mdot is the rate of M, and Mdot - 2 C is skew-symmetric      if B is admissible, too: B + B^T = dI/dt
///   C(i,j) = sum_k Gamma(i,j,k) v_k with Christoffel's symbols   for factorization::Christoffel, the default
///
///   coriolis_matrix(model, data, q, v);                        // Christoffel
///   coriolis_matrix<factorization::Plain>(model, data, q, v);  // another one
///   coriolis_matrix(model, data, q, v, my_B);                  // one's own
///
/// @returns {C, M, Mdot}, each nv x nv, all entries written, valid until the next call. O(n d) for n degrees of
/// freedom at depth at most d.
/// @throws SizeError
/// Source: Echeandia and Wensing (2021), Algorithm 1 (eqs. 17-18), with B as in spatial/body_coriolis.hpp.
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
