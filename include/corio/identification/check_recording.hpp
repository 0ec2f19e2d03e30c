#pragma once

#include "corio/identification/detail/column_fit.hpp"
#include "corio/identification/detail/signal_checker.hpp"

/// Recordings are compared with themselves and with the model of the robot before anything is fitted to them.
namespace corio { inline namespace CORIO_ABI {

/// A recording without the faults that could be mended, and how its columns agree.
struct RecordingCheck {
  JointRecording recording;
  std::vector<RecordingFault> faults;
  /// For each joint: slope and correlation of recorded speeds over the rates of positions; NaN without speeds, or if
  /// the joint hardly moves.
  VectorX<double> speed_slope, speed_correlation;
  /// For each joint: the slope of recorded torques over those of the model, beside armature, friction and an offset,
  /// none of them negative, and the share of their variance that is left.
  VectorX<double> torque_slope, torque_left;
  /// The median of these slopes for joints that gravity loads and the model explains; NaN if there are none.
  double torque_factor = std::numeric_limits<double>::quiet_NaN();
};

namespace detail {

/// Compares a recording with itself and a model, see check_recording.
class RecordingChecker : SignalChecker {
 public:
  using SignalChecker::SignalChecker;

  RecordingCheck operator()(bool has_efforts, double delay_of_tau) {
    check_signals();
    check_.torque_slope.resize(n_), check_.torque_left.resize(n_);
    compare_torques(has_efforts, delay_of_tau);
    check_.recording = std::move(log_), check_.faults = std::move(faults_);
    check_.speed_slope = std::move(speed_slope_), check_.speed_correlation = std::move(speed_correlation_);
    return std::move(check_);
  }

 private:
  /// Columns whose change lets the model explain the torques better, and torques of another size.
  void compare_torques(bool has_efforts, double delay_of_tau) {
    TorqueComparison compare(
        model_, prepare(log_, {(std::min)(10.0, 0.2 / period_), delay_of_tau, TorqueComparison::smoothing}));
    std::vector<double> spans;
    for (int k = 0; k < n_; ++k) {
      check_.torque_slope[k] = compare[k].slope, check_.torque_left[k] = compare[k].left;
      const auto at = static_cast<std::size_t>(k);
      spans.push_back(!is_angle_[at] ? std::numeric_limits<double>::quiet_NaN() : is_unwrapped_[at] ? turn : span(k));
    }
    if (!has_efforts) return;
    const auto changes = column_changes(spans);
    for (int step = 0; step < 2 * n_ && propose_best(changes, compare); ++step) {
    }
    for (int step = 0; step < 2 * n_; ++step) {
      auto fault = find_other_size(compare);
      if (!fault) fault = ColumnFit(compare.model(), compare.instants()).find();
      if (!fault) break;
      const ColumnChange& change = fault->correction;  // full turns between samples tell the size of a position
      if (change.of_position && change.scale != 1 && is_unwrapped_[static_cast<std::size_t>(change.i)]) break;
      propose(compare, change, fault->text);
    }
    if (const double x = check_.torque_factor; x > 3 || 3 * x < 1)
      ask("torques", "are some ", number(x), " times those of the model: are they before the gears, currents, ",
          "or in another unit? Accepted as they are");
    // In sound recordings the model leaves at most 0.05 of the variance of torques that gravity loads.
    for (int k = 0; k < n_; ++k)
      if (const double left = compare[k].left; is_loaded(compare, k) && left > 0.5)
        ask(column('t', k), "has little of the torque that gravity needs (", number(left),
            " of its variance is left by the model): is gravity compensated in it, or is it of another recording? "
            "Accepted as it is");
  }

  /// Centres of mass are known to a few centimetres, and smaller torques than by that have no size to compare.
  bool is_loaded(const TorqueComparison& compare, int k) const {
    double mass = 0;
    for (const auto& body : model_.bodies()) mass += model_.inertia(body).mass;
    return compare.is_compared(k) && compare.variation(k) > 0.02 * mass * model_.gravity().norm();
  }
  /// Finds the median size of torques that gravity loads and the model explains, and returns one that is three times as
  /// large or small: too far for steps of ColumnFit.
  std::optional<ColumnFault> find_other_size(const TorqueComparison& compare) {
    std::vector<double> sizes;
    const auto has_size = [&](int k) { return compare[k].left < 0.2 && is_loaded(compare, k); };
    for (int k = 0; k < n_; ++k)
      if (has_size(k)) sizes.push_back(compare[k].slope);
    if (sizes.empty()) return std::nullopt;
    const double common = check_.torque_factor = median_factor(sizes);
    for (int k = 0; k < n_; ++k)
      if (const double x = compare[k].slope / common; has_size(k) && (x > 3 || 3 * x < 1))
        return ColumnFit::other_torque_size(k, x);
    return std::nullopt;
  }

  /// Makes a change in the comparison and, if it is accepted, in the recording.
  template <class... Text>
  void propose(TorqueComparison& compare, const ColumnChange& change, const Text&... text) {
    compare.apply(change);
    if (ask(column(change.of_position ? 'q' : 't', change.i), text..., "; accepted, it is changed"))
      change.apply(log_, samples(compare.distance));
  }

  /// Proposes the change that explains the torques best, of torques if they do nearly as well, and compares with it
  /// made. No sound recording of a UR10e, a Panda or a TIAGo (bench/reproduce/recordings.md) has one.
  /// @returns whether there is one
  bool propose_best(const std::vector<ColumnChange>& changes, TorqueComparison& compare) {
    std::vector<double> gains;
    for (const ColumnChange& change : changes) gains.push_back(compare.gain(change));
    const auto merit = [&](std::size_t i) { return gains[i] * (changes[i].of_position ? 1 : 1.25); };
    std::size_t best = 0;
    for (std::size_t i = 0; i < gains.size(); ++i)
      if (merit(i) > merit(best)) best = i;
    const Vector3<double> g = (100 * compare.best_gravity().array()).round() / 100 + 0.0;
    const std::string axes = number(g[0]) + "," + number(g[1]) + "," + number(g[2]);
    TorqueComparison turned = compare;
    turned.apply(g);
    const double gain_of_gravity = compare.gain(turned);
    if (gain_of_gravity > std::log(4.0) && gain_of_gravity > gains[best] + std::log(2.0)) {
      if (const auto fault = ColumnFit(compare.model(), compare.instants()).find();
          fault && compare.gain(fault->correction) > gain_of_gravity)
        return propose(compare, fault->correction, fault->text), true;
      ask("gravity", "is ", axes, " m/s^2 in axes of the base by the torques: is the robot mounted otherwise than its ",
          "model? Then set it by set_gravity. Accepted, that of the model stays");
      compare = std::move(turned);
      return true;
    }
    if (!(gains[best] > std::log(4.0))) return false;
    const auto name = [&](const ColumnChange& c, int k) {
      return (c.of_position ? column('q', k) : "") + (c.of_position && c.of_torque ? " with " : "") +
             (c.of_torque ? column('t', k) : "");
    };
    const auto text = [&](const ColumnChange& c) {
      return name(c, c.i) + (c.i != c.j      ? " and " + name(c, c.j) + " look exchanged"
                             : c.scale < 0   ? " has the opposite sign"
                             : c.late != 0   ? " is late by some " + number(c.late * compare.distance) + " s"
                             : c.offset != 0 ? " is " + number(-c.offset) + " rad off"
                                             : std::string(c.scale < 1 ? " is in deg" : " is in turns"));
    };
    const std::string first = column(changes[best].of_position ? 'q' : 't', changes[best].i);
    TorqueComparison changed = compare;
    changed.apply(changes[best]);
    std::string others;
    for (std::size_t i = 0; i < gains.size(); ++i)  // other explanations of this fault, which gain nothing beside it
      if (i != best && gains[i] > 0.8 * gains[best] && changed.gain(changes[i]) < 0.3 * gains[i])
        others += ", or " + text(changes[i]);
    if (gain_of_gravity > 0.8 * gains[best]) others += ", or the robot is mounted otherwise (gravity " + axes + ")";
    propose(compare, changes[best], text(changes[best]).substr(first.size() + 1), others,
            ": the model then explains far more of the torques");
    return true;
  }

  RecordingCheck check_;
};

}  // namespace detail

/// Compares the columns of a recording with each other and with the torques of the model:
///
/// Rows far before or after the others in time, single samples far from their neighbours, samples between two jumps of
/// a position, and those in which a position or torque stands still while the joint moves, are left out. Angles that
/// are written between -pi and pi are unwrapped. Speeds that never change, have another unit or sign, or belong to
/// another joint are replaced by the rates of positions (in sound recordings slope and correlation are 0.98 to 1).
/// Torques that never change become NaN, so that their rows are not used.
///
/// Changes that must be accepted are proposed for positions that never change, jump, have the size of another unit or
/// disagree with their speeds; for signals that are equal; for positions, torques or both that are late, exchanged, in
/// another unit or of the opposite sign, or begin elsewhere, or for the direction of gravity, if the change reduces the
/// product of the shares of variances that the model leaves to a quarter; for torques that gravity loads of which the
/// model leaves more than half; and for zeros and sizes of positions and sizes of torques that other bodies than the
/// model's do not explain, see detail::ColumnFit; and for torques that are all three times as large or small as the
/// model's. These comparisons need a model whose masses are right in size; armature, friction and offsets need not be
/// known.
/// @param is_accepted   whether the change that a fault proposes for a column may be made
/// @param has_efforts   tau are forces and torques; false: currents, which are not compared with the model
/// @param delay_of_tau  as in Preparation
/// Cost O(samples + n^4); allocates.
/// @throws as prepare; SizeError for another number of joints than the model has; Error for a joint that has another
/// number of coordinates than of speeds; if fewer than twenty rows are left
inline RecordingCheck check_recording(
    const Model<double>& model, JointRecording recording,
    const std::function<bool(const std::string&)>& is_accepted = [](const std::string&) { return false; },
    bool has_efforts = true, double delay_of_tau = 0) {
  return detail::RecordingChecker(model, std::move(recording), is_accepted)(has_efforts, delay_of_tau);
}

}}  // namespace corio
