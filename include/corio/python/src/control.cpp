// Control laws: classes with a state, which take a Model or a Mechanism in each update.
#include "class.hpp"

#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/mechanism/quantities.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

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

}  // namespace

void bind_control(py::module_& m) {
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

}  // namespace corio::python
