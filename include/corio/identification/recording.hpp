#pragma once

#include <cctype>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corio/core/detail/input.hpp"
#include "corio/identification/log_table.hpp"
#include "corio/identification/signals.hpp"
#include "corio/identification/torque_regressor.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/model/model.hpp"

/// Recordings of a robot's joints: read, brought to one rate, filtered and differentiated.
namespace corio { inline namespace CORIO_ABI {

/// A row for each degree of freedom, a column for each sample. v is empty if it was not recorded.
struct JointRecording {
  VectorX<double> t;  // s, growing
  /// rad, rad/s, N m; m, m/s, N. The torque of a joint that was not measured is NaN: prepare sets its `moving` to 0.
  MatrixX<double> q, v, tau;
  /// The names of the columns; empty if they are unknown.
  std::vector<std::string> q_names{}, v_names{}, tau_names{};
};

/// A fault of a column of a recording.
struct RecordingFault {
  std::string column, text;  ///< what the column looks like, and what is done about it
  bool is_mended;            ///< false: `text` proposes a change that is made only if the column is accepted
};

/// The columns of a table by name or number (from 1 on), one for each degree of freedom in the order of the model.
/// Empty: for each joint q_JOINT, or position_JOINT, JOINT_position, JOINT.position, JOINT/position behind any prefix;
/// likewise v and velocity (if there are such), and tau and effort or torque.
struct RecordingColumns {
  /// The column of times or, if there is no such column, seconds and nanoseconds in two columns, as ROS has them: sec
  /// and nanosec, secs and nsecs, behind any prefix such as header.stamp; otherwise t, timestamp, __time, Time.
  std::string time = "time";
  double time_unit = 0;  ///< in s, 1e-3 for ms; 0 means the unit in the column's name, or one found by time_unit_of.
                         ///< It is not used for seconds with nanoseconds, or with a rate
  std::vector<std::string> q{}, v{}, tau{};
  /// Angles among q, and their rates, are in deg and deg/s, as their columns may say themselves: "q_elbow [deg]".
  bool degrees = false;
  bool currents = false;  ///< tau are currents, in A or as their columns say
  double rate = 0;        ///< Hz, of all samples, whose times are then not read; 0 means that times are read
};

/// Returns the unit of time, in s, in which samples at this median distance are 0.2 ms to 0.2 s apart: 1, 1e-3, 1e-6 or
/// 1e-9.
inline double time_unit_of(double distance) {
  double unit = 1;
  while (distance * unit > 0.2 && unit > 1e-9) unit *= 1e-3;
  return unit;
}

/// The distances between samples.
struct SampleTiming {
  double period;                   // s, median of the distances
  double jitter;                   // s, root mean square of the distances from it, without gaps
  std::vector<Eigen::Index> gaps;  // samples that follow their predecessors after five periods or more
};

/// @throws Error naming the sample whose time does not grow, or if there are fewer than three samples. O(n).
inline SampleTiming sample_timing(const VectorX<double>& t) {
  const Eigen::Index n = t.size();
  if (n < 3) throw Error(detail::join({"a recording has ", std::to_string(n), " samples, expected three at least"}));
  VectorX<double> distance = t.tail(n - 1) - t.head(n - 1);
  for (Eigen::Index i = 0; i + 1 < n; ++i)
    if (!(distance[i] > 0))
      throw Error(detail::join({"time does not grow at sample ", std::to_string(i + 2), ": ", detail::number(t[i + 1]),
                                " after ", detail::number(t[i])}));
  SampleTiming timing{0, 0, {}};
  VectorX<double> sorted = distance;
  std::nth_element(sorted.data(), sorted.data() + sorted.size() / 2, sorted.data() + sorted.size());
  timing.period = sorted[sorted.size() / 2];
  for (Eigen::Index i = 0; i + 1 < n; ++i)
    if (distance[i] >= 5 * timing.period)
      timing.gaps.push_back(i + 1);
    else
      timing.jitter += (distance[i] - timing.period) * (distance[i] - timing.period);
  timing.jitter = std::sqrt(timing.jitter / static_cast<double>(n - 1));
  return timing;
}

namespace detail {

/// Returns the timing of a recording whose signals fit each other.
/// @param joints  number of rows that q, v and tau must have
/// @throws as sample_timing; SizeError naming a signal of another shape; Error for fewer than twenty samples or a
/// number that is not finite, unless a row of tau is NaN in all samples
inline SampleTiming checked_timing(const JointRecording& log, Eigen::Index joints, const char* function) {
  if (log.t.size() < 20)
    throw Error(join({function, ": the recording has ", Digits(log.t.size()), " samples, expected twenty at least"}));
  require_finite("t", log.t, function);
  SampleTiming timing = sample_timing(log.t);
  for (const auto& [name, x] : {std::pair("q", &log.q), std::pair("v", &log.v), std::pair("tau", &log.tau)}) {
    if (x == &log.v && x->size() == 0) continue;
    if (x->rows() != joints || x->cols() != log.t.size())
      throw SizeError(join({function, ": ", name, " has ", Digits(x->rows()), " joints and ", Digits(x->cols()),
                            " samples, expected ", Digits(joints), " joints and ", Digits(log.t.size()), " samples"}));
    for (Eigen::Index k = 0; k < joints; ++k)
      if (x != &log.tau || !x->row(k).array().isNaN().all())
        require_finite(join({name, " of joint ", Digits(k), ", samples"}).c_str(), x->row(k), function);
  }
  return timing;
}

/// @throws Error naming a joint that has another number of coordinates than of speeds
template <class S>
void check_joints(const Model<S>& model) {
  for (const auto& joint : model.joints())
    if (joint.nq() != joint.nv())
      throw Error(join(
          {"joint '", joint.name(), "' has ", Digits(joint.nq()), " coordinates, with a quaternion, which no columns ",
           "can have. If it is a base that stood still, lock the joint (lock_joints); otherwise fill a ",
           "StreamingLeastSquares with the rows of inverse_dynamics_regressor for the motion of the base"}));
}

/// Leaves out all samples but these.
inline void keep_samples(JointRecording& log, const std::vector<Eigen::Index>& samples) {
  log.t = VectorX<double>(log.t(samples));
  for (MatrixX<double>* x : {&log.q, &log.v, &log.tau})
    if (x->size() > 0) *x = MatrixX<double>((*x)(Eigen::seqN(0, x->rows()), samples));
}

/// Returns the column of a joint, by the names that it may have.
/// @throws Error for names that are equal behind a topic
inline std::string find_column(const LogTable& table, const std::string& prefix,
                               std::initializer_list<const char*> words, const std::string& joint) {
  const std::string first = prefix + joint;
  if (table.has(first)) return first;
  for (const std::string word : words) {
    for (const auto& end : {word + "_" + joint, joint + "_" + word, joint + "." + word, joint + "/" + word}) {
      if (table.has(end)) return end;
      std::string found;
      for (const auto& name : table.names()) {  // the name of a topic may precede it
        if (!name.ends_with(end)) continue;
        const char before = name[name.size() - end.size() - 1];
        if (std::isalnum(static_cast<unsigned char>(before)) || before == '_') continue;
        if (!found.empty())
          throw Error(join({table.path(), " has columns '", found, "' and '", name, "': name those that are meant"}));
        found = name;
      }
      if (!found.empty()) return found;
    }
  }
  return first;
}
/// Returns the column of times, or two of seconds and nanoseconds; an empty list if the table has no such columns.
inline std::vector<std::string> find_time(const LogTable& table, const std::string& given) {
  if (table.has(given)) return {given};
  const bool any = given == "time";
  for (const std::string& name : table.names())
    for (const std::string seconds : {"sec", "secs"}) {
      if (!name.ends_with(seconds) || !(any || name.starts_with(given))) continue;
      const std::string prefix = name.substr(0, name.size() - seconds.size());
      if (!prefix.empty() && std::string("._/").find(prefix.back()) == std::string::npos) continue;
      for (const std::string nanoseconds : {"nsec", "nsecs", "nanosec"})
        if (table.has(prefix + nanoseconds)) return {name, prefix + nanoseconds};
    }
  if (any)
    for (const char* name : {"t", "timestamp", "__time", "Time"})
      if (table.has(name)) return {name};
  return {};
}

/// Returns the size in SI units of the unit of a column of motions or times, or of efforts or currents; nothing if the
/// column has no unit, or an unknown one.
/// @throws Error naming the column if its unit is that of another quantity
inline std::optional<double> size_of_unit(const LogTable& table, const std::string& column, Unit::Quantity quantity) {
  const std::string name = table.unit(column);
  const Unit* unit = find_unit(name);
  if (!unit) return std::nullopt;
  if (unit->quantity == quantity) return unit->size;
  const char* text[] = {"a position, speed or time", "a torque or force, and no current: name it as a torque",
                        "a current: name it as a current, with the gains of the drives, in N m/A",
                        "neither a torque nor a current: convert it"};
  throw Error(join({"column '", column, "' has the unit ", name, ", ", text[unit->quantity]}));
}

/// Returns for each degree of freedom whether it turns its body, so that its coordinate is an angle.
template <class S>
std::vector<bool> find_angles(const Model<S>& model) {
  Data<S> data(model);
  forward_kinematics<S>(model, data, neutral(model));
  std::vector<bool> turns;
  for (int k = 0; k < model.nv(); ++k) turns.push_back(value_of(dot(data.phi[k].angular, data.phi[k].angular)) > 0);
  return turns;
}

}  // namespace detail

/// Reads a recording from a table. Driven joints (driven_joints) without columns move with the others; their torques
/// are not read, and lists of columns may be without them. Times begin at zero. A row that repeats time and signals of
/// the row before it, and fewer than twenty rows at the beginning whose times are later than the next one, are left
/// out, unless a rate is given. Empty fields of a signal with a lower rate are interpolated.
/// @throws Error that names the file and its column or line, for missing columns, numbers that are not finite, and
/// times that do not grow; for a model with joints that have other numbers of coordinates than of speeds
template <class S>
JointRecording read_recording(const Model<S>& model, const LogTable& table, const RecordingColumns& columns = {}) {
  detail::check_joints(model);
  for (const auto& [what, x] : {std::pair("rate", columns.rate), std::pair("time_unit", columns.time_unit)})
    detail::check_positive(what, x, "read_recording", true);
  const auto driven = driven_joints(model);
  const std::vector<bool> turns = detail::find_angles(model);
  const auto time = detail::find_time(table, columns.time);
  if (time.empty() && !(columns.rate > 0))
    throw Error(detail::join({table.path(), " has no column of times, '", columns.time,
                              "'; give the name of one, or the rate of the samples. It has ", table.describe()}));
  const auto read_times = [&]() -> VectorX<double> {
    const auto last = static_cast<double>(table.rows() - 1);
    if (columns.rate > 0) return VectorX<double>::LinSpaced(table.rows(), 0, last) / columns.rate;
    const VectorX<double> first = table.column(time[0]);
    if (time.size() == 1) return first;
    return first.array() - first[0] + 1e-9 * table.column(time[1]).array();  // the sum itself would lose 0.2 us
  };
  JointRecording all{read_times(), {}, {}, {}, columns.q, columns.v, columns.tau};
  const auto channels = [&](std::vector<std::string>& names, const std::string& prefix,
                            std::initializer_list<const char*> words, bool needed) {
    std::string missing;
    const auto is_driven = [&](Eigen::Index k) {
      return std::ranges::any_of(driven, [&](const DrivenJoint<double>& one) { return one.k == k; });
    };
    if (names.empty()) {
      for (const auto& joint : model.joints()) {
        names.push_back(detail::find_column(table, prefix, words, joint.name()));
        if (!table.has(names.back()) && !is_driven(joint.v_index()))
          missing += (missing.empty() ? "" : ",") + joint.name();
      }
      if (needed && !missing.empty())
        throw Error(detail::join(
            {table.path(), " has no columns ", prefix, "JOINT, JOINT/", *words.begin(), " or the like of the joints ",
             missing, "; name the columns, give their numbers, or lock the joints. It has ", table.describe()}));
      if (!needed && std::ranges::none_of(names, [&](const auto& name) { return table.has(name); })) {
        names.clear();
        return MatrixX<double>();
      }
    } else if (std::ssize(names) + std::ssize(driven) == model.nv())
      for (Eigen::Index k = 0; k < model.nv(); ++k)
        if (is_driven(k)) names.insert(names.begin() + k, "");
    if (std::ssize(names) != model.nv())
      throw Error(detail::join({table.path(), ": ", std::to_string(names.size()), " columns of ", prefix,
                                ".. given, expected ", std::to_string(model.nv())}));
    const bool is_effort = prefix == "tau_";
    const auto quantity = !is_effort         ? detail::Unit::motion
                          : columns.currents ? detail::Unit::current
                                             : detail::Unit::effort;
    MatrixX<double> rows = MatrixX<double>::Zero(model.nv(), table.rows());
    for (Eigen::Index k = 0; k < rows.rows(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (is_driven(k) && (is_effort || !table.has(names[at]))) continue;
      rows.row(k) = table.column(names[at], all.t);
      rows.row(k) *= detail::size_of_unit(table, names[at], quantity)
                         .value_or(!is_effort && columns.degrees && turns[at] ? std::numbers::pi / 180 : 1);
    }
    for (const DrivenJoint<double>& one : driven)
      if (!is_effort && !table.has(names[static_cast<std::size_t>(one.k)]))
        one.move(rows, prefix == "q_" ? one.offset : 0);
    return rows;
  };
  all.q = channels(all.q_names, "q_", {"position"}, true);
  all.v = channels(all.v_names, "v_", {"velocity"}, false);
  all.tau = channels(all.tau_names, "tau_", {"effort", "torque"}, true);
  std::vector<Eigen::Index> kept{0};
  const auto repeats = [&](const MatrixX<double>& x, Eigen::Index i) {
    return x.size() == 0 || x.col(i) == x.col(i - 1);
  };
  for (Eigen::Index i = 1; i < all.t.size(); ++i)
    if (all.t[i] > all.t[i - 1])
      kept.push_back(i);
    else if (all.t[i] < all.t[i - 1] && i < 20 && all.t.size() - i > 20)
      kept = {i};
    else if (!(all.t[i] == all.t[i - 1] && repeats(all.q, i) && repeats(all.v, i) && repeats(all.tau, i)))
      throw Error(
          detail::join({table.path(), ", line ", std::to_string(table.line(i)), ", column '", time[0],
                        "': time does not grow; it is ", detail::number(all.t[i - 1] - all.t[i]),
                        " less than in the row before, with other signals. If the samples have a constant rate, "
                        "give it in Hz, and times are not read; cut it where another recording begins"}));
  if (std::ssize(kept) < all.t.size()) detail::keep_samples(all, kept);
  for (const DrivenJoint<double>& one : driven)
    all.tau.row(one.k).setConstant(std::numeric_limits<double>::quiet_NaN());
  double unit = 1;
  if (columns.rate <= 0 && time.size() == 1)
    unit = columns.time_unit > 0 ? columns.time_unit
                                 : detail::size_of_unit(table, time[0], detail::Unit::motion)
                                       .value_or(time_unit_of(sample_timing(all.t).period));
  all.t = ((all.t.array() - all.t[0]) * unit).eval();
  return all;
}

/// Options of prepare.
struct Preparation {
  double cutoff = 10;       ///< Hz, cutoff of the low-pass of all channels
  double delay_of_tau = 0;  ///< s, delay of the recorded torques
  double smoothing = 0.05;  ///< rad/s, smoothing of the direction of friction, tanh(v / smoothing)
  /// The speed below which a joint is at rest, rad/s or m/s. The beginning and the end, in which all joints are at
  /// rest, are cut off. If it is 0, no joint counts as at rest, and nothing is cut off.
  double idle = 0.01;
};

/// A recording at one rate with accelerations, filtered. `direction` is tanh(v / smoothing), filtered as the torques
/// are: friction changes its sign faster than the low-pass lets torques change, so tanh of the filtered v would not be
/// the column of friction in the filtered equation of motion. `moving` is 1, or 0 where a joint is at rest: its
/// friction is then anywhere within its bounds, so its torque is no equation for parameters, which such rows would bias
/// by as much as the friction. Multiply weights of rows by it.
struct PreparedRecording {
  VectorX<double> t;
  MatrixX<double> q, v, a, tau, direction, moving;
  double correlation_time =
      1;  ///< correlation time of the noise of torques, if it was white: LowPass::correlation_time

  /// Returns these samples, a list or sequence of Eigen.
  template <class Samples>
  PreparedRecording part(const Samples& samples) const {
    const auto of = [&](const MatrixX<double>& x) { return MatrixX<double>(x(Eigen::all, samples)); };
    return {VectorX<double>(t(samples)), of(q), of(v), of(a), of(tau), of(direction), of(moving), correlation_time};
  }
};

/// Resamples a recording to its median rate, passes all signals through one low-pass without phase, differentiates v,
/// and q unless v was recorded, cuts off the time before and after the motion and a period of the cutoff beside ends
/// and gaps, and keeps four samples for each period of the cutoff. Their errors are not independent, but closer to it
/// than the errors of all samples: see correlation_time.
/// @throws SizeError for signals of different sizes; Error for numbers that are not finite, times that do not grow, an
/// option out of range, a cutoff above half of the rate, or fewer than 20 samples that are left
inline PreparedRecording prepare(const JointRecording& recording, const Preparation& how = {}) {
  detail::check_positive("smoothing", how.smoothing, "prepare");
  detail::check_positive("idle", how.idle, "prepare", true);
  detail::require_finite("delay_of_tau", how.delay_of_tau, "prepare");
  const SampleTiming timing = detail::checked_timing(recording, recording.q.rows(), "prepare");
  const double dt = timing.period, length = recording.t[recording.t.size() - 1] - recording.t[0];
  if (!(length / dt < 1e9))
    throw Error(detail::join({"prepare: t spans ", detail::number(length), " s, too long for a period of ",
                              detail::number(dt), " s; cut it where the gap begins"}));
  const auto n = static_cast<Eigen::Index>(length / dt) + 1;
  const VectorX<double> times =
      recording.t[0] + dt * VectorX<double>::LinSpaced(n, 0, static_cast<double>(n - 1)).array();
  const LowPass low_pass(1 / dt, how.cutoff);
  const Eigen::Index joints = recording.q.rows();
  const auto filtered = [&](const MatrixX<double>& channels, Eigen::Index k, double late = 0) {
    return low_pass(resample(recording.t, channels.row(k), times.array() + late));
  };
  MatrixX<double> v(joints, n);
  for (Eigen::Index k = 0; k < joints; ++k)
    v.row(k) = recording.v.size() > 0 ? filtered(recording.v, k) : central_differences(filtered(recording.q, k), dt);
  const double cutoff_period = (std::min)(1 / (dt * how.cutoff), static_cast<double>(4 * n));  // in samples
  const auto margin = static_cast<Eigen::Index>(cutoff_period) + 1;
  const auto stride = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(cutoff_period / 4));
  const SampleRange motion =
      how.idle > 0 ? moving_range(v, VectorX<double>::Constant(v.rows(), how.idle)) : SampleRange{0, n};
  const auto beside_gap = [&](double t) {
    return std::any_of(timing.gaps.begin(), timing.gaps.end(), [&](Eigen::Index i) {
      const double around = static_cast<double>(margin) * dt;
      return t > recording.t[i - 1] - around && t < recording.t[i] + around;
    });
  };
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = (std::max)(margin, motion.begin); i < (std::min)(n - margin, motion.end); i += stride)
    if (!beside_gap(times[i])) kept.push_back(i);
  if (kept.size() < 20)
    throw Error(detail::join({"only ", std::to_string(kept.size()), " samples are left of a recording of ",
                              detail::number(length), " s after filtering and cutting, expected 20 at least"}));
  // Only the samples that are kept of one signal after the other: whole signals can be a gigabyte.
  MatrixX<double> q(joints, std::ssize(kept)), a = q, tau = q, direction = q, moving = q;
  for (Eigen::Index k = 0; k < joints; ++k) {
    const VectorX<double> rate = v.row(k);
    const bool is_measured = recording.tau.row(k).allFinite();
    q.row(k) = filtered(recording.q, k)(kept);
    a.row(k) = central_differences(rate, dt)(kept);
    direction.row(k) = low_pass((rate / how.smoothing).array().tanh())(kept);
    if (is_measured)
      tau.row(k) = filtered(recording.tau, k, how.delay_of_tau)(kept);
    else
      tau.row(k).setZero();
    moving.row(k) = (rate(kept).array().abs() > (how.idle > 0 ? how.idle : -1)).cast<double>() * is_measured;
  }
  return {times(kept), q,      MatrixX<double>(v(Eigen::seqN(0, joints), kept)),           a, tau,
          direction,   moving, low_pass.correlation_time(static_cast<double>(stride) * dt)};
}

}}  // namespace corio
