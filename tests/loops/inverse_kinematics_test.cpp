#include "corio/loops/inverse_kinematics.hpp"

#include <numbers>
#include <optional>

#include "corio/zoo/mechanisms.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"

namespace loops_test {

/// Hinges about z with bars of length 1 along x, with a frame "tip" at the end and limits of 2.5 rad except for the
/// first hinge: a planar arm, whose inverse kinematics is known.
Model<double> planar_arm(int links, double limit = 2.5, std::optional<double> lower = {}) {
  ModelBuilder<double> builder("planar arm");
  Parent parent;
  for (int i = 0; i < links; ++i) {
    const std::string name = "bar" + std::to_string(i);
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint::Revolute::z(),
                      .placement = {identity3<double>(), {i > 0 ? 1.0 : 0.0, 0, 0}},
                      .inertia = ball(1.0),
                      .limits = i > 0 ? JointLimits{{lower.value_or(-limit)}, {limit}, {}, {}} : JointLimits{}});
    parent = name;
  }
  builder.add_frame("tip", parent, {identity3<double>(), {1, 0, 0}});
  return builder.build();
}

/// Uses a Data of its own, so that it reads no results of the solver.
Pose<double> pose_at(const Model<double>& model, const Frame<double>& frame, const VectorXd& q) {
  Data<double> fresh(model);
  forward_kinematics<double>(model, fresh, q);
  return body_pose<double>(model, fresh, frame);
}
double distance(const Pose<double>& A, const Pose<double>& B) {
  return std::max((A.rotation - B.rotation).cwiseAbs().maxCoeff(),
                  (A.translation - B.translation).cwiseAbs().maxCoeff());
}
Pose<double> at(double x, double y) { return {identity3<double>(), {x, y, 0}}; }

constexpr auto position = PoseTarget<double>::Of::position;

TEST_CASE("inverse kinematics of two bars is the law of cosines", "[loops][inverse_kinematics]") {
  const auto model = planar_arm(2, 3.0);
  Data<double> data(model);
  for (const double x : {0.3, 1.0, 1.7})
    for (const double elbow : {1.0, -1.0}) {
      const double y = 0.4, cosine = (x * x + y * y - 2) / 2, bend = elbow * std::acos(cosine);
      const VectorXd start = Eigen::Vector2d(0.1, 0.5 * elbow);
      const auto found = inverse_kinematics<double>(model, data, {{model.frame("tip"), at(x, y), position}}, start);
      CAPTURE(x, elbow, found.iterations, found.residual);
      CHECK(found.reached);
      CHECK(found.residual < 1e-12);
      CHECK(found.iterations < 20);
      CHECK(std::abs(found.q[1] - bend) < 1e-11);  // near x = 0.3 and 1.7 acos multiplies errors by three
      CHECK(std::abs(std::remainder(found.q[0] - std::atan2(y, x) + bend / 2, 2 * std::numbers::pi)) < 1e-11);
      CHECK(found.at_limit.empty());
    }
}

TEST_CASE("what is out of reach is reported with what it lacks", "[loops][inverse_kinematics]") {
  const auto model = planar_arm(3);
  Data<double> data(model);
  const auto found =
      inverse_kinematics<double>(model, data, {{model.frame("tip"), at(0, 5), position}}, VectorXd::Constant(3, 0.3));
  CHECK_FALSE(found.reached);
  CHECK(found.worst == "tip");
  // The arm is stretched towards the target, 2 m short of it; near the end only the square of an angle shortens the
  // distance.
  CHECK(std::abs(found.residual - 2.0) < 1e-6);
  CHECK(std::abs(pose_at(model, model.frame("tip"), found.q).translation[1] - 3.0) < 1e-6);
  // The target is so far away that the square of the distance overflows.
  for (const double far : {1e200, 1e308})
    CHECK_FALSE(
        inverse_kinematics<double>(model, data, {{model.frame("tip"), at(far, far), position}}, found.q).reached);
}

TEST_CASE("limits are kept, and joints at them are named", "[loops][inverse_kinematics]") {
  // The target needs a bend of 120 deg; with 90 deg the tip stays sqrt(2) from the base: 0.414 m from the target,
  // whether or not there is another limit on the other side.
  const double lower = GENERATE(-std::numbers::pi / 2, -std::numeric_limits<double>::infinity());
  const auto model = planar_arm(2, std::numbers::pi / 2, lower);
  Data<double> data(model);
  const std::vector<PoseTarget<double>> targets{{model.frame("tip"), at(1, 0), position}};
  const VectorXd start = Eigen::Vector2d(0.2, 0.4);
  const auto kept = inverse_kinematics<double>(model, data, targets, start);
  CHECK_FALSE(kept.reached);
  CHECK(kept.at_limit == std::vector<std::string>{"bar1_joint"});
  CHECK(kept.q[1] == model.upper_limit()[1]);
  CHECK(std::abs(kept.residual - (std::sqrt(2.0) - 1)) < 1e-6);
  const auto free = inverse_kinematics<double>(model, data, targets, start, {.limits = false});
  CHECK(free.reached);
  CHECK(std::abs(free.q[1] - 2 * std::numbers::pi / 3) < 1e-10);
  CHECK(free.at_limit == std::vector<std::string>{"bar1_joint"});
}

TEST_CASE("a limit on the way does not keep other joints from the target", "[loops][inverse_kinematics]") {
  const auto model = planar_arm(4, 0.8);
  Data<double> data(model);
  Random<double> random(5);
  int reached = 0, limited = 0;
  for (int i = 0; i < 50; ++i) {
    // Some configuration within the limits reaches each target.
    const VectorXd known = VectorXd::NullaryExpr(4, [&] { return std::clamp(1.2 * random.real(), -0.8, 0.8); });
    const auto target = pose_at(model, model.frame("tip"), known);
    const auto found =
        inverse_kinematics<double>(model, data, {{model.frame("tip"), target}}, VectorXd::Zero(4), {.restarts = 10});
    for (int k = 1; k < 4; ++k) CHECK(std::abs(found.q[k]) <= 0.8);
    reached += found.reached, limited += !found.at_limit.empty();
    if (found.reached) CHECK(distance(pose_at(model, model.frame("tip"), found.q), target) < 1e-12);
  }
  CHECK(reached == 50);
  CHECK(limited > 0);
}

TEST_CASE("restarts find what no way within the limits leads to", "[loops][inverse_kinematics]") {
  // The target needs a bend of 120 deg to one side or the other; on the side of the start only 30 deg are left.
  const auto model = planar_arm(2, 2.5, -std::numbers::pi / 6);
  Data<double> data(model);
  const std::vector<PoseTarget<double>> targets{{model.frame("tip"), at(1, 0), position}};
  const VectorXd start = Eigen::Vector2d(0.2, -0.4);
  const auto stuck = inverse_kinematics<double>(model, data, targets, start);
  CHECK_FALSE(stuck.reached);
  CHECK(stuck.q[1] == model.lower_limit()[1]);
  const auto found = inverse_kinematics<double>(model, data, targets, start, {.restarts = 20});
  CHECK(found.reached);
  CHECK(std::abs(found.q[1] - 2 * std::numbers::pi / 3) < 1e-10);
  // The result of another start is used only if it is nearer to the target.
  const std::vector<PoseTarget<double>> far{{model.frame("tip"), at(0, 5), position}};
  const auto once = inverse_kinematics<double>(model, data, far, start);
  CHECK(inverse_kinematics<double>(model, data, far, start, {.restarts = 5}).residual <= once.residual);
}

TEST_CASE("without targets a single coupling is closed, within the limits", "[loops][inverse_kinematics]") {
  // 2.5 rad and -2.5 rad with these factors are at most 7.5 rad.
  const double sum = GENERATE(0.3, 8.0);
  auto builder = to_builder(planar_arm(3));
  builder.couple("gear", {{"bar1_joint", 1.0}, {"bar2_joint", -2.0}}, sum);
  const auto model = builder.build();
  Data<double> data(model);
  const auto found = inverse_kinematics<double>(model, data, {}, Eigen::Vector3d(0.1, 0.4, 0.5));
  CHECK(found.reached == (sum < 7.5));
  CHECK(std::abs(found.residual - std::max(0.0, sum - 7.5)) < 1e-12);
  CHECK(std::abs(found.q[1] - 2 * found.q[2] - std::min(sum, 7.5)) < 1e-12);
}

TEST_CASE("with a posture the nearest of all configurations is found", "[loops][inverse_kinematics]") {
  const auto model = planar_arm(4);
  Data<double> data(model);
  const VectorXd start = VectorXd::Constant(4, 0.4), posture = Eigen::Vector4d(0.9, -0.3, 0.8, 0.5);
  const std::vector<PoseTarget<double>> targets{{model.frame("tip"), at(1.5, 1.2), position}};
  const auto found = inverse_kinematics<double>(model, data, targets, start, {.posture = posture});
  REQUIRE(found.reached);
  // The remaining way to the posture is along rows of the Jacobian, here given by the lever arms of the tip, in the
  // plane.
  Eigen::Matrix<double, 2, 4> J;
  const Vector3<double> tip = pose_at(model, model.frame("tip"), found.q).translation;
  for (int i = 0; i < 4; ++i) {
    const auto hinge = pose_at(model, model.bodies()[static_cast<std::size_t>(i)], found.q).translation;
    J.col(i) << -(tip - hinge)[1], (tip - hinge)[0];
  }
  const MatrixXd null = null_space(J);
  CHECK((null.transpose() * (posture - found.q)).norm() < 1e-6);  // steps end below the root of epsilon
  // The solution is a minimum: nearby solutions are farther from the posture.
  for (int i = 0; i < 2; ++i)
    for (const double side : {-0.05, 0.05}) {
      const VectorXd moved = found.q + side * null.col(i);
      const auto near = inverse_kinematics<double>(model, data, targets, moved);
      CHECK((near.q - posture).norm() > (found.q - posture).norm());
    }
}

TEST_CASE("a humanoid on its feet reaches with a hand, and looks ahead", "[loops][inverse_kinematics]") {
  const auto model = zoo::humanoid();
  Data<double> data(model);
  VectorXd q = neutral(model);
  for (const std::string side : {"left_", "right_"})
    for (const auto& [name, angle] : {std::pair("hip_pitch", -0.4), {"knee", 0.8}, {"ankle_pitch", -0.4}})
      q[model.joint(side + name).q_index()] = angle;
  std::vector<PoseTarget<double>> targets;
  for (const char* foot : {"left_sole", "right_sole"})
    targets.push_back({model.frame(foot), pose_at(model, model.frame(foot), q)});
  Pose<double> hand = pose_at(model, model.frame("left_palm"), q);
  hand.translation = hand.translation + Vector3<double>(0.3, -0.1, 0.35);
  targets.push_back({model.frame("left_palm"), hand, position});
  targets.push_back({model.frame("eyes"), Pose<double>::identity(), PoseTarget<double>::Of::orientation});
  const auto found = inverse_kinematics<double>(model, data, targets, q, {.posture = q});
  CAPTURE(found.iterations, found.residual, found.worst);
  REQUIRE(found.reached);
  check_configuration<double>(model, found.q);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(distance(pose_at(model, targets[i].frame, found.q), targets[i].pose) < 1e-12);
  CHECK((pose_at(model, model.frame("left_palm"), found.q).translation - hand.translation).norm() < 1e-12);
  CHECK(pose_at(model, model.frame("eyes"), found.q).rotation.isIdentity(1e-12));

  // Puts the centre of mass above one foot, and lower.
  const auto com_at = [&](const VectorXd& at_q) {
    Data<double> fresh(model);
    return center_of_mass<double>(model, fresh, at_q);
  };
  Vector3<double> com = targets[0].pose.translation;
  com[2] = com_at(q)[2] - 0.05;
  const auto leaning = inverse_kinematics<double>(model, data, targets, q, {.posture = q, .center_of_mass = com});
  CAPTURE(leaning.iterations, leaning.residual, leaning.worst);
  REQUIRE(leaning.reached);
  CHECK((com_at(leaning.q) - com).norm() < 1e-12);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(distance(pose_at(model, targets[i].frame, leaning.q), targets[i].pose) < 1e-12);
  CHECK((com_at(found.q) - com).norm() > 0.05);
}

TEST_CASE("the centre of mass alone, with loops, and out of reach", "[loops][inverse_kinematics]") {
  // The centre of mass of two bars of equal mass moves like the point of an arm with bars of 3/4 and 1/4 m.
  const auto arm = planar_arm(2);
  Data<double> data(arm);
  const VectorXd q = VectorXd::Constant(2, 0.3);
  auto with_mass = arm;
  for (const auto& body : arm.bodies()) with_mass.set_inertia(body, ball(1.0, {0.5, 0, 0}));
  const auto reach = [&](double x) {
    return inverse_kinematics<double>(with_mass, data, {}, q, {.center_of_mass = Vector3<double>(x, 0.2, 0)});
  };
  const auto found = reach(0.7);
  REQUIRE(found.reached);
  CHECK(center_of_mass<double>(with_mass, data, found.q).isApprox(Vector3<double>(0.7, 0.2, 0), 1e-12));
  CHECK(std::cos(found.q[1]) == Approx((0.7 * 0.7 + 0.2 * 0.2 - 0.5625 - 0.0625) / (2 * 0.75 * 0.25)));
  const auto far = reach(2.0);
  CHECK(!far.reached);
  CHECK(far.worst == "centre of mass");

  const auto platform = zoo::delta_robot();
  Data<double> platform_data(platform);
  const VectorXd start = neutral(platform);
  Vector3<double> lower = center_of_mass<double>(platform, platform_data, start);
  lower[2] -= 0.02;
  const auto closed = inverse_kinematics<double>(platform, platform_data, {}, start, {.center_of_mass = lower});
  REQUIRE(closed.reached);
  VectorXd k(Loops<double>(platform).rows());
  constraint_residual<double>(platform, forward_kinematics<double>(platform, platform_data, closed.q),
                              Loops<double>(platform), k);
  CHECK(k.cwiseAbs().maxCoeff() < 1e-12);
  CHECK((center_of_mass<double>(platform, platform_data, closed.q) - lower).norm() < 1e-12);

  lower[1] = std::nan("");
  CHECK(mentions(message_of<Error>([&] {
                   inverse_kinematics<double>(platform, platform_data, {}, start, {.center_of_mass = lower});
                 }),
                 {"inverse_kinematics", "center_of_mass[1]", "nan"}));
}

TEST_CASE("loops of the model are closed with the targets", "[loops][inverse_kinematics]") {
  const auto model = zoo::stewart_platform();
  Data<double> data(model);
  const Loops<double> loops(model);
  const VectorXd q = assemble<double>(model, data, loops, neutral(model)).q;
  Pose<double> target = pose_at(model, model.body("platform"), q);
  target = target * Pose<double>{exp_rotation<double>({0.1, -0.15, 0.2}), {0.05, 0.02, 0.04}};
  const auto found = inverse_kinematics<double>(model, data, {{model.body("platform"), target}}, q);
  REQUIRE(found.reached);
  CHECK(distance(pose_at(model, model.body("platform"), found.q), target) < 1e-12);
  VectorXd k(loops.rows());
  constraint_residual<double>(model, forward_kinematics<double>(model, data, found.q), loops, k);
  CHECK(k.cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("targets that make no sense are refused by name", "[loops][inverse_kinematics][errors]") {
  const auto model = planar_arm(3), other = planar_arm(3);
  Data<double> data(model);
  const VectorXd q = VectorXd::Zero(3);
  const auto message = [&](const PoseTarget<double>& target, const VectorXd& start) {
    return message_of<Error>([&] { inverse_kinematics<double>(model, data, {target}, start); });
  };
  const auto& tip = model.frame("tip");
  Pose<double> bad = at(1, 1);
  bad.translation[1] = std::nan("");
  CHECK(mentions(message({tip, bad}, q), {"'tip'", "not finite"}));
  bad = at(1, 1);
  bad.rotation *= 2;
  CHECK(mentions(message({tip, bad}, q), {"'tip'", "no rotation matrix"}));
  CHECK(mentions(message({other.frame("tip"), at(1, 1)}, q), {"inverse_kinematics", "another model"}));
  CHECK(mentions(message({tip, at(1, 1)}, VectorXd::Zero(2)), {"inverse_kinematics: q", "expected 3"}));
  CHECK(mentions(message({tip, at(1, 1)}, VectorXd::Constant(3, std::nan(""))), {"bar0_joint"}));
  auto builder = to_builder(model);
  builder.add_frame("wall", Parent(), at(2, 2));
  const auto walled = builder.build();
  Data<double> walled_data(walled);
  CHECK(mentions(message_of<ModelError>([&] {
                   inverse_kinematics<double>(walled, walled_data, {{walled.frame("wall"), at(1, 1)}}, q);
                 }),
                 {"'wall'", "no joint moves"}));
  CHECK(mentions(
      message_of<SizeError>([&] {
        inverse_kinematics<double>(model, data, {{tip, at(1, 1), position}}, q, {.posture = VectorXd::Zero(2)});
      }),
      {"inverse_kinematics: options.posture", "expected 3"}));
  for (const double tolerance : {-1e-9, std::nan("")})
    CHECK(mentions(message_of<Error>([&] {
                     inverse_kinematics<double>(model, data, {{tip, at(1, 1)}}, q, {.tolerance = tolerance});
                   }),
                   {"inverse_kinematics: options.tolerance", "zero or positive"}));
}

TEST_CASE("float reaches as far as float goes", "[loops][inverse_kinematics]") {
  const auto model = planar_arm(3).cast<float>();
  Data<float> data(model);
  const Pose<float> target{identity3<float>(), {1.2f, 0.7f, 0}};
  const auto found = inverse_kinematics<float>(
      model, data, {{model.frame("tip"), target, PoseTarget<float>::Of::position}}, Eigen::Vector3f::Constant(0.5f));
  CHECK(found.reached);
  CHECK(found.residual < 2e-4f);
}

TEMPLATE_TEST_CASE("errors are judged by the size of the coordinates", "[loops][inverse_kinematics]", float, double) {
  using S = TestType;
  constexpr S epsilon = std::numeric_limits<S>::epsilon();
  const auto model = zoo::quadruped<S>();
  Data<S> data(model);
  const auto &base = model.bodies().front(), &foot = model.bodies().back();
  std::mt19937 generator(1);
  for (const double far : {1.0, 1e3, 1e5, 5e6})
    for (int i = 0; i < 5; ++i) {
      VectorX<S> posture = random_configuration(model, generator);
      posture.head(3) *= static_cast<S>(far);
      VectorX<S> step(model.nv());
      for (auto& x : step) x = static_cast<S>(0.2 * std::sin(1.0 + static_cast<double>(generator() % 100)));
      const VectorX<S> start = integrate<S>(model, posture, step);
      forward_kinematics<S>(model, data, posture);
      const Pose<S> trunk = body_pose(model, data, base), target = body_pose(model, data, foot);
      CAPTURE(far, i);
      const auto found = inverse_kinematics<S>(model, data, {{foot, target}}, start, {.posture = posture});
      CHECK(found.reached);
      CHECK(found.residual < S(1e3 * far) * epsilon);
      forward_kinematics<S>(model, data, found.q);
      // Rotations have no size.
      CHECK((body_pose(model, data, foot).rotation - target.rotation).norm() < 3000 * epsilon);
      // The target is out of reach by more than the coordinates' last digits.
      Pose<S> beyond = target;
      beyond.translation[2] += S(5);
      const auto none = inverse_kinematics<S>(model, data, {{base, trunk}, {foot, beyond}}, start);
      CHECK(!none.reached);
      CHECK(none.residual > S(0.1));
    }
}

TEST_CASE("loops are judged by the size of the coordinates that they compare", "[loops][inverse_kinematics]") {
  for (const double size : {1.0, 1e3, 1e6}) {
    CAPTURE(size);
    // Tests bars of that length, a parallelogram; and bars of 1 m at that distance, on the ground with two hinges.
    for (const auto& [length, distance] : {std::pair(size, 0.0), {1.0, size}}) {
      ModelBuilder<double> builder("four bars");
      const auto bar = [&](const std::string& name, const Parent& parent, double x, double y) {
        builder.add_body({.name = name,
                          .parent = parent,
                          .joint = joint::Revolute::z(),
                          .placement = {identity3<double>(), {x, y, 0}},
                          .inertia = ball(1.0)});
      };
      bar("crank", "", distance, distance / 3);
      bar("coupler", "crank", length, 0);
      bar("rocker", "", distance + 0.7 * length, distance / 3);
      for (const char* name : {"coupler", "rocker"})
        builder.add_frame(std::string(name) + "_end", name, {identity3<double>(), {length, 0, 0}});
      builder.close_loop("pin", "coupler_end", "rocker_end", closure::Point{});
      const auto model = builder.build();
      Data<double> data(model);
      const auto closed = assemble<double>(model, data, Loops<double>(model), Eigen::Vector3d(0.7, 0.4, 1.3), {0});
      CHECK(closed.closed);
      CHECK(closed.residual < 1e-14 * size);
      const auto pose = pose_at(model, model.frame("coupler_end"), closed.q);
      const auto found = inverse_kinematics<double>(model, data, {{model.frame("coupler_end"), pose, position}},
                                                    Eigen::Vector3d(0.7, 0.4, 1.3));
      CHECK(found.reached);
      CHECK(found.residual < 1e-14 * size);
      // Three bars cannot reach this pin.
      const auto open = assemble<double>(model, data, Loops<double>(model), Eigen::Vector3d(0.7, 0.4, 1.3), {0, 1, 2});
      CHECK(!open.closed);
    }
    // The motor has turned by that angle.
    ModelBuilder<double> builder("gear");
    for (const char* name : {"motor", "wheel"})
      builder.add_body({.name = name, .joint = joint::Revolute::z(), .inertia = ball(1.0)});
    builder.couple("gear", {{"motor_joint", 1.0}, {"wheel_joint", -30.3}});
    const auto model = builder.build();
    Data<double> data(model);
    const auto closed = assemble<double>(model, data, Loops<double>(model), Eigen::Vector2d(size, size / 30), {1});
    CHECK(closed.closed);
    CHECK(closed.residual < 1e-14 * size);
  }
}

}  // namespace loops_test
