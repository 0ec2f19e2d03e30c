#pragma once

#include "corio/algorithms/factorization.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/kinematics/composites.hpp"

/// Products with the Coriolis matrix that do not form it. Source: Niemeyer and Slotine (1991); Echeandia and Wensing
/// (2021), eq. 30 read from right to left.
namespace corio {

/// C(q, v) v_r, for a reference velocity v_r that need not be v, as passivity-based controllers use it. One pass
/// outward for the motion that v_r would give the bodies, W_b = sum Phi_k v_r, and what the columns' rates add to its
/// rate, A_b = sum dPhi_k v_r; one inward for the forces I A + B(V, I) W.
///
/// @param v_r  nv, in the same basis as v
/// @param B    the factorization, as for coriolis_matrix
/// @returns nv, in data.coriolis_product; valid until the next call.
/// @throws SizeError. O(n), no allocation.
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& coriolis_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> v_r,
                                   const Factorization& B = {}) {
  detail::check_size("v_r", v_r.size(), model.nv());
  forward_kinematics(model, data, q, v);
  return coriolis_product(model, data, v_r, B);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws SizeError, StateError without it
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& coriolis_product(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, const Factorization& B = {}) {
  data.require(model, Pass::velocity, "coriolis_product");
  detail::check_size("v_r", v_r.size(), model.nv());
  detail::world_inertias(model, data);
  auto &W = data.work.motion, &A = data.work.acceleration;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    const auto parent = static_cast<std::size_t>(node.parent);
    W[b] = node.parent < 0 ? Motion<S>::zero() : W[parent];
    A[b] = node.parent < 0 ? Motion<S>::zero() : A[parent];
    for (int k = node.v_begin; k < node.v_end; ++k) {
      W[b] += data.phi[static_cast<std::size_t>(k)] * v_r[k];
      A[b] += data.phi_dot[static_cast<std::size_t>(k)] * v_r[k];
    }
    data.work.force[b] = data.inertia[b] * A[b] + detail::body_operator(B, data.velocity[b], data.inertia[b]) * W[b];
  }
  detail::project_forces(model, data, data.coriolis_product);
  return data.coriolis_product;
}

/// C(q, v)^T x: with W_b = sum Phi_k x, the momenta I W are projected on the columns' rates and the forces B(V, I)^T W
/// on the columns. C^T v, the same for every admissible B, is what a momentum observer needs: d(M v)/dt = tau - g + C^T
/// v.
///
/// @param x  nv, in the same basis as v
/// @param B  the factorization, as for coriolis_matrix
/// @returns nv, in data.coriolis_transpose_product; valid until the next call.
/// @throws SizeError. O(n), no allocation.
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& coriolis_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                             VectorIn<S> x, const Factorization& B = {}) {
  detail::check_size("x", x.size(), model.nv());
  forward_kinematics(model, data, q, v);
  return coriolis_transpose_product(model, data, x, B);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws SizeError, StateError without it
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& coriolis_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> x,
                                             const Factorization& B = {}) {
  data.require(model, Pass::velocity, "coriolis_transpose_product");
  detail::check_size("x", x.size(), model.nv());
  detail::world_inertias(model, data);
  auto& W = data.work.motion;
  auto &momentum = data.work.force, &force = data.work.other_force;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    W[b] = node.parent < 0 ? Motion<S>::zero() : W[static_cast<std::size_t>(node.parent)];
    for (int k = node.v_begin; k < node.v_end; ++k) W[b] += data.phi[static_cast<std::size_t>(k)] * x[k];
    momentum[b] = data.inertia[b] * W[b];
    force[b] = detail::apply_transpose(detail::body_operator(B, data.velocity[b], data.inertia[b]), W[b]);
  }
  detail::add_to_parents(model, momentum);
  detail::add_to_parents(model, force);
  for (std::size_t b = 0; b < data.pose.size(); ++b)
    for (int k = model.nodes()[b].v_begin; k < model.nodes()[b].v_end; ++k)
      data.coriolis_transpose_product[k] = dot(data.phi[static_cast<std::size_t>(k)], force[b]) +
                                           dot(data.phi_dot[static_cast<std::size_t>(k)], momentum[b]);
  return data.coriolis_transpose_product;
}

}  // namespace corio
