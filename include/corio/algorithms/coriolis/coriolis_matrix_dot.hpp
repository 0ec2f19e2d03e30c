#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of coriolis_matrix_dot, nv x nv each.
template <class S>
struct CoriolisMatricesDot {
  MatrixX<S> C, M, Mdot, Cdot;
};

namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct CoriolisMatrixDot;

}  // namespace algorithm

/// Computes the matrices of coriolis_matrix and the rate of C as q moves along v and v along a,
///   Cdot(i,j) = d/dt [ Phi_i . (I^C dPhi_j + B^C Phi_j) ],
/// all four in one sweep. For a valid and admissible factorization (coriolis_matrix.hpp) d2M/dt2 = Cdot + Cdot^T.
///
///   coriolis_matrix_dot(model, data, q, v, a);                        // Christoffel
///   coriolis_matrix_dot<factorization::Plain>(model, data, q, v, a);  // another factorization
///   coriolis_matrix_dot(model, data, q, v, a, my_B);                  // your own
///
/// As B is linear in the velocity and in the inertia, its rate is B(dV/dt, I) + B(V, dI/dt). Your own B is also called
/// with these arguments, where dI/dt has zero mass.
///
/// @param a  nv, rate of v
/// @returns {C, M, Mdot, Cdot}, each nv x nv, all entries written; valid until the next call.
/// @throws SizeError, ModelError for users' joints whose axes move in the body and whose members are not templates.
/// O(n d).
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eqs. 25a and 25b, as a sweep over composites of I, B and dB/dt
/// instead of a sum over bodies, and for any factorization.
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                  const Factorization& B = {}) {
  return data.template run<algorithm::CoriolisMatrixDot<S, Factorization>>(robot, B).result;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                                  VectorIn<S> v, VectorIn<S> a, const Factorization& B = {}) {
  return coriolis_matrix_dot(robot, forward_kinematics(robot, data, q, v, a, __func__), B);
}

namespace detail {

/// Returns dI/dt = B + B^T of a body or a composite from its operator B(V, I): the pseudo-inertia changes by N + N^T.
template <class S>
CORIO_INLINE Inertia<S> inertia_rate(const BodyCoriolis<S>& B) {
  return {S(0), B.f, plus_transpose(B.P)};
}

/// Computes dB/dt = B(a, I) + B(V, dI/dt) for every node, summed over subtrees. B is linear in V and I and, in world
/// axes about a fixed point, depends on nothing else.
template <class S, class F, class Operator>
void composite_rates(const Model<S>& model, Data<S>& data, const F& B, PerNode<Operator>& rates) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto I_b = at_node(data, data.inertia, b);
    const Motion<S> V = I_b.here(data.velocity[b]);
    rates[b] = body_operator(B, I_b.here(data.acceleration[b]), I_b.own);
    rates[b] += body_operator(B, V, inertia_rate(BodyCoriolis<S>::from(V, I_b.own)));
  }
  sum_inward_about_nodes(model, data, rates);
}
template <class S>
void composite_rates(const Model<S>& model, Data<S>& data, const factorization::Christoffel&,
                     PerNode<BodyCoriolis<S>>& rates) {
  sum_composites(model, data, rates, [&](int b) {
    const Motion<S>&V = data.velocity[b], &a = data.acceleration[b];
    return own_coriolis(data, a, b) + own_coriolis(data, V, b, inertia_rate(own_coriolis(data, V, b)));
  });
}

/// The columns for C and its rate. The prefix d denotes a first time derivative, d2 a second one. dI = B + B^T of the
/// composites, with Christoffel's B if the factorization is not admissible:
///   F = I dPhi + B Phi,   momentum = I Phi,   B_T_phi = B^T Phi,   G = d(momentum) + B_T_phi,
///   Cdot(i,j) = dPhi_i . F_j + Phi_i . dF_j,   Cdot(j,i) = d2Phi_i . momentum_j + dPhi_i . G_j + Phi_i . d(B_T_phi)_j
/// for i at or above j.
template <class N, template <class> class Operator>
struct CoriolisRateColumn : CoriolisColumn<N, Operator> {
  Motion<N> phi_ddot;
  Force<N> F_dot, G;
  decltype(CoriolisColumn<N, Operator>::B_T_phi) B_T_phi_dot;
};

}  // namespace detail

namespace algorithm {

template <class S, class Factorization>
struct CoriolisMatrixDot {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "coriolis_matrix_dot", .column_rates = true};
  using Operators = detail::CompositeOperators<S, Factorization>;
  template <class N>
  using Column = detail::CoriolisRateColumn<N, Operators::template Operator>;
  CoriolisMatricesDot<S> result;
  detail::DofColumns<S, Column> columns;
  Operators operators;
  PerNode<typename Operators::template Operator<S>> rates;

  explicit CoriolisMatrixDot(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)},
        columns(m),
        operators(m),
        rates(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, const Factorization& B = {});
};
template <class S, class Factorization>
void CoriolisMatrixDot<S, Factorization>::run(const Model<S>& model, Data<S>& data, const Factorization& B) {
  detail::compute_composite_inertias(model, data);
  if constexpr (!detail::is_admissible<Factorization>) detail::compute_composite_coriolis(model, data);
  const auto& composite = operators.compute(model, data, B);
  detail::composite_rates(model, data, B, rates);
  columns.fill(model, data, [&](const auto& k, auto& column) {
    const auto phi = k.phi(), dphi = k.phi_dot();
    auto d2phi = cross(k.acceleration(), phi) + cross(k.velocity(), dphi);
    k.change_moving(d2phi, [&](Motion<S>& of_k, int dof) { of_k = detail::column_second_rate(model, data, dof); });
    const auto I_C = k.composite_inertia();
    const auto B_C = k.entry(composite), dB = k.entry(rates);
    const auto B_dphi = B_C * dphi;
    const auto transposed_dphi = B_C.transpose_times(dphi);
    detail::set_coriolis_column(column, phi, dphi, I_C, B_C);
    // This is (B + B^T) V for an admissible B.
    const auto dI = [&](const auto& V, const auto& B_V, const auto& transposed_V) {
      if constexpr (detail::is_admissible<Factorization>) {
        return B_V + transposed_V;
      } else {
        const auto Christoffel = k.composite_coriolis();
        return Christoffel * V + Christoffel.transpose_times(V);
      }
    };
    column.phi_ddot = d2phi;
    column.F_dot = dI(dphi, B_dphi, transposed_dphi) + I_C * d2phi + dB * phi + B_dphi;
    column.G = dI(phi, B_C * phi, column.B_T_phi) + I_C * dphi + column.B_T_phi;
    column.B_T_phi_dot = dB.transpose_times(phi) + transposed_dphi;
  });
  columns.for_pairs([&](const auto& pairs, const auto& i, const auto& j) {
    detail::store_coriolis(pairs, i, j, result);
    pairs.ji(result.Cdot) = dot(i.phi_ddot, j.momentum) + dot(i.phi_dot, j.G) + dot(i.phi, j.B_T_phi_dot);
    pairs.ij(result.Cdot) = dot(i.phi_dot, j.F) + dot(i.phi, j.F_dot);
  });
  detail::finish_diagonals(model, result);
}

}  // namespace algorithm

}}  // namespace corio
