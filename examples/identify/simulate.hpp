#pragma once

#include <algorithm>
#include <corio/identification/excitation.hpp>
#include <corio/io/urdf.hpp>
#include <filesystem>
#include <numbers>
#include <random>

#include "../support/output.hpp"
#include "trajectory.hpp"

namespace identify {

/// A simulated arm with the defects of real recordings: geared joints with friction and offsets, quantized encoders,
/// noisy and delayed torques, samples with jitter, standstill before and after the motion, bodies that differ from the
/// model.
struct SimulatedArm {
  corio::Model<double> model;  // the erroneous drawing
  Vector truth;                // all parameters
  Vector noise;                // standard deviation of torques, N m
  double late = 0.004;         // s
  Vector gains;                // gains of drives, N m/A
  std::string hand;            // link that carries the payload
  corio::Vector10<double> payload;
};

inline SimulatedArm simulated_arm(std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  SimulatedArm arm{corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf"), {}, {}, 0.004, {}, {}, {}};
  arm.truth = parameters(arm.model);
  arm.noise = 0.01 * arm.model.effort_limit();
  const int n = arm.model.nv();
  for (int k = 0; k < n; ++k) {
    const double effort = arm.model.effort_limit()[k];
    joint_parameters_of(arm.model, arm.truth, k) << 2e-3 * effort * uniform(generator),
        1e-2 * effort * uniform(generator), 3e-2 * effort * uniform(generator),
        1e-2 * effort * (uniform(generator) - 1);
  }
  for (const auto& body : arm.model.bodies()) {  // the drawing is wrong by some ten per cent
    auto drawn = arm.model.inertia(body);
    drawn.mass *= 0.75 + 0.5 * (uniform(generator) - 0.5);
    drawn.com += 0.02 * corio::Vector3<double>(uniform(generator) - 1, uniform(generator) - 1, uniform(generator) - 1);
    arm.model.set_inertia(body, drawn);
  }
  arm.gains = Vector::NullaryExpr(n, [&] { return 5 + 5 * uniform(generator); });
  arm.hand = arm.model.bodies().back().name();
  const corio::Matrix3<double> inertia = Vector::Constant(3, 0.01).asDiagonal();
  arm.payload = corio::InertialParameters<double>{3, {0.02, -0.03, 0.1}, inertia}.vector();
  return arm;
}

/// The contents of a recording: torques of the arm, or currents of its drives, with or without the payload.
enum class Recorded { torques, currents, currents_with_payload };

/// Writes the recording of a random motion of 20 s. Columns have the names that are read by default; currents are in
/// the columns of torques.
/// @param seed  determines the motion; the noise differs in each recording
inline void record(const SimulatedArm& arm, std::uint64_t seed, double smoothing, const std::filesystem::path& path,
                   Recorded what = Recorded::torques) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  corio::Data<double> data(arm.model);
  Regressor regressor(arm.model, smoothing);
  // Takes the fastest of some motions for which the motors suffice and which begin and end at rest.
  constexpr double length = 20;
  constexpr int harmonics = 10;
  const corio::ExcitationLimits limits(arm.model);
  corio::FourierMotion motion(Vector::Zero(arm.model.nv()), length, harmonics);
  const auto at = [&](double t) {
    const auto [q, v, a] = motion.at(std::clamp(t - 2, 0.0, length));
    return Motion{q, v, a};
  };
  double effort = 1;
  for (double scale = 1; effort >= 0.9; scale *= 0.9) {
    motion = corio::random_motion(limits.middle(), length, harmonics, limits, generator);
    motion.coefficients.rightCols(motion.coefficients.cols() - 1) *= scale;
    effort = 0;
    for (int k = 0; k < 400; ++k)
      effort = std::max(
          effort, (regressor(at(2 + length * k / 400)) * arm.truth).cwiseAbs().cwiseQuotient(limits.effort).maxCoeff());
  }
  auto file = support::output(path, 12);
  file << "# a simulated arm: encoders of 2^17 steps, torques with noise\n";
  support::write_joint_log_names(file, arm.model, {"q", "tau"});
  generator.seed(seed + 1000 * static_cast<std::uint64_t>(what));
  Vector truth = arm.truth;
  if (what == Recorded::currents_with_payload) {
    const auto body = std::ranges::find_if(arm.model.bodies(), [&](const auto& b) { return b.name() == arm.hand; });
    truth.segment<10>(10 * (body - arm.model.bodies().begin())) += arm.payload;
  }
  const double step = 2 * std::numbers::pi / (1 << 17);
  for (int k = 0; k < 500 * 24; ++k) {
    const double t = 0.002 * k + 1e-4 * std::min(1.0, std::max(-1.0, normal(generator)));
    const Vector q = (at(t).q / step).array().round() * step;
    Vector tau = regressor(at(t - arm.late)) * truth;
    for (Eigen::Index i = 0; i < tau.size(); ++i) tau[i] += arm.noise[i] * normal(generator);
    if (what != Recorded::torques) tau = tau.cwiseQuotient(arm.gains);
    support::write_joint_log_row(file, t, {q, tau});
  }
}

}  // namespace identify
