#pragma once

#include <numbers>
#include <random>

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/identification/excitation.hpp"
#include "corio/identification/recording.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/model_support.hpp"

namespace recorded_arm {

using namespace corio;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// An arm of three geared joints with friction and offsets, and recordings with the errors of real ones.
struct Arm {
  Model<double> model = zoo::serial_chain<double>(3);
  Vector joints = Vector(12);                      // armature, damping, friction, offset of each joint
  double smoothing = 0.05;                         // rad/s, for friction
  Vector noise = Vector::Constant(3, 0.3);         // N m, in each sample
  double late = 0.004, jitter = 1e-4;              // s, for torques and for times
  double step = 2 * std::numbers::pi / (1 << 17);  // rad, for encoders
  Arm() { joints << 0.2, 1, 2, 0.3, 0.15, 0.8, 1.5, -0.2, 0.05, 0.4, 0.8, 0.1; }
  Vector truth() const { return (Vector(30 + 12) << inertial_parameters(model), joints).finished(); }
};

/// All columns of the equation of motion, Y p = tau: first for bodies, then for joints.
class Regressor {
 public:
  explicit Regressor(const Arm& arm) : arm_(arm), data_(arm.model), bodies_(3, 30), joints_(3, 12), all_(3, 42) {}
  const Matrix& operator()(const Vector& q, const Vector& v, const Vector& a, const Vector& direction) {
    inverse_dynamics_regressor(arm_.model, data_, q, v, a, bodies_);
    joint_regressor(arm_.model, v, a, joints_, arm_.smoothing);
    for (int k = 0; k < 3; ++k) joints_(k, 4 * k + 2) = direction[k];
    all_ << bodies_, joints_;
    return all_;
  }

 private:
  const Arm& arm_;
  Data<double> data_;
  Matrix bodies_, joints_, all_;
};

/// A second at rest, a random motion of ten, and a second at rest, at 400 Hz.
/// @param payload  on the last body
inline JointRecording record(const Arm& arm, std::uint64_t motion_seed, std::uint64_t noise_seed,
                             const Vector10<double>& payload = Vector10<double>::Zero()) {
  std::mt19937_64 generator(motion_seed);
  std::normal_distribution<double> normal;
  constexpr double length = 10, pause = 1, dt = 1.0 / 400;
  ExcitationLimits limits(arm.model);
  limits.lower.setConstant(-2), limits.upper.setConstant(2);
  limits.velocity.setConstant(2.5), limits.acceleration.setConstant(12);
  const Vector q_0 = (Vector(3) << 0.3, -0.4, 0.5).finished();
  const FourierMotion motion = random_motion<ExcitationLimits>(q_0, length, 6, limits, generator);
  generator.seed(noise_seed);
  Model<double> loaded = arm.model;
  const auto& hand = loaded.bodies().back();
  const Vector10<double> sum = loaded.inertia(hand).vector() + payload;
  loaded.set_inertia(hand, InertialParameters<double>::from_parameters(sum));
  Data<double> data(loaded);
  const auto n = static_cast<Eigen::Index>((length + 2 * pause) / dt);
  JointRecording log{Vector(n), Matrix(3, n), {}, Matrix(3, n)};
  const auto at = [&](double t) { return motion.at(std::clamp(t - pause, 0.0, length)); };
  for (Eigen::Index i = 0; i < n; ++i) {
    const double t = dt * static_cast<double>(i) + arm.jitter * std::clamp(normal(generator), -2.0, 2.0);
    log.t[i] = t;
    log.q.col(i) = (at(t).q / arm.step).array().round() * arm.step;
    const auto [q, v, a] = at(t - arm.late);
    const Vector bodies = rnea<double>(loaded, data, q, v, a);
    for (int k = 0; k < 3; ++k) {
      const auto joint = arm.joints.segment<4>(4 * k);
      log.tau(k, i) = bodies[k] + joint[0] * a[k] + joint[1] * v[k] + joint[2] * std::tanh(v[k] / arm.smoothing) +
                      joint[3] + arm.noise[k] * normal(generator);
    }
  }
  return log;
}

/// Returns the base parameters that all motions of the arm together determine.
inline BaseParameters<double> base_of(const Arm& arm) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  Regressor regressor(arm);
  StreamingLeastSquares<double> rows(42);
  const auto random = [&] { return Vector(Vector::NullaryExpr(3, [&] { return normal(generator); })); };
  for (int i = 0; i < 200; ++i) {
    const Vector q = random(), v = random(), a = random();
    rows.add(regressor(q, v, a, (v / arm.smoothing).array().tanh()), Vector::Zero(3));
  }
  return BaseParameters<double>(rows);
}

/// Base parameters with their standard deviations, and their errors in units of these deviations.
struct Found {
  Estimate<double> estimate;
  Vector errors;
  Vector time;  // correlation times of the errors
};
/// @param independent  whether samples count as independent
/// @param idle         the speed of a joint below which its torque is left out, rad/s
/// @param robust       whether bad samples lose their weight
inline Found identify(const Arm& arm, const BaseParameters<double>& base, const JointRecording& log, double shift,
                      bool independent = false, double idle = 0.01, bool robust = true) {
  auto s = prepare(log, {.cutoff = 10, .delay_of_tau = shift, .smoothing = arm.smoothing, .idle = idle});
  const Matrix moving = s.moving;
  Regressor regressor(arm);
  Vector variance = Vector::Ones(3), time = Vector::Ones(3);
  for (int pass = 0;; ++pass) {
    StreamingLeastSquares<double> stream(42);
    for (Eigen::Index i = 0; i < s.t.size(); ++i)
      stream.add(regressor(s.q.col(i), s.v.col(i), s.a.col(i), s.direction.col(i)), s.tau.col(i),
                 s.moving.col(i).cwiseQuotient(variance));
    const auto found = estimate(stream, base);
    if (pass == 2) {
      const Vector off = found.beta - base.project(arm.truth());
      return {found, off.cwiseQuotient(found.standard_deviation(1.0)), time};
    }
    Matrix errors = s.tau;
    for (Eigen::Index i = 0; i < s.t.size(); ++i)
      errors.col(i) -= base.reduce(regressor(s.q.col(i), s.v.col(i), s.a.col(i), s.direction.col(i))) * found.beta;
    if (robust) s.moving = robust_weights(errors, moving);
    errors = errors.cwiseProduct(s.moving.cwiseSqrt());
    for (int k = 0; k < 3; ++k) {
      if (!independent) time[k] = std::max(s.correlation_time, correlation_time(errors.row(k)));
      const double of_fit = time[k] * base.size() / 3;
      variance[k] = time[k] * errors.row(k).squaredNorm() / (s.moving.row(k).sum() - of_fit);
    }
  }
}

}  // namespace recorded_arm
