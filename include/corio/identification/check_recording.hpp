#pragma once

#include <functional>

#include "corio/identification/detail/column_fit.hpp"
#include "corio/identification/detail/signal_faults.hpp"
#include "corio/identification/recording.hpp"

/// Recordings are compared with themselves and with the model of the robot before anything is fitted to them.
namespace corio { inline namespace CORIO_ABI {

/// A fault of a column of a recording.
struct RecordingFault {
  std::string column, text;  ///< what the column looks like, and what is done about it
  bool is_mended;            ///< false: `text` proposes a change that is made only if the column is accepted
};

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
class RecordingChecker {
 public:
  RecordingChecker(const Model<double>& model, JointRecording recording,
                   const std::function<bool(const std::string&)>& is_accepted)
      : model_(model), log_(std::move(recording)), is_accepted_(is_accepted), n_(model.nv()) {
    const VectorX<double> none = VectorX<double>::Constant(n_, std::numeric_limits<double>::quiet_NaN());
    check_ = {{}, {}, none, none, none, none};
  }

  RecordingCheck operator()(bool has_efforts, double delay_of_tau) {
    lost_.setConstant(log_.t.size(), false);
    cut_ends();
    for (int k = 0; k < n_; ++k) unwrap(k);
    for (int k = 0; k < n_; ++k) find_lost_samples(k);
    keep();
    for (int k = 0; k < n_; ++k) find_lost_stretches(k);
    keep();
    for (int k = 0; k < n_; ++k) check_column(k);
    for (int k = 0; k < n_; ++k) compare_speeds(k);
    compare_torques(has_efforts, delay_of_tau);
    check_.recording = std::move(log_);
    return std::move(check_);
  }

 private:
  static constexpr double turn = 2 * std::numbers::pi;

  std::string column(char signal, int k) const {
    const auto& names = signal == 'q' ? log_.q_names : signal == 'v' ? log_.v_names : log_.tau_names;
    const auto at = static_cast<std::size_t>(k);
    if (at >= names.size()) return (signal == 't' ? "tau_" : signal + std::string("_")) + joint_of_dof(model_, k);
    return (names[at].find_first_not_of("0123456789") == std::string::npos ? "column " : "") + names[at];
  }
  /// Notes what was done.
  template <class... Text>
  void say(const std::string& name, const Text&... text) {
    check_.faults.push_back({name, join({text...}), true});
  }
  /// Proposes a change, and returns whether it is accepted.
  template <class... Text>
  bool ask(const std::string& name, const Text&... text) {
    check_.faults.push_back({name, join({text...}), is_accepted_(name)});
    return check_.faults.back().is_mended;
  }
  std::string time(Eigen::Index i) const { return number(log_.t[i]) + " s"; }

  /// Marks rows that are to be left out, with a note.
  void lose(const std::string& name, const std::vector<Stretch>& stretches, const char* text) {
    Eigen::Index count = 0;
    for (const auto& [first, last] : stretches) {
      lost_.segment(first, last - first + 1).setConstant(true);
      count += last - first + 1;
    }
    if (count > 0)
      say(name, std::to_string(count), count == 1 ? " sample " : " samples ", text, ", the first at ",
          time(stretches[0].first), "; left out");
  }
  void keep() {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < lost_.size(); ++i)
      if (!lost_[i]) rows.push_back(i);
    if (std::ssize(rows) == lost_.size()) return;
    if (rows.size() < 20)
      throw Error(join({check_.faults.back().column, ": ", check_.faults.back().text, "; fewer than 20 rows remain"}));
    keep_samples(log_, rows);
    lost_.setConstant(log_.t.size(), false);
  }

  Eigen::Index samples(double seconds) const { return (std::max<Eigen::Index>)(1, std::llround(seconds / period_)); }
  static bool never_changes(const MatrixX<double>& x, int k) { return x.row(k).maxCoeff() == x.row(k).minCoeff(); }
  double span(int k) const { return log_.q.row(k).maxCoeff() - log_.q.row(k).minCoeff(); }
  VectorX<double> steps(int k) const {
    return log_.q.row(k).tail(log_.t.size() - 1) - log_.q.row(k).head(log_.t.size() - 1);
  }

  /// Fewer than twenty rows beside a pause of fifty periods, at either end.
  void cut_ends() {
    const SampleTiming timing = sample_timing(log_.t);
    period_ = timing.period;
    const Eigen::Index n = log_.t.size();
    std::vector<Stretch> ends;
    for (const Eigen::Index gap : timing.gaps) {
      if (log_.t[gap] - log_.t[gap - 1] < 50 * period_) continue;
      if (gap < 20) ends = {{0, gap - 1}};
      if (n - gap >= 20) continue;
      ends.push_back({gap, n - 1});
      break;
    }
    lose("time", ends, "far before or after the others");
    keep();
    if (!ends.empty()) log_.t.array() -= log_.t[0];
  }

  /// Full turns between samples are no motion, unless recorded speeds say so.
  void unwrap(int k) {
    const VectorX<double> step = steps(k);
    const double usual = quantile_of_magnitudes(step, 0.99);
    if (!is_angle_[static_cast<std::size_t>(k)] || !(usual < 1)) return;
    Eigen::Index turns = 0;
    double added = 0;
    for (Eigen::Index i = 0; i < step.size(); ++i) {
      const double told = log_.v.size() > 0 ? log_.v(k, i) * (log_.t[i + 1] - log_.t[i]) : 0,
                   jump = step[i] - (std::abs(told) < turn ? told : 0), whole = std::round(jump / turn);
      if (whole != 0 && std::abs(jump - whole * turn) < 3 * usual + 1e-3) added -= whole * turn, ++turns;
      log_.q(k, i + 1) += added;
    }
    if (turns == 0) return;
    is_unwrapped_[static_cast<std::size_t>(k)] = true;
    say(column('q', k), std::to_string(turns), " steps of full turns between samples; unwrapped");
  }

  /// Samples far from their neighbours.
  void find_lost_samples(int k) {
    const auto range = [&](const MatrixX<double>& x) {
      return quantile_of_magnitudes(x.row(k).array() - x.row(k).mean(), 0.98);
    };
    const char* distant = "far from the neighbours";
    lose(column('q', k), find_outliers(log_.q.row(k), 3 * quantile_of_magnitudes(steps(k), 0.95) + 2e-3), distant);
    if (log_.v.size() > 0) lose(column('v', k), find_outliers(log_.v.row(k), range(log_.v) + 0.05), distant);
    lose(column('t', k), find_outliers(log_.tau.row(k), 3 * range(log_.tau) + 1e-6), distant);
  }

  /// Samples between two jumps of a position within a second; samples in which a position stands still right before or
  /// after it moves, or a torque does not change while its joint moves. In sound recordings no rate is above 1.23 times
  /// its quantile of 99.9 %.
  void find_lost_stretches(int k) {
    const VectorX<double> x = log_.q.row(k), step = steps(k);
    const Eigen::Index n = x.size(), beside = samples(0.05);
    const VectorX<double> rate = step.cwiseQuotient((log_.t.tail(n - 1) - log_.t.head(n - 1)).cwiseMax(period_));
    const double top = top_rate_[k] = quantile_of_magnitudes(rate, 0.999);
    std::vector<Eigen::Index> jumps;
    for (Eigen::Index i = 0; i + 1 < n; ++i)
      if (std::abs(rate[i]) > 4 * top && std::abs(step[i]) > 2e-3) jumps.push_back(i + 1);
    const auto moves = [&](Eigen::Index from, Eigen::Index to, double least) {
      return from >= 0 && to < n && std::abs(x[to] - x[from]) > 0.2 * top * (log_.t[to] - log_.t[from]) + least;
    };
    std::vector<Stretch> constant, between;
    for (const auto& [first, last] : find_constant(x, (std::max<Eigen::Index>)(20, samples(0.25)))) {
      const auto is_end = [from = first, to = last](Eigen::Index i) { return i == from || i == to + 1; };
      if (std::ranges::none_of(jumps, is_end) && !(moves(first - beside, first, 2e-3) && moves(first - 1, first, 0)) &&
          !(moves(last + 1, last + 1 + beside, 2e-3) && moves(last + 1, last + 2, 0)))
        continue;
      if (first == 0 && last == n - 1) continue;
      constant.push_back({first, last});
      std::erase_if(jumps, is_end);
    }
    lose(column('q', k), constant, "in which it stands still, right before or after it moves");
    for (std::size_t j = 0; j < jumps.size(); ++j)
      if (const Eigen::Index i = jumps[j]; j + 1 < jumps.size() && log_.t[jumps[j + 1]] - log_.t[i] < 1)
        between.push_back({i, jumps[++j] - 1});
      else
        ask(column('q', k), "jumps by ", number(step[i - 1]), " at ", time(i),
            ": are rows lost, or are these two recordings? Cut it (--begin, --end). Accepted as it is");
    lose(column('q', k), between, "between jumps there and back");
    auto still = find_constant(log_.tau.row(k), (std::max<Eigen::Index>)(20, samples(0.5)));
    std::erase_if(still, [&](const Stretch& s) {
      const auto moved = x.segment(s.first, s.last - s.first + 1);
      return moved.maxCoeff() - moved.minCoeff() < 0.02 * top * (log_.t[s.last] - log_.t[s.first]);
    });
    if (still.size() <= 5 && !never_changes(log_.tau, k))  // more in torques with coarse steps
      lose(column('t', k), still, "in which it does not change while the joint moves");
  }

  /// Signals that stand still or are equal, and positions of a size that another unit explains.
  void check_column(int k) {
    if (never_changes(log_.q, k)) {
      if ((log_.q.colwise() - log_.q.col(0)).isZero(0)) return;
      ask(column('q', k), "never changes while other joints move; accepted as a joint that stands still");
      if (log_.v.size() > 0) log_.v.row(k).setZero();
      return;
    }
    for (int j = 0; j < k; ++j)
      for (const char signal : {'q', 't'})
        if (const auto& x = signal == 'q' ? log_.q : log_.tau; x.row(j) == x.row(k) && !never_changes(x, k))
          ask(column(signal, k), "is the same signal as ", column(signal, j), "; accepted as it is");
    if (never_changes(log_.tau, k)) {
      say(column('t', k), "never changes while the joint moves; its rows are not used");
      log_.tau.row(k).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    const double range = model_.upper_limit()[k] - model_.lower_limit()[k], fastest = model_.velocity_limit()[k];
    const char* unit =
        ": is it in deg (--degrees, or [deg] behind the name), of the motor, or time in another unit (--time-unit)? "
        "Accepted as it is";
    if (std::isfinite(range) && !is_unwrapped_[static_cast<std::size_t>(k)] && span(k) > 3 * range + 1)
      ask(column('q', k), "spans ", number(span(k)), " where the joint has ", number(range), unit);
    else if (std::isfinite(fastest) && fastest > 0 && top_rate_[k] > 10 * fastest)
      ask(column('q', k), "changes by ", number(top_rate_[k]), " per s where the limit is ", number(fastest), unit);
  }

  /// Speeds against rates of positions, both as differences of positions over a fortieth of a second on either side.
  void compare_speeds(int k) {
    const Eigen::Index m = log_.t.size(), half = samples(0.025);
    if (log_.v.size() == 0 || m < 4 * half || never_changes(log_.q, k)) return;
    const VectorX<double> x = log_.q.row(k), v = log_.v.row(k);
    VectorX<double> way(m);
    way[0] = 0;
    for (Eigen::Index i = 1; i < m; ++i) way[i] = way[i - 1] + 0.5 * (v[i] + v[i - 1]) * (log_.t[i] - log_.t[i - 1]);
    const auto over = [&](const VectorX<double>& y) {  // without differences beside which rows are missing
      const auto time = log_.t.tail(m - 2 * half) - log_.t.head(m - 2 * half);
      const auto is_whole = (time.array() < 3 * static_cast<double>(half) * period_).cast<double>();
      return VectorX<double>((y.tail(m - 2 * half) - y.head(m - 2 * half)).array() * is_whole);
    };
    const VectorX<double> moved = over(x), told = over(way);
    if (moved.norm() < 0.02 * static_cast<double>(half) * period_ * std::sqrt(static_cast<double>(m))) return;
    const auto correlation = [](const VectorX<double>& a, const VectorX<double>& b) {
      return a.norm() > 0 && b.norm() > 0 ? a.dot(b) / a.norm() / b.norm() : 0;
    };
    const double slope = check_.speed_slope[k] = moved.dot(told) / moved.squaredNorm(),
                 fit = check_.speed_correlation[k] = correlation(moved, told);
    if (fit > 0.9 && slope > 0.9 && slope < 1.1) return;
    std::string looks = never_changes(log_.v, k) ? "never changes" : "";
    for (const auto& [factor, text] :
         {std::pair(-1.0, "has the opposite sign"), std::pair(360 / turn, "is in deg/s"),
          std::pair(60 / turn, "is in rounds per minute"), std::pair(1 / turn, "is in rounds per second")})
      if (std::abs(slope / factor - 1) < 0.05 && std::abs(fit) > 0.9) looks = text;
    for (int j = 0; j < n_; ++j)
      if (j != k && correlation(over(log_.q.row(j)), told) > 0.97) looks = "is the rate of " + column('q', j);
    const std::string figures = join({" (slope ", number(slope), ", correlation ", number(fit), ")"});
    if (!looks.empty())
      say(column('v', k), looks, figures, "; rates of the position are used in its place");
    else
      ask(column('v', k), "is not the rate of ", column('q', k), figures,
          ": which is wrong, or in deg, or is it the time? Accepted, rates of the position are used");
    for (Eigen::Index i = 0; i < m; ++i) {
      const Eigen::Index from = (std::max<Eigen::Index>)(0, i - 1), to = (std::min)(m - 1, i + 1);
      log_.v(k, i) = (x[to] - x[from]) / (log_.t[to] - log_.t[from]);
    }
  }

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
      ask("torques", "are some ", number(x), " times those of the model: are they of the motors (--gear), currents ",
          "(--current, --drive-gains), or in another unit? Accepted as they are");
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
          "model? Then pass this by --gravity. Accepted, that of the model stays");
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
    if (gain_of_gravity > 0.8 * gains[best]) others += ", or the robot is mounted otherwise (--gravity " + axes + ")";
    propose(compare, changes[best], text(changes[best]).substr(first.size() + 1), others,
            ": the model then explains far more of the torques");
    return true;
  }

  const Model<double>& model_;
  JointRecording log_;
  const std::function<bool(const std::string&)>& is_accepted_;
  int n_;
  std::vector<bool> is_angle_ = find_angles(model_), is_unwrapped_ = std::vector<bool>(is_angle_.size(), false);
  VectorX<double> top_rate_ = VectorX<double>::Zero(n_);
  Eigen::Array<bool, Eigen::Dynamic, 1> lost_;
  double period_ = 0;
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
/// @throws Error as prepare; if fewer than twenty rows are left
inline RecordingCheck check_recording(
    const Model<double>& model, JointRecording recording,
    const std::function<bool(const std::string&)>& is_accepted = [](const std::string&) { return false; },
    bool has_efforts = true, double delay_of_tau = 0) {
  return detail::RecordingChecker(model, std::move(recording), is_accepted)(has_efforts, delay_of_tau);
}

}}  // namespace corio
