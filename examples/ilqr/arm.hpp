#pragma once

#include <corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp>
#include <corio/kinematics/frames.hpp>

#include "robot_problem.hpp"

namespace ilqr {

/// Reaching: from rest in a given posture the hand comes to rest at a point. Every joint is driven, and the cost of
/// torques is the square of their ratio to the joint's limit.
class Arm : public RobotProblem {
 public:
  /// @param hand  name of a frame
  Arm(corio::Model<double> model, const std::string& hand, Vector posture, const Eigen::Vector3d& target)
      : RobotProblem(model, names(model), 1.0, 0.01),
        hand_(model_.frame(hand)),
        posture_(std::move(posture)),
        target_(target),
        effort_(model_.effort_limit().cwiseAbs2().cwiseInverse()),
        holding_(corio::generalized_gravity(model_, data_, posture_)) {}

  Vector initial_state() const override { return state(posture_, Vector::Zero(model_.nv())); }
  Vector first_guess(int) const override { return holding_; }

  /// The vector from the target to the hand, in world axes.
  Eigen::Vector3d miss(const Vector& x) {
    corio::forward_kinematics(model_, data_, configuration(x));
    return corio::body_pose(model_, data_, hand_).translation - target_;
  }
  /// Velocity of the hand for the joint velocities v at x, in world axes.
  Eigen::Vector3d hand_velocity(const Vector& x, const Vector& v) {
    corio::forward_kinematics(model_, data_, configuration(x), v);
    return corio::body_velocity(model_, data_, hand_, corio::ReferenceFrame::world_aligned).linear;
  }

  double cost(const Vector& x, const Vector& u) override {
    return 0.5 * h() * (torque_ * effort_.dot(u.cwiseAbs2()) + damping_ * velocity(x).squaredNorm());
  }
  CostDerivatives expand_cost(const Vector& x, const Vector& u) override {
    const int n = model_.nv();
    CostDerivatives l = no_cost(n);
    l.lx.tail(n) = h() * damping_ * velocity(x);
    l.lxx.bottomRightCorner(n, n).diagonal().setConstant(h() * damping_);
    l.lu = h() * torque_ * effort_.cwiseProduct(u);
    l.luu.diagonal() = h() * torque_ * effort_;
    return l;
  }

  double final_cost(const Vector& x) override {
    return 0.5 * (reach_ * miss(x).squaredNorm() + rest_ * velocity(x).squaredNorm());
  }
  CostDerivatives expand_final_cost(const Vector& x) override {
    const int n = model_.nv();
    CostDerivatives l = no_cost(0);
    const Vector e = miss(x);
    Matrix J(3, n);
    for (int k = 0; k < n; ++k) J.col(k) = hand_velocity(x, Vector::Unit(n, k));
    l.lx << reach_ * J.transpose() * e, rest_ * velocity(x);
    l.lxx.topLeftCorner(n, n) = reach_ * (J.transpose() * J + position_curvature(x, e));
    l.lxx.bottomRightCorner(n, n).diagonal().setConstant(rest_);
    return l;
  }

 private:
  static std::vector<std::string> names(const corio::Model<double>& model) {
    std::vector<std::string> all;
    for (const corio::Joint& joint : model.joints()) all.push_back(joint.name());
    return all;
  }

  /// Second derivatives of e . p with the position p of the hand: the derivative of J^T e with respect to q, which is
  /// the change of the derivatives of inverse dynamics by a force e on the hand.
  Matrix position_curvature(const Vector& x, const Eigen::Vector3d& e) {
    const Vector zero = Vector::Zero(model_.nv());
    const corio::ExternalForce<double> force(hand_, {Eigen::Vector3d::Zero(), e}, corio::ReferenceFrame::world_aligned);
    const Matrix without = corio::inverse_dynamics_derivatives(model_, data_, configuration(x), zero, zero).dtau_dq;
    return without - corio::inverse_dynamics_derivatives(model_, data_, configuration(x), zero, zero, force).dtau_dq;
  }

  corio::Frame<double> hand_;
  Vector posture_;
  Eigen::Vector3d target_;
  Vector effort_;                       // weights, per (N m)^2
  Vector holding_;                      // torques against gravity in the first posture
  double torque_ = 30, damping_ = 0.1;  // weights, per s, per rad^2/s
  double reach_ = 1e4, rest_ = 100;     // weights, per m^2, per (rad/s)^2
};

}  // namespace ilqr
