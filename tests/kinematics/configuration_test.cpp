#include "corio/kinematics/configuration.hpp"

#include "corio/kinematics/frames.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Largest difference of the poses of all bodies in two configurations, so that the sign of a quaternion does
/// not count.
double distance(Sample& s, const Vectord& q0, const Vectord& q1) {
  Data<double> other(s.model);
  forward_kinematics(s.model, s.data, q0);
  forward_kinematics(s.model, other, q1);
  double largest = 0;
  for (const auto& body : s.model.bodies())
    largest = std::max(largest, relative_error(body_pose(s.model, s.data, body), body_pose(s.model, other, body)));
  return largest;
}

Model<double> limited() {
  ModelBuilder<double> builder;
  const auto inertia = ball();
  builder.add_body(
      {.name = "swing", .joint = joint::Revolute::x(), .inertia = inertia, .limits = {.lower = {0.2}, .upper = {0.3}}});
  builder.add_body({.name = "ball", .parent = "swing", .joint = joint::Spherical{}, .inertia = inertia});
  builder.add_body({.name = "slide",
                    .parent = "ball",
                    .joint = joint::Translation{},
                    .inertia = inertia,
                    .limits = {.lower = {-9, 1, -3}, .upper = {-8, 2, std::numeric_limits<double>::infinity()}}});
  return builder.build();
}

}  // namespace

TEST_CASE("at the neutral configuration every joint's transform is the identity", "[kinematics][configuration]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  forward_kinematics(s.model, s.data, neutral(s.model));
  std::vector<Matrix4<double>> expected;
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyPlan& body = s.oracle.plan().bodies[static_cast<std::size_t>(b)];
    Matrix4<double> T = homogeneous(body.placement);
    if (body.parent >= 0) T = expected[static_cast<std::size_t>(body.parent)] * T;
    expected.push_back(T);
    CHECK(relative_error(homogeneous(body_pose(s.model, s.data, s.frame(b))), T) < tolerance<double>());
  }
}

TEST_CASE("integrate undoes difference on whole models", "[kinematics][configuration]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  std::mt19937 generator(7);
  const Vectord target = random_configuration(s.model, generator);
  CHECK(distance(s, integrate(s.model, s.q, difference(s.model, s.q, target)), target) < tolerance<double>());
}

TEST_CASE("difference undoes integrate on whole models", "[kinematics][configuration]") {
  // |v| < sqrt(3) < pi in every joint: no turn is the long way round.
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  CHECK(relative_error(difference(s.model, s.q, integrate(s.model, s.q, s.v)), s.v) < tolerance<double>());
}

TEST_CASE("each joint moves along its own exponential: T(q (+) d) = T(q) exp(S d)", "[kinematics][configuration]") {
  // Joints with one group: a joint of several factors moves along each of them in turn.
  const auto kind = static_cast<Kind>(GENERATE(range(0, moving_kinds)));
  Sample s(PlanMaker(name_of(kind), 70).chain(-1, {kind}).plan(), 70);
  INFO(s.name());
  const auto& factors = s.oracle.plan().bodies[0].joint.factors;
  Matrix4<double> expected = homogeneous(s.oracle.plan().bodies[0].placement);
  int q = 0, k = 0;
  for (const Factor& factor : factors) {
    Matrix4<double> twist = Matrix4<double>::Zero();
    for (const auto& column : factor.twists) twist += s.v[k++] * hat(column);
    expected = expected * factor.transform(s.q.data() + q) * matrix_exponential(twist);
    q += factor.nq;
  }
  forward_kinematics(s.model, s.data, integrate(s.model, s.q, s.v));
  CHECK(relative_error(homogeneous(body_pose(s.model, s.data, s.frame(0))), expected) < tolerance<double>());
}

TEST_CASE("integrate may write over its own argument", "[kinematics][configuration]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const Vectord expected = integrate(s.model, s.q, s.v);
  Vectord q = s.q;
  integrate(s.model, q, s.v, q);
  CHECK(q == expected);
}

TEST_CASE("difference writes what it returns", "[kinematics][configuration]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const Vectord target = integrate(s.model, s.q, s.a);
  Vectord dv(s.model.nv());
  difference(s.model, s.q, target, dv);
  CHECK(dv == difference(s.model, s.q, target));
}

TEST_CASE("random configurations are valid and differ", "[kinematics][configuration]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  std::mt19937 generator(11);
  Vectord last = s.q;
  for (int i = 0; i < 20; ++i) {
    const Vectord q = random_configuration(s.model, generator);
    CHECK_NOTHROW(check_configuration(s.model, q, 1e-12));
    CHECK(max_magnitude(q - last) > 1e-3);
    last = q;
  }
}

TEST_CASE("random configurations stay within limits where both are finite, and reach all between",
          "[kinematics][configuration]") {
  const auto model = limited();
  const int swing = model.joint("swing_joint").q_index(), slide = model.joint("slide_joint").q_index();
  std::mt19937_64 generator(3);
  double lowest = 1, highest = 0;
  for (int i = 0; i < 500; ++i) {
    const Vectord q = random_configuration(model, generator);
    REQUIRE((q[swing] >= 0.2 && q[swing] <= 0.3));
    REQUIRE((q[slide] >= -9 && q[slide] <= -8));
    REQUIRE((q[slide + 1] >= 1 && q[slide + 1] <= 2));
    REQUIRE((q[slide + 2] >= -1 && q[slide + 2] <= 1));  // one limit only: the joint's own range
    lowest = std::min(lowest, q[swing]);
    highest = std::max(highest, q[swing]);
  }
  CHECK(lowest < 0.205);
  CHECK(highest > 0.295);
}

TEST_CASE("normalize brings a scaled configuration back without moving any body", "[kinematics][configuration]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  Vectord q = s.q;
  for (const Joint& joint : s.model.joints()) {
    if (joint.type() == "spherical") q.segment(joint.q_index(), 4) *= 1.7;
    if (joint.type() == "free_flyer") q.segment(joint.q_index() + 3, 4) *= 0.4;
    if (joint.type() == "planar") q.segment(joint.q_index() + 2, 2) *= 2.3;
  }
  normalize(s.model, q);
  CHECK_NOTHROW(check_configuration(s.model, q, 1e-14));
  CHECK(relative_error(q, s.q) < tolerance<double>());
}

TEST_CASE("check_configuration names the joint whose norm is off", "[kinematics][configuration]") {
  const auto model = limited();
  Vectord q = neutral(model);
  const int ball_q = model.joint("ball_joint").q_index();
  q[ball_q + 3] = 1 + 1e-5;
  const std::string message = message_of<Error>([&] { check_configuration(model, q); });
  CHECK(mentions(message, {"ball_joint", "spherical", "norm"}));
  CHECK_NOTHROW(check_configuration(model, q, 1e-4));
}

TEST_CASE("check_configuration names the joint whose numbers are not finite", "[kinematics][configuration]") {
  const auto model = limited();
  const double bad = GENERATE(std::nan(""), std::numeric_limits<double>::infinity());
  Vectord q = neutral(model);
  q[model.joint("slide_joint").q_index() + 1] = bad;
  CHECK(mentions(message_of<Error>([&] { check_configuration(model, q); }), {"slide_joint", "finite"}));
}

TEST_CASE("configurations of the wrong size are SizeErrors", "[kinematics][configuration]") {
  const auto model = limited();
  const Vectord q = neutral(model), v = Vectord::Zero(model.nv()), longer = Vectord::Zero(model.nq() + 1);
  Vectord out = q, short_out(model.nq() - 1), dv = v, short_dv(model.nv() - 1);
  CHECK_THROWS_AS(integrate(model, longer, v), SizeError);
  CHECK_THROWS_AS(integrate(model, q, longer), SizeError);
  CHECK_THROWS_AS(integrate(model, q, v, short_out), SizeError);
  CHECK_THROWS_AS(difference(model, longer, q), SizeError);
  CHECK_THROWS_AS(difference(model, q, longer), SizeError);
  CHECK_THROWS_AS(difference(model, q, q, short_dv), SizeError);
  CHECK_THROWS_AS(normalize(model, short_out), SizeError);
  CHECK_THROWS_AS(check_configuration(model, longer), SizeError);
}
