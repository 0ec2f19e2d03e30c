#pragma once

#include <functional>

#include "corio/identification/detail/signal_faults.hpp"
#include "corio/identification/recording.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Compares the signals of a recording with each other, see check_recording.
class SignalChecker {
 public:
  SignalChecker(const Model<double>& model, JointRecording recording,
                const std::function<bool(const std::string&)>& is_accepted)
      : model_(model), log_(std::move(recording)), is_accepted_(is_accepted), n_(model.nv()) {
    check_joints(model);
    checked_timing(log_, n_, "check_recording");
  }

  /// Leaves out samples, and replaces or names columns.
  void check_signals() {
    lost_.setConstant(log_.t.size(), false);
    cut_ends();
    for (int k = 0; k < n_; ++k) unwrap(k);
    for (int k = 0; k < n_; ++k) find_lost_samples(k);
    keep();
    for (int k = 0; k < n_; ++k) find_lost_stretches(k);
    keep();
    for (int k = 0; k < n_; ++k) check_column(k);
    for (int k = 0; k < n_; ++k) compare_speeds(k);
  }

 protected:
  static constexpr double turn = 2 * std::numbers::pi;

  std::string column(char signal, int k) const {
    const auto& names = signal == 'q' ? log_.q_names : signal == 'v' ? log_.v_names : log_.tau_names;
    const auto at = static_cast<std::size_t>(k);
    if (at >= names.size()) return (signal == 't' ? "tau_" : signal + std::string("_")) + joint_of_dof(model_, k);
    return (names[at].find_first_not_of("0123456789") == std::string::npos ? "column " : "") + names[at];
  }
  /// Proposes a change, and returns whether it is accepted.
  template <class... Text>
  bool ask(const std::string& name, const Text&... text) {
    faults_.push_back({name, join({text...}), is_accepted_(name)});
    return faults_.back().is_mended;
  }
  Eigen::Index samples(double seconds) const { return (std::max<Eigen::Index>)(1, std::llround(seconds / period_)); }
  double span(int k) const { return log_.q.row(k).maxCoeff() - log_.q.row(k).minCoeff(); }

  const Model<double>& model_;
  JointRecording log_;
  const std::function<bool(const std::string&)>& is_accepted_;
  int n_;
  std::vector<RecordingFault> faults_;
  VectorX<double> speed_slope_ = VectorX<double>::Constant(n_, std::numeric_limits<double>::quiet_NaN()),
                  speed_correlation_ = speed_slope_;
  std::vector<bool> is_angle_ = find_angles(model_), is_unwrapped_ = std::vector<bool>(is_angle_.size(), false);
  double period_ = 0;

 private:
  /// Notes what was done.
  template <class... Text>
  void say(const std::string& name, const Text&... text) {
    faults_.push_back({name, join({text...}), true});
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
      throw Error(join({faults_.back().column, ": ", faults_.back().text, "; fewer than 20 rows remain"}));
    keep_samples(log_, rows);
    lost_.setConstant(log_.t.size(), false);
  }

  static bool never_changes(const MatrixX<double>& x, int k) { return x.row(k).maxCoeff() == x.row(k).minCoeff(); }
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
            ": are rows lost, or are these two recordings? Cut it there. Accepted as it is");
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
        ": is it in deg, before the gear, or time in another unit? "
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
    const double slope = speed_slope_[k] = moved.dot(told) / moved.squaredNorm(),
                 fit = speed_correlation_[k] = correlation(moved, told);
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

  VectorX<double> top_rate_ = VectorX<double>::Zero(n_);
  Eigen::Array<bool, Eigen::Dynamic, 1> lost_;
};

}}}  // namespace corio::detail
