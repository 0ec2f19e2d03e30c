#include "corio/simulation/simulation.hpp"

#include "corio/zoo/zoo.hpp"
#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

namespace simulation_test {

using namespace corio;
using namespace corio::test;

constexpr Integrator all[] = {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint,
                              Integrator::variational_midpoint};

}  // namespace simulation_test

using namespace simulation_test;

TEST_CASE("Simulation does the steps of step, and counts time without rounding", "[simulation]") {
  auto model = zoo::quadruped();
  model.set_damping(Vectord::Constant(model.nv(), 0.1));
  const Integrator integrator = all[GENERATE(range(0, 4))];
  Random<double> random(3);
  Vectord q = neutral(model), v = test::random_vector(random, model.nv());
  const Vectord tau = 0.1 * test::random_vector(random, model.nv());
  Simulation<double> plant(model, q, v, 1e-3, integrator, 2);
  Data<double> data(model);
  const double start = energy(model, data, q, v).total();
  StepWork<double> work;
  for (int i = 0; i < 10; ++i) {
    plant.advance(tau);
    for (int j = 0; j < 2; ++j) work += step<double>(model, data, q, v, tau, 0.5e-3, integrator);
  }
  CHECK(plant.q() == q);
  CHECK(plant.v() == v);
  CHECK(plant.time() == 10 * 1e-3);
  CHECK(plant.work().tau == work.tau);
  CHECK(plant.work().losses == work.losses);
  CHECK(plant.present_energy().total() == energy(model, data, q, v).total());
  CHECK(plant.energy_error() == plant.present_energy().total() - start - work.tau + work.losses);
}

TEST_CASE("a robot that floats without gravity keeps its momentum, the bodies' summed one by one", "[simulation]") {
  auto model = zoo::quadruped();
  model.set_gravity(Vector3<double>::Zero());
  Random<double> random(4);
  const Vectord v = test::random_vector(random, model.nv());
  Simulation<double> plant(model, integrate<double>(model, neutral(model), v), v, 1e-3);
  // Sums m v and r x m v + I w over the bodies, about the world's origin.
  const auto summed = [&] {
    Vector3<double> linear = Vector3<double>::Zero(), angular = linear;
    forward_kinematics<double>(plant.model(), plant.data(), plant.q(), plant.v());
    for (const auto& body : model.bodies()) {
      const auto inertia = model.inertia(body);
      const Pose<double> X = body_pose(plant.model(), plant.data(), body);
      const auto V = body_velocity(plant.model(), plant.data(), FramePoint<double>(body));
      const Vector3<double> c = X.point(inertia.com);
      const Vector3<double> p = inertia.mass * X.rotation * (V.linear + V.angular.cross(inertia.com));
      linear += p;
      angular += c.cross(p) + X.rotation * (inertia.inertia * V.angular);
    }
    return std::pair(angular, linear);
  };
  Vectord tau = 0.2 * test::random_vector(random, model.nv());
  tau.head(6).setZero();  // motors inside the robot only
  const Force<double> start = plant.momentum();
  CHECK(relative_error(start.moment, summed().first) < tolerance<double>());
  CHECK(relative_error(start.force, summed().second) < tolerance<double>());
  for (int i = 0; i < 200; ++i) plant.advance(tau);
  // The error is of the order of dt^4.
  CHECK(relative_error(plant.momentum().moment, start.moment) < 1e-8);
  CHECK(relative_error(plant.momentum().force, start.force) < 1e-8);
  CHECK(std::abs(plant.energy_error()) < 1e-8 * plant.present_energy().kinetic);
}

TEST_CASE("Simulation rejects what makes no steps, and allocates nothing after the first", "[simulation]") {
  const auto model = zoo::serial_chain(3);
  const Vectord q = Vectord::Constant(3, 0.2), v = Vectord::Zero(3);
  using Catch::Contains;
  CHECK_THROWS_WITH(Simulation<double>(model, q, v, 0), Contains("dt is 0 s"));
  CHECK_THROWS_WITH(Simulation<double>(model, q, v, std::nan("")), Contains("nan"));
  CHECK_THROWS_WITH(Simulation<double>(model, q, v, 1e-3, Integrator::rk4, 0), Contains("0 steps"));
  CHECK_THROWS_AS(Simulation<double>(model, q.head(2), v, 1e-3), SizeError);
  Simulation<double> plant(model, q, v, 1e-3);
  CHECK_THROWS_AS(plant.advance(q.head(2)), SizeError);
  CHECK(plant.time() == 0);
  const Vectord nan = q * std::nan("");
  CHECK_THROWS_WITH(Simulation<double>(model, nan, v, 1e-3), Contains("q[0] is nan"));
  CHECK_THROWS_WITH(Simulation<double>(model, q, nan, 1e-3), Contains("v[0] is nan"));
  CHECK_THROWS_WITH(plant.advance(nan), Contains("tau[0] is nan"));
  CHECK_THROWS_AS(plant.advance(Vectord::Constant(3, 1e308)), Error);
  CHECK(plant.time() == 0);
  CHECK(plant.q() == q);
  CHECK(plant.v() == v);
  CHECK(plant.work().tau == 0);
  plant.advance(v);
  CHECK(allocations([&] { plant.advance(v); }) == 0);
}
