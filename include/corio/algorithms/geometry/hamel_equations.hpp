#pragma once

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The terms of Hamel's equations, nv numbers each, for the Lagrangian L = T - U of the kinetic energy T = v^T M v / 2
/// and the potential energy U.
template <class S>
struct HamelEquationsResult {
  VectorX<S> momentum;       ///< p = dL/dv = M v
  VectorX<S> momentum_rate;  ///< dp/dt
  VectorX<S> kinetic_slope;  ///< D_i T, the derivative of T along degree of freedom i at constant v
  VectorX<S> gravity;        ///< D_i U, as generalized_gravity
  VectorX<S> bracket;        ///< sum_al c(l,a,i) v_a p_l without armature, zero if v is the rate of coordinates
  VectorX<S> tau;            ///< the generalized force
};

namespace algorithm {

template <class S>
struct HamelEquations;

}  // namespace algorithm

/// Computes inverse dynamics by Hamel's equations: Lagrange's for velocities that need not be rates of coordinates,
///   tau_i = d/dt (dL/dv_i) - D_i L - sum_al c(l,a,i) v_a dL/dv_l
/// with the structure constants c of structure_constants.hpp. tau = rnea(q, v, a), and its terms are computed from
/// momenta of subtrees. If v is the rate of coordinates the brackets are zero, and these are Lagrange's equations. The
/// armature of a joint enters its momenta, but not its brackets: for armature on motions that do not commute see
/// structure_constants.hpp. For a Mechanism, whose speeds also move joints that depend on them, see
/// mechanism/geometry.hpp.
///
/// @returns the terms, valid until the next call.
/// @throws SizeError. O(n).
/// Source: Wensing and Slotine (2023), eq. 6 (Hamel 1904).
template <class S, template <class> class Robot>
const HamelEquationsResult<S>& hamel_equations(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::HamelEquations<S>>(robot).result;
}
template <class S, template <class> class Robot>
const HamelEquationsResult<S>& hamel_equations(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                               VectorIn<S> v, VectorIn<S> a) {
  return hamel_equations(robot, forward_kinematics(robot, data, q, v, a, __func__));
}

namespace algorithm {

template <class S>
struct HamelEquations {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "hamel_equations"};
  HamelEquationsResult<S> result;
  PerNode<Force<S>> momentum, rate, weight;

  explicit HamelEquations(const Model<S>& m)
      : result{zeros<S>(m.nv()), zeros<S>(m.nv()), zeros<S>(m.nv()),
               zeros<S>(m.nv()), zeros<S>(m.nv()), zeros<S>(m.nv())},
        momentum(m.num_nodes()),
        rate(momentum),
        weight(momentum) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void HamelEquations<S>::run(const Model<S>& model, Data<S>& data) {
  VectorX<S>&p = result.momentum, &p_dot = result.momentum_rate, &slope = result.kinetic_slope;
  VectorX<S>&gravity = result.gravity, &bracket = result.bracket;
  detail::compute_composite_inertias(model, data);
  const Motion<S> g{zero3<S>(), model.gravity()};
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto I_b = detail::at_node(data, data.inertia, b);
    momentum[b] = I_b * data.velocity[b];
    rate[b] = I_b * data.acceleration[b] + cross(data.velocity[b], momentum[b]);
    weight[b] = I_b * g;
  }
  for (auto* sums : {&momentum, &rate, &weight}) detail::sum_inward(model, *sums);

  // Armature is part of p, but not of the brackets, as in structure_constants_first_kind. So it is added at the end.
  for (int k = 0; k < model.nv(); ++k) {
    const int b = model.node_of(k);
    p[k] = dot(data.phi[k], momentum[b]);
    slope[k] = dot(data.phi_dot[k], momentum[b]);
    p_dot[k] = slope[k] + dot(data.phi[k], rate[b]);
    gravity[k] = -dot(data.phi[k], weight[b]);
  }
  result.tau = p_dot - slope + gravity;
  // dPhi_k is the derivative of Phi_k along v; minus its bracket with v it is the derivative of the twist along k.
  bracket.setZero();
  detail::for_each_structure_constant(model, data,
                                      [&](int l, int a, int i, const S& c) { bracket[i] += c * data.v[a] * p[l]; });
  slope -= bracket;
  for (int k = 0; k < model.nv(); ++k) {
    p[k] += model.armature()[k] * data.v[k];
    p_dot[k] += model.armature()[k] * data.a[k];
    result.tau[k] += model.armature()[k] * data.a[k];
  }
}

}  // namespace algorithm

}}  // namespace corio
