#include "corio/loops/inverse_kinematics.hpp"
#include "corio/model/edit_reroot.hpp"
#include "model/edit_support.hpp"
#include "support/catch.hpp"

// Differences of joints without limits take the shorter way round, in whole models and in models made from these.

namespace edit_test {

namespace {

constexpr double turn = 2 * 3.14159265358979323846;

Model<double> wrapped(const Model<double>& model) {
  auto builder = to_builder(model);
  builder.wrap_continuous();
  return builder.build();
}

/// The robot has two hinges, the second with stops, a third hinge geared to a fourth, a hinge with a spring, and a
/// ball.
ModelBuilder<double> wheeled_robot() {
  const InertialParameters<double> one{1, {0.1, 0.2, 0.3}, Matrix3<double>::Identity()};
  ModelBuilder<double> builder("robot");
  builder.add_body({.name = "wheel", .joint = joint::Revolute({1, 2, 3}), .inertia = one});
  builder.add_body({.name = "arm",
                    .parent = "wheel",
                    .joint = joint::Revolute::y(),
                    .placement = {identity3<double>(), {1, 0, 0}},
                    .inertia = one,
                    .limits = {{-7}, {7}, {}, {}}});
  for (const char* name : {"motor", "link"})
    builder.add_body({.name = name, .parent = "arm", .joint = joint::Revolute::x(), .inertia = one});
  builder.couple("gear", {{"motor_joint", 1.0}, {"link_joint", -3.0}});
  builder.add_body({.name = "reel",
                    .parent = "arm",
                    .joint = joint::Revolute::y(),
                    .inertia = one,
                    .passive = {.stiffness = {2.0}}});
  builder.add_body({.name = "ball", .parent = "link", .joint = joint::Spherical(), .inertia = one});
  return builder;
}

}  // namespace

TEST_CASE("hinges without limits become continuous on request, others, coupled and sprung ones do not",
          "[model][continuous]") {
  auto builder = wheeled_robot();
  CHECK(builder.build().joint("wheel_joint").type() == "revolute");
  builder.wrap_continuous();
  const auto model = builder.build();
  CHECK(model.joint("wheel_joint").type() == "continuous");
  for (const char* name : {"arm_joint", "motor_joint", "link_joint", "reel_joint"})
    CHECK(model.joint(name).type() == "revolute");
  CHECK(model.joint("ball_joint").type() == "spherical");
  CHECK(model.notes().empty());

  VectorXd q0 = neutral(model), q1 = q0;
  q0.head(4).setConstant(-3.1), q1.head(4).setConstant(3.1);
  const VectorXd way = difference(model, q0, q1);
  CHECK(std::abs(way[0] - (6.2 - turn)) < 1e-14);
  for (int k = 1; k < 4; ++k) CHECK(way[k] == 6.2);
  CHECK(std::abs(integrate(model, q0, way)[0] - (3.1 - turn)) < 1e-14);
}

TEST_CASE("random trees with continuous joints have the dynamics of those without", "[model][continuous]") {
  const int seed = GENERATE(range(1, 6));
  auto model = random_model(seed);
  model.set_springs(VectorXd::Zero(model.nv()), neutral(model));
  const auto round = wrapped(model);
  const State at = random_state(model, seed), to = random_state(model, seed + 100);
  Data<double> data(model), of_round(round);
  CHECK(relative_error(rnea(round, of_round, at.q, at.v, at.a), rnea(model, data, at.q, at.v, at.a)) < bound);
  const VectorXd counted = difference(model, at.q, to.q), way = difference(round, at.q, to.q);
  int continuous = 0;
  for (const Joint& joint : round.joints()) {
    const int i = joint.v_index();
    continuous += joint.type() == "continuous";
    for (int k = i; k < i + joint.nv(); ++k)
      CHECK(std::abs(way[k] - (joint.type() == "continuous" ? std::remainder(counted[k], turn) : counted[k])) < 1e-14);
  }
  CHECK(continuous > 0);
}

TEST_CASE("models made from models keep continuous joints", "[model][continuous]") {
  auto builder = wheeled_robot();
  builder.wrap_continuous();
  const auto model = builder.build();
  const auto is_kept = [](const auto& other, const std::string& joint) {
    using S = typename std::remove_cvref_t<decltype(other)>::Scalar;
    VectorX<S> q0 = neutral(other), q1 = q0;
    const int i = other.joint(joint).q_index();
    q0[i] = S(-3.1), q1[i] = S(3.1);
    return other.joint(joint).type() == "continuous" &&
           std::abs(difference(other, q0, q1)[other.joint(joint).v_index()]) < S(0.1);
  };
  CHECK(is_kept(model, "wheel_joint"));
  CHECK(is_kept(model.cast<float>(), "wheel_joint"));
  CHECK(is_kept(model.cast<long double>(), "wheel_joint"));
  CHECK(is_kept(model.cast<float>().cast<double>(), "wheel_joint"));
  CHECK(is_kept(to_builder(model).build(), "wheel_joint"));
  CHECK(is_kept(lock_joints(model, {"arm_joint"}, neutral(model)), "wheel_joint"));
  CHECK(is_kept(submodel(model, "wheel"), "wheel_joint"));
  CHECK(is_kept(attach(model, "ball", model, "second_"), "second_wheel_joint"));
  CHECK(is_kept(replace_joint(model, "arm_joint", joint::Continuous::z()), "arm_joint"));
  CHECK(is_kept(replace_joint(model, "wheel_joint", joint::Continuous::z()), "wheel_joint"));

  auto floating = to_builder(zoo::quadruped());
  floating.wrap_continuous();
  const auto legged = floating.build();
  const std::string foot = legged.bodies().back().name();
  const auto rerooted = reroot(legged, foot);
  for (const Joint& joint : rerooted.joints())
    CHECK(joint.type() == (joint.name() == "root_joint" ? "free_flyer" : "continuous"));
}

TEST_CASE("a posture beyond half a turn is reached by the shorter way", "[model][continuous]") {
  const InertialParameters<double> one{1, {0, 0, 0}, Matrix3<double>::Identity()};
  for (const bool round : {false, true}) {
    ModelBuilder<double> builder("wheel");
    builder.add_body({.name = "wheel", .joint = joint::Revolute::z(), .inertia = one});
    if (round) builder.wrap_continuous();
    const auto model = builder.build();
    Data<double> data(model);
    const VectorXd start = VectorXd::Constant(1, -3.1), posture = VectorXd::Constant(1, 3.1);
    const auto found = inverse_kinematics<double>(model, data, {}, start, {.posture = posture});
    CHECK(std::abs(found.q[0] - (round ? 3.1 - turn : 3.1)) < 1e-12);
  }
}

}  // namespace edit_test
