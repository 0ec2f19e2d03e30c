#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/loops_support.hpp"
#include "support/allocation_counter.hpp"
#include "support/catch.hpp"

// Tests friction that holds in joints of mechanisms: joints that follow one independent speed, and joints that follow
// several.
namespace exact_friction_mechanism_test {

using namespace corio;
using namespace corio::test;
using loops_test::VectorXd;

namespace {

StepWork<double> simulate(const Mechanism<double>& mechanism, VectorXd& q, VectorXd& y, const VectorXd& tau, double h,
                          int steps) {
  MechanismData<double> data(mechanism);
  StepWork<double> work;
  for (int i = 0; i < steps; ++i) work += step(mechanism, data, q, y, tau, h, Integrator::rk4, Friction::exact);
  return work;
}

InertialParameters<double> disc(double inertia) {
  return {0.2, Vector3<double>::Zero(), inertia * Matrix3<double>::Identity()};
}

/// A differential: two wheels b and c, which the carrier a = (b + c) / 2 follows.
constexpr double of_wheel = 0.3, of_carrier = 0.5;
Model<double> differential(double of_a, double of_b, double of_c) {
  ModelBuilder<double> builder("differential");
  for (const auto& [name, inertia, friction] :
       {std::tuple("a", of_carrier, of_a), std::tuple("b", of_wheel, of_b), std::tuple("c", of_wheel, of_c)})
    builder.add_body(
        {.name = name, .joint = joint::Revolute::z(), .inertia = disc(inertia), .passive = {.friction = {friction}}});
  builder.couple("gear", {{"a_joint", 1.0}, {"b_joint", -0.5}, {"c_joint", -0.5}}, 0.0, {"a_joint"});
  return builder.build();
}

/// Builds links that turn about parallel axes, with friction in each joint. At these angles the last link is at its
/// place on the ground.
Model<double> planar_linkage(const VectorXd& angles, Random<double>& random, double friction) {
  ModelBuilder<double> builder("linkage");
  Parent parent;
  Vector3<double> end = zero3<double>(), along = zero3<double>();
  double angle = 0;
  for (int k = 0; k < angles.size(); ++k) {
    parent = builder.add_body({.name = "link" + std::to_string(k),
                               .parent = parent,
                               .joint = joint::Revolute::y(),
                               .placement = {identity3<double>(), along},
                               .inertia = {1.0, {0.1, 0, 0}, diagonal3(0.05)},
                               .passive = {.friction = {friction * (0.1 + std::abs(random.real()))}}});
    angle += angles[k], along = {0.4 + 0.2 * random.real(), 0, 0};
    end += along.x() * Vector3<double>(std::cos(angle), 0, -std::sin(angle));
  }
  builder.add_frame("end", parent, {identity3<double>(), along});
  builder.add_frame("ground", {}, {identity3<double>(), end});
  builder.close_loop("loop", "end", "ground", closure::Revolute{{0, 1, 0}});
  return builder.build();
}

}  // namespace

TEST_CASE("friction of a rotor holds what its gear drives", "[simulation][friction][loops]") {
  constexpr double ratio = -50, f = 0.02;
  ModelBuilder<double> builder("geared");
  builder.add_body({.name = "arm", .joint = joint::Revolute::z(), .inertia = disc(0.4)});
  builder.add_body(
      {.name = "rotor", .joint = joint::Revolute::z(), .inertia = disc(1e-4), .passive = {.friction = {f}}});
  builder.couple("gear", {{"rotor_joint", 1.0}, {"arm_joint", -ratio}}, 0.0, {"rotor_joint"});
  const Mechanism<double> arm(builder.build());
  VectorXd q = VectorXd::Zero(2), y = VectorXd::Zero(1);
  const double limit = std::abs(ratio) * f, inertia = 0.4 + ratio * ratio * 1e-4;
  const auto held = simulate(arm, q, y, VectorXd::Constant(1, 0.99 * limit), 1e-3, 500);
  CHECK(max_magnitude(q) == 0.0);
  CHECK(y[0] == 0.0);
  CHECK(held.losses == 0.0);
  // Above the limit the acceleration is constant, and without torque the arm stops where its energy ends.
  simulate(arm, q, y, VectorXd::Constant(1, 1.5 * limit), 1e-2, 50);
  CHECK(relative_error(y[0], 0.5 * 0.5 * limit / inertia) < 1e-12);
  const double start = q[0], stop = inertia * y[0] * y[0] / (2 * limit);
  simulate(arm, q, y, VectorXd::Zero(1), 0.1, 20);
  CHECK(y[0] == 0.0);
  CHECK(relative_error(q[0] - start, stop) < 1e-12);
  CHECK(relative_error(q[1], ratio * q[0]) < 1e-12);
}

TEST_CASE("a linkage rests under its weight, and its energy book closes", "[simulation][friction][loops]") {
  auto model = zoo::four_bar_leg();
  model.set_friction(VectorXd::Constant(model.nv(), 0.4));
  const double drop = GENERATE(0.0, 1.0);
  if (drop == 0) model.set_friction(VectorXd::Constant(model.nv(), 1e3));
  const Mechanism<double> leg(model);
  MechanismData<double> data(leg);
  const auto start = assemble(leg, data, neutral(model));
  REQUIRE(start.closed);
  VectorXd q = start.q, y = VectorXd::Zero(leg.nv());
  const double before = energy(leg, data, q, y).total();
  const VectorXd none = VectorXd::Zero(leg.nv());
  const auto work = simulate(leg, q, y, none, 1e-3, 500);
  if (drop == 0) {
    CHECK(q == start.q);
    CHECK(max_magnitude(y) == 0.0);
    CHECK(work.losses == 0.0);
    Simulation plant(leg, q, y, 1e-3);
    for (int i = 0; i < 20; ++i) plant.advance(none);
    CHECK(plant.q() == q);
  } else {
    CHECK(work.losses > 0.1);
    CHECK(max_magnitude(y) > 0.1);
    // The error is of the order of h^2 times J where a joint starts within a step, and far less elsewhere.
    CHECK(std::abs(energy(leg, data, q, y).total() - before + work.losses) < 1e-5);
  }
}

TEST_CASE("friction in the carrier of a differential holds the sum of its speeds alone",
          "[simulation][friction][loops]") {
  constexpr double f = 2;
  const Mechanism<double> gear(differential(f, 0, 0));
  REQUIRE(gear.nv() == 2);
  VectorXd q = VectorXd::Zero(3), y = VectorXd::Zero(2);
  // Equal torques below the friction leave the gear at rest. Opposed torques act as if there were no friction.
  simulate(gear, q, y, Eigen::Vector2d(0.99 * f / 2, 0.99 * f / 2), 1e-2, 100);
  CHECK(max_magnitude(q) < 1e-14);
  simulate(gear, q, y, Eigen::Vector2d(1, -1), 1e-2, 100);
  CHECK(relative_error(y, Eigen::Vector2d(1, -1) / of_wheel) < 1e-12);
  CHECK(std::abs(q[0]) < 1e-14);
  // The sum of the speeds stops as for a mass with the inertia of all parts; their difference stays.
  y = Eigen::Vector2d(1.5, 0.5), q.setZero();
  const double inertia = 2 * of_wheel + of_carrier;
  const auto work = simulate(gear, q, y, VectorXd::Zero(2), 0.07, 20);
  CHECK(relative_error(q[0], inertia / (2 * f)) < 1e-12);
  CHECK(relative_error(y, Eigen::Vector2d(0.5, -0.5)) < 1e-12);
  CHECK(relative_error(work.losses, inertia / 2) < 1e-12);
}

TEST_CASE("joints of a differential share a load that none of them could hold", "[simulation][friction][loops]") {
  const Mechanism<double> gear(differential(2, 0.5, 0.5));
  VectorXd q = VectorXd::Zero(3), y = VectorXd::Zero(2);
  // Each wheel has its own friction and half of the carrier's.
  simulate(gear, q, y, Eigen::Vector2d(1.49, 1.49), 1e-3, 100);
  CHECK(max_magnitude(q) < 1e-14);
  CHECK(max_magnitude(y) < 1e-14);
  simulate(gear, q, y, Eigen::Vector2d(1.49, 0.6), 1e-3, 100);
  CHECK(max_magnitude(y) < 1e-14);
  simulate(gear, q, y, Eigen::Vector2d(1.51, 1.51), 1e-3, 1);
  CHECK(y.minCoeff() > 1e-6);
  // One wheel turns against the other: both slide, and the carrier does not move.
  y.setZero(), q.setZero();
  simulate(gear, q, y, Eigen::Vector2d(0.8, -0.8), 1e-2, 100);
  CHECK(relative_error(y, Eigen::Vector2d(0.3, -0.3) / of_wheel) < 1e-10);
  CHECK(std::abs(q[0]) < 1e-13);
}

TEST_CASE("joints that share a load with those that fix their speeds rest to the last bit",
          "[simulation][friction][loops]") {
  // The carrier and one wheel hold all speeds; the other wheel, with little friction, adds only rounding.
  for (int seed = 0; seed < 20; ++seed) {
    Random<double> random(seed);
    const double f1 = 0.3 + std::abs(random.real()), f2 = 0.3 + std::abs(random.real());
    ModelBuilder<double> builder("differential");
    for (const auto& [name, friction] : {std::tuple("a", 2.0), std::tuple("b", 1.0), std::tuple("c", 0.01)})
      builder.add_body({.name = name,
                        .joint = joint::Revolute::z(),
                        .inertia = disc(0.1 + 0.05 * random.real()),
                        .passive = {.friction = {friction}}});
    builder.couple("sum", {{"a_joint", 1.0}, {"b_joint", -f1}, {"c_joint", -f2}}, 0.0, {"a_joint"});
    const Mechanism<double> mechanism(builder.build());
    MechanismData<double> data(mechanism);
    VectorXd q = VectorXd::Zero(3), y = VectorXd::Zero(2), tau(2);
    tau << 1.2 * f1 - 0.5, 1.2 * f2;  // 1.2 N m at the carrier and 0.5 N m at b, both within their friction
    StepWork<double> work;
    for (int i = 0; i < 300; ++i) work += step(mechanism, data, q, y, tau, 1e-3, Integrator::rk4, Friction::exact);
    CHECK(max_magnitude(q) == 0.0);
    CHECK(max_magnitude(y) == 0.0);
    CHECK(work.losses == 0.0);
  }
}

TEST_CASE("a mechanism without loops steps as its tree", "[simulation][friction][loops]") {
  auto model = zoo::random_tree(4, {.bodies = 6, .armature = true, .passive = true});
  model.set_friction(0.5 * random_vector<double>(model.nv(), 2).cwiseAbs());
  const Mechanism<double> mechanism(model, Loops<double>(model), std::vector<std::string>());
  REQUIRE(mechanism.is_tree());
  VectorXd q = random_q(model, 3), v = 0.3 * random_vector<double>(model.nv(), 4), q_tree = q, v_tree = v;
  const VectorXd tau = random_vector<double>(model.nv(), 5);
  Data<double> data(model);
  StepWork<double> work;
  for (int i = 0; i < 100; ++i) work += step(model, data, q_tree, v_tree, tau, 2e-3, Integrator::rk4, Friction::exact);
  const auto own = simulate(mechanism, q, v, tau, 2e-3, 100);
  CHECK(relative_error(v, v_tree) < 1e-10);
  CHECK(relative_error(own.losses, work.losses) < 1e-10);
}

TEST_CASE("mechanisms reject stiff smooth friction and allocate nothing", "[simulation][friction][loops]") {
  const Mechanism<double> gear(differential(2, 0.5, 0.5));
  VectorXd q = VectorXd::Zero(3), y = Eigen::Vector2d(0.3, -0.2);
  const VectorXd tau = Eigen::Vector2d(0.8, 0.4);
  MechanismData<double> data(gear);
  CHECK(mentions(message_of<Error>([&] { step(gear, data, q, y, tau, 1e-2); }),
                 {"step: ", "_joint'", "too stiff for rk4", "Friction::exact"}));
  CHECK(max_magnitude(q) == 0.0);
  CHECK_NOTHROW(step(gear, data, q, y, tau, 1e-3));
  step(gear, data, q, y, tau, 1e-3, Integrator::rk4, Friction::exact);
  CHECK(allocations([&] {
          for (int i = 0; i < 200; ++i) step(gear, data, q, y, tau, 1e-3, Integrator::rk4, Friction::exact);
        }) == 0);
}

TEST_CASE("linkages with friction in every joint rest below it, and move without gaining energy",
          "[simulation][friction][loops]") {
  // All joints follow one speed: the held joints determine each other, and at most one of them may become an equation.
  int moved = 0;
  for (int seed = 0; seed < 120; ++seed) {
    Random<double> random(seed);
    const int links = 3 + seed % 3;
    const double size = std::pow(10.0, seed % 4 - 2);
    VectorXd angles(links);
    for (double& angle : angles) angle = random.real();
    const auto model = planar_linkage(angles, random, size);
    const Mechanism<double> leg(model, angles);
    MechanismData<double> data(leg);
    const VectorXd friction = model.friction();
    CAPTURE(seed, links, size);
    // These torques are within the friction: tau = g + G^T f with |f| below the friction of each joint.
    VectorXd q = angles, y = VectorXd::Zero(leg.nv());
    VectorXd tau = generalized_gravity(leg, data, q);
    VectorXd held(model.nv());
    for (int k = 0; k < model.nv(); ++k) held[k] = 0.99 * random.real() * friction[k];
    for (int j = 0; j < leg.nv(); ++j) {
      forward_kinematics(leg, data, q, VectorXd(VectorXd::Unit(leg.nv(), j)));
      tau[j] += held.dot(data.of_tree().v);
    }
    const auto at_rest = simulate(leg, q, y, tau, 1e-2, 20);
    CHECK(max_magnitude(y) < 1e-15);
    CHECK((q - angles).norm() < 1e-14);
    CHECK(std::abs(at_rest.losses) < 1e-15);
    // Starts from a velocity with some zero speeds.
    q = angles;
    for (int k = 0; k < y.size(); ++k) y[k] = random.real() < 0 ? 0 : random.real();
    const double before = energy(leg, data, q, y).total();
    StepWork<double> work;
    try {
      work = simulate(leg, q, y, VectorXd::Zero(leg.nv()), 2e-3, 100);
    } catch (const ModelError&) {
      continue;  // it came near a singular configuration
    }
    ++moved;
    CHECK(work.losses >= 0);
    CHECK(std::abs(energy(leg, data, q, y).total() - before + work.losses) < 1e-3 * (1 + work.losses));
  }
  CHECK(moved > 60);
}

}  // namespace exact_friction_mechanism_test
