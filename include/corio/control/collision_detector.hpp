#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "corio/algorithms/derivatives/passive_force_derivatives.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/control/momentum_observer.hpp"
#include "corio/core/compiled.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of a CollisionDetector, each list in the order of the model.
struct Collision {
  std::vector<int> joints;  // joints with residuals above their thresholds, indices into Model::joints()
  std::vector<int> bodies;  // bodies in collision, indices into Model::bodies(), see CollisionDetector
  /// Returns whether a collision is detected.
  explicit operator bool() const { return !joints.empty(); }
};

/// Detects collisions from the residual r of a MomentumObserver, and isolates the body in collision.
///
/// Thresholds: factor sigma + floor, with the standard deviations sigma of r due to noise of the measurements, and
/// floors for errors of the model. If velocities and torques of every sample have independent errors with the standard
/// deviations sigma_v and sigma_tau,
///
///   sigma_k^2 = a / (2 - a) sigma_tau,k^2 + 2 a^2 / (2 - a) sum_i (M_ki sigma_v,i / dt)^2 + a / 2 (d_k sigma_v,k)^2
///
/// for r_1 = r_0 + a (tau_ext - r_0), a = 1 - exp(-K dt), after its initial transients: the terms are noise of torques
/// averaged over the filter's memory, differences of momenta, and, if the observer models passive forces, their slopes
/// d_k = damping + friction sech^2(v / smoothing) / smoothing. For small K dt that is K dt / 2 sigma_tau^2 + K^2 sum_i
/// (M_ki sigma_v,i)^2 + K dt / 2 (d_k sigma_v,k)^2. The effects of errors of v and q on C^T v and g are neglected,
/// since they are not divided by dt. Low-pass filtered velocities have less noise from tick to tick than the formula
/// assumes.
///
/// At standstill the friction of a geared joint rests anywhere within its bounds. An observer assumes that this
/// friction is zero, so that residuals may stay above thresholds that suit motion. set_standstill_friction adds c_k (1
/// - |tanh(v_k / v_s)|) to the thresholds: all of the friction c_k at rest, nothing in motion.
///
/// Isolation: a force on a body has no generalized force in joints farther out. The body hit is thus carried by the
/// outermost joint whose residual is above its threshold; in a tree there may be one in each branch. The result is a
/// body nearer to the base if the force has too little moment about the joints before the body hit, and in the first
/// instants of a push, while residuals of outer joints, with shorter levers, are still below their thresholds. The base
/// of a floating robot feels every force: if it alone is above its threshold, the base was hit, or a limb in a
/// direction without moments about its joints. The six residuals of the base are the total external wrench, as
/// components along its degrees of freedom. For a Mechanism, joints are the independent ones: a force on a body of a
/// linkage is reported at the joint that drives the linkage.
///
///   corio::CollisionDetector detector(model, {.velocity = sigma_v, .torque = sigma_tau}, floor);
///   loop: observer.update(model, data, q, v, tau, dt);
///         if (const auto& found = detector.detect(model, data, observer)) model.bodies()[found.bodies[0]].name();
///
/// Source: De Luca, Albu-Schaeffer, Haddadin and Hirzinger (2006); the variance of a filter of first order.
template <class S = double>
class CollisionDetector {
 public:
  /// Standard deviations of one sample, nv each, zero or positive.
  struct Noise {
    VectorX<S> velocity;  // rad/s, m/s
    VectorX<S> torque;    // N m, N
  };

  /// @param floor   nv (N m, N), zero or positive: a bound of the residual due to errors of the model
  /// @param factor  factor of sigma: with 5, noise alone exceeds the threshold in one of 2 million independent
  /// residuals
  /// @throws SizeError; Error for a number that is negative or not finite, naming its joint
  template <template <class> class Robot>
  CollisionDetector(const Robot<S>& robot, Noise noise, VectorIn<S> floor, double factor = 5)
      : noise_(std::move(noise)),
        floor_(floor),
        factor_(factor),
        sigma_(zeros<S>(robot.nv())),
        moving_(floor_),
        threshold_(floor_),
        slope_(sigma_),
        is_above_(robot.tree().nv(), char(false)) {
    detail::check_gain(robot, name, "noise of velocity", noise_.velocity, true);
    detail::check_gain(robot, name, "noise of torque", noise_.torque, true);
    detail::check_gain(robot, name, "floor", floor_, true);
    if (!(factor >= 0.0 && std::isfinite(factor)))
      throw Error(detail::join({name, ": the factor is ", detail::number(factor), ", must be zero or positive"}));
    const auto n = robot.tree().joints().size();
    found_.joints.reserve(n), found_.bodies.reserve(n), has_outer_.resize(n);
  }

  /// Adds the unknown friction of joints at standstill to the thresholds from now on.
  /// @param friction  nv (N m, N), zero or positive: c of the joints, such as model.friction()
  /// @param speed     v_s (rad/s, m/s), positive: several times the speed up to which friction is uncertain
  /// @throws SizeError; Error naming the joint, or for a speed that is not positive
  template <template <class> class Robot>
  void set_standstill_friction(const Robot<S>& robot, VectorIn<S> friction, double speed) {
    VectorX<S> checked = friction;
    detail::check_gain(robot, name, "standstill friction", checked, true);
    if (!(speed > 0.0 && std::isfinite(speed)))
      throw Error(detail::join({name, ": the speed of standstill is ", detail::number(speed), ", must be positive"}));
    standstill_ = std::move(checked), standstill_speed_ = speed;
  }

  /// Evaluates the residual of the last update of `observer`, whose state must still be in `data`. Keeps no state.
  ///
  /// @returns valid until the next call; a residual or threshold that is not finite counts as above
  /// @throws SizeError; StateError if the observer was not updated yet; Error over numbers that record
  /// (codegen), for which lists of joints are not known. O(n d) for a tree of depth d, because M is needed, and n^2
  /// multiplications; no allocation after the first call on a Data.
  template <template <class> class Robot>
  const Collision& detect(const Robot<S>& robot, DataOf<Robot<S>>& data, const MomentumObserver<S>& observer);

  /// Return the standard deviation and the threshold of the last call, nv each (N m, N).
  const VectorX<S>& standard_deviation() const { return sigma_; }
  const VectorX<S>& threshold() const { return threshold_; }
  /// Returns the largest |r_k| of the last call beyond the friction of standstill, relative to the rest of its
  /// threshold, factor sigma + floor. Above 1 there is a collision; residuals that rest within friction count as zero.
  /// The result is infinite for a residual or threshold that is not finite, and beyond a threshold whose rest is zero.
  double excess() const { return excess_; }

 private:
  static constexpr const char* name = "CollisionDetector";
  template <template <class> class Robot>
  void update_thresholds(const Robot<S>& robot, DataOf<Robot<S>>& data, const MomentumObserver<S>& observer);

  Noise noise_;
  VectorX<S> floor_;
  double factor_;
  VectorX<S> sigma_, moving_, threshold_, slope_;  // moving_: the threshold without friction of standstill
  VectorX<S> standstill_;                          // friction; empty if none was set
  double standstill_speed_ = 1, excess_ = 0;
  PerDof<char> is_above_;        // whether a residual is above its threshold
  std::vector<char> has_outer_;  // per joint: whether a residual in its subtree is above its threshold
  Collision found_;
};

template <class S>
template <template <class> class Robot>
void CollisionDetector<S>::update_thresholds(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                             const MomentumObserver<S>& observer) {
  using std::sqrt;
  const MatrixX<S>& M = crba(robot, data);
  const auto& [with_passive, smoothing] = observer.options();
  const S dt = static_cast<S>(observer.dt());
  if (with_passive) resistances(robot, data, smoothing, slope_);
  for (int k = 0; k < robot.nv(); ++k) {
    const S a = observer.share(k, observer.dt());
    const S of_momentum = M.col(k).cwiseProduct(noise_.velocity).squaredNorm() / (dt * dt);
    const S of_passive = slope_[k] * noise_.velocity[k], of_torque = noise_.torque[k];
    sigma_[k] =
        sqrt(a / (S(2) - a) * (of_torque * of_torque + S(2) * a * of_momentum) + a / S(2) * of_passive * of_passive);
  }
  moving_ = S(factor_) * sigma_ + floor_;
  threshold_ = moving_;
  using std::abs, std::tanh;
  for (int k = 0; k < standstill_.size(); ++k)
    threshold_[k] +=
        standstill_[k] * (S(1) - S(abs(tanh(data.of_tree().v[robot.dof_of_speed(k)] / S(standstill_speed_)))));
}

template <class S>
template <template <class> class Robot>
const Collision& CollisionDetector<S>::detect(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                              const MomentumObserver<S>& observer) {
  data.require(robot, Pass::velocity, name);
  const Model<S>& tree = robot.tree();
  detail::check_size("the model's nv", robot.nv(), floor_.size(), name);
  detail::check_size("the nv of its tree", tree.nv(), is_above_.size(), name);
  detail::check_size("the number of its joints", std::ssize(tree.joints()), std::ssize(has_outer_), name);
  detail::check_size("the residual", observer.residual().size(), floor_.size(), name);
  if (!(observer.dt() > 0.0))
    throw StateError(detail::join({name, ": the observer has no residual yet; call its update first"}));
  update_thresholds(robot, data, observer);
  auto& [joints, bodies] = found_;
  joints.clear(), bodies.clear();
  std::fill(is_above_.begin(), is_above_.end(), char(false));
  std::fill(has_outer_.begin(), has_outer_.end(), char(false));
  excess_ = 0;
  for (int k = 0; k < robot.nv(); ++k) {
    const double threshold = detail::known_value(threshold_[k]),
                 r = std::abs(detail::known_value(observer.residual()[k]));
    const bool finite = std::isfinite(threshold) && std::isfinite(r);
    const double moving = detail::known_value(moving_[k]), beyond = r - (threshold - moving);
    excess_ = (std::max)(excess_, !finite ? std::numeric_limits<double>::infinity() : beyond > 0 ? beyond / moving : 0);
    if (!(finite && r <= threshold)) is_above_[robot.dof_of_speed(k)] = true;
  }
  for (auto j = has_outer_.size(); j-- > 0;) {
    const Joint& joint = tree.joints()[j];
    bool above = false;
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k) above = above || is_above_[k];
    if (above) joints.push_back(static_cast<int>(j));
    if (above && !has_outer_[j]) bodies.push_back(static_cast<int>(j));
    const int parent = tree.bodies()[j].parent();
    if (parent >= 0 && (above || has_outer_[j])) has_outer_[static_cast<std::size_t>(parent)] = true;
  }
  std::reverse(joints.begin(), joints.end()), std::reverse(bodies.begin(), bodies.end());
  return found_;
}

/// Turns CollisionDetector::excess into alarms with a beginning and an end: an alarm begins above 1, and ends when the
/// excess was not above `release` for a pause. With one bound for both, noise would turn one push into many alarms. An
/// excess that is NaN counts as above. Each update is O(1).
///
///   corio::CollisionAlarm alarm;
///   loop: detector.detect(model, data, observer);
///         if (alarm.update(detector.excess(), dt)) robot.stop();
class CollisionAlarm {
 public:
  /// @param release  between 0 and 1
  /// @param pause    s, zero or positive: after several time constants 1 / K of the observer the residual has decayed
  /// @throws Error for other values
  explicit CollisionAlarm(double release = 0.7, double pause = 0.1) : release_(release), pause_(pause) {
    if (!(release >= 0 && release <= 1 && pause >= 0))
      throw Error(detail::join({"CollisionAlarm: release is ", detail::number(release), " and pause ",
                                detail::number(pause), " s; release must be between 0 and 1, pause not negative"}));
  }
  /// @param excess  excess of a sample
  /// @param dt      s, since the sample before it
  /// @returns whether there is an alarm
  bool update(double excess, double dt) {
    quiet_ += dt;
    if (!(excess <= 1)) active_ = true;
    if (!(excess <= release_)) quiet_ = 0;
    if (quiet_ > pause_) active_ = false;
    return active_;
  }
  bool active() const { return active_; }

 private:
  double release_, pause_, quiet_ = 0;
  bool active_ = false;
};

#define CORIO_COMPILED_COLLISION_DETECTOR(EXTERN, S) \
  EXTERN template const Collision& CollisionDetector<S>::detect(const Model<S>&, Data<S>&, const MomentumObserver<S>&);
CORIO_DECLARE_COMPILED(COLLISION_DETECTOR)

}}  // namespace corio
