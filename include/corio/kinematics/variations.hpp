#pragma once

#include "corio/kinematics/forward_kinematics.hpp"

namespace corio::detail {

/// How the motion of a subtree changes as the configuration moves along degree of freedom j of its first joint, apart
/// from being carried along by Phi_j: with D_j the derivative at constant v and dv/dt, for every body k of the subtree
///   D_j V_k = Phi_j x V_k + psi,   D_j a_k = Phi_j x a_k + psi x V_k + psi_dot,
///   dV_k/dv_j = Phi_j,             da_k/dv_j = Phi_j x V_k + chi.
/// The same for all of them. Source: Singh, Russell and Wensing (2022), eqs. 18-29.
template <class S>
struct Variation {
  Motion<S> psi, psi_dot, chi;
};

/// For Phi and its rate, and the velocity and acceleration, gravity included, of what carries the joint.
template <class N>
CORIO_INLINE Variation<N> variation(const Motion<N>& phi, const Motion<N>& phi_dot, const Motion<N>& V,
                                    const Motion<N>& a) {
  const Motion<N> psi = cross(V, phi);
  return {psi, cross(a, phi) + cross(V, psi), psi + phi_dot};
}

/// D_j S_l for degrees of freedom j and l of a node whose columns move in the body, as seen in the body.
template <class S>
const Motion<S>& moving_partial(const Data<S>& data, const Node<S>& node, int j, int l) {
  const int begin = node.v_begin;
  return data.phi_partial[node.partials_begin + (j - begin) * (node.v_end - begin) + l - begin];
}
/// sum_l D_j S_l x_l.
template <class S, class Vector>
Motion<S> moving_sum(const Data<S>& data, const Node<S>& node, int j, const Vector& x) {
  Motion<S> sum = Motion<S>::zero();
  for (int l = node.v_begin; l < node.v_end; ++l) sum += moving_partial(data, node, j, l) * x[l];
  return sum;
}

/// D_j (sum_l dS_l/dt v_l), of the rates as seen in the body. The joint must have a dual form, as for the next one.
template <class S>
Motion<S> moving_rate_partial(const Data<S>& data, int b, const Node<S>& node, int j) {
  return data.pose[b].act(node.joint.custom()->column_rate_partial(data.q.data() + node.q_begin,
                                                                   data.v.data() + node.v_begin, j - node.v_begin));
}
/// d2S_k/dt2 as seen in the body, for v held.
template <class S>
Motion<S> moving_second_rate(const Data<S>& data, int b, const Node<S>& node, int k) {
  return data.pose[b].act(node.joint.custom()->column_second_rate(data.q.data() + node.q_begin,
                                                                  data.v.data() + node.v_begin, k - node.v_begin));
}

/// What is added to it for degree of freedom j of a node whose columns move in the body, when V carries the node:
/// to psi sum_l D_j S_l v_l, to psi_dot the rate of that for the generalized acceleration dv.
template <class S>
void add_moving_columns(const Model<S>& model, const Data<S>& data, const VectorX<S>& dv, int b, int j,
                        Variation<S>& x) {
  const Node<S>& node = model.node(b);
  const Motion<S> V = node.parent < 0 ? Motion<S>::zero() : data.velocity[node.parent];
  const Motion<S> rate = moving_sum(data, node, j, data.v);
  x.psi_dot += moving_sum(data, node, j, dv) + cross(data.velocity[b], rate) + moving_rate_partial(data, b, node, j) +
               cross(V, rate);
  x.psi += rate;
  x.chi += rate;
}

/// dtau_dq(k,j) += D_j S_k . F^C for pairs of degrees of freedom of joints whose columns move in the body.
template <class S>
void add_moving_columns(const Model<S>& model, const Data<S>& data, const PerNode<Force<S>>& force,
                        MatrixX<S>& dtau_dq) {
  for (int b = 0; b < model.num_nodes() && !data.phi_partial.empty(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.partials_begin < 0) continue;
    const Motion<S>* partial = &data.phi_partial[node.partials_begin];
    for (int j = node.v_begin; j < node.v_end; ++j)
      for (int k = node.v_begin; k < node.v_end; ++k) dtau_dq(k, j) += dot(*partial++, force[b]);
  }
}

/// D_l Phi_k, as q moves along l, for degrees of freedom on one path from a root.
template <class S>
Motion<S> column_derivative(const Model<S>& model, const Data<S>& data, int l, int k) {
  const Node<S>& node = model.node(model.node_of_dof(l));
  if (k < node.v_begin) return Motion<S>::zero();
  const Motion<S> carried = cross(data.phi[l], data.phi[k]);
  return node.partials_begin < 0 || k >= node.v_end ? carried : carried + moving_partial(data, node, l, k);
}

/// d2Phi_k/dt2 for the degrees of freedom of body b:
///   a x Phi + V x dPhi/dt, and where the column moves in the body V x ring + sum_l ring_l dv_l + its second rate,
/// with ring_l the derivative of the column along l as seen in the body, and ring their sum for v.
template <class S>
Motion<S> column_second_rate(const Model<S>& model, const Data<S>& data, int k) {
  const int b = model.node_of_dof(k);
  const Node<S>& node = model.node(b);
  const Motion<S>&V = data.velocity[b], &phi_dot = data.phi_dot[k];
  Motion<S> sum = cross(data.acceleration[b], data.phi[k]) + cross(V, phi_dot);
  if (node.partials_begin < 0) return sum;
  sum += cross(V, phi_dot - cross(V, data.phi[k]));
  for (int l = node.v_begin; l < node.v_end; ++l) sum += moving_partial(data, node, l, k) * data.dv[l];
  return sum + moving_second_rate(data, b, node, k);
}

}  // namespace corio::detail
