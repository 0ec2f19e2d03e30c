#pragma once

#include <corio/model/model.hpp>

#include "arguments.hpp"

/// Logs of joints: times, positions, velocities, torques or motor currents, as columns of a table.
namespace support {

/// The columns of a log. They are named, or numbered from 1 on, one for each degree of freedom in the order of the
/// model; empty for q_JOINT, v_JOINT, tau_JOINT.
struct LogColumns {
  std::string time = "time";
  std::vector<std::string> q{}, v{}, tau{}, current{};
  /// Of motor currents: N m/A at the motor, and how many turns it makes for one of the joint; one for each joint, or
  /// one for all.
  std::vector<double> torque_constant{}, gear{1.0};

  static constexpr const char* usage =
      R"(Of a log, columns by name or number (from 1 on), one for each joint, with commas between them:
  --time COLUMN     s (time)
  --q COLUMNS       rad (q_JOINT)
  --v COLUMNS       rad/s (v_JOINT if there are; otherwise differences)
  --tau COLUMNS     N m (tau_JOINT)
  --current COLUMNS A, instead of torques
  --torque-constant NUMBERS, --gear NUMBERS   N m/A at the motor, and its turns for one of the joint (1)
)";
  /// Whether the argument is one of these.
  bool take(Arguments& arguments) {
    if (arguments.is("--time"))
      time = arguments.text();
    else if (arguments.is("--q"))
      q = arguments.list();
    else if (arguments.is("--v"))
      v = arguments.list();
    else if (arguments.is("--tau"))
      tau = arguments.list();
    else if (arguments.is("--current"))
      current = arguments.list();
    else if (arguments.is("--torque-constant"))
      torque_constant = arguments.numbers();
    else if (arguments.is("--gear"))
      gear = arguments.numbers();
    else
      return false;
    return true;
  }
};

/// A row per degree of freedom, a column per sample; v is empty if the log has none.
struct JointLog {
  Eigen::VectorXd t;
  Eigen::MatrixXd q, v, tau;
};

/// Numbers given for each joint, or one for all.
/// @throws std::runtime_error naming the option
inline Eigen::VectorXd per_joint(const std::vector<double>& given, Eigen::Index joints, const char* option) {
  if (given.size() == 1) return Eigen::VectorXd::Constant(joints, given[0]);
  if (given.size() != static_cast<std::size_t>(joints))
    throw std::runtime_error(std::string(option) + ": " + std::to_string(given.size()) + " numbers, expected 1 or " +
                             std::to_string(joints));
  return Eigen::Map<const Eigen::VectorXd>(given.data(), joints);
}

/// @throws std::runtime_error that names the file, the column or the row
inline JointLog read_joint_log(const corio::Model<double>& model, const std::string& path, const LogColumns& columns) {
  const Table table(path);
  if (model.nq() != model.nv()) throw std::runtime_error("joints with quaternions cannot be read from columns");
  JointLog log{table.column(columns.time), {}, {}, {}};
  if (log.t.size() < 20) throw std::runtime_error(path + " has " + std::to_string(log.t.size()) + " rows only");
  for (Eigen::Index i = 1; i < log.t.size(); ++i)
    if (!(log.t[i] > log.t[i - 1]))
      throw std::runtime_error(path + ": time does not grow in row " + std::to_string(i + 1) + " of numbers");

  const auto names_or = [&](std::vector<std::string> names, const std::string& prefix) {
    if (names.empty())
      for (const auto& joint : model.joints()) names.push_back(prefix + joint.name());
    if (names.size() != static_cast<std::size_t>(model.nv()))
      throw std::runtime_error(std::to_string(names.size()) + " columns of " + prefix + ".. given, expected " +
                               std::to_string(model.nv()));
    return names;
  };
  const auto signals = [&](const std::vector<std::string>& names) {
    Eigen::MatrixXd all(model.nv(), log.t.size());
    for (Eigen::Index k = 0; k < model.nv(); ++k) all.row(k) = table.column(names[static_cast<std::size_t>(k)]);
    return all;
  };
  log.q = signals(names_or(columns.q, "q_"));
  if (const auto names = names_or(columns.v, "v_"); !columns.v.empty() || table.has(names[0])) log.v = signals(names);
  if (columns.current.empty()) {
    log.tau = signals(names_or(columns.tau, "tau_"));
  } else {
    const auto n = model.nv();
    const Eigen::VectorXd per_ampere =
        per_joint(columns.torque_constant, n, "--torque-constant").cwiseProduct(per_joint(columns.gear, n, "--gear"));
    log.tau = per_ampere.asDiagonal() * signals(names_or(columns.current, "current_"));
  }
  return log;
}

/// The names of its columns, and rows, in a table that read_joint_log reads by default.
inline void write_joint_log_names(std::ostream& file, const corio::Model<double>& model) {
  file << "time";
  for (const char* what : {",q_", ",v_", ",tau_"})
    for (const auto& joint : model.joints()) file << what << joint.name();
  file << '\n';
}
inline void write_joint_log_row(std::ostream& file, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                const Eigen::VectorXd& tau) {
  const Eigen::IOFormat row(10, Eigen::DontAlignCols, ",", ",");
  file << t << ',' << q.format(row) << ',' << v.format(row) << ',' << tau.format(row) << '\n';
}

}  // namespace support
