#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"

/// Products with the Coriolis matrix, without forming it. Source: Niemeyer and Slotine (1991); Echeandia and Wensing
/// (2021), eq. 30 read from right to left.
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct CoriolisProduct;
template <class S, class Factorization = factorization::Christoffel>
struct CoriolisTransposeProduct;

}  // namespace algorithm

/// Computes C(q, v) v_r for a reference velocity v_r other than v, as in passivity-based control. An outward pass
/// computes the bodies' motion at v_r, W_b = sum Phi_k v_r,k, and A_b = sum dPhi_k v_r,k; an inward pass sums the
/// forces I A + B(V, I) W.
///
/// @param v_r  nv, in the basis of v
/// @param B    the factorization, as for coriolis_matrix
/// @returns nv; valid until the next call.
/// @throws SizeError. O(n).
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& coriolis_product(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> v_r,
                                   const Factorization& B = {}) {
  return data.template run<algorithm::CoriolisProduct<S, Factorization>>(robot, v_r, B).result;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& coriolis_product(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                   VectorIn<S> v_r, const Factorization& B = {}) {
  detail::check_speeds("v_r", v_r, robot);
  return coriolis_product(robot, forward_kinematics(robot, data, q, v, __func__), v_r, B);
}

/// Computes C(q, v)^T x. With W_b = sum Phi_k x_k, the momenta I W are projected on the columns' rates and the forces
/// B(V, I)^T W on the columns. C^T v is the same for every admissible B. Momentum observers use it: d(M v)/dt = tau - g
/// + C^T v.
///
/// @param x  nv, in the basis of v
/// @param B  the factorization, as for coriolis_matrix
/// @returns nv; valid until the next call.
/// @throws SizeError. O(n).
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& coriolis_transpose_product(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> x,
                                             const Factorization& B = {}) {
  return data.template run<algorithm::CoriolisTransposeProduct<S, Factorization>>(robot, x, B).result;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& coriolis_transpose_product(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                             VectorIn<S> v, VectorIn<S> x, const Factorization& B = {}) {
  detail::check_speeds("x", x, robot);
  return coriolis_transpose_product(robot, forward_kinematics(robot, data, q, v, __func__), x, B);
}

namespace algorithm {

template <class S, class Factorization>
struct CoriolisProduct {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "coriolis_product"};
  VectorX<S> result;
  PerNode<Motion<S>> W, A;
  PerNode<Force<S>> force;

  explicit CoriolisProduct(const Model<S>& m)
      : result(zeros<S>(m.nv())), W(m.num_nodes()), A(W), force(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, const Factorization& B = {});
};
template <class S, class Factorization>
void CoriolisProduct<S, Factorization>::run(const Model<S>& model, Data<S>& data, VectorIn<S> v_r,
                                            const Factorization& B) {
  detail::check_speeds("v_r", v_r, model, needs.name);
  detail::compute_body_inertias(model, data);
  detail::sum_outward(model, W, data.phi, v_r);
  detail::sum_outward(model, A, data.phi_dot, v_r);
  detail::sum_and_project(model, data.phi, force, result, [&](int b) -> Force<S> {
    return detail::at_node(data, data.inertia, b) * A[b] + detail::body_operator(B, data, b) * W[b];
  });
}

template <class S, class Factorization>
struct CoriolisTransposeProduct {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "coriolis_transpose_product"};
  VectorX<S> result;
  PerNode<Motion<S>> W;
  PerNode<Force<S>> momentum, force;

  explicit CoriolisTransposeProduct(const Model<S>& m)
      : result(zeros<S>(m.nv())), W(m.num_nodes()), momentum(m.num_nodes()), force(momentum) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> x, const Factorization& B = {});
};
template <class S, class Factorization>
void CoriolisTransposeProduct<S, Factorization>::run(const Model<S>& model, Data<S>& data, VectorIn<S> x,
                                                     const Factorization& B) {
  detail::check_speeds("x", x, model, needs.name);
  detail::compute_body_inertias(model, data);
  detail::sum_outward(model, W, data.phi, x);
  for (int b = 0; b < model.num_nodes(); ++b) {
    momentum[b] = detail::at_node(data, data.inertia, b) * W[b];
    force[b] = detail::body_operator(B, data, b).transpose_times(W[b]);
  }
  detail::sum_inward(model, momentum);
  detail::sum_inward(model, force);
  for (int k = 0; k < model.nv(); ++k) {
    const int b = model.node_of(k);
    result[k] = dot(data.phi[k], force[b]) + dot(data.phi_dot[k], momentum[b]);
  }
}

}  // namespace algorithm

}}  // namespace corio
