#pragma once

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/core/compiled.hpp"
#include "corio/loops/detail/delassus.hpp"

/// Dynamics of a tree with closed loops, and impacts that close loops, in the coordinates of the tree.
namespace corio { inline namespace CORIO_ABI {

/// The result of constrained_forward_dynamics.
template <class S>
struct ConstrainedMotion {
  VectorX<S> a;       // nv, rate of v
  VectorX<S> lambda;  // forces of the loops, one a row; see closure_force
  int rank = 0;       // number of independent rows of K; in a pack of states the largest of their numbers
};

/// The result of constrained_impulse.
template <class S>
struct ConstrainedImpulseResult {
  VectorX<S> v;       // nv, after the impact
  VectorX<S> Lambda;  // impulses of the loops, N s or N m s, one a row
  int rank = 0;
};

namespace detail {

template <class S>
void check_motion(const Model<S>& model, VectorIn<S> q, VectorIn<S> v, const char* function = __builtin_FUNCTION()) {
  check_finite_coordinates("q", q, model, function);
  check_finite_speeds("v", v, model, function);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ConstrainedForwardDynamics;
template <class S>
struct ConstrainedImpulse;

}  // namespace algorithm

/// Forward dynamics of a mechanism with closed loops, in the coordinates of its tree:
///   M a + C v + g = tau + tau_external + K^T lambda,   K a + dK/dt v = -2 rate K v - rate^2 k.
///
/// The Lagrange multipliers lambda are the forces of the loops. With rate = 0 existing errors of the loops are not
/// corrected; a positive rate (1/s) makes errors of integration decay as exp(-rate t) (Baumgarte 1972). Redundant
/// conditions, as in overconstrained mechanisms, are recognised by the rank of K. Then a is still unique, and lambda is
/// the solution of least norm, with each row scaled by its mobility. Delassus' matrix K M^-1 K^T is computed by
/// propagating unit forces from the loops to the root.
///
/// @param tau  nv generalized forces (N m, N); passive forces are added by the caller
/// @param external  wrenches on bodies, each with its axes and point
/// @returns {a, lambda, rank}, valid until the next call
/// @throws SizeError; Error for an argument that is not finite, or for conditions that are redundant at the nominal
/// inputs of a scalar that records (codegen); ModelError for loops of another model, a relation whose derivatives are
/// not finite, or a joint that moves no inertia. O(n + m d + m^2 d + m^3) for m rows. For loops on separate trees with
/// contiguous rows, m counts the rows of each tree and the terms add up: O(n + m) for loops of bounded size on branches
/// of the ground. Source: Featherstone (2008), ch. 8; Rodriguez, Jain and Kreutz-Delgado (1992).
template <FloatingPointOrRecorded S>
const ConstrainedMotion<S>& constrained_forward_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                         VectorIn<S> tau, double rate = 0.0,
                                                         ExternalForces<S> external = {}) {
  loops.check_fits(model, "constrained_forward_dynamics");
  detail::check_motion(model, data.q, data.v);
  detail::check_finite_speeds("tau", tau, model);
  detail::require_finite("rate", rate);
  return data.template run<algorithm::ConstrainedForwardDynamics<S>>(model, loops, tau, rate, external).result;
}
template <FloatingPointOrRecorded S>
const ConstrainedMotion<S>& constrained_forward_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                         VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                                                         double rate = 0.0, ExternalForces<S> external = {}) {
  detail::check_motion<S>(model, q, v);
  detail::check_finite_speeds("tau", tau, model);
  detail::require_finite("rate", rate);
  return constrained_forward_dynamics<S>(model, forward_kinematics(model, data, q, v, __func__), loops, tau, rate,
                                         external);
}

/// Computes the velocity after an impact that closes loops, such as feet that meet the ground, in tree coordinates:
///   M (v+ - v) = K^T Lambda,   K v+ = -restitution K v.
/// Redundant conditions are treated as in constrained_forward_dynamics.
///
/// @param restitution  with 0 the loops stay closed; with 1 the frames separate as fast as they met, without loss of
///   energy
/// @returns {v+, Lambda, rank}, valid until the next call
/// @throws as constrained_forward_dynamics, with the same cost. Source: Featherstone (2008), sec. 11.7.
template <FloatingPointOrRecorded S>
const ConstrainedImpulseResult<S>& constrained_impulse(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                       double restitution = 0.0) {
  loops.check_fits(model, "constrained_impulse");
  detail::check_motion(model, data.q, data.v);
  detail::require_finite("restitution", restitution);
  return data.template run<algorithm::ConstrainedImpulse<S>>(model, loops, restitution).result;
}
template <FloatingPointOrRecorded S>
const ConstrainedImpulseResult<S>& constrained_impulse(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                       VectorIn<S> q, VectorIn<S> v, double restitution = 0.0) {
  detail::check_motion<S>(model, q, v);
  detail::require_finite("restitution", restitution);
  return constrained_impulse<S>(model, forward_kinematics(model, data, q, v, __func__), loops, restitution);
}

namespace algorithm {

template <class S>
struct ConstrainedForwardDynamics {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "constrained_forward_dynamics", .regular = true};
  Aba<S> tree;
  detail::Delassus<S> delassus;
  VectorX<S> k;
  MatrixX<S> error, lambda;
  ConstrainedMotion<S> result;

  explicit ConstrainedForwardDynamics(const Model<S>& m) : tree(m), delassus(m) {}
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> tau, double rate,
           ExternalForces<S> external = {});
};
template <class S>
void ConstrainedForwardDynamics<S>::run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> tau,
                                        double rate, ExternalForces<S> external) {
  tree.sweep_inward(model, data, tau, external);
  delassus.compute(model, data, loops, tree.factor);
  k.resize(loops.rows());
  constraint_residual<S>(model, data, loops, k);
  error = static_cast<S>(-rate * rate) * k - static_cast<S>(2 * rate) * delassus.speed();
  for (const auto& loop : loops.all())  // k = dK/dt v
    detail::LoopAtState<S>(model, data, loop, Pass::velocity)
        .times_Kdot(data.v, data.velocity, data.bias, k.data() + loop.begin);
  error -= k;
  // M a = tau - C v - g + K^T lambda: the forces of the loops are added between the two sweeps.
  delassus.subtract_motion(tree.a, error);
  delassus.solve(error, lambda);
  delassus.add_forces(lambda, tree.a);
  tree.factor.sweep_outward(model, data, tree.a);
  result.a = tree.a, result.lambda = lambda.col(0);
  result.rank = static_cast<int>(delassus.rank());
}

template <class S>
struct ConstrainedImpulse {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "constrained_impulse", .regular = true};
  detail::ArticulatedFactor<S> tree;
  detail::Delassus<S> delassus;
  MatrixX<S> error, lambda;
  ConstrainedImpulseResult<S> result;

  explicit ConstrainedImpulse(const Model<S>& m) : tree(m), delassus(m) {}
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, double restitution);
};
template <class S>
void ConstrainedImpulse<S>::run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, double restitution) {
  tree.compute(model, data);
  delassus.compute(model, data, loops, tree);
  error = static_cast<S>(-1 - restitution) * delassus.speed();
  delassus.solve(error, lambda);
  // v is the change of velocity until the end.
  result.v.setZero(model.nv());
  delassus.add_forces(lambda, result.v);
  tree.sweep_outward(model, data, result.v);
  result.v += data.v, result.Lambda = lambda.col(0);
  result.rank = static_cast<int>(delassus.rank());
}

}  // namespace algorithm

#define CORIO_COMPILED_CONSTRAINED_DYNAMICS(EXTERN, S)               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ConstrainedForwardDynamics<S>) \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ConstrainedImpulse<S>)
CORIO_DECLARE_COMPILED(CONSTRAINED_DYNAMICS)

}}  // namespace corio
