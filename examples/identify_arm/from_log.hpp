#pragma once

#include <corio/identification/consistent_estimate.hpp>
#include <corio/io/urdf.hpp>
#include <corio/io/write_urdf.hpp>
#include <cstdio>
#include <filesystem>

#include "../support/joint_log.hpp"
#include "../support/output.hpp"
#include "filter.hpp"
#include "measurement.hpp"

namespace identify {

/// A robot, its log, and options.
struct LogOptions {
  std::string robot, log;
  support::LogColumns columns{};
  double cutoff = 10;        // Hz, of the low-pass
  double validation = 0.25;  // share of the log, at its end, that is predicted and not identified from
};

/// Samples of motion and torque.
using Recording = std::vector<Sample>;

/// All signals pass the same low-pass without phase lag, so that they stay synchronous; v and a are differences where
/// they are not measured. The filtered samples are decimated to the bandwidth.
inline Recording read_log(const corio::Model<double>& model, const LogOptions& options) {
  const support::JointLog log = support::read_joint_log(model, options.log, options.columns);
  const Eigen::Index rows = log.t.size();
  const double dt = (log.t[rows - 1] - log.t[0]) / static_cast<double>(rows - 1);
  const LowPass low_pass(1 / dt, options.cutoff);
  const auto filtered = [&](const Matrix& signals) {
    Matrix all(signals.rows(), rows);
    for (Eigen::Index k = 0; k < signals.rows(); ++k) all.row(k) = low_pass(resampled(log.t, signals.row(k)));
    return all;
  };
  const auto rates = [&](const Matrix& of) {
    Matrix all(of.rows(), rows);
    for (Eigen::Index k = 0; k < of.rows(); ++k) all.row(k) = central_differences(of.row(k), dt);
    return all;
  };
  const Matrix q = filtered(log.q), v = log.v.size() > 0 ? filtered(log.v) : rates(q), a = rates(v),
               tau = filtered(log.tau);
  Recording recording;
  const auto margin = static_cast<Eigen::Index>(1 / (dt * options.cutoff));
  const auto stride = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(1 / (4 * dt * options.cutoff)));
  for (Eigen::Index i = margin; i < rows - margin; i += stride)
    recording.push_back({{q.col(i), v.col(i), a.col(i)}, tau.col(i)});
  return recording;
}

/// Assumed bounds of the joints' parameters, for joints with such torques: armatures that give them at 10 rad/s^2,
/// dampings at 1 rad/s.
inline Vector joint_deviations(const Vector& torque) {
  Matrix deviations(4, torque.size());
  deviations << torque.transpose() / 10, torque.transpose(), torque.transpose(), torque.transpose();
  return deviations.reshaped();
}

/// Writes the robot with the parameters found; offsets, which URDF has no place for, are not among them.
/// @returns how much the parameters of the file, read again, differ from them: the largest difference over the largest
///          number of the same body or joint
inline double write_robot(corio::Model<double> model, const Vector& p, const std::filesystem::path& path) {
  set_parameters(model, p);
  corio::write_urdf(model, path);
  const auto again = corio::urdf::load(path);
  if (names_of_parameters(again) != names_of_parameters(model)) return std::numeric_limits<double>::infinity();
  const Vector difference = (parameters(again) - p).cwiseAbs();
  const Eigen::Index bodies = corio::num_inertial_parameters(model);
  double largest = 0;
  for (Eigen::Index k = 0; k < bodies; k += 10)
    largest = std::max(largest, difference.segment<10>(k).maxCoeff() / p.segment<10>(k).cwiseAbs().maxCoeff());
  for (Eigen::Index k = bodies; k < p.size(); k += 4)
    largest = std::max(largest, difference.segment<3>(k).maxCoeff() / (1e-9 + p.segment<3>(k).maxCoeff()));
  return largest;
}

/// Root mean squares per joint.
inline Vector rms_errors(Regressor& regressor, const Recording& samples, std::size_t begin, std::size_t end,
                         const Vector& p) {
  Vector sum = Vector::Zero(samples[0].tau.size());
  for (std::size_t i = begin; i < end; ++i) sum += (samples[i].tau - regressor(samples[i].motion) * p).cwiseAbs2();
  return (sum / static_cast<double>(end - begin)).cwiseSqrt();
}

/// For validation samples: torques, and errors of prediction by the drawings and by the identified parameters.
struct LogErrors {
  Vector tau, drawn, identified;
};

/// Identifies a robot from its log and prints what was found.
inline LogErrors identify_log(const LogOptions& options, double spread, const std::filesystem::path& folder) {
  const auto model = corio::urdf::load(options.robot);
  const Recording samples = read_log(model, options);
  const auto fitted = static_cast<std::size_t>((1 - options.validation) * static_cast<double>(samples.size()));
  if (fitted < 10 || fitted + 10 > samples.size())
    throw std::runtime_error("too few samples: " + std::to_string(fitted) + " to identify from, " +
                             std::to_string(samples.size() - fitted) + " to predict");
  Regressor regressor(model);
  const Vector drawn = parameters(model), none = Vector::Zero(drawn.size());
  const Vector size = rms_errors(regressor, samples, 0, fitted, none);
  const corio::ConsistentPrior<double> prior{spread, joint_deviations(size)};

  // Weighted by what is left unexplained: at first guessed, then found.
  Vector deviation = 0.1 * size, found = drawn;
  for (int pass = 0; pass < 3; ++pass) {
    Stream stream(num_parameters(model));
    for (std::size_t i = 0; i < fitted; ++i)
      stream.add(regressor(samples[i].motion), samples[i].tau, deviation.cwiseAbs2().cwiseInverse());
    found = corio::consistent_estimate(model, stream, prior).parameters;
    deviation = rms_errors(regressor, samples, 0, fitted, found);
  }

  const LogErrors errors{rms_errors(regressor, samples, fitted, samples.size(), none),
                         rms_errors(regressor, samples, fitted, samples.size(), drawn),
                         rms_errors(regressor, samples, fitted, samples.size(), found)};
  std::printf("%zu samples identified from, %zu predicted; rms torques and errors in N m\n", fitted,
              samples.size() - fitted);
  std::printf("%-20s %9s %20s %20s %20s\n", "joint", "torque", "as drawn", "identified", "of those fitted");
  for (Eigen::Index k = 0; k < model.nv(); ++k) {
    const auto percent = [&](double error) { return 100 * error / errors.tau[k]; };
    std::printf("%-20s %9.3f %9.4f (%6.2f %%) %9.4f (%6.2f %%) %9.4f (%6.2f %%)\n",
                model.joints()[static_cast<std::size_t>(k)].name().c_str(), errors.tau[k], errors.drawn[k],
                percent(errors.drawn[k]), errors.identified[k], percent(errors.identified[k]), deviation[k],
                percent(deviation[k]));
  }
  std::printf("%-20s %12s %12s %12s %12s\n", "", "armature", "damping", "friction", "offset");
  for (Eigen::Index k = 0; k < model.nv(); ++k) {
    const auto joint = found.segment<4>(found.size() - 4 * model.nv() + 4 * k);
    std::printf("%-20s %12.5f %12.5f %12.5f %12.5f\n", model.joints()[static_cast<std::size_t>(k)].name().c_str(),
                joint[0], joint[1], joint[2], joint[3]);
  }
  auto file = support::output(folder / "identified.csv", 10);
  file << "parameter,drawn,identified\n";
  const auto names = names_of_parameters(model);
  for (Eigen::Index k = 0; k < found.size(); ++k)
    file << names[static_cast<std::size_t>(k)] << ',' << drawn[k] << ',' << found[k] << '\n';
  if (!file) throw std::runtime_error("cannot write " + (folder / "identified.csv").string());
  if (write_robot(model, found, folder / "identified.urdf") > 1e-9)
    throw std::runtime_error("identified.urdf differs from what was identified");
  return errors;
}

}  // namespace identify
