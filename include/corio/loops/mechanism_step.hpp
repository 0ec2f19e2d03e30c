#pragma once

#include <cmath>

#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {

/// What step of a mechanism returns.
template <class S>
struct MechanismStep {
  VectorX<S> q, y;
  Assembly<S> assembly;  // how the loops were closed at the end of the step
};

namespace detail {

/// @throws ModelError if the map from independent speeds changes by a large share of its size in a time step: near a
/// singular configuration it grows as 1/s with the distance s, and too long steps cross it with a wrong energy
template <class S>
void require_resolved(const Mechanism<S>& mechanism, const MechanismData<S>& data, double dt) {
  constexpr double most = 0.3;
  for (const auto& cluster : mechanism.clusters()) {
    if (!cluster.varies) continue;
    // Row by row, so that the large entries of a gear do not hide changes of others.
    for (const int k : cluster.dependent) {
      double size = 0.0, change = 0.0;
      mechanism.for_each_entry(k, [&](int, int e) {
        size += value_of(data.G[e] * data.G[e]), change += value_of(data.Gdot[e] * data.Gdot[e]);
      });
      if (std::sqrt(change) * std::abs(dt) > most * (1.0 + std::sqrt(size)))
        throw ModelError(join({"step: ", who_determines(mechanism.tree(), cluster),
                               " are so near to a singular configuration, or so fast, that a time step of ", number(dt),
                               " s cannot follow joint '", joint_of_dof(mechanism.tree(), k),
                               "'; choose other ones, or a shorter step"}));
    }
  }
}

}  // namespace detail

/// q and y after a time step of
///   q' = G(q) y,   y' = aba(q, y, tau + G^T passive_forces),
/// by the method of order four that step of a Model offers as Integrator::rk4. Then the loops are closed at constant
/// independent coordinates: the residual of the step, of order dt^5, is corrected by the dependent ones.
///
/// @param tau  nv of the mechanism, held during the step
/// @param dt   s
/// @throws SizeError, Error for an argument or a result that is not finite, and as aba of mechanisms; ModelError also
/// if the map from y to v would change by about a third of its size during the step, which happens three steps before
/// the independent speeds become singular, for instance at a limit of a rocker. The caller still has the state before.
/// Allocates; four times aba, and one or two iterations of assemble. Source: Celledoni, Marthinsen and Owren,
/// Commutator-free Lie group methods, 2003.
template <std::floating_point S>
MechanismStep<S> step(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                      VectorIn<S> tau, double dt) {
  detail::require_finite("dt", dt);
  const Model<S>& tree = mechanism.tree();
  const S h = static_cast<S>(dt);
  detail::check_sample("q", q, tree.nq());
  detail::check_sample("y", y, mechanism.nv());
  detail::check_sample("tau", tau, mechanism.nv());
  const VectorX<S> q1 = q, y1 = y, drives = tau;  // copies, since arguments may refer to the state that changes
  VectorX<S> k[4], l[4], force(mechanism.nv());   // k, l: rates of q and of y
  const auto evaluate = [&](int i, const VectorX<S>& q_i, const VectorX<S>& y_i) {
    forward_kinematics<S>(mechanism, data, q_i, y_i);
    project_forces<S>(mechanism, data, passive_forces(tree, data.tree), force);
    force += drives;
    l[i] = aba<S>(mechanism, data, force);
    k[i] = data.tree.v;
  };
  evaluate(0, q1, y1);
  detail::require_resolved(mechanism, data, dt);
  const VectorX<S> q2 = integrate<S>(tree, q1, h / S(2) * k[0]);
  evaluate(1, q2, y1 + h / S(2) * l[0]);
  evaluate(2, integrate<S>(tree, q1, h / S(2) * k[1]), y1 + h / S(2) * l[1]);
  evaluate(3, integrate<S>(tree, q2, h * (k[2] - k[0] / S(2))), y1 + h * l[2]);
  const VectorX<S> halfway = integrate<S>(tree, q1, h / S(12) * (S(3) * k[0] + S(2) * (k[1] + k[2]) - k[3]));
  const VectorX<S> end = integrate<S>(tree, halfway, h / S(12) * (S(3) * k[3] + S(2) * (k[1] + k[2]) - k[0]));
  MechanismStep<S> result;
  result.assembly = assemble<S>(mechanism, data, end);
  result.q = result.assembly.q;
  result.y = y1 + h / S(6) * (l[0] + S(2) * (l[1] + l[2]) + l[3]);
  detail::require_finite("y", result.y, "step", " after the step: tau, y or dt is too large");
  return result;
}

}  // namespace corio
