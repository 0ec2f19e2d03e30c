#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kernels/reference_motions.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct SlotineLiInverseDynamics;

}  // namespace algorithm

/// Computes M(q) a_r + C(q, v) v_r + g(q), armature included: the feedforward of passivity-based control along a
/// reference velocity v_r other than v. With the motions of the bodies at the reference, W_b = sum Phi_k v_r,k and dW_b
/// = sum Phi_k a_r,k + dPhi_k v_r,k, their forces are I (dW - gravity) + B(V, I) W. The result equals rnea if v_r = v
/// and a_r = a.
///
/// @param v_r, a_r  nv, reference velocity and the rate of its components
/// @param B         the factorization, as for coriolis_matrix
/// @returns nv generalized forces (N m, N), valid until the next call.
/// @throws SizeError. O(n). Source: Niemeyer and Slotine (1991); [WS] eq. 12.
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& slotine_li_inverse_dynamics(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> v_r,
                                              VectorIn<S> a_r, const Factorization& B = {}) {
  return data.template run<algorithm::SlotineLiInverseDynamics<S, Factorization>>(robot, v_r, a_r, B).tau;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& slotine_li_inverse_dynamics(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                              VectorIn<S> v, VectorIn<S> v_r, VectorIn<S> a_r,
                                              const Factorization& B = {}) {
  detail::check_references(robot, v_r, a_r);
  return slotine_li_inverse_dynamics(robot, forward_kinematics(robot, data, q, v, __func__), v_r, a_r, B);
}

namespace algorithm {

template <class S, class Factorization>
struct SlotineLiInverseDynamics {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "slotine_li_inverse_dynamics"};
  VectorX<S> tau;
  detail::ReferenceMotions<S> reference;
  PerNode<Force<S>> force;

  explicit SlotineLiInverseDynamics(const Model<S>& m) : tau(zeros<S>(m.nv())), reference(m), force(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r, const Factorization& B = {}) {
    run(model, data, v_r, a_r, model.gravity(), B);
  }
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r, const Vector3<S>& gravity,
           const Factorization& B);
};
template <class S, class Factorization>
void SlotineLiInverseDynamics<S, Factorization>::run(const Model<S>& model, Data<S>& data, VectorIn<S> v_r,
                                                     VectorIn<S> a_r, const Vector3<S>& gravity,
                                                     const Factorization& B) {
  reference.run(model, data, v_r, a_r, needs.name);
  detail::compute_body_inertias(model, data);
  const Motion<S> g{zero3<S>(), gravity};
  detail::sum_and_project(model, data.phi, force, tau, [&](int b) -> Force<S> {
    return detail::at_node(data, data.inertia, b) * (reference.dW[b] - g) +
           detail::body_operator(B, data, b) * reference.W[b];
  });
  for (int k = 0; k < model.nv(); ++k) tau[k] += model.armature()[k] * a_r[k];
}

}  // namespace algorithm

}}  // namespace corio
