#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corio/corio.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/user_joints.hpp"

/// Robots with springs in joints of every type.
namespace corio::test {

/// Lists every type of joint, built-in and users'.
inline std::vector<std::pair<std::string, joint::JointSpec<double>>> sprung_joints() {
  return {{"revolute", joint::Revolute({1, 2, 3})},
          {"continuous", joint::Continuous({1, 2, 3})},
          {"prismatic", joint::Prismatic({1, 2, 3})},
          {"helical", joint::Helical({0, 1, 0}, 0.3)},
          {"cylindrical", joint::Cylindrical({1, 0, 2})},
          {"translation", joint::Translation{}},
          {"universal", joint::Universal({1, 2, 3}, {0, 1, -1})},
          {"planar", joint::Planar({1, 2, -1})},
          {"spherical", joint::Spherical{}},
          {"spherical in parent axes", joint::SphericalInParentAxes{}},
          {"spherical euler", joint::SphericalEuler<'z', 'y', 'x'>{}},
          {"spherical exp", joint::SphericalExp{}},
          {"free flyer", joint::FreeFlyer{}},
          {"free flyer in parent axes", joint::FreeFlyerInParentAxes{}},
          {"free flyer exp", joint::FreeFlyerExp{}},
          {"cam", Cam(0.4)},
          {"euler of a user", EulerZyx{}},
          {"ball of a user", ParentBall{}},
          {"composite", joint::Composite<>{joint::Prismatic::z(), joint::Spherical{}, joint::Prismatic::x()}}};
}
/// Builds a body on that joint that carries another body, with springs of unequal stiffness and random rest positions.
inline Model<double> sprung(const joint::JointSpec<double>& joint) {
  ModelBuilder<double> builder("sprung");
  builder.add_body({.name = "first", .joint = joint, .inertia = ball()});
  builder.add_body({.name = "second", .parent = "first", .joint = joint::Revolute::y(), .inertia = ball()});
  auto model = builder.build();
  const Eigen::VectorXd x = 0.5 * random_vector<double>(model.nv(), 11).normalized();  // short of gimbal lock
  model.set_springs(Eigen::VectorXd::LinSpaced(model.nv(), 1.0, 4.0), integrate<double>(model, neutral(model), x));
  return model;
}
/// Returns a configuration at a distance |x| = length from the rest position, short of half a turn.
inline Eigen::VectorXd displaced(const Model<double>& model, int seed, double length = 2.0) {
  const Eigen::VectorXd x = length * random_vector<double>(model.nv(), seed).normalized();
  return integrate<double>(model, model.rest_configuration(), x);
}

}  // namespace corio::test
