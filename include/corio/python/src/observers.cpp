// Observers of torques and collisions, and rows of parameters without accelerations.
#include "class.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/excitation_monitor.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"

namespace py = pybind11;

namespace corio::python {

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
  alarm.init<double, double>("(release=0.7, pause=0.1)");
  alarm.function("update(excess, dt)", &CollisionAlarm::update);
  alarm.property("active", &CollisionAlarm::active);

  using Filter = FilteredRegressors<double>;
  Class<Filter> filter(m, "FilteredRegressors", "Rows W pi = y of parameters, without accelerations.");
  filter.init("(model, bandwidth, balance='momentum', bodies=())",
              [](AnyRobot& any, double bandwidth, const std::string& balance, const Names& bodies) {
                const auto by = static_cast<BalanceEquation>(enumerator("FilteredRegressors", "balance", balance));
                return made<Filter>(any, bandwidth, by, selected(any, bodies));
              });
  filter.function("update(model, q, v, tau, dt)", [](Filter& f, AnyRobot& any, In q, In v, In tau, double dt) {
    with(any, [&](auto& robot, auto& data) { f.update(robot, data, q, v, tau, dt); });
    return std::tuple(Mat(f.W()), V(f.y()));
  });
  using Monitor = ExcitationMonitor<double>;
  Class<Monitor> monitor(m, "ExcitationMonitor", "Whether rows W excite directions of the parameters; memory in s.");
  monitor.init<const Mat&, double>("(directions, memory)");
  monitor.function("add(W, dt)", [](Monitor& of, const Mat& W, double dt) { of.add(W, dt); });
  monitor.property("information", &Monitor::information);
  monitor.property("smallest_eigenvalue", &Monitor::smallest_eigenvalue);
}

}  // namespace corio::python
