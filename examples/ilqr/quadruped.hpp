#pragma once

#include <corio/loops/constrained_dynamics_derivatives.hpp>

#include "robot_problem.hpp"

namespace ilqr {

/// A quadruped with its feet held to the ground moves its trunk: from rest on bent legs to a pose of the trunk, at
/// rest. Joints of the legs are driven, the floating base is not; the ground holds each foot by a constraint. The cost
/// of torques is the square of their ratio to 30 N m.
class Quadruped : public RobotProblem {
 public:
  /// @param rise, bow  desired rise and bow of the trunk, m and rad
  Quadruped(corio::Model<double> model, double rise, double bow)
      : RobotProblem(model, legs(model), 0.5, 0.01), loops_(model_), start_(corio::neutral(model_)) {
    for (int leg = 0; leg < 4; ++leg) start_.segment<3>(7 + 3 * leg) << 0.0, 0.6, -1.2;
    corio::forward_kinematics(model_, data_, start_);
    for (const std::string foot : {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"}) {
      const auto spot = corio::body_pose(model_, data_, model_.frame(foot));
      loops_.close(foot, model_.ground_frame({corio::identity3<double>(), spot.translation}), model_.frame(foot),
                   corio::closure::Point{});
    }
    goal_ = start_.head<7>();
    goal_[2] += rise;
    goal_.segment<4>(3) << 0, std::sin(bow / 2), 0, std::cos(bow / 2);
    // The first guess is the torques with which each leg carries a quarter of the weight.
    Matrix J = Matrix::Zero(12, model_.nv());
    corio::constraint_jacobian(model_, data_, loops_, J);
    const Vector gravity = corio::generalized_gravity(model_, data_, start_);
    const Vector at_feet = J.leftCols(6).transpose().completeOrthogonalDecomposition().solve(gravity.head<6>());
    holding_ = (gravity - J.transpose() * at_feet).tail(num_controls());
  }

  Vector initial_state() const override { return state(start_, Vector::Zero(model_.nv())); }
  Vector first_guess(int) const override { return holding_; }

  double cost(const Vector& x, const Vector& u) override {
    return 0.5 * h() * (torque_ * (u - holding_).squaredNorm() + damping_ * velocity(x).squaredNorm());
  }
  CostDerivatives expand_cost(const Vector& x, const Vector& u) override {
    const int n = model_.nv();
    CostDerivatives l = no_cost(num_controls());
    l.lx.tail(n) = h() * damping_ * velocity(x);
    l.lxx.bottomRightCorner(n, n).diagonal().setConstant(h() * damping_);
    l.lu = h() * torque_ * (u - holding_);
    l.luu.diagonal().setConstant(h() * torque_);
    return l;
  }

  /// The error [rotation; translation] from the goal to the trunk.
  Vector miss(const Vector& x) const { return corio::difference(model_, with_goal(), configuration(x)).head(6); }
  double final_cost(const Vector& x) override {
    return 0.5 * (reach_ * miss(x).squaredNorm() + rest_ * velocity(x).squaredNorm());
  }
  /// The curvature of the logarithm is left out, since it is small near the goal.
  CostDerivatives expand_final_cost(const Vector& x) override {
    const int n = model_.nv();
    CostDerivatives l = no_cost(0);
    corio::difference_derivatives(model_, with_goal(), configuration(x), by_goal_, by_x_);
    const Matrix J = by_x_.topRows(6);
    l.lx << reach_ * J.transpose() * miss(x), rest_ * velocity(x);
    l.lxx.topLeftCorner(n, n) = reach_ * J.transpose() * J;
    l.lxx.bottomRightCorner(n, n).diagonal().setConstant(rest_);
    return l;
  }
  /// The largest drift of a foot at x, m.
  double drift(const Vector& x) {
    corio::forward_kinematics(model_, data_, configuration(x));
    Vector residual(loops_.rows());
    corio::constraint_residual(model_, data_, loops_, residual);
    return residual.cwiseAbs().maxCoeff();
  }

 protected:
  Vector acceleration(const Vector& q, const Vector& v, const Vector& tau) override {
    return corio::constrained_forward_dynamics(model_, data_, loops_, q, v, tau, rate_).a;
  }
  Vector linearize_acceleration(const Vector& q, const Vector& v, const Vector& tau, Eigen::Ref<Matrix> by_q,
                                Eigen::Ref<Matrix> by_v, Matrix& by_tau) override {
    const auto& of = corio::constrained_forward_dynamics_derivatives(model_, data_, loops_, q, v, tau, rate_);
    by_q = of.da_dq, by_v = of.da_dv, by_tau = of.da_dtau;
    return data_.a;
  }

 private:
  static std::vector<std::string> legs(const corio::Model<double>& model) {
    std::vector<std::string> all;
    for (const corio::Joint& joint : model.joints())
      if (joint.nv() == 1) all.push_back(joint.name());
    return all;
  }
  Vector with_goal() const {
    Vector q = start_;
    q.head<7>() = goal_;
    return q;
  }

  corio::Loops<double> loops_;
  Vector start_, goal_, holding_;
  Matrix by_goal_, by_x_;
  double rate_ = 50;                            // rate of return of feet displaced by errors, 1/s
  double torque_ = 1.0 / 900, damping_ = 1e-3;  // weights, per (N m)^2 s, per rad^2/s
  double reach_ = 1e4, rest_ = 10;              // weights, per m^2 and rad^2, per (rad/s)^2
};

}  // namespace ilqr
