#pragma once

#include <algorithm>
#include <corio/identification/recording.hpp>
#include <cstdio>
#include <sstream>

#include "arguments.hpp"

/// Logs of joints: times, positions, velocities, torques or motor currents, as columns of a table.
namespace support {

/// The columns of a log by name, or by number from 1 on, one for each degree of freedom in the order of the model.
/// Empty lists mean q_JOINT, v_JOINT, tau_JOINT.
struct LogColumns {
  std::string time = "time";
  double time_unit = 0;  // s; 0 if it is to be found
  std::vector<std::string> q{}, v{}, tau{}, current{};
  /// Constants of motors, N m/A at the motor, and gear ratios, turns of the motor per turn of the joint; one for each
  /// joint, or one for all.
  std::vector<double> torque_constant{}, gear{1.0};
  bool degrees = false;
  double rate = 0;  // Hz; 0 if times are read

  static constexpr const char* usage =
      R"(Of a log, columns by name or number (from 1 on), one for each joint, with commas between them, or 3-9:
  --time COLUMN     s, ms, us or ns, as the distances of samples tell (time, or sec and nanosec of ROS and the like)
  --time-unit S     .. or said: 1e-3 for ms
  --rate HZ         .. of samples without times
  --q COLUMNS       rad (q_JOINT, or JOINT/position and the like)
  --v COLUMNS       rad/s (v_JOINT, JOINT/velocity .. if there are; otherwise differences)
  --tau COLUMNS     N m (tau_JOINT, JOINT/effort ..)
  --degrees         angles are in degrees, as names of columns may say: "q_elbow [deg]"; lengths stay in m
  --current COLUMNS A, instead of torques
  --torque-constant NUMBERS, --gear NUMBERS   N m/A at the motor, and its turns for one of the joint (1)
)";
  /// Columns with 3, 4, .. 9 for 3-9.
  static std::vector<std::string> with_ranges(const std::vector<std::string>& columns) {
    std::vector<std::string> all;
    for (const std::string& one : columns) {
      const auto dash = one.find('-');
      const auto first = corio::detail::parse_number(one.substr(0, dash)),
                 last = corio::detail::parse_number(one.substr(dash + 1));
      if (dash == std::string::npos || !first || !last || *first < 1 || *last > 1e4)
        all.push_back(one);
      else
        for (int k = static_cast<int>(*first); k <= static_cast<int>(*last); ++k) all.push_back(std::to_string(k));
    }
    return all;
  }
  /// Returns whether the argument is one of these options.
  bool take(Arguments& arguments) {
    const bool is_one = arguments.set("--time", time) || arguments.set("--time-unit", time_unit, 1e-12) ||
                        arguments.set("--rate", rate, 1e-6) || arguments.set("--q", q) || arguments.set("--v", v) ||
                        arguments.set("--tau", tau) || arguments.set("--current", current) ||
                        arguments.set("--degrees", degrees) || arguments.set("--torque-constant", torque_constant) ||
                        arguments.set("--gear", gear);
    for (auto* columns : {&q, &v, &tau, &current}) *columns = with_ranges(*columns);
    return is_one;
  }
};

using JointLog = corio::JointRecording;

/// Numbers for each joint, or one for all joints.
/// @throws std::runtime_error naming the option
inline Eigen::VectorXd per_joint(const std::vector<double>& given, Eigen::Index joints, const char* option) {
  if (given.size() == 1) return Eigen::VectorXd::Constant(joints, given[0]);
  if (given.size() != static_cast<std::size_t>(joints))
    throw std::runtime_error(std::string(option) + ": " + std::to_string(given.size()) + " numbers, expected 1 or " +
                             std::to_string(joints));
  return Eigen::Map<const Eigen::VectorXd>(given.data(), joints);
}

/// Returns the options that name the columns of a table in which another prefix takes the place of the prefix that the
/// names of the model's joints share; empty unless one prefix fits all joints.
inline std::string columns_with_other_prefix(const corio::Model<double>& model, const corio::LogTable& table) {
  std::string shared = model.joints().empty() ? "" : model.joints()[0].name();
  for (const auto& joint : model.joints())
    while (!joint.name().starts_with(shared)) shared.pop_back();
  shared.resize(shared.find_last_of("_/") == std::string::npos ? 0 : shared.find_last_of("_/") + 1);
  const auto columns = [&](const std::string& prefix, const char* signal, std::initializer_list<const char*> words) {
    std::string all;
    for (const auto& joint : model.joints()) {
      const auto name = corio::detail::find_column(table, signal, words, prefix + joint.name().substr(shared.size()));
      if (!table.has(name)) return std::string();
      all += (all.empty() ? "" : ",") + name;
    }
    return all;
  };
  const std::string suffix = model.joints().empty() ? "" : model.joints()[0].name().substr(shared.size());
  for (const std::string& name : table.names())
    for (std::size_t begin = 0, end = name.find(suffix); end != std::string::npos && begin <= end; ++begin) {
      const std::string prefix = name.substr(begin, end - begin);
      const std::string q = columns(prefix, "q_", {"position"}), tau = columns(prefix, "tau_", {"effort", "torque"});
      if (prefix != shared && !q.empty() && !tau.empty())
        return "it has joints with '" + prefix + "' in place of '" + shared + "': pass --q " + q + " --tau " + tau;
    }
  return "";
}

/// @param path  a file, or several files with the same rows, with commas between them
/// @throws corio::Error that names the file, the column or the line; std::runtime_error naming an option
inline JointLog read_joint_log(const corio::Model<double>& model, const std::string& path, const LogColumns& columns) {
  std::istringstream files(path);
  std::string file;
  std::getline(files, file, ',');
  corio::LogTable table(file);
  while (std::getline(files, file, ',')) {
    const corio::LogTable more(file);
    const auto ours = corio::detail::find_time(table, columns.time),
               theirs = corio::detail::find_time(more, columns.time);
    table.append(more);
    for (std::size_t i = 0; columns.rate == 0 && i < std::min(ours.size(), theirs.size()); ++i)
      if (std::ranges::count(more.names(), theirs[i]) > 0 && table.column(ours[i]) != more.column(theirs[i]))
        throw std::runtime_error(table.path() + " have other times: columns " + ours[i] + " and " + theirs[i]);
  }
  if (table.rows() < 20) throw std::runtime_error(path + " has " + std::to_string(table.rows()) + " rows only");
  const auto& torques = columns.current.empty() ? columns.tau : columns.current;
  if (columns.rate == 0 && corio::detail::find_time(table, columns.time).empty())
    throw std::runtime_error(path + " has no column of times, '" + columns.time + "': give its name or number by " +
                             "--time, or the rate of the samples by --rate; it has " + table.describe());
  const bool has_joint = std::ranges::any_of(model.joints(), [&](const auto& joint) {
    return table.has(corio::detail::find_column(table, "q_", {"position"}, joint.name()));
  });
  if (const auto other = columns.q.empty() && !has_joint ? columns_with_other_prefix(model, table) : ""; !other.empty())
    throw std::runtime_error(table.path() + ": " + other);
  JointLog log = corio::read_recording(model, table,
                                       {columns.time, columns.time_unit, columns.q, columns.v, torques, columns.degrees,
                                        !columns.current.empty(), columns.rate});
  if (table.cut_off() > 0)
    std::fprintf(stderr, "%s: the last row, in line %d, was cut off and is left out\n", path.c_str(), table.cut_off());
  for (const auto* names : {&log.q_names, &log.v_names, &log.tau_names})
    for (const std::string& name : *names)
      if (const auto blanks = table.has(name) ? table.blanks(name) : 0; blanks > 0)
        std::fprintf(stderr, "%s: %lld empty fields of column %s are interpolated\n", path.c_str(),
                     static_cast<long long>(blanks), name.c_str());
  if (log.t.size() < table.rows())
    std::fprintf(stderr,
                 "%s: %lld rows are left out, which repeat the row before them, or at the beginning are later than "
                 "the next one\n",
                 path.c_str(), static_cast<long long>(table.rows() - log.t.size()));
  if (const double most = log.q.cwiseAbs().maxCoeff(); most > 20)
    std::fprintf(stderr, "%s: positions as large as %.4g rad; are they in degrees (--degrees), or of motors?\n",
                 path.c_str(), most);
  if (!columns.current.empty())
    log.tau = per_joint(columns.torque_constant, model.nv(), "--torque-constant")
                  .cwiseProduct(per_joint(columns.gear, model.nv(), "--gear"))
                  .asDiagonal() *
              log.tau;
  return log;
}

/// Writes the names of columns, and rows, of a table of signals of joints. read_joint_log finds q, v and tau by
/// default.
inline void write_joint_log_names(std::ostream& file, const corio::Model<double>& model,
                                  std::initializer_list<const char*> signals) {
  file << "time";
  for (const char* signal : signals)
    for (const auto& joint : model.joints()) file << ',' << signal << '_' << joint.name();
  file << '\n';
}
inline void write_joint_log_row(std::ostream& file, double t,
                                std::initializer_list<Eigen::Ref<const Eigen::VectorXd>> signals) {
  file << t;
  for (const auto& x : signals) file << ',' << x.format({10, Eigen::DontAlignCols, ",", ","});
  file << '\n';
}

}  // namespace support
