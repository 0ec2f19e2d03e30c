// Tasks by priority.
#include "corio/control/operational_space.hpp"

#include "class.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/mechanism/quantities.hpp"

namespace corio::python {

void bind_operational_space(pybind11::module_& m) {
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

}  // namespace corio::python
