#pragma once

#include "corio/algorithms/dynamics/generalized_momentum.hpp"
#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/control/detail/checks.hpp"
#include "corio/core/compiled.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Options of a MomentumObserver.
struct MomentumObserverOptions {
  /// If true, the observer models dampers, friction and springs. Otherwise their forces are part of the residual.
  bool passive_forces = false;
  double smoothing = friction_smoothing;  // as in passive_forces
};

/// Estimates the generalized external forces tau_ext on a robot, such as contact forces, from its motion and its motor
/// torques, without accelerations, by the balance of the generalized momentum p = M v,
///
///   dp/dt = tau + tau_ext + C^T v - g,
///   r = K (p - p(0) - int (tau + C^T v - g + r) dt),   hence   dr/dt = K (tau_ext - r).
///
/// r follows tau_ext with the time constant 1 / K of each degree of freedom, uncoupled from the others. This holds for
/// every admissible C, all joints, fixed and floating bases. In discrete time, with tau held from one tick to the next
/// and C^T v - g linear in between,
///
///   tau_ext = (p_1 - p_0) / dt - tau - (C^T v - g)_0 / 2 - (C^T v - g)_1 / 2,   its mean up to O(dt^2),
///   r_1 = r_0 + (1 - exp(-K dt)) (tau_ext - r_0),
///
/// the exact solution for constant tau_ext: stable for any K dt, and without a growing offset.
///
/// r also contains errors of the model, in particular friction. Add known external forces f, such as measured forces on
/// feet, to tau: tau + J^T f.
///
/// A recording (codegen) keeps no state: record two updates, of the previous sample and of the new sample, with the
/// previous residual r_0 as an input. The new residual is r of the second update plus (1 - share(k, dt)) r_0 for each
/// degree of freedom k.
///
///   corio::MomentumObserver observer(model, K);
///   loop: r = observer.update(model, data, q, v, tau, dt);   // tau: the torque since the last tick
///         tau = ...
///
/// Source: De Luca and Mattone (2003); De Luca, Albu-Schaeffer, Haddadin and Hirzinger (2006); [WS] remark 4.
template <class S = double>
class MomentumObserver {
 public:
  /// @param gain  K, nv, 1/s, positive. Every K is stable; a high K is fast and noisy (see CollisionDetector)
  /// @throws SizeError; Error for a gain that is not positive and finite, naming its joint, or a negative smoothing
  template <template <class> class Robot>
  explicit MomentumObserver(const Robot<S>& robot, VectorIn<S> gain, const MomentumObserverOptions& options = {})
      : gain_(gain),
        options_(options),
        outside_(zeros<S>(robot.nv())),
        now_{outside_, outside_, outside_},
        next_(now_) {
    detail::check_gain(robot, name, "gain (K)", gain_);
    detail::check_smoothing(options_.smoothing, name);
  }

  /// The first call, also after reset, only initialises: r is zero.
  ///
  /// @param q, v  the measured state
  /// @param tau   nv (N m, N), motor torques since the last call, constant or their mean
  /// @param dt    s, since the last call: longer after a missed tick
  /// @returns r, nv (N m, N).
  /// @throws SizeError; Error for a number that is not finite, for momenta that are not finite, and for a dt that is
  /// not in (0, 0.1] s. The observer is then unchanged: call again with the next sample, with dt since the last
  /// accepted sample, and the mean of tau over that time. O(n), no allocation after the first call on a Data.
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                           double dt) {
    return update(robot, forward_kinematics<S>(robot, data, q, v, name), tau, dt);
  }
  /// Calls update at the state in `data`, after forward_kinematics(model, data, q, v).
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau, double dt);

  /// Sets r = 0. Call it after a pause or a change of the model's inertia, at which p jumps.
  void reset() {
    now_.r.setZero();
    dt_ = 0;
  }

  /// Returns r of the last update.
  const VectorX<S>& residual() const { return now_.r; }
  const VectorX<S>& gain() const { return gain_; }
  const MomentumObserverOptions& options() const { return options_; }
  /// Returns dt of the last update, s; zero if there was none.
  double dt() const { return dt_; }
  /// Returns 1 - exp(-K dt) of degree of freedom k: the weight of the new value in r.
  S share(int k, double dt) const {
    using std::exp;
    return S(1) - exp(-gain_[k] * S(dt));
  }

 private:
  static constexpr const char* name = "MomentumObserver";
  /// State at one tick; drift = C^T v - g is dp/dt without motors and external forces.
  struct State {
    VectorX<S> p, drift, r;
  };

  VectorX<S> gain_;
  MomentumObserverOptions options_;
  VectorX<S> outside_;
  State now_, next_;
  double dt_ = 0;
};

template <class S>
template <template <class> class Robot>
const VectorX<S>& MomentumObserver<S>::update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau,
                                              double dt) {
  data.require(robot, Pass::velocity, name);
  detail::check_size("the model's nv", robot.nv(), gain_.size(), name);
  detail::check_finite_coordinates("q", data.of_tree().q, robot.tree(), name);
  detail::check_finite_speeds("v", data.speeds(), robot, name);
  detail::check_finite_speeds("tau", tau, robot, name);
  detail::check_tick(name, dt);
  const GeneralizedMomentumResult<S>& momentum = generalized_momentum(robot, data);
  next_.p = momentum.p, next_.drift = momentum.drift, next_.r = now_.r;
  if (options_.passive_forces) next_.drift += passive_forces(robot, data, options_.smoothing);
  if (dt_ > 0) {
    outside_ = (next_.p - now_.p) / S(dt) - tau - (now_.drift + next_.drift) / S(2);
    for (int k = 0; k < robot.nv(); ++k) next_.r[k] += share(k, dt) * (outside_[k] - now_.r[k]);
  }
  const char* const cause = ": q, v or tau are too large";
  detail::require_finite("the momentum p", next_.p, name, cause);
  detail::require_finite("C^T v - g", next_.drift, name, cause);
  detail::require_finite("r", next_.r, name, cause);
  std::swap(now_, next_);
  dt_ = dt;
  return now_.r;
}

#define CORIO_COMPILED_MOMENTUM_OBSERVER(EXTERN, S) \
  EXTERN template const VectorX<S>& MomentumObserver<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, double);
CORIO_DECLARE_COMPILED(MOMENTUM_OBSERVER)

}}  // namespace corio
