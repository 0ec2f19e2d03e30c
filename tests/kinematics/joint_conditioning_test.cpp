#include <numbers>

#include "corio/kinematics/joint_conditioning.hpp"

#include "corio/joints/composite.hpp"
#include "corio/joints/euler_angles.hpp"
#include "corio/joints/exponential_coordinates.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace conditioning {

Model<double> carrying(const joint::JointSpec<double>& joint) {
  ModelBuilder<double> builder("conditioning");
  Random<double> random(9);
  builder.add_body(
      {.name = "arm", .joint = joint::Revolute(random.direction()), .placement = random.pose(), .inertia = ball(2.0)});
  builder.add_body({.name = "hand",
                    .parent = "arm",
                    .joint = joint,
                    .placement = random.pose(),
                    .body_placement = random.pose(),
                    .inertia = ball(1.5, {0.1, 0.2, -0.3}),
                    .joint_name = "wrist"});
  return builder.build();
}
double of(const joint::JointSpec<double>& joint, const std::vector<double>& q_joint, double length = 1.0) {
  const Model<double> model = carrying(joint);
  Data<double> data(model);
  VectorX<double> q(model.nq());
  q[0] = 0.4;
  for (std::size_t i = 0; i < q_joint.size(); ++i) q[static_cast<Eigen::Index>(i) + 1] = q_joint[i];
  forward_kinematics(model, data, q);
  return joint_conditioning(model, data, "wrist", length);
}

}  // namespace conditioning
using namespace conditioning;

TEST_CASE("conditioning of Euler angles falls to zero at gimbal lock", "[kinematics][joint_conditioning]") {
  using joint::SphericalEuler, joint::FreeFlyerEuler;
  const double lock = std::numbers::pi / 2;
  // The singular values of three unit axes, with 90 degrees - q1 between the first and the third, are sqrt(1 +- sin q1)
  // and 1.
  const auto expected = [](double sine) { return std::sqrt((1 - std::abs(sine)) / (1 + std::abs(sine))); };
  for (const double x : {-1.5, -0.7, 0.0, 0.3, 1.2}) {
    CAPTURE(x);
    CHECK(of(SphericalEuler<'z', 'y', 'x'>(), {0.3, x, -1}) == Approx(expected(std::sin(x))).epsilon(1e-12));
    CHECK(of(SphericalEuler<'z', 'x', 'z'>(), {0.3, x, -1}) == Approx(expected(std::cos(x))).margin(1e-14));
  }
  CHECK(of(SphericalEuler<'x', 'y', 'z'>(), {0.3, lock, -1}) < 1e-15);
  CHECK(of(SphericalEuler<'x', 'y', 'x'>(), {0.3, 0.0, -1}) < 1e-15);
  CHECK(of(FreeFlyerEuler<'x', 'y', 'z'>(), {3, 4, 5, 0.3, lock, -1}) < 1e-15);
  CHECK(of(FreeFlyerEuler<'x', 'y', 'z'>(), {3, 4, 5, 0.3, 0.0, -1}) == Approx(1).epsilon(1e-12));
}

TEST_CASE("conditioning of exponential coordinates is sin(t/2) / (t/2)", "[kinematics][joint_conditioning]") {
  const double pi = std::numbers::pi;
  for (const double t : {0.0, 1e-8, 0.5, 2.0, pi, 5.0}) {
    CAPTURE(t);
    const double expected = t > 0 ? std::sin(t / 2) / (t / 2) : 1.0;
    CHECK(of(joint::SphericalExp(), {0.6 * t, 0, -0.8 * t}) == Approx(expected).epsilon(1e-12));
  }
  CHECK(of(joint::SphericalExp(), {2 * pi, 0, 0}) < 1e-15);
}

TEST_CASE("conditioning of joints without singular places is one", "[kinematics][joint_conditioning]") {
  CHECK(of(joint::Revolute(Vector3<double>(1, 2, 3)), {0.7}) == Approx(1));
  CHECK(of(joint::Spherical(), {0.5, -0.5, 0.5, 0.5}) == Approx(1));
  CHECK(of(joint::FreeFlyer(), {10, 20, 30, 0.5, -0.5, 0.5, 0.5}) == Approx(1));
  CHECK(of(joint::Translation(), {10, 20, 30}, 0.01) == Approx(1));
  CHECK(of(joint::Universal({1, 0, 0}, {0, 1, 0}), {0.7, 2}) == Approx(1));
}

TEST_CASE("the length weighs turns against slides", "[kinematics][joint_conditioning]") {
  // Two parallel hinges at distance zero would be one hinge; here one joint slides along the axis of the other.
  const joint::JointSpec<double> screws =
      joint::Composite<>{joint::Helical({0, 0, 1}, 0.5), joint::Revolute(Vector3<double>(0, 0, 1))};
  const auto expected = [](double p) {
    const double mean = (2 + p * p) / 2, off = std::sqrt(mean * mean - p * p);
    return std::sqrt((mean - off) / (mean + off));
  };
  CHECK(of(screws, {0.3, 0.4}) == Approx(expected(0.5)));
  CHECK(of(screws, {0.3, 0.4}, 0.1) == Approx(expected(5)));
}

TEST_CASE("a singular configuration is reported with its joint", "[kinematics][joint_conditioning][errors]") {
  const Model<double> model = carrying(joint::SphericalEuler<'z', 'y', 'x'>());
  Data<double> data(model);
  VectorX<double> q = VectorX<double>::Constant(4, 0.3);
  CHECK(mentions(message_of<StateError>([&] { joint_conditioning(model, data, "wrist"); }), {"joint_conditioning"}));
  forward_kinematics(model, data, q);
  CHECK_NOTHROW(check_joint_conditioning(model, data));
  CHECK_THROWS_AS(joint_conditioning(model, data, "ankle"), ModelError);
  CHECK_THROWS_AS(joint_conditioning(model, data, "wrist", 0.0), Error);
  q[2] = std::numbers::pi / 2;
  forward_kinematics(model, data, q);
  const std::string message = message_of<Error>([&] { check_joint_conditioning(model, data); });
  CHECK(mentions(message, {"'wrist'", "spherical_euler_zyx", "singular", "Spherical"}));
}
