#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"
#include "support/fuse.hpp"

// An exception in the middle of a step leaves the state unchanged.

namespace step_exceptions {

using namespace corio;
using namespace corio::test;
using loops_test::VectorXd;

struct Start {
  VectorXd q, v, tau;
};

/// A pendulum that carries a slider with a fuse.
Model<double> tree(double friction = 0) {
  ModelBuilder<double> builder("pendulum and slider");
  const InertialParameters<double> inertia(1.0, {0.1, 0.2, 0.3}, 0.5 * Matrix3<double>::Identity());
  builder.add_body({.name = "pendulum", .joint = joint::Revolute({0, 1, 0}), .inertia = inertia});
  builder.add_body({.name = "slider", .parent = "pendulum", .joint = FusedSlider(), .inertia = inertia});
  Model<double> model = builder.build();
  model.set_friction(VectorXd::Constant(2, friction));
  return model;
}
Start start_of(const Model<double>&) {
  return {Eigen::Vector2d(0.5, 0.2), Eigen::Vector2d(1.0, -2.0), Eigen::Vector2d(0.3, 0.1)};
}

/// A linkage, and a slider that follows its crank by a relation; slider and relation share the fuse.
Mechanism<double> mechanism(double friction = 0) {
  auto builder = to_builder(loops_test::four_bar(0.3, 0.9, 0.7, 0.8));
  builder.add_body({.name = "lifter",
                    .parent = "rocker",
                    .joint = FusedSlider(),
                    .inertia = InertialParameters<double>(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  Model<double> model = builder.build();
  model.set_damping(VectorXd::Constant(model.nv(), 0.3));
  model.set_friction(VectorXd::Constant(model.nv(), friction));
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
  loops.relate("cam", {"crank_joint", "lifter_joint"}, [](const auto& x) {
    burn();
    return x[1] - 0.1 * cos(x[0]);
  });
  return Mechanism<double>(model, loops, std::vector<std::string>{"crank_joint"});
}
Start start_of(const Mechanism<double>& mechanism) {
  MechanismData<double> data(mechanism);
  const auto assembly = assemble<double>(mechanism, data, Eigen::Vector4d(0.7, -0.4, 1.4, 0.1));
  REQUIRE(assembly.closed);
  return {assembly.q, VectorXd::Constant(1, 2.0), VectorXd::Constant(1, 0.5)};
}

/// Runs step and Simulation with a fuse that throws after 0, 1, .. evaluations, until a run ends without an exception.
template <class R>
void check(const R& robot, Integrator integrator, Friction friction = Friction::smooth) {
  const Start start = start_of(robot);
  VectorXd expected_q = start.q, expected_v = start.v;
  DataOf<R> data(robot), fresh(robot);
  step<double>(robot, fresh, expected_q, expected_v, start.tau, 1e-2, integrator, friction);
  Simulation sound(robot, start.q, start.v, 2e-2, integrator, 2, friction);
  sound.advance(start.tau);
  Simulation plant(robot, start.q, start.v, 2e-2, integrator, 2, friction);
  long k = 0;
  for (bool blew = true; blew; ++k) {
    CAPTURE(k);
    REQUIRE(k < 10000);
    VectorXd q = start.q, v = start.v;
    blew = blows(k, [&] { step<double>(robot, data, q, v, start.tau, 1e-2, integrator, friction); });
    if (blew) {
      CHECK(q == start.q);
      CHECK(v == start.v);
      // The second forms continue from that state.
      CHECK(data.of_tree().q == start.q);
      CHECK(data.speeds() == start.v);
      CHECK(energy(robot, data).total() == energy(robot, fresh, start.q, start.v).total());
      step<double>(robot, data, q, v, start.tau, 1e-2, integrator, friction);
    }
    CHECK(q == expected_q);
    CHECK(v == expected_v);
    if (blows(k, [&] { plant.advance(start.tau); })) {
      blew = true;
      CHECK(plant.q() == start.q);
      CHECK(plant.v() == start.v);
      CHECK(plant.time() == 0.0);
      CHECK(plant.work().tau == 0.0);
      CHECK(plant.data().of_tree().q == start.q);
      plant.advance(start.tau);
    }
    CHECK(plant.q() == sound.q());
    CHECK(plant.v() == sound.v());
    CHECK(plant.work().tau == sound.work().tau);
    plant = Simulation(robot, start.q, start.v, 2e-2, integrator, 2, friction);
  }
  CHECK(k > 10);
}

TEST_CASE("step and Simulation are as before when a joint throws at any evaluation", "[simulation][throws]") {
  const auto integrator = GENERATE(Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint,
                                   Integrator::variational_midpoint);
  CAPTURE(static_cast<int>(integrator));
  check(tree(), integrator);
}

TEST_CASE("those of a mechanism are as before when a joint or a relation throws", "[simulation][throws]") {
  check(mechanism(), Integrator::rk4);
}

TEST_CASE("steps of joints that stop are as before when one throws", "[simulation][throws]") {
  // The slider stops within the second step: 2 m/s against 250 N.
  for (const auto integrator : {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint,
                                Integrator::variational_midpoint})
    check(tree(250), integrator, Friction::exact);
  check(mechanism(30), Integrator::rk4, Friction::exact);
}

TEST_CASE("torques of a plant may be a result of its own data", "[simulation]") {
  const auto robot = mechanism();
  const Start start = start_of(robot);
  Simulation plant(robot, start.q, start.v, 2e-2, Integrator::rk4, 3), other(plant);
  const VectorXd tau = passive_forces<double>(robot, plant.data(), start.q, start.v);
  // Every stage computes the forces anew.
  plant.advance(passive_forces<double>(robot, plant.data(), start.q, start.v));
  other.advance(tau);
  CHECK(plant.q() == other.q());
  CHECK(plant.v() == other.v());
}

}  // namespace step_exceptions
