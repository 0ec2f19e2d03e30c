#pragma once

#include "corio/codegen/functions.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// Records a step of a tree and its cost, for Writer::add_rollouts, with the inputs q, v, u, and p if there are
/// parameters, and the outputs q_next, v_next and cost. q and v move by step's semi_implicit_euler, with passive forces
/// and smooth friction; q stays on its manifold up to rounding. u are the torques of the motors (N m, N), cut to the
/// effort limits of the model; other degrees of freedom, such as a floating base has, are not driven.
///
/// @param dt          length of the step, s
/// @param actuated    a degree of freedom for each entry of u
/// @param parameters  the size of p, such as a goal
/// @param cost        cost(model, data, q, v, tau, p) over Recorded, with the state before the step, whose kinematics
///                    are in data, velocities included
/// @throws Error for a dt that is not positive, for degrees of freedom that the model does not have or that come twice,
/// for a negative number of parameters, and for a robot with couplings or loops, which a step of its tree would ignore
template <class Cost>
Recording record_step(const Model<double>& model, double dt, const std::vector<int>& actuated, int parameters,
                      const Cost& cost) {
  corio::detail::check_step(dt);
  const auto require = [](bool holds, std::initializer_list<std::string_view> what) {
    if (!holds) throw Error("record_step: " + corio::detail::join(what));
  };
  require(parameters >= 0, {"the size of p is ", std::to_string(parameters), ", but 0 or more"});
  if (!model.loops().empty())
    require(false, {"robot '", model.name(), "' has couplings or loops, such as '", model.loops()[0].name,
                    "', but a step is of a tree: set_loops({}) of its builder leaves them out"});
  const Model<Recorded> robot = snapped(model).template cast<Recorded>();
  Recording f("step", "q and v after " + corio::detail::number(dt) + " s, and the cost before");
  const VectorX<Recorded> q = f.input("q", model.nq()), v = f.input("v", model.nv()),
                          u = f.input("u", static_cast<int>(actuated.size()));
  const VectorX<Recorded> p = parameters > 0 ? f.input("p", parameters) : VectorX<Recorded>();
  VectorX<Recorded> tau = zeros<Recorded>(model.nv()), q_next = q, v_next = v;
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const int k = actuated[static_cast<std::size_t>(i)];
    require(k >= 0 && k < model.nv(), {"there is no degree of freedom ", std::to_string(k)});
    require(std::ranges::count(actuated, k) == 1, {"degree of freedom ", std::to_string(k), " has two motors"});
    const double limit = model.effort_limit()[k];
    tau[k] = std::isfinite(limit) ? clamp(u[i], Recorded(-limit), Recorded(limit)) : u[i];
  }
  Data<Recorded> data(robot);
  forward_kinematics<Recorded>(robot, data, q, v);
  const Recorded now = cost(robot, data, q, v, tau, p);
  robot.check_regular("step");
  data.template of<algorithm::Step<Recorded>>(robot).run(robot, data, q_next, v_next, tau, Recorded(dt),
                                                         Integrator::semi_implicit_euler, Friction::smooth);
  f.output("q_next", q_next), f.output("v_next", v_next), f.output("cost", now);
  return f;
}

}}}  // namespace corio::codegen
