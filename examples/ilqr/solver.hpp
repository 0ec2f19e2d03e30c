#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "problem.hpp"

/// Iterative LQR and differential dynamic programming: Mayne, A second-order gradient method for determining optimal
/// trajectories of non-linear discrete-time systems, Int. J. Control 1966; Li and Todorov, Iterative linear quadratic
/// regulator design for nonlinear biological movement systems, ICINCO 2004; regularisation and line search after Tassa,
/// Erez and Todorov, Synthesis and stabilization of complex behaviors through online trajectory optimization, IROS
/// 2012.
namespace ilqr {

struct Options {
  /// DDP, with the second derivatives of f, starts at the first iteration whose expected decrease of the cost is below
  /// this share of the cost; before, and always with zero, iLQR (Gauss-Newton). Far from the optimum the second
  /// derivatives cause indefinite Q_uu and shorter steps.
  double second_order_below = 0;
  int max_iterations = 200;
  double tolerance = 1e-6;              // bound on the gradient
  double smallest_step = 1e-3;          // smallest step of the line search
  double least_gain = 1e-4;             // actual decrease over expected decrease of a step that is taken
  double first_regularisation = 1;      // mu
  double least_regularisation = 1e-6;   // zero is used below it
  double largest_regularisation = 1e8;  // the solver stops above it
};

/// The result of an iteration. The step is zero if no step decreased the cost enough.
struct Iteration {
  int number;
  double cost, gradient;  // gradient: largest entry of Q_u over all times
  double expected, actual, step, regularisation;
};

struct Solution {
  bool converged = false;
  double cost = 0, gradient = 0;
  std::vector<Vector> x, u;
  std::vector<Iteration> iterations;
  double linearization_seconds = 0;
  int linearizations = 0;
};

class Solver {
 public:
  explicit Solver(Problem& problem, const Options& options = {})
      : problem_(problem), options_(options), steps_(static_cast<std::size_t>(problem.steps())), knots_(steps_) {}

  /// @param report  called after each iteration
  Solution solve(const std::function<void(const Iteration&)>& report) {
    Solution s;
    regularisation_ = options_.first_regularisation, factor_ = 1;
    for (int t = 0; t < problem_.steps(); ++t) {
      s.u.push_back(problem_.first_guess(t));
      knots_[static_cast<std::size_t>(t)].k = Vector::Zero(problem_.num_controls());
      knots_[static_cast<std::size_t>(t)].K = Matrix::Zero(problem_.num_controls(), problem_.num_tangent());
    }
    s.x.assign(steps_ + 1, problem_.initial_state());
    s.cost = forward_pass(s, 0, s.x, s.u);

    bool moved = true;
    for (int i = 0;; ++i) {
      if (moved) expand(s);
      while (!backward_pass(s))
        if (!regularise_more()) return s;
      s.gradient = gradient_;
      if (-slope_ / 2 < options_.second_order_below * s.cost) second_order_ = true;
      s.converged = s.gradient <= options_.tolerance;
      if (s.converged || i == options_.max_iterations) return s;
      s.iterations.push_back(line_search(s, i));
      report(s.iterations.back());
      const double step = s.iterations.back().step;
      moved = step > 0;
      if (step == 1) regularise_less();
      if (step < 0.5 && !regularise_more()) return s;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Dynamics and cost near (x_t, u_t), and the control law u = u_t + alpha k + K (x - x_t) computed from them.
  struct Knot {
    Matrix A, B;
    CostDerivatives l;
    Vector k;
    Matrix K;
  };

  static double elapsed(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

  void expand(Solution& s) {
    const auto start = Clock::now();
    for (std::size_t t = 0; t < steps_; ++t) problem_.linearize(s.x[t], s.u[t], knots_[t].A, knots_[t].B);
    s.linearization_seconds += elapsed(start);
    s.linearizations += problem_.steps();
    for (std::size_t t = 0; t < steps_; ++t) knots_[t].l = problem_.expand_cost(s.x[t], s.u[t]);
    final_ = problem_.expand_final_cost(s.x[steps_]);
  }

  /// Riccati recursion for the control law about the trajectory. The value function about x_t is V_x . dx + dx . V_xx
  /// dx / 2.
  /// @returns false if Q_uu is not positive definite at some time, so that there is no minimum and more regularisation
  /// is needed
  bool backward_pass(const Solution& s) {
    slope_ = curvature_ = gradient_ = 0;
    Vector Vx = final_.lx;
    Matrix Vxx = final_.lxx;
    for (std::size_t t = steps_; t-- > 0;) {
      auto& [A, B, l, k, K] = knots_[t];
      const Vector Qx = l.lx + A.transpose() * Vx;
      const Vector Qu = l.lu + B.transpose() * Vx;
      // Q_xx and V_xx are symmetric, so only their lower triangles are computed.
      const Matrix VA = Vxx * A;
      Matrix Qxx = l.lxx;
      Qxx.triangularView<Eigen::Lower>() += A.transpose() * VA;
      Matrix Qux = l.lux + B.transpose() * VA;
      Matrix Quu = l.luu + B.transpose() * (Vxx * B);
      if (second_order_) {
        const Curvature f = problem_.curvature(s.x[t], s.u[t], Vx);
        Qxx += f.xx, Qux += f.ux, Quu += f.uu;
      }

      // A penalty on the distance from the states of the last trajectory.
      Matrix Quu_regular = Quu, Qux_regular = Qux;
      if (regularisation_ > 0) {
        Quu_regular += regularisation_ * B.transpose() * B;
        Qux_regular += regularisation_ * B.transpose() * A;
      }
      const Eigen::LLT<Matrix> factor(Quu_regular);
      if (factor.info() != Eigen::Success) return false;
      k = -factor.solve(Qu);
      K = -factor.solve(Qux_regular);

      gradient_ = std::max(gradient_, Qu.cwiseAbs().maxCoeff());
      slope_ += k.dot(Qu);
      curvature_ += k.dot(Quu * k);
      Vx = Qx + K.transpose() * (Quu * k + Qu) + Qux.transpose() * k;
      Qxx.triangularView<Eigen::Lower>() += K.transpose() * (Quu * K + Qux);
      Qxx.triangularView<Eigen::Lower>() += Qux.transpose() * K;
      Vxx = Qxx.selfadjointView<Eigen::Lower>();
    }
    return true;
  }

  /// Follows the control law from x_0 with the step alpha. @returns the cost
  double forward_pass(const Solution& s, double alpha, std::vector<Vector>& x, std::vector<Vector>& u) {
    double cost = 0;
    for (std::size_t t = 0; t < steps_; ++t) {
      const auto& [A, B, l, k, K] = knots_[t];
      u[t] = s.u[t] + alpha * k + K * problem_.difference(s.x[t], x[t]);
      cost += problem_.cost(x[t], u[t]);
      x[t + 1] = problem_.step(x[t], u[t]);
    }
    return cost + problem_.final_cost(x[steps_]);
  }

  /// Takes the first step alpha = 1, 1/2, 1/4, .. whose decrease of the cost is at least a share of the decrease in the
  /// quadratic model.
  Iteration line_search(Solution& s, int number) {
    Iteration it{number, s.cost, s.gradient, 0, 0, 0, regularisation_};
    std::vector<Vector> x = s.x, u = s.u;
    for (double alpha = 1; alpha >= options_.smallest_step; alpha /= 2) {
      const double cost = forward_pass(s, alpha, x, u);
      it.expected = -(alpha * slope_ + 0.5 * alpha * alpha * curvature_);
      it.actual = s.cost - cost;
      // This is false, too, if the cost is NaN because the trajectory diverges.
      if (it.actual > options_.least_gain * it.expected) {
        it.step = alpha;
        s.cost = cost, s.x = std::move(x), s.u = std::move(u);
        break;
      }
    }
    return it;
  }

  /// Increases the regularisation by a factor that grows from call to call as long as the direction does not change.
  /// @returns false above the largest regularisation
  bool regularise_more() {
    factor_ = std::max(2.0, 2 * factor_);
    regularisation_ = std::max(options_.least_regularisation, regularisation_ * factor_);
    return regularisation_ <= options_.largest_regularisation;
  }
  void regularise_less() {
    factor_ = std::min(0.5, factor_ / 2);
    regularisation_ *= factor_;
    if (regularisation_ < options_.least_regularisation) regularisation_ = 0;
  }

  Problem& problem_;
  Options options_;
  std::size_t steps_;
  std::vector<Knot> knots_;
  CostDerivatives final_;
  double regularisation_ = 0, factor_ = 1;  // mu, and its last factor
  double slope_ = 0, curvature_ = 0;        // slope and curvature of the expected cost along alpha
  double gradient_ = 0;
  bool second_order_ = false;
};

}  // namespace ilqr
