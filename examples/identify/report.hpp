#pragma once

#include <corio/io/urdf.hpp>
#include <corio/io/write_urdf.hpp>
#include <cstdio>
#include <filesystem>

#include "../support/output.hpp"
#include "page.hpp"
#include "payload.hpp"

namespace identify {

namespace fs = std::filesystem;

inline std::string joint_name(const corio::Model<double>& model, int k) {
  return model.joint_of_node(model.node_of(k)).name();
}

/// Writes the robot with the identified parameters except offsets, which URDF cannot represent.
/// @returns the largest difference between these parameters and those read back from the file, relative to the largest
///          number of the same body or joint
inline double write_robot(corio::Model<double> model, const Vector& p, const fs::path& path) {
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

/// Prints root mean squares of torques, and of their errors with the given and with the identified model, and with base
/// parameters alone, which are neither consistent nor near the model.
inline void report_errors(const corio::Model<double>& model, const Samples& fitted, const Samples& held_out,
                          const Matrix& as_given, const Matrix& fitted_prediction, const Matrix& prediction,
                          const Matrix& base_alone) {
  const Vector size = rms(held_out.tau), given = rms(held_out.tau - as_given), now = rms(held_out.tau - prediction),
               size_fitted = rms(fitted.tau), then = rms(fitted.tau - fitted_prediction),
               alone = rms(held_out.tau - base_alone);
  const auto turns = corio::detail::find_angles(model);
  std::printf("\nTorques and errors (rms, N m%s) of %lld samples that were predicted, and of %lld identified from\n",
              std::ranges::count(turns, false) > 0 ? "; N of joints that slide" : "",
              static_cast<long long>(held_out.t.size()), static_cast<long long>(fitted.t.size()));
  std::printf("%-24s %10s %20s %20s %20s %20s\n", "joint", "torque", "model as given", "identified", "of those fitted",
              "base alone");
  for (int k = 0; k < model.nv(); ++k)
    if (!(size[k] > 0))
      std::printf("%-24s %10s\n", joint_name(model, k).c_str(), "not measured");
    else
      std::printf("%-24s %10.3f %9.4f (%6.2f %%) %9.4f (%6.2f %%) %9.4f (%6.2f %%) %9.4f (%6.2f %%)\n",
                  joint_name(model, k).c_str(), size[k], given[k], 100 * given[k] / size[k], now[k],
                  100 * now[k] / size[k], then[k], 100 * then[k] / size_fitted[k], alone[k], 100 * alone[k] / size[k]);
  std::printf("'base alone': base parameters by the samples, without physical consistency and without the model\n");
  if ((given.array() > 2 * size.array()).all())
    std::printf(
        "The model as given needs much larger torques than were recorded: if they are currents, see --current.\n");
}

inline void report_joints(const corio::Model<double>& model, const Found& found, const fs::path& folder) {
  std::printf("\nFriction with tanh(v / %g rad/s); its dependence on load and temperature is not in the model\n",
              found.smoothing);
  std::printf("%-24s %12s %12s %12s %12s\n", "joint", "armature", "damping", "friction", "offset");
  auto file = support::output(folder / "friction.csv", 10);
  file << "joint,armature,smoothing,offset,damping+,damping-,coulomb+,coulomb-,stiction,stribeck_speed\n";
  for (int k = 0; k < model.nv(); ++k) {
    const auto p = joint_parameters_of(model, found.p, k);
    corio::JointFriction f{p[3], found.smoothing, p[1], p[1], p[2], p[2]};
    if (!found.friction.empty()) f = found.friction[static_cast<std::size_t>(k)];
    std::printf("%-24s %12.5f %12.5f %12.5f %12.5f", joint_name(model, k).c_str(), p[0], p[1], p[2], p[3]);
    if (!found.friction.empty())
      std::printf("   v > 0: %.4f v + %.4f, v < 0: %.4f v - %.4f, offset %.4f, stiction %.4f at %.3f rad/s",
                  f.damping_positive, f.coulomb_positive, f.damping_negative, f.coulomb_negative, f.offset, f.stiction,
                  f.stribeck_speed);
    std::printf("\n");
    file << joint_name(model, k) << ',' << p[0] << ',' << f.smoothing << ',' << f.offset << ',' << f.damping_positive
         << ',' << f.damping_negative << ',' << f.coulomb_positive << ',' << f.coulomb_negative << ',' << f.stiction
         << ',' << f.stribeck_speed << '\n';
  }
}

inline void report_base(const corio::Model<double>& model, const BaseEstimate& estimate, const fs::path& folder) {
  const auto texts = estimate.base.describe(names_of_parameters(model));
  const Vector sd = estimate.found.standard_deviation(1.0);
  auto file = support::output(folder / "base_parameters.csv", 10);
  file << "value,standard_deviation,separated,combination\n";
  int known = 0, separated = 0;
  std::string others;
  for (int i = 0; i < estimate.base.size(); ++i) {
    const std::string& text = texts[static_cast<std::size_t>(i)];
    file << estimate.found.beta[i] << ',' << sd[i] << ',' << estimate.is_separated(i) << ",\"" << text << "\"\n";
    known += sd[i] < 0.1 * std::abs(estimate.found.beta[i]);
    separated += estimate.is_separated(i);
    if (!estimate.is_separated(i)) others += (others.empty() ? "" : ", ") + text.substr(0, text.find(' '));
  }
  std::printf("\n%d base parameters, %d known to 10 %%; condition number of the weighted regressor %.0f\n",
              estimate.base.size(), known, estimate.found.condition);
  if (!others.empty())
    std::printf("The motion does not separate %d of them, those of %s\n", estimate.base.size() - separated,
                others.c_str());
}

inline void report_parameters(const corio::Model<double>& model, const Found& found, const fs::path& folder) {
  auto file = support::output(folder / "parameters.csv", 10);
  file << "parameter,given,identified\n";
  const auto names = names_of_parameters(model);
  const Vector given = parameters(model);
  for (Eigen::Index k = 0; k < found.p.size(); ++k)
    file << names[static_cast<std::size_t>(k)] << ',' << given[k] << ',' << found.p[k] << '\n';
  if (!found.converged) std::printf("\nThe physically consistent fit did not converge; see --spread.\n");
  if (write_robot(model, found.p, folder / "identified.urdf") > 1e-9)
    throw std::runtime_error("identified.urdf differs from what was identified");
}

inline void report_payload(const corio::Model<double>& model, const std::string& frame, const Payload& payload) {
  using corio::detail::inertial_parameter_names;
  std::vector<std::string> names(std::begin(inertial_parameter_names), std::end(inertial_parameter_names));
  for (int k = 0; k < model.nv(); ++k) names.push_back("offset(" + joint_name(model, k) + ")");
  const Vector sd = payload.alone.found.standard_deviation(1.0);
  std::printf("\nPayload of %s, in its axes, in SI units; deviations without physical consistency\n", frame.c_str());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    std::printf("  %12.5f +- %-10.5f %s%s\n", k < 10 ? payload.parameters[k] : payload.offsets[k - 10], sd[k],
                k < 10 ? "" : "change of ", names[i].c_str());
  }
  const auto& p = payload.parameters;
  std::printf("mass %.4f kg, centre of mass %.4f %.4f %.4f m\n", p[0], p[1] / p[0], p[2] / p[0], p[3] / p[0]);
  for (const auto& direction : payload.alone.not_separated(names))
    std::printf("The motion does not separate what changes together as%s\n", direction.c_str());
}

}  // namespace identify
