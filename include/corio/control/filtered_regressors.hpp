#pragma once

#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/algorithms/dynamics/generalized_momentum.hpp"
#include "corio/algorithms/regressors/energy_regressors.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/control/detail/checks.hpp"
#include "corio/core/compiled.hpp"
#include "corio/kinematics/robot.hpp"
#include "corio/model/inertial_parameters.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The balance equation that FilteredRegressors filters.
enum class BalanceEquation {
  /// Generalized momentum, nv rows: d(M v)/dt = tau + C^T v - g.
  momentum,
  /// Energy, one row, cheaper but less informative: d(T + U)/dt = v . tau.
  energy
};

/// Rows W pi = y for the inertial parameters pi of some bodies, from q, v and motor torques. Accelerations are not
/// needed, because both sides of a balance equation pass a low-pass filter F, dF[x]/dt = lambda (x - F[x]),
///
///   momentum:  W = lambda Y_p - F[lambda Y_p + Y_c - Y_g],   y = F[tau]     - (W pi of the known part),
///   energy:    W = lambda (y_E - F[y_E]),                    y = F[v . tau] - (..),   y_E = y_T + y_U,
///
/// with the regressors Y_p of M v, Y_c of C^T v, Y_g of g, y_T and y_U of the energies. The known part comes from the
/// armature and from bodies that are not selected, with the parameters of the model. y is the filtered torque (or
/// power), so that errors W pi - y have its unit. F starts without a transient, at lambda Y_p of the first call.
///
/// Between calls tau is constant and all other inputs are taken as linear in time: the error is of order dt^2. W and y
/// are inputs of AdaptiveParameters::adapt, ExcitationMonitor and StreamingLeastSquares.
///
///   corio::FilteredRegressors filtered(model, 10.0);
///   loop: filtered.update(model, data, q, v, tau, dt);   // tau: the torque since the last tick
///         estimate.adapt(filtered.W(), filtered.y(), weight, dt);
///
/// A recording (codegen) would begin anew in each call, as the state of the filter is private: record the regressors of
/// which it consists, and filter outside.
///
/// If the model has dampers, friction or springs, pass tau + passive_forces(model, data, q, v). The robot is a Model,
/// or a Mechanism, for which v are its independent speeds (mechanism/regressors.hpp) and the parameters are the
/// parameters of the bodies of its tree. Source: [WS] app. B; Slotine and Li, Composite adaptive control of robot
/// manipulators (1989).
template <class S = double>
class FilteredRegressors {
 public:
  /// @param bandwidth  lambda, 1/s: low enough for the noise of velocities, high enough for the motion
  /// @param bodies     the bodies whose parameters W multiplies; all by default
  /// @throws Error for a bandwidth that is not positive and finite; ModelError for a selection of another model
  template <template <class> class Robot>
  FilteredRegressors(const Robot<S>& robot, double bandwidth, BalanceEquation balance = BalanceEquation::momentum,
                     const BodySelection& bodies = {})
      : lambda_(bandwidth), balance_(balance), bodies_(bodies) {
    if (!(bandwidth > 0.0 && std::isfinite(bandwidth)))
      throw Error(detail::join({name, ": the bandwidth is ", detail::number(bandwidth), " 1/s, must be positive"}));
    const Model<S>& model = robot.tree();
    bodies.check_fits(model);
    const int rows = balance == BalanceEquation::momentum ? robot.nv() : 1;
    Y_ = rate_ = input_ = last_ = filtered_ = W_ = Matrix::Zero(rows, bodies.num_parameters(model));
    known_ = known_rate_ = known_input_ = known_last_ = known_filtered_ = force_ = y_ = VectorX<S>::Zero(rows);
    given_ = VectorX<S>::Zero(bodies.num_parameters(model));
    v_ = zeros<S>(robot.nv());
  }

  /// The first call, also after reset, only initialises: W and y are zero.
  ///
  /// @param q, v  the measured state
  /// @param tau   nv (N m, N), torque since the last call, constant or its mean
  /// @param dt    s, since the last call: longer after a missed tick
  /// @throws SizeError; Error for a number that is not finite, regressors that are not finite, and a dt that is not in
  /// (0, 0.1] s; nothing is changed then. O(n p) for p parameters, no allocation after the first call on a Data.
  template <template <class> class Robot>
  void update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau, double dt) {
    update(robot, forward_kinematics<S>(robot, data, q, v, name), tau, dt);
  }
  /// Calls update at the state in `data`, after forward_kinematics(model, data, q, v).
  template <template <class> class Robot>
  void update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau, double dt);

  /// Resets the filter. Call it after a pause or a change of the model's inertia.
  void reset() {
    begun_ = false;
    W_.setZero(), y_.setZero();
  }

  /// Returns W of the last update: nv rows, or one, with ten columns for each body in the order of the selection; in N
  /// m, N or watt for pi in SI units.
  const MatrixX<S>& W() const { return W_; }
  const VectorX<S>& y() const { return y_; }

 private:
  static constexpr const char* name = "FilteredRegressors";
  using Matrix = MatrixX<S>;

  template <template <class> class Robot>
  void measure(const Robot<S>& robot, DataOf<Robot<S>>& data);
  /// Advances the filter by dt for an input that is linear in time, from `last` to `input`.
  template <class X>
  void filter(X& filtered, const std::type_identity_t<X>& last, const std::type_identity_t<X>& input, double dt) const {
    // mean = (1 - exp(-x)) / x, from which the weights of the old value and of both ends follow.
    const double x = lambda_ * dt, rest = std::exp(-x), mean = -std::expm1(-x) / x;
    filtered = S(rest) * filtered + S(mean - rest) * last + S(1 - mean) * input;
  }

  double lambda_;
  BalanceEquation balance_;
  BodySelection bodies_;
  bool begun_ = false;
  Matrix Y_, rate_, input_, last_, filtered_, W_;
  VectorX<S> known_, known_rate_, known_input_, known_last_, known_filtered_, force_, y_, given_, v_;
};

/// Y_, rate_: the balanced quantity and its known rate, per parameter; known_, known_rate_: quantity and rate of the
/// known part.
template <class S>
template <template <class> class Robot>
void FilteredRegressors<S>::measure(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  const Model<S>& model = robot.tree();
  for (int i = 0; i < bodies_.size(model); ++i)
    given_.template segment<10>(10 * i) = model.inertia(model.bodies()[static_cast<std::size_t>(bodies_[i])]).vector();
  if (balance_ == BalanceEquation::momentum) {
    gravity_regressor<S>(robot, data, Y_, bodies_);
    coriolis_transpose_regressor<S>(robot, data, rate_, bodies_);
    rate_ -= Y_;
    momentum_regressor<S>(robot, data, Y_, bodies_);
    const GeneralizedMomentumResult<S>& all = generalized_momentum(robot, data);
    known_ = all.p, known_rate_ = all.drift;
    known_rate_.noalias() -= rate_ * given_;
  } else {
    kinetic_energy_regressor<S>(robot, data, Eigen::Map<VectorX<S>>(Y_.data(), Y_.size()), bodies_);
    potential_energy_regressor<S>(robot, data, Eigen::Map<VectorX<S>>(rate_.data(), rate_.size()), bodies_);
    Y_ += rate_;
    rate_.setZero();
    known_[0] = kinetic_energy(robot, data) + potential_energy(robot, data);
  }
  known_.noalias() -= Y_ * given_;
}

template <class S>
template <template <class> class Robot>
void FilteredRegressors<S>::update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau, double dt) {
  data.require(robot, Pass::velocity, name);
  const Model<S>& model = robot.tree();
  const VectorX<S>& v = data.speeds();
  detail::check_size("the number of parameters", bodies_.num_parameters(model), given_.size(), name);
  detail::check_size("the robot's nv", robot.nv(), v_.size(), name);
  detail::check_finite_coordinates("q", data.of_tree().q, model, name);
  detail::check_finite_speeds("v", v, robot, name);
  detail::check_finite_speeds("tau", tau, robot, name);
  detail::check_tick(name, dt);
  measure(robot, data);
  const S lambda = static_cast<S>(lambda_);
  input_ = lambda * Y_ + rate_;
  known_input_ = lambda * known_ + known_rate_;
  const S work = begun_ ? v_.dot(tau) : S(0), next_work = v.dot(tau);  // power in the last tick, and now
  if (!detail::all_finite(input_) || !detail::all_finite(known_input_) ||
      (is_checked<S> && !std::isfinite(value_of(work + next_work))))
    throw Error(detail::join({name, ": q, v or tau is so large that regressors are not finite; nothing was changed"}));

  if (begun_) {
    filter(filtered_, last_, input_, dt);
    filter(known_filtered_, known_last_, known_input_, dt);
    if (balance_ == BalanceEquation::momentum) {
      force_ += S(-std::expm1(-lambda_ * dt)) * (tau - force_);
    } else {
      filter(force_[0], work, next_work, dt);
    }
  } else {
    filtered_ = lambda * Y_;
    known_filtered_ = lambda * known_;
    force_.setZero();
  }
  last_.swap(input_), known_last_.swap(known_input_);
  v_ = v;
  W_ = lambda * Y_ - filtered_;
  y_ = force_ - lambda * known_ + known_filtered_;
  begun_ = true;
}

#define CORIO_COMPILED_FILTERED_REGRESSORS(EXTERN, S)                                                 \
  EXTERN template class FilteredRegressors<S>;                                                        \
  EXTERN template FilteredRegressors<S>::FilteredRegressors(const Model<S>&, double, BalanceEquation, \
                                                            const BodySelection&);                    \
  EXTERN template void FilteredRegressors<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, double);
CORIO_DECLARE_COMPILED(FILTERED_REGRESSORS)

}}  // namespace corio
