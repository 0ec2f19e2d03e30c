#pragma once

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/derivatives/passive_force_derivatives.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kernels/runge_kutta.hpp"
#include "corio/simulation/detail/friction_step.hpp"
#include "corio/simulation/integrator.hpp"

/// Simulation of a model in time steps, and the work done in them.
namespace corio { inline namespace CORIO_ABI {

namespace detail {

inline void check_step(double dt) {
  if (!(dt > 0.0 && std::isfinite(dt)))
    throw Error(join({"step: dt is ", number(dt), " s, must be positive and finite"}));
}

}  // namespace detail

namespace algorithm {

template <class S>
struct Step;

}  // namespace algorithm

/// Advances q and v by dt seconds of
///   M(q) dv/dt + C(q, v) v + g(q) = tau + passive_forces(q, v),
/// with q moving on the configuration manifold as in integrate. tau is held over the step. Damping, friction and
/// springs of the model act, so that, unlike in aba, tau is only the torque of the motors. Add a force f on a body to
/// tau as J^T f. q leaves its manifold only by rounding: call normalize now and then in long simulations.
///
/// Afterwards `data` holds the new state, velocities included, for functions in their form f(model, data).
///
/// @param q    nq, changed in place
/// @param v    nv, changed in place
/// @param tau  nv generalized forces (N m, N)
/// @param dt   length of the step, s
/// @param friction  friction of the joints: smooth, as in passive_forces, or exact, which can hold a joint at rest. If
///                  no joint has friction both are equal
/// @returns the work of tau in this step, and the losses
///
/// With exact friction a velocity of zero is exactly zero while its joint is held. semi_implicit_euler solves the
/// convex problem of the impulses of friction with the factor of M, which is factorized once more each time that the
/// set of held joints changes. rk4 (Runge-Kutta) and the midpoint rules keep their orders: they divide a step when a
/// joint stops. Scalars that differentiate take semi_implicit_euler alone; the derivatives hold for constant sets of
/// held and sliding joints. Smooth friction is a damper, f / friction_smoothing at rest, which is too stiff for rk4
/// unless h f / (friction_smoothing m) < 2.5: otherwise it is rejected.
///
/// Packs of states take only semi_implicit_euler and rk4 with smooth friction; a state that is not finite, or has too
/// stiff friction, affects no other state and throws nothing.
/// @throws SizeError; Error for an argument that is not finite or a dt that is not positive, a result that would not be
/// finite, smooth friction that is too stiff for rk4, exact friction or midpoint rules over packs or numbers that
/// record, or a midpoint rule that has not converged (the last correction of Newton's method above 1e4 eps (1 + |v|),
/// sums of absolute values) after 100 iterations; ModelError for a joint that moves no inertia; and the errors of
/// users' joints. q, v and the state in `data` are then unchanged. O(n) evaluations of the dynamics, and for the
/// implicit integrators the O(n d^2) factorization of M. No allocation after the first call. Sources: Celledoni,
/// Marthinsen and Owren, Commutator-free Lie group methods, 2003, for rk4; Marsden and West, Discrete mechanics and
/// variational integrators, 2001.
template <class S>
StepWork<S> step(const Model<S>& model, Data<S>& data, VectorOut<S> q, VectorOut<S> v, VectorIn<S> tau, double dt,
                 Integrator integrator = Integrator::semi_implicit_euler, Friction friction = Friction::smooth) {
  data.check_fits(model);
  detail::check_finite_coordinates("q", q, model);
  detail::check_finite_speeds("v", v, model);
  detail::check_finite_speeds("tau", tau, model);
  detail::check_step(dt);
  model.check_regular("step");
  auto& own = data.template of<algorithm::Step<S>>(model);
  own.run(model, data, q, v, tau, S(dt), integrator, friction);
  return own.work;
}

namespace detail {

template <class S>
bool has_friction(const Model<S>& model) {
  return std::any_of(model.friction().begin(), model.friction().end(),
                     [](const S& f) { return in_any_state(f != S(0)); });
}
/// Rejects smooth friction with which rk4 is unstable: its slope at rest is f / friction_smoothing, and h f /
/// (friction_smoothing m) is at most 2.79. In a state of a pack v is NaN instead.
/// @param k         a degree of freedom of the tree
/// @param rate      h f / (friction_smoothing m), with an inertia m that is not below the true inertia
/// @throws Error
template <class S>
void require_stable_friction(const Model<S>& tree, int k, const S& rate, const S& h, VectorX<S>& v) {
  constexpr double most = 2.5;
  if constexpr (states_of < S >> 1) {
    const auto is_stable = rate <= S(most);
    for (S& x : v) x = select(is_stable, x, S(std::numeric_limits<double>::quiet_NaN()));
  } else if constexpr (is_checked<S>) {
    if (!(value_of(rate) > most)) return;
    throw Error(join({"step: the friction of joint '", joint_of_dof(tree, k), "' is too stiff for rk4 with steps of ",
                      number(value_of(h)), " s: smoothed over ", number(friction_smoothing),
                      " rad/s or m/s, it needs steps below ", number(most * value_of(h) / value_of(rate)),
                      " s; choose Friction::exact, semi_implicit_euler or such steps"}));
  }
}

/// Calls f to restore the state of data after an exception, which the caller rethrows; if f also throws, data has no
/// state.
template <class F>
void go_back(F&& f) {
  try {
    f();
  } catch (...) {
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
struct Step {
  static constexpr int iterations = 100;  // the limit of the midpoint rules

  Aba<S> forward;
  NonlinearEffects<S> bias;
  Crba<S> mass;
  PassiveForces<S> passive;
  CoriolisTransposeProduct<S> transpose;
  GeneralizedGravity<S> gravity;
  VectorX<S> q, v, next_q, next_v, tau;  // start and end of the step; tau is held
  detail::RungeKutta4<S> runge_kutta;
  VectorX<S> w, stage_q, momentum, force;  // at a stage or in the middle of the step
  VectorX<S> move, change, damping;        // a displacement, a change of velocity, a force per velocity
  StepWork<S> work;

  explicit Step(const Model<S>& m)
      : forward(m),
        bias(m),
        mass(m),
        passive(m),
        transpose(m),
        gravity(m),
        q(zeros<S>(m.nq())),
        v(zeros<S>(m.nv())),
        next_q(q),
        next_v(v),
        tau(v),
        runge_kutta(m, m.nv()),
        w(v),
        stage_q(q),
        momentum(v),
        force(v),
        move(v),
        change(v),
        damping(v) {}
  void run(const Model<S>& model, Data<S>& data, VectorOut<S> q_now, VectorOut<S> v_now, VectorIn<S> held, const S& h,
           Integrator integrator, Friction friction);
  /// Advances from q and v to next_q and next_v, with smooth friction, or with exact friction in the present states of
  /// `contacts`.
  void midpoint(const Model<S>& model, Data<S>& data, const S& h, bool variational,
                detail::FrictionSolver<S>* contacts = nullptr);

 private:
  /// Computes out = from (+) move.
  void advance(const Model<S>& model, const VectorX<S>& from, VectorX<S>& out) { integrate<S>(model, from, move, out); }
  /// Computes the kinematics and the passive forces at a state.
  void arrive(const Model<S>& model, Data<S>& data, const VectorX<S>& at_q, const VectorX<S>& at_v) {
    forward_kinematics<S>(model, data, at_q, at_v, "step");
    passive.run(model, data, friction_smoothing);
  }
  /// Sets change to (M + h damping + h^2 stiffness)^-1 change, for M in `mass`, which is overwritten; speeds that
  /// `contacts` hold get zero. The sum has the sparsity of M.
  void solve(const Model<S>& model, const S& h, detail::FrictionSolver<S>* contacts = nullptr) {
    for (int k = 0; k < model.nv(); ++k) mass.M(k, k) += h * (damping[k] + h * model.stiffness()[k]);
    if (contacts) {
      contacts->factorize(model, mass.M);
      return contacts->solve(model, change);
    }
    detail::factorize_mass_matrix(model, mass.M);
    detail::solve_mass_matrix(model, mass.M, change.data(), 1);
  }
  void semi_implicit_euler(const Model<S>& model, Data<S>& data, const S& h);
  void rk4(const Model<S>& model, Data<S>& data, const S& h);
  void exact_friction(const Model<S>& model, Data<S>& data, const S& h, Integrator integrator) {
    if constexpr (states_of<S> == 1 && is_checked<S>) {
      auto& exact = data.template of<FrictionStep<S>>(model);
      exact.run(model, data, q, v, tau, h, integrator);
      next_q = exact.next_q, next_v = exact.next_v, work = exact.work;
    } else {
      throw Error("step: exact friction works for one state at a time, not for packs or scalars that record");
    }
  }
};

/// Solves (M + h D + h^2 K) (v' - v) = h (tau - C v - g + passive(q, v) - h K v): damping forces at the velocity v' at
/// the end of the step, spring forces at the configuration there, linearised with their stiffnesses at rest (the
/// stiffness of a ball joint far from rest is larger). Friction is a damper with the coefficient at v.
template <class S>
void Step<S>::semi_implicit_euler(const Model<S>& model, Data<S>& data, const S& h) {
  arrive(model, data, q, v);
  mass.run(model, data);
  bias.run(model, data);
  for (int k = 0; k < model.nv(); ++k) {
    const S slope = choose(
        detail::real_value(v[k]) == 0, [] { return S(1 / friction_smoothing); },
        [&] { return S(detail::friction_direction<S>(v[k], friction_smoothing) / v[k]); });
    damping[k] = model.damping()[k] + model.friction()[k] * slope;
    change[k] = h * (tau[k] - bias.tau[k] + passive.tau[k] - h * model.stiffness()[k] * v[k]);
  }
  solve(model, h);
  next_v = v + change;
  move = h * next_v;
  advance(model, q, next_q);
  for (int k = 0; k < model.nv(); ++k) {
    work.tau += tau[k] * move[k];
    work.losses += damping[k] * next_v[k] * move[k];
  }
}

template <class S>
void Step<S>::rk4(const Model<S>& model, Data<S>& data, const S& h) {
  runge_kutta.run(
      model, q, v, h,
      [&](const VectorX<S>& at_q, const VectorX<S>& at_v, double share, VectorX<S>& rate) -> const VectorX<S>& {
        arrive(model, data, at_q, at_v);
        rate = at_v;
        force = tau + passive.tau;
        forward.run(model, data, force, {});
        work.add(tau, at_v, passive, at_v, S(share) * h);
        return forward.a;
      },
      next_q, next_v);
  for (int k = 0; k < model.nv(); ++k)
    detail::require_stable_friction<S>(
        model, k, h * model.friction()[k] * forward.factor.reciprocal_d[k] / S(friction_smoothing), h, next_v);
}

/// The unknown is the velocity w in the middle of the step. All quantities below are at q (+) h/2 w and w,
///   M w - M v   = h/2 (tau + passive - C w - g),    v' = 2 w - v,               or, variational,
///   M w - M_0 v = h/2 (tau + passive + C^T w - g),  M_1 v' = M_0 v + h (the same force),
/// except M_0 and M_1 at the ends of the step: the momenta at the ends are the derivatives of h (T - U) with respect to
/// the ends, with dT/dq = C^T w. The equation is solved by Newton's method with the approximate Jacobian M + h/2
/// damping + h^2/4 stiffness (at rest), without the derivatives of C w and g, which are of higher order in h: each
/// iteration reduces the error by a factor of order h |w|. A Newton step that increases the residual, for instance
/// across the kink of friction, is halved. Speeds that contacts hold have no equation: they stay zero.
template <class S>
void Step<S>::midpoint(const Model<S>& model, Data<S>& data, const S& h, bool variational,
                       detail::FrictionSolver<S>* contacts) {
  const S half = h / S(2);
  const double tolerance = 1e4 * value_of(Eigen::NumTraits<S>::epsilon());
  w = v;
  if (variational) {
    forward_kinematics<S>(model, data, q, "step");
    mass.run(model, data);
    momentum.noalias() = mass.M * v;
  }
  double residual = std::numeric_limits<double>::infinity();
  for (int i = 0; i < iterations; ++i) {
    move = half * w;
    advance(model, q, stage_q);
    arrive(model, data, stage_q, w);
    for (int k = 0; contacts && k < model.nv(); ++k)
      passive.tau[k] = passive.springs[k] - model.damping()[k] * w[k] -
                       model.friction()[k] * S(static_cast<double>(contacts->direction[k]));
    mass.run(model, data);
    if (variational) {
      transpose.run(model, data, w);
      gravity.run(model, data);
      force.noalias() = mass.M * w;
      next_v = tau + passive.tau + transpose.result - gravity.tau;
      force = half * next_v - force + momentum;
    } else {
      bias.run(model, data);
      next_v = w - v;
      force.noalias() = mass.M * next_v;
      force = half * (tau - bias.tau + passive.tau) - force;
    }
    double now = 0;
    for (int k = 0; k < model.nv(); ++k) {
      if (contacts && contacts->held[k]) force[k] = S(0);
      now += value_of(force[k] * force[k] / mass.M(k, k));
    }
    if (now > residual) {
      change /= S(2);
      w -= change;
      continue;
    }
    residual = now;

    for (int k = 0; k < model.nv(); ++k)
      damping[k] = contacts ? model.damping()[k] : detail::resistance<S>(model, k, w[k], friction_smoothing);
    change = force;
    solve(model, half, contacts);
    w += change;
    double largest = 1, correction = 0;
    for (int k = 0; k < model.nv(); ++k) {
      largest += std::abs(value_of(w[k]));
      correction += std::abs(value_of(change[k]));
    }
    if (!(correction <= tolerance * largest)) continue;

    work.add(tau, w, passive, w, h);
    move = h * w;
    advance(model, q, next_q);
    if (variational) {
      change = momentum + h * next_v;
      forward_kinematics<S>(model, data, next_q);
      mass.run(model, data);
      damping.setZero();
      solve(model, S(0), contacts);
      next_v = change;
    } else {
      next_v = w + w - v;
    }
    return;
  }
  throw Error(detail::join({"step: ", std::to_string(iterations),
                            " iterations have not solved the midpoint rule "
                            "for a step of ",
                            detail::number(value_of(h)), " s; take shorter steps"}));
}

template <class S>
void Step<S>::run(const Model<S>& model, Data<S>& data, VectorOut<S> q_now, VectorOut<S> v_now, VectorIn<S> held,
                  const S& h, Integrator integrator, Friction friction) {
  q = q_now, v = v_now, tau = held;
  work = {};
  try {
    if (friction == Friction::exact && detail::has_friction(model))
      exact_friction(model, data, h, integrator);
    else
      switch (integrator) {
        case Integrator::semi_implicit_euler: semi_implicit_euler(model, data, h); break;
        case Integrator::rk4: rk4(model, data, h); break;
        default:
          if constexpr (states_of<S> == 1 && is_checked<S>)
            midpoint(model, data, h, integrator == Integrator::variational_midpoint);
          else
            throw Error(
                "step: the midpoint integrators work for one state at a time, not for packs or scalars that record");
      }
    const char* const cause = " after the step: tau, v or dt is too large";
    detail::require_finite("q", next_q, "step", cause);
    detail::require_finite("v", next_v, "step", cause);
    if constexpr (states_of<S> == 1 && is_checked<S>)
      detail::require_finite("the work of the step", value_of(work.tau + work.losses), "step");
    forward_kinematics<S>(model, data, next_q, next_v);
  } catch (...) {
    detail::go_back([&] { forward_kinematics<S>(model, data, q, v); });
    throw;
  }
  q_now = next_q, v_now = next_v;
}

}  // namespace algorithm

}}  // namespace corio
