#pragma once

#include <corio/model/builder.hpp>
#include <numbers>

#include "robot_problem.hpp"

namespace ilqr {

/// A cart of 1 kg on a rail and a rod of 0.2 kg and 0.6 m on it, q = (place of the cart, angle of the rod from
/// upright).
inline corio::Model<double> cart_pole_model() {
  constexpr double mass = 0.2, length = 0.6, I = mass * length * length / 12;
  const corio::Vector3<double> thin_rod(I, I, 0);
  corio::ModelBuilder<double> builder("cart_pole");
  const auto cart = builder.add_body({.name = "cart",
                                      .joint = corio::joint::Prismatic::x(),
                                      .inertia = {1.0, {0, 0, 0}, corio::diagonal3(0.0)},
                                      .joint_name = "rail"});
  builder.add_body({.name = "pole",
                    .parent = cart,
                    .joint = corio::joint::Revolute::y(),
                    .inertia = {mass, {0, 0, length / 2}, thin_rod.asDiagonal()},
                    .joint_name = "hinge"});
  return builder.build();
}

/// Swing-up: from rest with the pole hanging to rest at x = 0 with the pole upright. Only the cart is driven.
class CartPole : public RobotProblem {
 public:
  CartPole() : RobotProblem(cart_pole_model(), {"rail"}, 1.5, 0.01) {}

  Vector initial_state() const override { return Eigen::Vector4d(0, std::numbers::pi, 0, 0); }
  Vector goal() const { return Vector::Zero(4); }
  Vector first_guess(int) const override { return Vector::Zero(1); }

  double cost(const Vector&, const Vector& u) override { return 0.5 * h() * effort_ * u.squaredNorm(); }
  CostDerivatives expand_cost(const Vector&, const Vector& u) override {
    CostDerivatives l = no_cost(1);
    l.lu = h() * effort_ * u;
    l.luu(0, 0) = h() * effort_;
    return l;
  }

  double final_cost(const Vector& x) override {
    const Vector e = difference(goal(), x);
    return 0.5 * e.dot(at_end_.cwiseProduct(e));
  }
  CostDerivatives expand_final_cost(const Vector& x) override {
    CostDerivatives l = no_cost(0);
    l.lx = at_end_.cwiseProduct(difference(goal(), x));
    l.lxx = at_end_.asDiagonal();
    return l;
  }

 private:
  double effort_ = 0.01;                          // weight, per N^2 s
  Eigen::Vector4d at_end_{1000, 1000, 100, 100};  // weights, per m^2, rad^2, (m/s)^2, (rad/s)^2
};

}  // namespace ilqr
