#include "corio/simulation/simulation.hpp"
#include "support/catch.hpp"
#include "support/sprung_joints.hpp"

// Tests the energy balance with springs: they return the energy that they store, to the order of the integrator.

using namespace corio;
using namespace corio::test;

namespace spring_energy_test {

TEST_CASE("springs of every joint are conservative under every integrator", "[simulation][passive]") {
  constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint,
                                        Integrator::variational_midpoint};
  // Energy errors have at least the order of the integrator; a force that is not the gradient of the energy in the
  // balance leaves an error that does not fall at all. In exact arithmetic some joints gain an order; below 1e-11 only
  // rounding is left.
  constexpr int orders[] = {1, 4, 2, 2};
  constexpr int steps[] = {400, 80, 100, 100};
  const auto& [name, joint] = GENERATE(from_range(sprung_joints()));
  CAPTURE(name);
  Model<double> model = sprung(joint);
  model.set_gravity({0, 0, 0});
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.nv());
  for (int which = 0; which < 4; ++which) {
    CAPTURE(which);
    const auto error = [&](int n) {
      Simulation plant(model, displaced(model, 2, 1.5), 0.5 * random_vector<double>(model.nv(), 4), 0.4 / n,
                       integrators[which]);
      const double before = plant.present_energy().springs;
      for (int i = 0; i < n; ++i) plant.advance(none);
      CHECK(std::abs(plant.present_energy().springs - before) > 1e-2);  // the springs exchange kinetic energy
      CHECK(plant.work().losses == 0.0);
      return std::abs(plant.energy_error());
    };
    const double coarse = error(steps[which]), fine = error(2 * steps[which]);
    CAPTURE(coarse, fine);
    CHECK((fine < 1e-11 || std::log2(coarse / fine) > orders[which] - 0.4));
  }
}

}  // namespace spring_energy_test
