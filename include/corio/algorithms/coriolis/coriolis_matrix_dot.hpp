#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/operator_rates.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio {

/// What coriolis_matrix_dot returns, each nv x nv.
template <class S>
struct CoriolisMatricesDot {
  MatrixX<S> C, M, Mdot, Cdot;
};

namespace detail {

/// Columns for the rate of C, too. With d for a rate and d2 for a second one, and dI = B + B^T of the composites, by
/// BodyCoriolis for factorizations that need not be admissible,
///   F1 = I dPhi + B Phi,   F2 = I Phi,           F3 = B^T Phi,
///   G1 = dF1/dt,           G2 = dF2/dt + F3,     G3 = dF3/dt,
///   Cdot(i,j) = dPhi_i . F1_j + Phi_i . G1_j,    Cdot(j,i) = d2Phi_i . F2_j + dPhi_i . G2_j + Phi_i . G3_j
/// for i at or above j. The moments of F3 and G3 are F4 and G4.
template <class S>
struct CoriolisRateColumns : CoriolisColumns<S> {
  BlockColumns<S, 6> phi_ddot, G1, G2, G3;
  BlockColumns<S, 3> G4;
};

/// d2Phi of columns that move in their body, among those of a pack from k on.
template <class S>
CORIO_NOINLINE void set_moving_second_rates(const Model<S>& model, const Data<S>& data, int k,
                                            CoriolisRateColumns<S>& column) {
  for (int j = k; j < std::min(k + pack_width<S>, model.nv()); ++j)
    if (model.node(model.node_of_dof(j)).partials_begin >= 0)
      column.phi_ddot.set(j, column_second_rate(model, data, j));
}

template <class S, template <class> class B, class Columns>
void coriolis_rate_columns(const Model<S>& model, const Data<S>& data, const PerNode<B<S>>& composite,
                           const PerNode<B<S>>& composite_dot, Columns& columns) {
  for_dof_packs(model, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    using N = Pack<S>;
    const Motion<N> phi = at.of_dofs(data.phi), dphi = at.of_dofs(data.phi_dot);
    auto& column = columns[k];
    column.phi_ddot.set(k, cross(at.of_nodes(data.acceleration), phi) + cross(at.of_nodes(data.velocity), dphi));
    if (!data.phi_partial.empty()) set_moving_second_rates(model, data, k, column);
    const Motion<N> d2phi = column.phi_ddot.template motion<N>(k);
    const auto I = at.placed(data, data.composite_inertia);
    const auto B_C = at.placed(data, composite), dB = at.placed(data, composite_dot);
    const Force<N> B_phi = B_C * phi, transposed = apply_transpose(B_C, phi);
    const Force<N> B_dphi = B_C * dphi, transposed_dphi = apply_transpose(B_C, dphi);
    const auto dI = [&](const Motion<N>& V, const Force<N>& B_V, const Force<N>& transposed_V)
                        CORIO_INLINE_LAMBDA -> Force<N> {
      if constexpr (!std::is_same_v<B<S>, BodyOperator<S>>) return B_V + transposed_V;
      const auto Christoffel = at.placed(data, data.composite_coriolis);
      return Christoffel * V + apply_transpose(Christoffel, V);
    };
    column.phi.set(k, phi), column.phi_dot.set(k, dphi);
    column.F1.set(k, I * dphi + B_phi);
    column.F2.set(k, I * phi);
    column.F4.set(k, transposed);
    column.G1.set(k, dI(dphi, B_dphi, transposed_dphi) + I * d2phi + dB * phi + B_dphi);
    column.G2.set(k, dI(phi, B_phi, transposed) + I * dphi + transposed);
    const Force<N> G3 = apply_transpose(dB, phi) + transposed_dphi;
    column.G4.set(k, G3);
    if constexpr (!std::is_same_v<B<S>, BodyCoriolis<S>>) column.F3.set(k, transposed), column.G3.set(k, G3);
  });
}

}  // namespace detail

namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct coriolis_matrix_dot {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "coriolis_matrix_dot"};
  CoriolisMatricesDot<S> result;
  detail::PerBlock<S, detail::CoriolisRateColumns<S>> columns;
  detail::CompositeOperators<S, Factorization> operators;
  PerNode<typename detail::CompositeOperators<S, Factorization>::Operator> rates;

  explicit coriolis_matrix_dot(const Model<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m), detail::square(m)},
        columns(m.nv()),
        operators(m),
        rates(m.num_nodes(), detail::CompositeOperators<S, Factorization>::Operator::zero()) {}
  void run(const Model<S>& model, Data<S>& data, const Factorization& B = {});
};
template <class S, class Factorization>
void coriolis_matrix_dot<S, Factorization>::run(const Model<S>& model, Data<S>& data, const Factorization& B) {
  detail::require_dual_forms(model, data, requires_pass.name);
  detail::composite_inertias(model, data);
  if constexpr (!std::is_same_v<Factorization, factorization::Plain>) detail::composite_coriolis(model, data);
  const auto& composite = operators.of_velocities(model, data, B);
  detail::composite_rates(model, data, B, rates);
  detail::coriolis_rate_columns(model, data, composite, rates, columns);
  constexpr bool only_moments = decltype(operators)::only_moments;
  detail::coriolis_blocks(model, columns, only_moments, result,
                          [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
                            auto lower = dot(i.phi_ddot, j.F2) + dot(i.phi_dot, j.G2) + dot(i.phi, j.G4);
                            if (!only_moments) lower = lower + dot_forces(i.phi, j.G3);
                            pairs.store(result.Cdot, lower, dot(i.phi_dot, j.F1) + dot(i.phi, j.G1));
                          });
}

}  // namespace algorithm

/// The matrices of coriolis_matrix with the rate of C as q moves along v and v along a,
///   Cdot(i,j) = d/dt [ Phi_i . (I^C dPhi_j + B^C Phi_j) ],
/// all four in one sweep. For a valid and admissible factorization (coriolis_matrix.hpp) d2M/dt2 = Cdot + Cdot^T.
///
///   coriolis_matrix_dot(model, data, q, v, a);                        // of the Christoffel factorization
///   coriolis_matrix_dot<factorization::Plain>(model, data, q, v, a);  // of another one
///   coriolis_matrix_dot(model, data, q, v, a, my_B);                  // of one's own
///
/// As B is linear in the velocity and in the inertia, its rate is B(dV/dt, I) + B(V, dI/dt): one's own is called with
/// these arguments too, and the mass of dI/dt is zero.
///
/// @param a  nv, rate of v
/// @returns {C, M, Mdot, Cdot}, each nv x nv and complete; valid until the next call.
/// @throws SizeError, ModelError for users' joints with axes that move in the body whose members are not templates.
/// O(n d).
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eqs. 25a and 25b, as a sweep over composites of I, B and dB/dt
/// instead of a sum over bodies, and for any factorization.
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Model<S>& model, Data<S>& data, const Factorization& B = {}) {
  return data.template run<algorithm::coriolis_matrix_dot<S, Factorization>>(model, B).result;
}
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                                  VectorIn<S> a, const Factorization& B = {}) {
  return coriolis_matrix_dot(model, forward_kinematics(model, data, q, v, a), B);
}

}  // namespace corio
