#include "corio/model/detail/check_vectors.hpp"

#include <limits>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/joints/spherical.hpp"
#include "corio/simulation/step.hpp"
#include "model/edit_support.hpp"
#include "support/catch.hpp"

// Checks the exact words of errors for a vector that does not fit a robot.

namespace edit_test {
namespace {

/// A floating base with `balls` ball joints and `hinges` hinges on it, and a body that is welded to it.
Model<double> figure(int balls, int hinges) {
  ModelBuilder<double> builder("figure");
  builder.add_body({.name = "trunk", .joint = joint::FreeFlyer(), .inertia = ball(), .joint_name = "base"});
  for (int i = 0; i < balls; ++i)
    builder.add_body({.name = "arm" + std::to_string(i),
                      .parent = "trunk",
                      .joint = joint::Spherical(),
                      .inertia = ball(),
                      .joint_name = "shoulder" + std::to_string(i)});
  for (int i = 0; i < hinges; ++i)
    builder.add_body({.name = "leg" + std::to_string(i),
                      .parent = "trunk",
                      .joint = joint::Revolute::z(),
                      .inertia = ball(),
                      .joint_name = "hip" + std::to_string(i)});
  builder.add_body({.name = "head", .parent = "trunk", .joint = joint::Fixed(), .inertia = ball()});
  return builder.build();
}

}  // namespace

TEST_CASE("a wrong size says which function, what the model has, and of which joints", "[model][errors]") {
  const auto model = figure(1, 5);
  Data<double> data(model);
  const Eigen::VectorXd q = neutral(model), v = Eigen::VectorXd::Zero(model.nv());
  const auto message = [&](const auto& at, const auto& rates, const auto& tau) {
    return message_of<SizeError>([&] { aba(model, data, at, rates, tau); });
  };
  CHECK(
      message(v, v, v) ==
      "aba: q has size 14, expected 16, nq of model 'figure': 7 of joint 'base', 4 of joint 'shoulder0', 1 of each of "
      "5 joints");
  CHECK(
      message(q, q, v) ==
      "aba: v has size 16, expected 14, nv of model 'figure': 6 of joint 'base', 3 of joint 'shoulder0', 1 of each of "
      "5 joints");
  CHECK(message(q, v, v.head(3)) ==
        "aba: tau has size 3, expected 14, nv of model 'figure': 6 of joint 'base', 3 of joint 'shoulder0', 1 of each "
        "of 5 joints");
  // The call names its own robot, and another robot's joints.
  const auto other = figure(2, 0);
  Data<double> other_data(other);
  CHECK(
      message_of<SizeError>([&] { forward_kinematics(other, other_data, q); }) ==
      "forward_kinematics: q has size 16, expected 15, nq of model 'figure': 7 of joint 'base', 4 of each of 2 joints");
}

TEST_CASE("a number that is not finite is named with its index and joint", "[model][errors]") {
  const auto model = figure(1, 2);
  Data<double> data(model);
  for (int i = 0; i < model.nq(); ++i) {
    Eigen::VectorXd q = neutral(model), v = Eigen::VectorXd::Zero(model.nv());
    q[i] = std::numeric_limits<double>::quiet_NaN();
    const std::string joint = i < 7 ? "base" : i < 11 ? "shoulder0" : i < 12 ? "hip0" : "hip1";
    CHECK(message_of<Error>([&] { step<double>(model, data, q, v, v, 1e-3); }) ==
          "step: q[" + std::to_string(i) + "] is nan (joint '" + joint + "'); nothing was changed");
  }
}

}  // namespace edit_test
