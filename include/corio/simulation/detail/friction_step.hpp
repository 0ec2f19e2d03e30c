#pragma once

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/kernels/runge_kutta.hpp"
#include "corio/kinematics/robot.hpp"
#include "corio/simulation/detail/friction_solver.hpp"
#include "corio/simulation/integrator.hpp"

namespace corio { inline namespace CORIO_ABI { namespace algorithm {

template <class S>
struct Step;

/// A time step with Friction::exact of a Model or a Mechanism, whose loops are to be closed afterwards.
///
/// With semi-implicit Euler, the velocity x at the end of the step solves
///   (M + h D + h^2 K) x - (M v + h (tau - C v - g + springs)) = h f,
/// with the forces f of FrictionSolver. The losses of a step are never negative, and zero while all joints are held.
///
/// rk4 and the midpoint rules keep their orders: a step is divided when a joint stops. In each piece a joint either
/// slides in one direction, with a constant force, or is held. At the start of a piece velocities tell which joints
/// slide, and FrictionSolver, applied to accelerations, decides about joints at rest. If the sign of a velocity has
/// changed at the end of the piece, its first zero is found by secants in a bracket, and the next piece begins there.
template <class S, class Robot = Model<S>>
struct FrictionStep {
  VectorX<S> next_q, next_v;
  StepWork<S> work;

  explicit FrictionStep(const Robot& robot)
      : next_q(zeros<S>(robot.tree().nq())),
        next_v(zeros<S>(robot.nv())),
        row_of_(robot.tree().nv(), -1),
        friction_(robot, number_rows(robot)),
        runge_kutta_(robot.tree(), robot.nv()),
        A_(detail::nv_by_nv(robot)),
        force_(next_v),
        acceleration_(next_v),
        c_(zeros<S>(friction_.contacts())),
        c_at_rest_(c_),
        springs_(zeros<S>(robot.tree().nv())),
        move_(springs_),
        q_(next_q),
        v_(next_v),
        tau_(next_v),
        slip_(VectorX<double>::Zero(friction_.contacts())),
        slip_begin_(slip_),
        slip_low_(slip_),
        slip_high_(slip_),
        slip_size_(slip_),
        sliding_(friction_.contacts(), 0) {}

  /// Computes a step from q and v over h under tau.
  void run(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& q, const VectorX<S>& v, const VectorX<S>& tau,
           const S& h, Integrator integrator) {
    q_ = q, v_ = v, tau_ = tau;
    work = {}, has_arrived_ = false;
    if (!has_room_) make_room(robot, data);
    if (integrator == Integrator::semi_implicit_euler) return euler(robot, data, h);
    if constexpr (std::floating_point<S>)
      by_pieces(robot, data, value_of(h), integrator);
    else
      throw Error("step: over this scalar exact friction needs Integrator::semi_implicit_euler");
  }

 private:
  /// Gives a row of FrictionSolver::H to each degree of freedom of the tree that depends on several speeds.
  int number_rows(const Robot& robot) {
    int rows = 0;
    if constexpr (requires { robot.row_begin(0); })
      for (int k = 0; k < row_of_.size(); ++k)
        if (robot.row_begin(k + 1) - robot.row_begin(k) > 1) row_of_[k] = rows++;
    return rows;
  }
  /// A midpoint rule for a piece of a step, beside the rule for the whole step.
  struct Piece : Step<S> {
    using Step<S>::Step;
  };
  static inline const double epsilon = value_of(Eigen::NumTraits<S>::epsilon());
  bool has_rows() const { return friction_.H.rows() > 0; }

  /// Makes room for all results in the first step: later steps differ in the joints that rest and in the functions that
  /// they call.
  void make_room(const Robot& robot, DataOf<Robot>& data) {
    arrive(robot, data, q_, v_);
    crba(robot, data), nonlinear_effects(robot, data), aba(robot, data, force_);
    has_room_ = true;
  }
  void arrive(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& q, const VectorX<S>& v);
  void find_drift(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& v);
  void add_work(const Robot& robot, const VectorX<S>& tree_v, const VectorX<S>& v, const S& duration,
                StepWork<S>& sum) const;
  void euler(const Robot& robot, DataOf<Robot>& data, const S& h);

  void by_pieces(const Robot& robot, DataOf<Robot>& data, double h, Integrator integrator);
  void choose_modes(const Robot& robot, DataOf<Robot>& data);
  const VectorX<S>& accelerate(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& q, const VectorX<S>& v,
                               const S& duration);
  void flow(const Robot& robot, DataOf<Robot>& data, double duration, Integrator integrator);
  double flow_from_rest(const Robot& robot, DataOf<Robot>& data, double end, Integrator integrator);
  double flow_to_first_stop(const Robot& robot, DataOf<Robot>& data, double high, Integrator integrator);
  /// Returns whether a contact slides against its direction at the end of the flow.
  bool has_turned(int k) const { return slip_[k] * friction_.direction[k] < 0; }
  bool any_has_turned() const {
    for (int k = 0; k < friction_.contacts(); ++k)
      if (has_turned(k)) return true;
    return false;
  }

  PerDof<int> row_of_;  // the row of each degree of freedom of the tree; -1 if it depends on a single speed
  detail::FrictionSolver<S> friction_;
  detail::RungeKutta4<S> runge_kutta_;
  MatrixX<S> A_;
  VectorX<S> force_, acceleration_;  // forces without friction; dv/dt
  VectorX<S> c_, c_at_rest_;         // largest friction of each contact; the bounds for FrictionSolver
  VectorX<S> springs_, move_;        // in the speeds of the tree
  VectorX<S> q_, v_, tau_;           // the start of the step or piece
  bool has_arrived_ = false;         // whether data is in the state q_, v_
  bool has_room_ = false;
  StepWork<S> piece_;
  // Speeds of contacts: at the end of the last flow, at the start of the piece, and around the first zero.
  VectorX<double> slip_, slip_begin_, slip_low_, slip_high_, slip_size_;
  PerDof<signed char> sliding_;
};

/// Computes force_ = tau + springs - D v, and c and H, at a state.
template <class S, class Robot>
void FrictionStep<S, Robot>::arrive(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& q, const VectorX<S>& v) {
  if (!has_arrived_) pass_within_step(robot, data, q, v, "step");
  has_arrived_ = false;
  const Model<S>& tree = robot.tree();
  const Data<S>& at = data.of_tree();
  detail::spring_forces(tree, at.q, springs_);
  force_ = tau_;
  c_.setZero(), friction_.H.setZero();
  for (int k = 0; k < tree.nv(); ++k) {
    const S passive = springs_[k] - tree.damping()[k] * at.v[k];
    const S& f = tree.friction()[k];
    const int row = row_of_[k];
    for_each_speed(robot, data, k, [&](int j, const S& g) {
      force_[j] += g * passive;
      if (row >= 0)
        friction_.H(row, j) = g;
      else
        c_[j] += value_of(g) < 0 ? S(-f * g) : S(f * g);
    });
    if (row >= 0) c_[robot.nv() + row] = f;
  }
}

/// Sets the drift to the acceleration -dH/dt v that held rows need.
template <class S, class Robot>
void FrictionStep<S, Robot>::find_drift(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& v) {
  friction_.drift.setZero();
  for (int k = 0; k < row_of_.size(); ++k)
    if (const int row = row_of_[k]; row >= 0)
      for_each_speed_rate(robot, data, k, [&](int j, const S& rate) { friction_.drift[row] -= rate * v[j]; });
}

/// Adds the work of tau, dampers and friction at velocities v, with velocities tree_v of the tree.
template <class S, class Robot>
void FrictionStep<S, Robot>::add_work(const Robot& robot, const VectorX<S>& tree_v, const VectorX<S>& v,
                                      const S& duration, StepWork<S>& sum) const {
  for (int k = 0; k < v.size(); ++k) sum.tau += duration * tau_[k] * v[k];
  for (int k = 0; k < tree_v.size(); ++k) sum.losses += duration * robot.tree().damping()[k] * tree_v[k] * tree_v[k];
  for (int k = 0; k < friction_.contacts(); ++k)
    sum.losses += duration * c_[k] * S(static_cast<double>(friction_.direction[k])) * friction_.row_times(k, v);
}

template <class S, class Robot>
void FrictionStep<S, Robot>::euler(const Robot& robot, DataOf<Robot>& data, const S& h) {
  arrive(robot, data, q_, v_);
  const Model<S>& tree = robot.tree();
  A_ = crba(robot, data);
  detail::FrictionSolver<S>::times(robot, A_, v_, acceleration_);
  force_ = acceleration_ + h * (force_ - nonlinear_effects(robot, data));
  for (int k = 0; k < tree.nv(); ++k) {
    const S d = h * tree.damping()[k], resistance = d + h * h * tree.stiffness()[k];
    for_each_speed(robot, data, k, [&](int i, const S& g) {
      force_[i] += g * d * data.of_tree().v[k];
      for_each_speed(robot, data, k, [&](int j, const S& other) { A_(i, j) += g * resistance * other; });
    });
  }
  c_at_rest_ = h * c_;
  friction_.drift.setZero();
  next_v = v_;
  friction_.solve(robot, A_, force_, c_at_rest_, next_v);
  tree_velocities(robot, data, next_v, move_);
  add_work(robot, move_, next_v, h, work);
  move_ *= h;
  integrate<S>(tree, q_, move_, next_q);
}

template <class S, class Robot>
void FrictionStep<S, Robot>::by_pieces(const Robot& robot, DataOf<Robot>& data, double h, Integrator integrator) {
  double left = h;
  for (int piece = 0; piece < 4 * friction_.contacts() + 4; ++piece) {
    choose_modes(robot, data);
    for (int k = 0; k < friction_.contacts(); ++k) slip_begin_[k] = friction_.slip(k, v_);
    const double end = flow_from_rest(robot, data, left, integrator);
    const double t = any_has_turned() ? flow_to_first_stop(robot, data, end, integrator) : end;
    work += piece_;
    left -= t;
    if (!(left > epsilon * h)) return;
    if (!has_rows()) close_loops(robot, data, next_q, next_v);
    q_ = next_q, v_ = next_v;
  }
  has_arrived_ = false;
  euler(robot, data, S(left));  // joints that stop again and again
}

/// Runs flow up to the returned time, which is `end` unless a contact that starts from rest turns back before: the time
/// is then halved. A contact that turns back within a thousandth of `end` has started by rounding errors, and is held.
template <class S, class Robot>
double FrictionStep<S, Robot>::flow_from_rest(const Robot& robot, DataOf<Robot>& data, double end,
                                              Integrator integrator) {
  const auto is_back = [&](int k) { return slip_begin_[k] == 0 && has_turned(k); };
  const auto any_is_back = [&] {
    for (int k = 0; k < friction_.contacts(); ++k)
      if (is_back(k)) return true;
    return false;
  };
  double t = end;
  for (flow(robot, data, t, integrator); any_is_back(); flow(robot, data, t, integrator)) {
    t /= 2;
    if (t > end / 1000) continue;
    A_ = crba(robot, data);
    for (int k = 0; k < friction_.contacts(); ++k)
      if (is_back(k)) friction_.stop(robot, A_, k);
    t = end;
  }
  return t;
}

/// Decides which contacts slide and which are held at q_ and v_.
template <class S, class Robot>
void FrictionStep<S, Robot>::choose_modes(const Robot& robot, DataOf<Robot>& data) {
  has_arrived_ = false;
  arrive(robot, data, q_, v_);
  has_arrived_ = true;
  friction_.release(c_, v_);
  bool rests = false;
  for (int k = 0; k < friction_.contacts(); ++k) {
    sliding_[k] = friction_.direction[k];
    c_at_rest_[k] = sliding_[k] == 0 ? c_[k] : S(0);
    rests |= value_of(c_at_rest_[k]) > 0;
  }
  if (!rests) return;
  find_drift(robot, data, v_);
  A_ = crba(robot, data);
  force_ -= nonlinear_effects(robot, data);
  friction_.add_forces(c_, force_);
  acceleration_.setZero();
  friction_.solve(robot, A_, force_, c_at_rest_, acceleration_);
  for (int k = 0; k < friction_.contacts(); ++k)
    if (sliding_[k] != 0) friction_.direction[k] = sliding_[k];
}

/// Computes dv/dt at a state with the present states of the contacts; adds the work over `duration`.
template <class S, class Robot>
const VectorX<S>& FrictionStep<S, Robot>::accelerate(const Robot& robot, DataOf<Robot>& data, const VectorX<S>& q,
                                                     const VectorX<S>& v, const S& duration) {
  arrive(robot, data, q, v);
  add_work(robot, data.of_tree().v, v, duration, piece_);
  if (!friction_.holds_any()) {
    friction_.add_forces(c_, force_);
    return aba(robot, data, force_);
  }
  find_drift(robot, data, v);
  A_ = crba(robot, data);
  force_ -= nonlinear_effects(robot, data);
  friction_.solve_as_set(robot, A_, force_, c_, acceleration_);
  return acceleration_;
}

/// Computes next_q, next_v and piece_ after `duration`, with the present states of the contacts.
template <class S, class Robot>
void FrictionStep<S, Robot>::flow(const Robot& robot, DataOf<Robot>& data, double duration, Integrator integrator) {
  const S h = static_cast<S>(duration);
  piece_ = {};
  if (integrator == Integrator::rk4) {
    runge_kutta_.run(
        robot.tree(), q_, v_, h,
        [&](const VectorX<S>& q, const VectorX<S>& v, double share, VectorX<S>& rate) -> const VectorX<S>& {
          const VectorX<S>& a = accelerate(robot, data, q, v, S(share) * h);
          rate = data.of_tree().v;
          return a;
        },
        next_q, next_v);
  } else if constexpr (std::is_same_v<Robot, Model<S>>) {
    auto& rule = data.template of<Piece>(robot);
    rule.q = q_, rule.v = v_, rule.tau = tau_, rule.work = {};
    rule.midpoint(robot, data, h, integrator == Integrator::variational_midpoint, &friction_);
    next_q = rule.next_q, next_v = rule.next_v, piece_ = rule.work;
    has_arrived_ = false;
  }
  if (has_rows()) {
    close_loops(robot, data, next_q, next_v);
    arrive(robot, data, next_q, next_v);
    friction_.drift.setZero();
    friction_.factorize(robot, crba(robot, data));
    friction_.project(next_v);
  }
  for (int k = 0; k < friction_.contacts(); ++k) slip_[k] = friction_.slip(k, next_v);
}

/// Runs flow up to the first time before `high` at which a contact stops. @returns this time
template <class S, class Robot>
double FrictionStep<S, Robot>::flow_to_first_stop(const Robot& robot, DataOf<Robot>& data, double high,
                                                  Integrator integrator) {
  const double tiny = 0.1 * detail::rank_tolerance<S>();
  const double shortest = epsilon * high;
  double low = 0, t = high;
  slip_low_ = slip_begin_, slip_high_ = slip_;
  for (int k = 0; k < friction_.contacts(); ++k) slip_size_[k] = std::abs(slip_begin_[k]) + std::abs(slip_[k]);
  const auto is_zero = [&](int k) { return friction_.direction[k] != 0 && std::abs(slip_[k]) <= tiny * slip_size_[k]; };
  int first = -1;
  for (int i = 0; i < 60 && high - low > shortest; ++i) {
    t = high;
    for (int k = 0; k < friction_.contacts(); ++k) {
      if (!(slip_high_[k] * friction_.direction[k] < 0)) continue;
      const double zero = low + (high - low) * slip_low_[k] / (slip_low_[k] - slip_high_[k]);
      if (zero <= t) t = zero, first = k;
    }
    if (i % 3 == 2) t = (low + high) / 2;
    flow(robot, data, t, integrator);
    bool beyond = false;
    for (int k = 0; k < friction_.contacts(); ++k) beyond |= has_turned(k) && !is_zero(k);
    if (!beyond && is_zero(first)) break;
    if (any_has_turned())
      high = t, slip_high_ = slip_;
    else
      low = t, slip_low_ = slip_;
  }
  for (int k = 0; k < static_cast<int>(next_v.size()); ++k)
    if (k == first || has_turned(k) || is_zero(k)) next_v[k] = S(0);
  return t;
}

}}}  // namespace corio::algorithm
