// Simulation, control laws, and tasks by priority.
#include <variant>

#include "class.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

struct Plant {
  std::variant<Simulation<double, Model<double>>, Simulation<double, Mechanism<double>>> simulation;
};
auto of(auto f) {
  return [f](Plant& p) { return std::visit(f, p.simulation); };
}

void bind_simulation(py::module_& m) {
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

/// A law of two gains for each speed, which follows a desired motion.
template <class Law>
void bind_law(py::module_& m, const char* name, const char* arguments, const char* doc) {
  Class<Law> law(m, name, doc);
  law.init(arguments, [](AnyRobot& any, const V& first, const V& second) {
    return with(any, [&](auto& robot, auto&) { return Law(robot, {first, second}); });
  });
  law.function("update(model, q, v, q_d, v_d, a_d)", update<Law, In, In, In, In, In>);
  law.property("error", [](const Law& l) { return l.error().e; });
}

AdaptationGains<double> adaptation(const char* owner, const AnyRobot& any, const V& gains, const Names& bodies,
                                   const std::string& metric) {
  return {gains, static_cast<ParameterMetric>(enumerator(owner, "metric", metric)), selected(any, bodies)};
}

void bind_laws(py::module_& m) {
  bind_law<ComputedTorque<double>>(m, "ComputedTorque", "(model, stiffness, damping)", "In 1/s^2 and 1/s.");
  bind_law<PDPlus<double>>(m, "PDPlus", "(model, stiffness, damping)", "In N m/rad and N m s/rad.");
  bind_law<SlotineLi<double>>(m, "SlotineLi", "(model, rate, damping)", "In 1/s and N m s.");

  using Adaptive = AdaptiveSlotineLi<double>;
  Class<Adaptive> law(m, "AdaptiveSlotineLi", "SlotineLi with inertial parameters that adapt, of these bodies.");
  law.init("(model, rate, damping, gains, bodies=(), metric='natural')",
           [](AnyRobot& any, const V& rate, const V& damping, const V& gains, const Names& bodies,
              const std::string& metric) {
             return made<Adaptive>(any, SlidingGains<double>{rate, damping},
                                   adaptation("AdaptiveSlotineLi", any, gains, bodies, metric));
           });
  law.function("update(model, q, v, q_d, v_d, a_d, dt)", update<Adaptive, In, In, In, In, In, double>);
  law.function("adapt(W, y, weight, dt)",
               [](Adaptive& a, const Mat& W, In y, double weight, double dt) { a.adapt(W, y, weight, dt); });
  law.property("parameters", &Adaptive::parameters);
  using Parameters = AdaptiveParameters<double>;
  Class<Parameters> adaptive(m, "AdaptiveParameters", "Inertial parameters that adapt by rows W pi = y.");
  adaptive.init("(model, gains, bodies=(), metric='natural')",
                [](AnyRobot& any, const V& gains, const Names& bodies, const std::string& metric) {
                  return Parameters(any.tree(), adaptation("AdaptiveParameters", any, gains, bodies, metric));
                });
  adaptive.function("adapt(W, y, weight, dt)",
                    [](Parameters& a, const Mat& W, In y, double weight, double dt) { a.adapt(W, y, weight, dt); });
  adaptive.property("values", &Parameters::values);
}

void bind_operational_space(py::module_& m) {
  using Task = OperationalTask<double>;
  using Space = OperationalSpace<double>;
  Class<Task> task(m, "OperationalTask", "d(J v)/dt = J a + Jdot v should be the acceleration.");
  task.init<const Mat&, const Mat&, const V&>("(J, Jdot, acceleration)");
  Class<Space> space(m, "OperationalSpace", "Tasks by priority, with contacts and joints without motors.");
  space.init("(model, unactuated=())", [](AnyRobot& any, const Names& joints) { return made<Space>(any, joints); });
  space.function(
      "update(model, q, v, tasks, tau_0, contacts=None)",
      [](Space& s, AnyRobot& any, In q, In v, const std::vector<Task>& tasks, In tau_0, const Task* contacts) -> V {
        return with(any, [&](auto& robot, auto& data) -> V {
          forward_kinematics<double>(robot, data, q, v);
          return s.update(robot, data, tasks, tau_0, contacts ? *contacts : Task());
        });
      });
  space.function("relax(least=3e-3, torque=(), damping=20.0)", &Space::relax);
  space.function("damp_posture(D)", &Space::damp_posture);
  space.property("acceleration", &Space::acceleration);
  space.property("contact_forces", &Space::contact_forces);
  function(
      m, "operational_space_dynamics(model, q, v, J, Jdot)",
      [](ModelHolder& h, In q, In v, const Mat& J, const Mat& Jdot) {
        forward_kinematics<double>(h.robot, h.data, q, v);
        const auto& [Lambda, mu, Jbar, N, force, p, rank] = operational_space_dynamics(h.robot, h.data, J, Jdot);
        return std::tuple(Mat(Lambda), Mat(mu), Mat(Jbar), Mat(N), V(force), V(p), rank);
      },
      "Lambda, mu, Jbar, N, the force of speeds, p and the rank of a task.");
}

}  // namespace

void bind_control(py::module_& m) { bind_simulation(m), bind_laws(m), bind_operational_space(m); }

}  // namespace corio::python
