#pragma once

#include "corio/algorithms/derivatives/detail/external_force_hessian.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/spatial/detail/virtual_sums.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Adds the part of add_fixed_axes_hessian for columns that move in their bodies. O(d^2) for each wrench.
template <class S, class Matrix>
void add_fixed_axes_moving_columns(const Model<S>& model, const Data<S>& data, ExternalForces<S> external,
                                   const PerNode<Motion<S>>& U, VectorIn<S> lambda, Matrix& qq) {
  for_fixed_axes_pairs(model, data, external, [&](const auto& change, int node, int b, int j, int c, int i) {
    const S x = change.of_moving_columns(data.phi[i], data.phi[j], moving_axes_term(model, data, i, lambda),
                                         moving_axes_term(model, data, j, lambda));
    qq(j, i) += x;
    if (b != c)
      qq(i, j) += x;
    else
      qq(j, i) += change.along(column_partial(model, data, i, j), U[node]);
  });
}

/// Adds to inverse_dynamics_hessian the terms of columns that move in the body, for pairs i, j of degrees of freedom of
/// one joint. The second derivatives of the motions of its subtree (kinematics/detail/variations.hpp) then contain,
/// beside the terms of constant columns, with s = D_j S_i, T x = sum_l D_j D_i S_l x_l, rho_j = sum_l D_j S_l v_l and W
/// = V + V_p, where V_p, U_p and a_p (gravity included) belong to the parent of the joint,
///   psi      V_p x s + Phi_i x rho_j + T v,
///   psi^U    U_p x s + Phi_i x rho^U_j + T lambda,
///   psi_a    a_p x s + V_p x (V_p x s) + W x T v + T a + sum_l D_j D_i (dS_l/dt) v_l
///            + Phi_i x (W x rho_j + sum_l D_j S_l dv_l + D_j (dS_l/dt) v_l) + (2 V_p x Phi_i + rho_i) x rho_j.
/// With respect to v_i and along j, psi has s, and psi_a has Phi_i x rho_j + W x s + T v + D_j dS_i/dt. Twice with
/// respect to v, psi_a has D_j S_i + D_i S_j. With respect to the acceleration of i and along j, psi_a has s. Each is
/// multiplied with the factor of its quantity in the first derivative of lambda^T tau: sum 2 B^T U for psi, F^C for
/// psi^U, sum I U for psi_a.
template <class S, class Hessian>
void add_moving_columns_hessian(const Model<S>& model, const Data<S>& data, const DerivativeState<S>& state,
                                VectorIn<S> lambda, ExternalForces<S> external, const PerNode<Motion<S>>& U,
                                const PerNode<VirtualSums<S>>& sums, Hessian& H) {
  if (model.num_partials() == 0) return;
  add_fixed_axes_moving_columns(model, data, external, U, lambda, H.qq);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.partials_begin < 0) continue;
    const SecondPartials<S> second(model, data, b);
    const auto of_parent = [&](const PerNode<Motion<S>>& x) {
      return node.parent < 0 ? Motion<S>::zero() : x[node.parent];
    };
    const Motion<S> V_p = of_parent(data.velocity), U_p = of_parent(U), W = data.velocity[b] + V_p;
    const Motion<S> a_p = of_parent(state.acceleration) - Motion<S>{zero3<S>(), model.gravity()};
    const Force<S>& momentum = sums[b].momentum;
    const Couple<S>& moment = sums[b].moment;
    for (int j = node.v_begin; j < node.v_end; ++j) {
      const Variation<S> of_j = moving_axes_variation(model, data, state.a, j);
      const Motion<S>&rho_j = of_j.psi, rho_U = moving_axes_term(model, data, j, lambda);
      for_column_partials(model, data, j, [&](int i, const Motion<S>& s) {
        const Motion<S>& phi = data.phi[i];
        const Motion<S> rho_i = moving_axes_term(model, data, i, data.v), second_rho = second.of_columns(j, i, data.v);
        const Motion<S> psi = cross(V_p, s) + cross(phi, rho_j) + second_rho;
        const Motion<S> psi_U = cross(U_p, s) + cross(phi, rho_U) + second.of_columns(j, i, lambda);
        const Motion<S> psi_a = cross(a_p, s) + cross(V_p, cross(V_p, s)) + second.of_columns(j, i, state.a) +
                                second.of_rates(j, i) + cross(W, second_rho) + cross(phi, of_j.psi_a) +
                                cross(S(2) * cross(V_p, phi) + rho_i, rho_j);
        const Motion<S> psi_a_v = cross(phi, rho_j) + cross(V_p, s) + second_rho + second.of_rate(j, i);
        H.qq(i, j) += dot(psi_a, momentum) + dot(psi, moment) + dot(psi_U, state.F_C[b]);
        H.vq(i, j) += dot(psi_a_v, momentum) + dot(s, moment);
        H.vv(i, j) += dot(s, momentum), H.vv(j, i) += dot(s, momentum);
        H.aq(i, j) += dot(s, momentum);
      });
    }
  }
}

}}}  // namespace corio::detail
