#pragma once

#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/kinematics/robot.hpp"
#include "corio/simulation/step.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A simulated robot in a control loop, with torques held from one tick to the next, and its balances of energy and
/// momentum. It has its own model, which may differ from the controller's. Its joints have exact friction, which holds
/// them. For a Mechanism (with mechanism/step.hpp) q belongs to the tree, v are the independent speeds, and the
/// integrator is rk4. To record a simulation (codegen), record step, which gets the state as arguments.
///
///   corio::Simulation plant(model, q, v, 1e-3);
///   while (plant.time() < 10) plant.advance(controller.update(..., plant.q(), plant.v(), ...));
template <class S = double, RobotLike<S> Robot = Model<S>>
class Simulation {
 public:
  /// @param dt     time between two ticks, s
  /// @param steps  integration steps in each tick
  /// @param friction  smooth for scalars for which step rejects exact friction
  /// @throws SizeError; Error for q or v that are not finite, a dt that is not positive and finite, or no steps
  Simulation(const Robot& model, VectorIn<S> q, VectorIn<S> v, double dt, Integrator integrator = Integrator::rk4,
             int steps = 1, Friction friction = Friction::exact)
      : model_(model),
        data_(model_),
        q_(q),
        v_(v),
        dt_(dt),
        integrator_(integrator),
        steps_(steps),
        friction_(friction) {
    if (!(dt > 0.0 && std::isfinite(dt)) || steps < 1)
      throw Error(detail::join({"Simulation: dt is ", detail::number(dt), " s with ", std::to_string(steps),
                                " steps, must be positive and finite with one step or more"}));
    detail::check_finite_coordinates("q", q_, model_.tree(), "Simulation");
    detail::check_finite_speeds("v", v_, model_, "Simulation");
    start_energy_ = energy(model_, forward_kinematics<S>(model_, data_, q_, v_, "Simulation")).total();
  }

  /// Advances by dt under tau, as step does.
  /// @param tau  nv, held (N m, N)
  /// @throws as step; nothing is changed then
  void advance(VectorIn<S> tau) {
    next_q_ = q_, next_v_ = v_, tau_ = tau;
    StepWork<S> work = work_;
    try {
      for (int i = 0; i < steps_; ++i)
        work += step<S>(model_, data_, next_q_, next_v_, tau_, dt_ / steps_, integrator_, friction_);
    } catch (...) {
      // step has restored the state before the step that failed, not the state before the tick.
      if (steps_ > 1) detail::go_back([&] { forward_kinematics<S>(model_, data_, q_, v_); });
      throw;
    }
    q_ = next_q_, v_ = next_v_, work_ = work;
    ++ticks_;
  }

  const VectorX<S>& q() const { return q_; }
  const VectorX<S>& v() const { return v_; }
  /// Returns the time in s: the number of ticks times dt, so that rounding errors do not accumulate.
  double time() const { return static_cast<double>(ticks_) * dt_; }
  double dt() const { return dt_; }

  /// The model, for instance to add a load, and its Data at the state q, v.
  Robot& model() { return model_; }
  const Robot& model() const { return model_; }
  DataOf<Robot>& data() { return data_; }

  /// Energy of the present state, J, and work and losses of all steps, J.
  EnergyResult<S> present_energy() { return energy(model_, data_, q_, v_); }
  const StepWork<S>& work() const { return work_; }
  /// Returns the error of the energy balance, J: total energy - total at the start - work of tau + losses. It is zero
  /// except for the error of the integrator, unless the model was changed.
  S energy_error() { return present_energy().total() - start_energy_ - work_.tau + work_.losses; }
  /// Returns the momentum of all bodies about the world's origin in world axes, [N m s; N s]. It is constant for a
  /// floating robot without gravity and external forces.
  Force<S> momentum();

 private:
  Robot model_;
  DataOf<Robot> data_;
  VectorX<S> q_, v_, next_q_, next_v_, tau_;
  double dt_;
  Integrator integrator_;
  int steps_;
  Friction friction_;
  long ticks_ = 0;
  S start_energy_{0};
  StepWork<S> work_;
};

/// Deduces the scalar from the model.
template <class Robot, class... Arguments>
Simulation(const Robot&, const Arguments&...) -> Simulation<typename Robot::Scalar, Robot>;

template <class S, RobotLike<S> Robot>
Force<S> Simulation<S, Robot>::momentum() {
  forward_kinematics<S>(model_, data_, q_, v_);
  Force<S> h = centroidal_momentum<S>(model_.tree(), data_.of_tree());
  h.moment += cross(center_of_mass<S>(model_.tree(), data_.of_tree()), h.force);
  return h;
}

}}  // namespace corio
