#pragma once

#include <cstdint>

#include "corio/batch/for_each.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/simulation/step.hpp"

/// Rollouts: many motions of one robot in time, for sampling-based control and learning.
namespace corio { inline namespace CORIO_ABI { namespace batch {

/// Options of rollouts. With too long a step they diverge: see suggested_time_step (simulation/time_step.hpp).
struct RolloutOptions : Options {
  /// Either semi_implicit_euler, for damped or stiff robots, or rk4. Mechanisms need rk4.
  Integrator integrator = Integrator::semi_implicit_euler;
  /// If true, coordinates stop at their limits: they are set to the limit, and their speed towards it to zero. This
  /// option is only for joints with a plain vector as configuration, and not for mechanisms, whose loops it would open.
  bool joint_limits = false;
  /// If true, the states of all steps are kept, otherwise only the final one.
  bool keep_states = false;
};

/// Results of rollouts, a column or an entry for each; sized by rollout(). Rollouts that were not computed, because
/// Options::progress returned false or the policy or cost threw, are not finite.
struct Rollouts {
  /// [q; v] at the end; with keep_states, [q; v] of all steps from the start on, one below the other.
  MatrixX<double> states;
  /// Sums of the costs of the steps, infinite if the rollout is not finite.
  VectorX<double> cost;
  /// True if q, v and the cost stayed finite. An explicit step that is too long lets them grow without bound, which is
  /// not an error.
  Eigen::Array<bool, Eigen::Dynamic, 1> finite;
};

namespace detail {

/// Applies RolloutOptions::joint_limits.
template <class S>
void stop_at_limits(const Model<S>& model, VectorX<S>& q, VectorX<S>& v) {
  for (const Joint& joint : model.joints()) {
    if (joint.nq() != joint.nv()) continue;
    for (int l = 0; l < joint.nq(); ++l) {
      const int i = joint.q_index() + l, k = joint.v_index() + l;
      const S low(model.lower_limit()[i]), high(model.upper_limit()[i]);
      v[k] = select((q[i] < low && v[k] < S(0)) || (q[i] > high && v[k] > S(0)), S(0), v[k]);
      q[i] = select(q[i] < low, low, select(q[i] > high, high, q[i]));
    }
  }
}

/// Returns whether x begins in the memory of the matrix `all`.
template <class X>
bool is_part_of(const MatrixX<double>& all, const X& x) {
  const auto begin = reinterpret_cast<std::uintptr_t>(all.data()), at = reinterpret_cast<std::uintptr_t>(x.data());
  return at >= begin && at < begin + static_cast<std::uintptr_t>(all.size()) * sizeof(double);
}

}  // namespace detail

/// Computes rollouts under a policy, each for `steps` steps of dt seconds. policy(model, data, q, v, step, p, tau) sets
/// the torque tau held over a step. The cost of a rollout is the sum of cost(model, data, q, v, tau, step) over the
/// states before each step, and over the final state with tau = 0. Both functions are called over packs, with the
/// kinematics of the state, velocities included, in data. For a mechanism, q is the configuration of its tree and v its
/// independent speeds; a rollout whose loops do not stay closed, or become singular, is not finite. Close the loops
/// with assemble first.
///
/// @param X0      [q; v] of each rollout, or one column for all. X0 and P may be parts of out.states
/// @param P       parameters of the policy, a column p for each rollout: gains, noise, numbers of any meaning
/// @throws before anything is written: SizeError; Error for a dt that is not positive, a negative number
/// of steps, or options that are not available; afterwards as for_each
template <class Robot, class Policy, class Cost>
Eigen::Index rollout(const Robot& robot, const auto& X0, const auto& P, int steps, double dt, const Policy& policy,
                     const Cost& cost, Rollouts& out, const RolloutOptions& options = {}) {
  const auto& packed = detail::packed(robot);
  constexpr bool is_tree = requires { packed.model().nq(); };
  const Eigen::Index nq = packed.model().tree().nq(), nv = packed.model().nv(), n = nq + nv;
  corio::detail::check_size("a column of X0", X0.rows(), n, "batch::rollout");
  if (!(dt > 0.0 && std::isfinite(dt)) || steps < 0)
    throw Error(
        corio::detail::join({"batch::rollout: dt is ", corio::detail::number(dt), " s, must be positive, and steps is ",
                             std::to_string(steps), ", must be zero or positive"}));
  if ((options.integrator != Integrator::semi_implicit_euler || !is_tree) && options.integrator != Integrator::rk4)
    throw Error(is_tree ? "batch::rollout: the integrator must be semi_implicit_euler or rk4"
                        : "batch::rollout: the integrator of a mechanism must be rk4");
  detail::check(options);
  if (!is_tree && options.joint_limits)
    throw Error("batch::rollout: joint_limits is not available for mechanisms: it would open their loops");
  const Eigen::Index rollouts = P.cols();
  auto start = detail::input(X0);
  const auto of_policy = detail::input(P);
  if (X0.cols() == 1) start = start.repeated(rollouts);
  if (start.cols() != rollouts) corio::detail::throw_size("X0", start.cols(), rollouts, "batch::rollout");

  // X0 and P may be parts of out.states, which therefore are kept to the end.
  MatrixX<double> before;
  if (detail::is_part_of(out.states, X0) || detail::is_part_of(out.states, P)) before.swap(out.states);
  MatrixX<double> costs = MatrixX<double>::Constant(1, rollouts, std::numeric_limits<double>::infinity());
  out.finite.resize(rollouts), out.cost.resize(rollouts);
  const detail::AtExit report([&] {
    out.finite = costs.row(0).array().isFinite();
    out.cost = out.finite.select(costs.row(0).transpose().array(), std::numeric_limits<double>::infinity());
  });
  out.states.resize(options.keep_states ? n * (Eigen::Index(steps) + 1) : n, rollouts);
  const auto run = [&](const auto& model, auto& data, const auto& x0, const auto& parameters, auto& states,
                       auto& total) {
    using S = typename std::decay_t<decltype(model)>::Scalar;
    VectorX<S> q = x0.head(nq), v = x0.tail(nv), tau = VectorX<S>::Zero(nv);
    const auto keep = [&](int step) {
      const Eigen::Index at = options.keep_states ? n * step : 0;
      states.segment(at, nq) = q, states.segment(at + nq, nv) = v;
    };
    S sum(0);
    forward_kinematics<S>(model, data, q, v);
    keep(0);
    for (int step = 0; step < steps; ++step) {
      policy(model, data, std::as_const(q), std::as_const(v), step, parameters, tau);
      sum += cost(model, data, std::as_const(q), std::as_const(v), std::as_const(tau), step);
      corio::step<S>(model, data, q, v, tau, dt, options.integrator);
      if constexpr (is_tree)
        if (options.joint_limits) {
          detail::stop_at_limits(model, q, v);
          forward_kinematics<S>(model, data, q, v);
        }
      keep(step + 1);
    }
    tau.setZero();
    sum += cost(model, data, std::as_const(q), std::as_const(v), std::as_const(tau), steps);
    S all = sum - sum;  // zero, or NaN if any of the numbers is not finite
    for (const S& x : q) all += x - x;
    for (const S& x : v) all += x - x;
    total[0] = select(all == S(0), sum, S(std::numeric_limits<double>::infinity()));
  };
  return for_each(packed, std::make_tuple(start, of_policy),
                  std::make_tuple(detail::output(out.states), detail::output(costs)), run, options);
}

/// Computes rollouts under given torques.
/// @param U  a column for each rollout: tau of all steps, nv numbers each, one below the other
template <class Robot, class Cost>
Eigen::Index rollout(const Robot& robot, const auto& X0, const auto& U, double dt, const Cost& cost, Rollouts& out,
                     const RolloutOptions& options = {}) {
  const auto& packed = detail::packed(robot);
  const Eigen::Index nv = packed.model().nv();
  if (nv == 0 || U.rows() % nv != 0 || U.rows() / nv > (std::numeric_limits<int>::max)())
    throw SizeError(corio::detail::join({"batch::rollout: U has ", std::to_string(U.rows()),
                                         " rows, expected nv = ", std::to_string(nv), " for each step"}));
  const int steps = static_cast<int>(U.rows() / nv);
  const auto controls = [nv](const auto&, auto&, const auto&, const auto&, int step, const auto& u, auto& tau) {
    tau = u.segment(step * nv, nv);
  };
  return rollout(packed, X0, U, steps, dt, controls, cost, out, options);
}

}}}  // namespace corio::batch
