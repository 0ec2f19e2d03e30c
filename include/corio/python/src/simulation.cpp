// step and Simulation, which share most of their code.
#include "corio/simulation/simulation.hpp"

#include <variant>

#include "class.hpp"
#include "corio/mechanism/step.hpp"
#include "line.hpp"

CORIO_TABLE(simulation) {
  t.add_call(
      "step(q, v, tau, dt, integrator='semi_implicit_euler', friction='smooth') -> q[q], v[v]",
      [](auto& r, auto& d, auto& x) {
        auto q = x.out_vector();
        auto v = x.out_vector(1);
        q = x.state(0), v = x.state(1);
        step(r, d, q, v, x.vector(2), *x.in[3], x.choice(), x.choice(1));
      },
      0);
}

namespace corio::python {
namespace {

struct Plant {
  std::variant<Simulation<double, Model<double>>, Simulation<double, Mechanism<double>>> simulation;
};
auto of(auto f) {
  return [f](Plant& p) { return std::visit(f, p.simulation); };
}

}  // namespace

void bind_simulation(pybind11::module_& m) {
  Class<Plant> plant(m, "Simulation", "A robot in a control loop, with torques held from one tick to the next.");
  plant.init("(model, q, v, dt, integrator='rk4', steps=1)",
             [](AnyRobot& any, In q, In v, double dt, const std::string& integrator, int steps) {
               const auto how = static_cast<Integrator>(enumerator("Simulation", "integrator", integrator));
               return with(any, [&](auto& r, auto&) { return Plant{Simulation(r, q, v, dt, how, steps)}; });
             });
  plant.function("advance(tau)", [](Plant& p, In tau) { of([&](auto& s) { s.advance(tau); })(p); });
  plant.property("q", of([](auto& s) { return s.q(); }));
  plant.property("v", of([](auto& s) { return s.v(); }));
  plant.property("time", of([](auto& s) { return s.time(); }));
  plant.property("energy", of([](auto& s) { return s.present_energy().total(); }));
  plant.property("energy_error", of([](auto& s) { return s.energy_error(); }));
}

}  // namespace corio::python
