#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/algorithms/derivatives/coriolis_matrix_derivatives.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S, class Factorization>
struct FactorizedCoriolisDerivatives;

}  // namespace algorithm

/// Computes D_l C(i,j) for a factorization other than Christoffel's (coriolis_matrix_derivatives.hpp), from
///   C(i,j) = Phi_i . (I^C dPhi_j + B^C Phi_j)
/// by the product rule: as q moves along l, the subtree of l moves with Phi_l and its velocities change by psi_l, so
/// that
///   D_l I^C = (Phi_l x*) I^C - I^C (Phi_l x),   D_l B^C = (Phi_l x*) B^C - B^C (Phi_l x) + B(psi_l, I^C).
/// The derivatives of C with respect to v are dC(i,j)/dv_l = C(e_l)(i,j), the sum of the Christoffel symbols and the
/// contorsion.
///
/// @param out  made for this model
/// @param B    the factorization, as for coriolis_matrix, the same map in every frame
/// @throws SizeError, StateError for an object of another model, ModelError for users' joints whose axes move and
/// that have no dual form. O(n d^2), with some ten products of 6 x 6 matrices and vectors for each number.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 24b, with composites in the place of sums over bodies.
template <class Factorization, class S>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, CoriolisMatrixDerivativesResult<S>& out,
                                 const Factorization& B) {
  data.template run<algorithm::FactorizedCoriolisDerivatives<S, Factorization>>(model, out, B);
}
template <class Factorization, class S>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                 CoriolisMatrixDerivativesResult<S>& out, const Factorization& B) {
  out.check_fits(model);
  coriolis_matrix_derivatives(model, forward_kinematics(model, data, q, v, __func__), out, B);
}

namespace algorithm {

template <class S, class Factorization>
struct FactorizedCoriolisDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::velocity, .name = "coriolis_matrix_derivatives", .column_rates = true};
  detail::CompositeOperators<S, Factorization> operators;

  explicit FactorizedCoriolisDerivatives(const Model<S>& m) : operators(m) {}
  void run(const Model<S>& model, Data<S>& data, CoriolisMatrixDerivativesResult<S>& out, const Factorization& B);
};
template <class S, class Factorization>
void FactorizedCoriolisDerivatives<S, Factorization>::run(const Model<S>& model, Data<S>& data,
                                                          CoriolisMatrixDerivativesResult<S>& out,
                                                          const Factorization& B) {
  out.check_fits(model);
  detail::compute_composite_inertias(model, data);
  const auto& B_C = operators.compute(model, data, B);
  Tensor3<S>& D = out.tensor();
  for (int l = 0; l < model.nv(); ++l) {
    const Motion<S>& phi_l = data.phi[l];
    const int b_l = model.node_of(l);
    const Node<S>& node_l = model.node(b_l);
    const detail::ColumnsAlong<S> along(model, data, l);
    // g is below l or, with all that it moves, above l.
    const auto with = [&](int g) {
      const int b = model.node_of(g), t = along.moves(g) ? b : b_l;
      const auto I_C = detail::at_node(data, data.composite_inertia, b),
                 I_t = detail::at_node(data, data.composite_inertia, t);
      const auto B_b = detail::at_node(data, B_C, b), B_t = detail::at_node(data, B_C, t);
      const auto own_psi = detail::body_operator(B, I_t.here(along.psi()), I_t.own);
      const detail::AtNode<std::remove_const_t<decltype(own_psi)>, S> B_psi{own_psi, I_t.point};
      const auto change = [&](int i, int j) -> S {
        const Motion<S>&phi = data.phi[j], &phi_dot = data.phi_dot[j];
        const Motion<S> step = cross(phi_l, phi), rate_step = cross(phi_l, phi_dot);
        const Force<S> of_composites =
            cross(phi_l, I_t * phi_dot + B_t * phi) - (I_t * rate_step + B_t * step) + B_psi * phi;
        return dot(along.of_column(i), I_C * phi_dot + B_b * phi) +
               dot(data.phi[i], of_composites + I_C * along.of_rate(j) + B_b * along.of_column(j));
      };
      const Node<S>& node = model.node(b);
      for (int a = node.v_end - 1; a >= 0; a = model.parent_dof(a)) {
        D(g, a, l) = change(g, a);
        if (a < node.v_begin) D(a, g, l) = change(a, g);
      }
    };
    for (int g = node_l.v_begin; g < node_l.subtree_v_end; ++g) with(g);
    for (int g = model.parent_dof(node_l.v_begin); g >= 0; g = model.parent_dof(g)) with(g);
  }
}

}  // namespace algorithm

}}  // namespace corio
