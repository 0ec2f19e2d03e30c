#pragma once

#include <cmath>

#include "corio/algorithms/derivatives/gravity_derivatives.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/simulation/step.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of suggested_time_step.
struct TimeStep {
  double dt;          ///< s
  double rate;        ///< the rate of the fastest joint, 1/s
  std::string joint;  ///< the name of the fastest joint
  std::string cause;  ///< the cause of the joint's rate, such as "its torque"
};

/// Returns one line of text.
inline std::string describe(const TimeStep& step) {
  return detail::join({"time step ", detail::number(step.dt), " s: joint '", step.joint, "' has a rate of ",
                       detail::number(step.rate), "/s, by ", step.cause});
}

/// Returns a time step for step, Simulation and batch::rollout, from the fastest joint of a model. With w = (M^-1)_kk,
/// the acceleration of degree of freedom k per unit torque while the others are free, its rates are
///   sqrt(w |dg_k/dq_k|)                  from gravity,
///   sqrt(w effort_k)                     from its torque: the time to move by one unit is about 1 / rate,
///   velocity_limit_k                     from its speed limit,
///   w damping_k and sqrt(w stiffness_k)  for rk4, which treats them explicitly,
///   w friction_k / (20 friction_smoothing) for rk4 with smooth friction, within its limit of stability,
/// at the neutral configuration and some random ones. The step is 0.03 / rate for the largest rate, for rk4 0.1 / rate.
/// Motions much faster than the limits of the model, under torques larger than `effort`, need a shorter step.
///
/// @param effort  nv, the largest torques that will act: the model's limits (infinite limits are left out), or the
///                torques of your sampling
/// @throws SizeError; Error for a negative effort or NaN; ModelError for a joint that moves no inertia, or a model
/// without joints. Allocates.
template <class S>
TimeStep suggested_time_step(const Model<S>& model, const VectorX<double>& effort,
                             Integrator integrator = Integrator::semi_implicit_euler) {
  detail::check_each_speed("effort", effort, model, "zero or positive, or infinite for a joint that is not to count",
                           [](double x) { return x >= 0.0; });
  if (model.nv() == 0)
    throw ModelError(detail::join({"model '", model.name(), "' has no joint that sets a time step"}));
  const bool is_explicit = integrator == Integrator::rk4;
  TimeStep fastest{0.0, 0.0, detail::joint_of_dof(model, 0), "nothing that moves it"};
  const auto consider = [&](int k, double rate, const char* cause) {
    if (std::isfinite(rate) && rate > fastest.rate)
      fastest.rate = rate, fastest.joint = detail::joint_of_dof(model, k), fastest.cause = cause;
  };
  Data<S> data(model);
  VectorX<S> q = neutral(model);
  const auto uniform = joint::detail::uniform_numbers(1);
  for (int sample = 0; sample < 8; ++sample) {
    forward_kinematics<S>(model, data, q);
    const auto& inverse = mass_matrix_inverse(model, data);
    const auto& by_q = gravity_derivatives(model, data);
    for (int k = 0; k < model.nv(); ++k) {
      const double w = detail::known_value(inverse(k, k));
      consider(k, std::sqrt(w * std::abs(detail::known_value(by_q(k, k)))), "its weight");
      consider(k, std::sqrt(w * effort[k]), "its torque");
      consider(k, model.velocity_limit()[k], "its speed limit");
      if (!is_explicit) continue;
      consider(k, w * detail::known_value(model.damping()[k]), "its damping");
      consider(k, std::sqrt(w * detail::known_value(model.stiffness()[k])), "its spring");
      consider(k, w * detail::known_value(model.friction()[k]) / (20 * friction_smoothing), "its smooth friction");
    }
    detail::for_each_primitive_joint(model,
                                     [&](const auto& joint, int i, int) { joint.random(uniform, q.data() + i); });
  }
  fastest.dt = fastest.rate > 0.0 ? (is_explicit ? 0.1 : 0.03) / fastest.rate : 0.01;
  return fastest;
}
template <class S>
TimeStep suggested_time_step(const Model<S>& model, Integrator integrator = Integrator::semi_implicit_euler) {
  return suggested_time_step(model, model.effort_limit(), integrator);
}

}}  // namespace corio
