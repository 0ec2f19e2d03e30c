#pragma once

#include "corio/algorithms/dynamics/rnea.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Generalized momentum p = M v, and C^T v - g, its rate without generalized forces; nv numbers each.
template <class S>
struct GeneralizedMomentumResult {
  VectorX<S> p, drift;
};

namespace algorithm {

template <class S>
struct GeneralizedMomentum;

}  // namespace algorithm

/// Computes p = M(q) v, armature included, and drift = C(q, v)^T v - g(q), the terms of the balance of momentum
///
///   dp/dt = tau + drift
///
/// for all generalized forces tau. No acceleration is needed. C^T v is the same for every admissible factorization:
/// with the momenta h^C of subtrees p_k = Phi_k . h^C, and (C^T v)_k = dPhi_k . h^C, since B^T V = V x* I V - B V = 0.
///
/// @returns {p, drift}, nv each, valid until the next call.
/// @throws SizeError. O(n). Source: De Luca and Mattone (2003); [WS] remark 4.
template <class S, template <class> class Robot>
const GeneralizedMomentumResult<S>& generalized_momentum(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::GeneralizedMomentum<S>>(robot).result;
}
template <class S, template <class> class Robot>
const GeneralizedMomentumResult<S>& generalized_momentum(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                                         VectorIn<S> v) {
  return generalized_momentum(robot, forward_kinematics(robot, data, q, v, __func__));
}

namespace algorithm {

template <class S>
struct GeneralizedMomentum {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "generalized_momentum"};
  GeneralizedMomentumResult<S> result;
  PerNode<Force<S>> momentum, gravity;  // sums for each body, then for its subtree

  explicit GeneralizedMomentum(const Model<S>& m)
      : result{zeros<S>(m.nv()), zeros<S>(m.nv())}, momentum(m.num_nodes()), gravity(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void GeneralizedMomentum<S>::run(const Model<S>& model, const Data<S>& data) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Vector3<S> f = body.mass * model.gravity();
    momentum[b] = detail::body_momentum(data.pose[b], body, data.velocity[b]);
    gravity[b] = {cross<S>(data.pose[b].point(body.com), f), f};
  }
  auto& [p, drift] = result;
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    const Force<S>&h = momentum[b], &F = gravity[b];
    for (int k = node.v_begin; k < node.v_end; ++k) {
      p[k] = dot(data.phi[k], h) + model.armature()[k] * data.v[k];
      drift[k] = dot(data.phi_dot[k], h) + dot(data.phi[k], F);
    }
    if (node.parent >= 0) momentum[node.parent] += h, gravity[node.parent] += F;
  }
}

}  // namespace algorithm

}}  // namespace corio
