#pragma once

#include <cmath>

#include "corio/core/compiled.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/simulation/step.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Advances q and y by dt seconds of
///   dq/dt = G(q) y,   dy/dt = aba(q, y, tau + passive_forces),
/// by the method of order four that step of a Model offers as Integrator::rk4. Then the loops, which are open by the
/// error of the step, of order dt^5, are closed at constant independent coordinates. Afterwards `data` holds the new
/// state.
///
/// @param q    nq of the tree, changed in place; not part of data
/// @param y    nv of the mechanism, changed in place; not part of data
/// @param tau  nv of the mechanism, held during the step
/// @param dt   s
/// @param friction  the model of friction in all joints of the tree, as for a Model
/// @returns the work of tau in this step, and the losses of all joints
/// @throws SizeError, Error for an argument or a result that is not finite, a dt that is not positive or another
/// integrator, and as aba of mechanisms; StateError also for a loop that stays open by more than
/// Mechanism::closing_tolerance; ModelError if the map from y to v would change by about a third of its size during the
/// step, which happens three steps before the independent speeds become singular, for instance at a limit of a rocker;
/// and errors that a user's joint or relation throws. q and y are then as they were, and `data` holds that state. For
/// packs of states only errors of sizes, dt and the integrator are thrown, and speeds of a state that failed are not
/// finite. Loops are closed by two of Newton's steps, which is enough if they were closed before the step. Cost: four
/// times aba, and the kinematics of three configurations.
template <FloatingPoint S>
StepWork<S> step(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorOut<S> q, VectorOut<S> y, VectorIn<S> tau,
                 double dt, Integrator integrator = Integrator::rk4, Friction friction = Friction::smooth) {
  data.check_fits(mechanism);
  detail::check_finite_coordinates("q", q, mechanism.tree());
  detail::check_finite_speeds("y", y, mechanism);
  detail::check_finite_speeds("tau", tau, mechanism);
  detail::check_step(dt);
  if (integrator != Integrator::rk4) throw Error("step: mechanisms are integrated by Integrator::rk4 alone");
  auto& own = data.template of<algorithm::Step<S>>(mechanism);
  own.run(mechanism, data, q, y, tau, dt, friction);
  return own.work;
}

/// Changes to the independent speeds that Mechanism(tree, loops, q) chooses, with unchanged velocities of the tree,
/// when the present ones become singular and step throws. The mechanism and its data are replaced, and vectors of the
/// old speeds, such as forces, do not fit any more. mechanism.independent() lists the new speeds.
///   try {
///     corio::step(crank, data, q, y, none, dt);
///   } catch (const corio::ModelError&) {
///     y = corio::change_speeds(crank, data, q, y);
///   }
/// @param q, y  the last state that forward_kinematics accepts
/// @returns the new independent speeds
/// @throws as forward_kinematics; ModelError for a q at which the linkage itself is singular and has further speeds.
/// The mechanism is then as it was. Allocates.
template <class S>
requires std::floating_point<S> VectorX<S> change_speeds(Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                         VectorIn<S> y) {
  const VectorX<S> v = forward_kinematics<S>(mechanism, data, q, y, __func__).tree.v;
  Mechanism<S> other(mechanism.tree(), mechanism.loops(), q);
  if (other.nv() != mechanism.nv())
    throw ModelError(
        detail::join({"change_speeds: in this configuration ", std::to_string(other.nv()), " speeds of model '",
                      mechanism.tree().name(), "' are independent, but ", std::to_string(mechanism.nv()),
                      " in configurations near it; change the speeds in one of those"}));
  VectorX<S> speeds(other.nv());
  for (int k = 0; k < other.nv(); ++k) speeds[k] = v[other.dof_of_speed(k)];
  other.set_closing_tolerance(mechanism.closing_tolerance());
  data = MechanismData<S>(other);
  mechanism = std::move(other);
  return speeds;
}

namespace detail {

/// @throws ModelError if G changes by a large share of its size in a time step. At a small distance s from a singular
/// configuration G grows as 1/s, and too long steps cross this configuration with a wrong energy. In such a state of a
/// pack y is NaN instead.
template <class S>
void require_resolved(const Mechanism<S>& mechanism, MechanismData<S>& data, double dt, VectorX<S>& y) {
  using std::sqrt;
  constexpr double most = 0.3;
  const VectorX<S>& Gdot = data.Gdot(mechanism);
  for (const std::size_t c : mechanism.varying()) {
    const LoopCluster& cluster = mechanism.clusters()[c];
    // G is checked row by row, so that the large entries of a gear do not hide changes of other entries.
    for (const int k : cluster.dependent()) {
      S size(0), change(0);
      mechanism.for_each_entry(k, [&](int, int e) { size += data.G[e] * data.G[e], change += Gdot[e] * Gdot[e]; });
      const auto follows = sqrt(change) * S(std::abs(dt)) <= S(most) * (S(1) + sqrt(size));
      if constexpr (states_of < S >> 1)
        keep_where(follows, y);
      else if (!follows)
        throw ModelError(join({"step: ", cluster_label(mechanism.tree(), cluster),
                               " are so near to a singular configuration, or so fast, that a time step of ", number(dt),
                               " s cannot follow joint '", joint_of_dof(mechanism.tree(), k),
                               "'; choose other independent joints, or a shorter step"}));
    }
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ForMechanism<Step<S>> {
  detail::RungeKutta4<S> runge_kutta;
  ForMechanism<Aba<S>> forward;
  PassiveForces<S> passive;  // forces on the tree
  VectorX<S> q, y, next_q, next_y, tau, force;
  StepWork<S> work;

  explicit ForMechanism(const Mechanism<S>& m) : runge_kutta(m.tree(), m.nv()), forward(m), passive(m.tree()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorOut<S> q_now, VectorOut<S> y_now,
           VectorIn<S> held, double dt, Friction friction);

 private:
  void rk4(const Mechanism<S>& mechanism, MechanismData<S>& data, const S& h);
  void require_stable_friction(const Mechanism<S>& mechanism, MechanismData<S>& data, const S& h);
  /// @returns whether anything has moved
  bool exact_friction(const Mechanism<S>& mechanism, MechanismData<S>& data, const S& h) {
    if constexpr (states_of<S> == 1) {
      auto& exact = data.template of<FrictionStep<S, Mechanism<S>>>(mechanism);
      exact.run(mechanism, data, q, y, tau, h, Integrator::rk4);
      next_q = exact.next_q, next_y = exact.next_v, work = exact.work;
      return next_q != q;
    } else {
      throw Error("step: exact friction works for one state at a time, not for packs; use Friction::smooth for packs");
    }
  }
};

template <class S>
void ForMechanism<Step<S>>::rk4(const Mechanism<S>& mechanism, MechanismData<S>& data, const S& h) {
  bool started = false;
  runge_kutta.run(
      mechanism.tree(), q, y, h,
      [&](const VectorX<S>& at_q, const VectorX<S>& at_y, double share, VectorX<S>& v) -> const VectorX<S>& {
        if (started) pass_within_step(mechanism, data, at_q, at_y, "step");
        started = true;
        passive.run(mechanism.tree(), data.tree, friction_smoothing);
        force = tau;
        detail::add_times_G_transpose(mechanism, data.G, passive.tau, force);
        v = data.tree.v;
        work.add(tau, at_y, passive, v, S(share) * h);
        forward.run(mechanism, data, force, {});
        return forward.a;
      },
      next_q, next_y);
  require_stable_friction(mechanism, data, h);
}

/// Checks each speed j with the friction sum_k f_k G_kj^2.
template <class S>
void ForMechanism<Step<S>>::require_stable_friction(const Mechanism<S>& mechanism, MechanismData<S>& data, const S& h) {
  const Model<S>& tree = mechanism.tree();
  force.setZero();
  for (int k = 0; k < tree.nv(); ++k)
    mechanism.for_each_entry(k, [&](int j, int e) { force[j] += tree.friction()[k] * data.G[e] * data.G[e]; });
  const VectorX<S>& reciprocal_d = forward.reciprocal_d(mechanism);
  for (int j = 0; j < mechanism.nv(); ++j)
    detail::require_stable_friction<S>(tree, mechanism.dof_of_speed(j),
                                       h * force[j] * reciprocal_d[j] / S(friction_smoothing), h, next_y);
}

template <class S>
void ForMechanism<Step<S>>::run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorOut<S> q_now,
                                VectorOut<S> y_now, VectorIn<S> held, double dt, Friction friction) {
  q = q_now, y = y_now, tau = held;
  next_q = q, next_y = y;
  work = {};
  const S h = static_cast<S>(dt);
  const auto arrive = [&](const VectorX<S>& at_q, const VectorX<S>& at_y) {
    detail::mechanism_pass<S>(mechanism, data, Pass::velocity, detail::OpenLoops::refused, "step", at_q, at_y);
  };
  try {
    arrive(q, y);
    detail::require_resolved<S>(mechanism, data, dt, y);
    bool moves = true;
    if (friction == Friction::exact && detail::has_friction(mechanism.tree()))
      moves = exact_friction(mechanism, data, h);
    else
      rk4(mechanism, data, h);
    detail::require_finite("y", next_y, "step", " after the step: tau, y or dt is too large");
    if (moves) close_loops(mechanism, data, next_q, next_y);  // would move a mechanism at rest by rounding errors
    arrive(next_q, next_y);
  } catch (...) {
    q = q_now, y = y_now;
    detail::go_back([&] { arrive(q, y); });
    throw;
  }
  q_now = next_q, y_now = next_y;
}

}  // namespace algorithm

#define CORIO_COMPILED_MECHANISM_STEP(EXTERN, S)                   \
  EXTERN template struct algorithm::FrictionStep<S, Mechanism<S>>; \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Step<S>)
CORIO_DECLARE_COMPILED(MECHANISM_STEP)

}}  // namespace corio
