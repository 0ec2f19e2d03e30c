#pragma once

#include <functional>

#include "corio/algorithms/dynamics/rnea.hpp"
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
  /// For each joint: slope and correlation of recorded torques over those of the model, beside friction and an offset.
  VectorX<double> torque_slope, torque_correlation;
};

namespace detail {

/// The quantile of the magnitudes of numbers, 0 <= share <= 1. O(n).
inline double quantile_of_magnitudes(VectorX<double> x, double share) {
  x = x.cwiseAbs().eval();
  double* at = x.data() + static_cast<Eigen::Index>(share * static_cast<double>(x.size() - 1));
  std::nth_element(x.data(), at, x.data() + x.size());
  return *at;
}

/// Differences of a signal from its median over eleven samples, which at most five samples in a row do not move.
inline VectorX<double> differences_from_median(const VectorX<double>& x) {
  const Eigen::Index n = x.size(), half = std::min<Eigen::Index>(5, (n - 1) / 2);
  VectorX<double> difference(n);
  double window[11];
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index first = std::clamp<Eigen::Index>(i - half, 0, n - 1 - 2 * half);
    std::copy_n(x.data() + first, 2 * half + 1, window);
    std::nth_element(window, window + half, window + 2 * half + 1);
    difference[i] = x[i] - window[half];
  }
  return difference;
}

/// The fit of y by a constant and the columns of X: slope of the first column, its partial correlation, and the share
/// of the variance of y that is left.
struct PartialFit {
  double slope, correlation, left;
};
inline PartialFit fit_partially(const VectorX<double>& y, MatrixX<double> X) {
  X.rowwise() -= X.colwise().mean().eval();
  VectorX<double> b = y.array() - y.mean(), x = X.col(0);
  const double variance = b.squaredNorm();
  for (Eigen::Index k = 1; k < X.cols(); ++k) {  // Gram-Schmidt on the other columns
    for (Eigen::Index j = 1; j < k; ++j)
      if (const double size = X.col(j).squaredNorm(); size > 0) X.col(k) -= X.col(j).dot(X.col(k)) / size * X.col(j);
    const double size = X.col(k).squaredNorm();
    if (!(size > 0)) continue;
    x -= X.col(k).dot(x) / size * X.col(k), b -= X.col(k).dot(b) / size * X.col(k);
  }
  const double xx = x.squaredNorm(), bb = b.squaredNorm(), xb = x.dot(b);
  if (!(xx > 0 && bb > 0)) return {0, 0, variance > 0 ? bb / variance : 1};
  return {xb / xx, xb / std::sqrt(xx * bb), (bb - xb * xb / xx) / variance};
}

}  // namespace detail

/// Compares the columns of a recording with each other and with the torques of the model:
///
/// Rows far before or after the others in time, and single samples far from their neighbours, are left out. Angles that
/// are written between -pi and pi are unwrapped. Speeds that are not the rates of the positions (in sound recordings
/// slope and correlation are 0.98 to 1) are replaced by these rates. Torques that never change become NaN, so that
/// their rows are not used. Positions that never change or whose range is that of degrees, torques with the sign
/// opposite to the model's (partial correlation below -0.7, beside friction and an offset) or to friction's, exchanged
/// torques, and torques more than four times as large or small as the model's are not mended unless their columns are
/// accepted.
///
/// The last two comparisons need a model whose masses are right in size; friction need not be known.
/// @param is_accepted  whether the change that a fault proposes for a column may be made
/// @param has_efforts  tau are forces and torques; false: currents, whose signs and sizes are not compared
/// Cost O(samples); allocates.
/// @throws Error as prepare
inline RecordingCheck check_recording(
    const Model<double>& model, JointRecording recording,
    const std::function<bool(const std::string&)>& is_accepted = [](const std::string&) { return false; },
    bool has_efforts = true) {
  const int n = model.nv();
  const VectorX<double> none = VectorX<double>::Constant(n, std::numeric_limits<double>::quiet_NaN());
  RecordingCheck check{{}, {}, none, none, none, none};
  const auto column = [&](const std::vector<std::string>& names, const char* prefix, int k) {
    const auto at = static_cast<std::size_t>(k);
    if (at >= names.size()) return prefix + model.joint_of_node(model.node_of(k)).name();
    const bool is_number = names[at].find_first_not_of("0123456789") == std::string::npos;
    return (is_number ? "column " : "") + names[at];
  };
  const auto q_column = [&](int k) { return column(recording.q_names, "q_", k); };
  const auto v_column = [&](int k) { return column(recording.v_names, "v_", k); };
  const auto tau_column = [&](int k) { return column(recording.tau_names, "tau_", k); };
  const auto say = [&](const std::string& name, auto&&... text) {
    check.faults.push_back({name, detail::join({text...}), true});
  };
  const auto ask = [&](const std::string& name, auto&&... text) {
    const bool accepted = is_accepted(name);
    check.faults.push_back({name, detail::join({text...}), accepted});
    return accepted;
  };
  const auto keep = [&](const std::vector<Eigen::Index>& rows) {
    recording.t = VectorX<double>(recording.t(rows));
    for (MatrixX<double>* x : {&recording.q, &recording.v, &recording.tau})
      if (x->size() > 0) *x = MatrixX<double>((*x)(Eigen::seqN(0, x->rows()), rows));
  };

  // Fewer than twenty rows beside a pause of fifty periods, at either end.
  const SampleTiming timing = sample_timing(recording.t);
  Eigen::Index first = 0, last = recording.t.size();
  for (const Eigen::Index gap : timing.gaps) {
    if (recording.t[gap] - recording.t[gap - 1] < 50 * timing.period) continue;
    if (gap < 20) first = gap;
    if (recording.t.size() - gap < 20) last = (std::min)(last, gap);
  }
  if (first > 0 || last < recording.t.size()) {
    say("time", std::to_string(first + recording.t.size() - last), " rows far before or after the others are left out");
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = first; i < last; ++i) rows.push_back(i);
    keep(rows);
    recording.t.array() -= recording.t[0];
  }

  // Full turns between samples, then single samples far from their neighbours.
  const double turn = 2 * std::numbers::pi;
  const std::vector<bool> is_angle = detail::find_angles(model);
  const Eigen::Index samples = recording.t.size();
  std::vector<bool> is_outlier(static_cast<std::size_t>(samples), false);
  std::vector<Eigen::Index> unwrapped(static_cast<std::size_t>(n), 0);
  for (int k = 0; k < n; ++k) {
    const auto outliers = [&](MatrixX<double>& x, const std::string& name, double least) {
      const VectorX<double> difference = detail::differences_from_median(x.row(k));
      const double most = (std::max)(least, 10 * detail::quantile_of_magnitudes(difference, 0.99));
      Eigen::Index count = 0, at = 0;
      for (Eigen::Index i = 0; i < samples; ++i)
        if (std::abs(difference[i]) > most) {
          if (count++ == 0) at = i;
          is_outlier[static_cast<std::size_t>(i)] = true;
        }
      if (count > 0)
        say(name, std::to_string(count), count == 1 ? " sample" : " samples", " far from the neighbours, the first at ",
            detail::number(recording.t[at]), " s; left out");
    };
    VectorX<double> steps = recording.q.row(k).tail(samples - 1) - recording.q.row(k).head(samples - 1);
    const double usual = detail::quantile_of_magnitudes(steps, 0.99);
    Eigen::Index& turns = unwrapped[static_cast<std::size_t>(k)];
    double added = 0;
    for (Eigen::Index i = 1; is_angle[static_cast<std::size_t>(k)] && i < samples; ++i) {
      const double whole = std::round(steps[i - 1] / turn);
      if (whole != 0 && usual < 1 && std::abs(steps[i - 1] - whole * turn) < 3 * usual + 1e-3)
        added -= whole * turn, ++turns;
      recording.q(k, i) += added;
    }
    if (turns > 0) say(q_column(k), std::to_string(turns), " steps of full turns between samples; unwrapped");
    steps = recording.q.row(k).tail(samples - 1) - recording.q.row(k).head(samples - 1);
    outliers(recording.q, q_column(k), 3 * detail::quantile_of_magnitudes(steps, 0.999) + 1e-6);
    const auto range = [&](const MatrixX<double>& x) {
      const VectorX<double> about = x.row(k).array() - x.row(k).mean();
      return detail::quantile_of_magnitudes(about, 0.99);
    };
    if (recording.v.size() > 0) outliers(recording.v, v_column(k), range(recording.v) + 1e-3);
    outliers(recording.tau, tau_column(k), 2 * range(recording.tau) + 1e-6);
  }
  if (std::ranges::count(is_outlier, true) > 0) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < samples; ++i)
      if (!is_outlier[static_cast<std::size_t>(i)]) rows.push_back(i);
    keep(rows);
  }

  // Speeds against rates of positions, both as differences of positions over a fortieth of a second on either side.
  const Eigen::Index m = recording.t.size(), half = (std::max<Eigen::Index>)(1, std::llround(0.025 / timing.period));
  const auto never_changes = [&](const MatrixX<double>& x, int k) {
    return x.row(k).maxCoeff() == x.row(k).minCoeff();
  };
  bool all_stand = true;
  for (int k = 0; k < n; ++k) all_stand &= never_changes(recording.q, k);
  for (int k = 0; k < n; ++k) {
    const auto angle = is_angle[static_cast<std::size_t>(k)];
    const bool has_v = recording.v.size() > 0, stands = never_changes(recording.q, k);
    if (stands && !all_stand) {
      const bool v_moves = has_v && recording.v.row(k).cwiseAbs().maxCoeff() > 0.01;
      ask(q_column(k), "never changes while other joints move",
          v_moves ? ", and its speed is not zero: the encoder is dead" : "", "; accepted as a joint that stands still");
      if (has_v) recording.v.row(k).setZero();
      continue;
    }
    const double lowest = model.lower_limit()[k], highest = model.upper_limit()[k];
    if (const double span = recording.q.row(k).maxCoeff() - recording.q.row(k).minCoeff();
        angle && unwrapped[static_cast<std::size_t>(k)] == 0 && span > (std::max)(4 * turn, 3 * (highest - lowest)) &&
        std::isfinite(highest - lowest))
      ask(q_column(k), "spans ", detail::number(span), " rad of a joint with a range of ",
          detail::number(highest - lowest), ": is it in deg (--degrees), or of the motor? Accepted as it is");
    if (!has_v || m < 4 * half) continue;
    const VectorX<double> x = recording.q.row(k), v = recording.v.row(k);
    VectorX<double> way(m);
    way[0] = 0;
    for (Eigen::Index i = 1; i < m; ++i)
      way[i] = way[i - 1] + 0.5 * (v[i] + v[i - 1]) * (recording.t[i] - recording.t[i - 1]);
    const VectorX<double> moved = x.tail(m - 2 * half) - x.head(m - 2 * half),
                          told = way.tail(m - 2 * half) - way.head(m - 2 * half);
    const double time = 2 * static_cast<double>(half) * timing.period;
    if (moved.norm() < 0.01 * time * std::sqrt(static_cast<double>(m))) continue;
    double& slope = check.speed_slope[k] = moved.dot(told) / moved.squaredNorm();
    check.speed_correlation[k] = told.norm() > 0 ? moved.dot(told) / moved.norm() / told.norm() : 0;
    if (check.speed_correlation[k] > 0.9 && slope > 0.9 && slope < 1.1) continue;
    const auto is_near = [&](double factor) { return std::abs(slope / factor - 1) < 0.1; };
    const char* looks = never_changes(recording.v, k) ? "never changes"
                        : is_near(-1)                 ? "has the opposite sign"
                        : is_near(360 / turn)         ? "is in deg/s"
                        : is_near(60 / turn)          ? "is in rounds per minute"
                        : is_near(1 / turn)           ? "is in rounds per second"
                                                      : "is not the rate of the position";
    if (is_near(turn / 360) && angle)
      ask(q_column(k),
          "changes 57 times as fast as its speed says: is it in deg (--degrees, or a unit [deg] behind the "
          "name)? Accepted as it is, without the speed");
    else
      say(v_column(k), looks, " (slope ", detail::number(slope), ", correlation ",
          detail::number(check.speed_correlation[k]), "); rates of the position are used in its place");
    for (Eigen::Index i = 0; i < m; ++i) {
      const Eigen::Index from = (std::max<Eigen::Index>)(0, i - 1), to = (std::min)(m - 1, i + 1);
      recording.v(k, i) = (x[to] - x[from]) / (recording.t[to] - recording.t[from]);
    }
  }

  // Torques against those of the model, at two thousand samples at most.
  const double rate = 1 / timing.period;
  for (int k = 0; k < n; ++k)
    if (never_changes(recording.tau, k) && !never_changes(recording.q, k)) {
      say(tau_column(k), "never changes while the joint moves; its rows are not used");
      recording.tau.row(k).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  const PreparedRecording s = prepare(recording, {.cutoff = (std::min)(10.0, 0.2 * rate)});
  const Eigen::Index stride = 1 + s.t.size() / 2000, count = (s.t.size() + stride - 1) / stride;
  MatrixX<double> ours(count, n);
  Data<double> data(model);
  for (Eigen::Index i = 0; i < count; ++i)
    ours.row(i) = rnea(model, data, VectorX<double>(s.q.col(i * stride)), VectorX<double>(s.v.col(i * stride)),
                       VectorX<double>(s.a.col(i * stride)));
  // The regressor has the compared column first: the model's torque and then friction, or the reverse.
  const auto fit = [&](int joint, int torque, bool of_friction = false) {
    const auto at = [&](const MatrixX<double>& x, int row) {
      return VectorX<double>::NullaryExpr(count, [&x, row, stride](Eigen::Index i) { return x(row, i * stride); })
          .eval();
    };
    MatrixX<double> X(count, of_friction ? 2 : 3);
    if (of_friction)
      X << at(s.direction, joint), ours.col(joint);
    else
      X << ours.col(joint), at(s.v, joint), at(s.direction, joint);
    return detail::fit_partially(at(s.tau, torque), X);
  };
  MatrixX<double> left(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) left(i, j) = fit(i, j).left;
  std::vector<bool> is_exchanged(static_cast<std::size_t>(n), false);
  for (int i = 0; has_efforts && i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      // Both explain the other's torque, and more than twice as well (in variance) as their own.
      if (!(left(i, j) < 0.5 && left(j, i) < 0.5 && left(i, j) * left(j, i) < 0.25 * left(i, i) * left(j, j) &&
            left(i, j) < left(j, j) && left(j, i) < left(i, i)))
        continue;
      is_exchanged[static_cast<std::size_t>(i)] = is_exchanged[static_cast<std::size_t>(j)] = true;
      if (ask(tau_column(i), "and ", tau_column(j), " fit better if they are exchanged; accepted, they are"))
        recording.tau.row(i).swap(recording.tau.row(j));
    }
  for (int k = 0; k < n; ++k) {
    const auto found = fit(k, k);
    check.torque_slope[k] = found.slope, check.torque_correlation[k] = found.correlation;
    if (!has_efforts || is_exchanged[static_cast<std::size_t>(k)]) continue;
    const double size = std::abs(found.slope);
    const bool is_of_bodies = found.correlation < -0.7 && found.left < 0.5;
    const double friction = found.correlation < 0.5 ? fit(k, k, true).correlation : 0;
    if (is_of_bodies || friction < -0.7) {
      if (ask(tau_column(k), "has the sign opposite to ", is_of_bodies ? "the model's torque" : "friction",
              " (correlation ", detail::number(is_of_bodies ? found.correlation : friction),
              "); accepted, the sign is changed"))
        recording.tau.row(k) *= -1;
    } else if (found.correlation > 0.9 && (size > 4 || size < 0.25))
      ask(tau_column(k), "is ", detail::number(found.slope),
          " times the model's torque: is it of the motor (--gear), a "
          "current (--current, --drive-gains), or in another unit? Accepted as it is");
  }
  check.recording = std::move(recording);
  return check;
}

}}  // namespace corio
