// Simulation and control: classes with a state, which take a Model or a Mechanism in each update.
#include "class.hpp"

#include <variant>

#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/excitation_monitor.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

/// Calls f with a robot and its workspace.
template <class F>
auto with(AnyRobot& any, F f) {
  if (auto* model = dynamic_cast<ModelHolder*>(&any)) return f(model->robot, model->data);
  auto& mechanism = dynamic_cast<MechanismHolder&>(any);
  return f(mechanism.robot, mechanism.data);
}
/// Returns T(robot, a...).
template <class T>
T made(AnyRobot& any, const auto&... a) {
  return with(any, [&](auto& robot, auto&) { return T(robot, a...); });
}
/// Calls object.update(robot, data, a...).
template <class T, class... A>
V update(T& object, AnyRobot& any, A... a) {
  return with(any, [&](auto& robot, auto& data) -> V { return object.update(robot, data, a...); });
}
BodySelection selected(const AnyRobot& any, const Names& bodies) {
  return bodies.empty() ? BodySelection() : BodySelection(any.tree(), bodies);
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
               const auto how = static_cast<Integrator>(choice("Simulation", "integrator", integrator));
               return with(any, [&](auto& r, auto&) { return Plant{Simulation(r, q, v, dt, how, steps)}; });
             });
  plant.function("advance(tau)", [](Plant& p, In tau) { of([&](auto& s) { s.advance(tau); })(p); });
  plant.property("q", of([](auto& s) { return s.q(); }));
  plant.property("v", of([](auto& s) { return s.v(); }));
  plant.property("time", of([](auto& s) { return s.time(); }));
  plant.property("energy", of([](auto& s) { return s.present_energy().total(); }));
  plant.property("energy_error", of([](auto& s) { return s.energy_error(); }));
}

void bind_observers(py::module_& m) {
  using Observer = MomentumObserver<double>;
  Class<Observer> observer(m, "MomentumObserver", "External torques (N m), without accelerations; gain in 1/s.");
  observer.init("(model, gain, passive_forces=False)", [](AnyRobot& any, In gain, bool passive) {
    return made<Observer>(any, gain, MomentumObserverOptions{passive});
  });
  observer.function("update(model, q, v, tau, dt)", update<Observer, In, In, In, double>);
  observer.function("reset()", &Observer::reset);
  observer.property("residual", &Observer::residual);

  using Detector = CollisionDetector<double>;
  Class<Detector> detector(m, "CollisionDetector", "Which body was hit, from a MomentumObserver and the noise.");
  detector.init("(model, velocity_noise, torque_noise, floor, factor=5.0)",
                [](AnyRobot& any, const V& velocity, const V& torque, In floor, double factor) {
                  return made<Detector>(any, Detector::Noise{velocity, torque}, floor, factor);
                });
  detector.function("detect(model, q, v, observer)", [](Detector& d, AnyRobot& any, In q, In v, const Observer& of) {
    return with(any, [&](auto& robot, auto& data) {
      Names names;
      for (const int b : d.detect(robot, forward_kinematics<double>(robot, data, q, v), of).bodies)
        names.push_back(any.tree().bodies()[static_cast<std::size_t>(b)].name());
      return names;
    });
  });
  detector.property("threshold", &Detector::threshold);
  detector.property("excess", &Detector::excess);
  Class<CollisionAlarm> alarm(m, "CollisionAlarm", "A collision lasts until the excess is below release for pause s.");
  alarm.init("(release=0.7, pause=0.1)", [](double release, double pause) { return CollisionAlarm(release, pause); });
  alarm.function("update(excess, dt)", &CollisionAlarm::update);
  alarm.property("active", &CollisionAlarm::active);

  using Filter = FilteredRegressors<double>;
  Class<Filter> filter(m, "FilteredRegressors", "Rows W pi = y of parameters, without accelerations.");
  filter.init("(model, bandwidth, balance='momentum', bodies=())",
              [](AnyRobot& any, double bandwidth, const std::string& balance, const Names& bodies) {
                const auto by = static_cast<BalanceEquation>(choice("FilteredRegressors", "balance", balance));
                return made<Filter>(any, bandwidth, by, selected(any, bodies));
              });
  filter.function("update(model, q, v, tau, dt)", [](Filter& f, AnyRobot& any, In q, In v, In tau, double dt) {
    with(any, [&](auto& robot, auto& data) { f.update(robot, data, q, v, tau, dt); });
    return std::tuple(Mat(f.W()), V(f.y()));
  });
  using Monitor = ExcitationMonitor<double>;
  Class<Monitor> monitor(m, "ExcitationMonitor", "Whether rows W excite directions of the parameters; memory in s.");
  monitor.init("(directions, memory)", [](const Mat& B, double memory) { return Monitor(B, memory); });
  monitor.function("add(W, dt)", [](Monitor& of, const Mat& W, double dt) { of.add(W, dt); });
  monitor.property("information", &Monitor::information);
  monitor.property("smallest_eigenvalue", &Monitor::smallest_eigenvalue);
}

AdaptationGains<double> adaptation(const char* owner, const AnyRobot& any, const V& gains, const Names& bodies,
                                   const std::string& metric) {
  return {gains, static_cast<ParameterMetric>(choice(owner, "metric", metric)), selected(any, bodies)};
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

  using Task = OperationalTask<double>;
  using Space = OperationalSpace<double>;
  Class<Task>(m, "OperationalTask", "d(J v)/dt = J a + Jdot v should be the acceleration.")
      .init("(J, Jdot, acceleration)", [](const Mat& J, const Mat& Jdot, const V& a) {
        return Task{J, Jdot, a};
      });
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

void bind_control(py::module_& m) { bind_simulation(m), bind_laws(m), bind_observers(m); }

}  // namespace corio::python
