#pragma once

#include <corio/algorithms/regressors.hpp>
#include <corio/algorithms/rnea.hpp>
#include <corio/identification/estimate.hpp>
#include <corio/kinematics/configuration.hpp>
#include <numbers>
#include <optional>
#include <random>

namespace identify {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Stream = corio::StreamingLeastSquares<double>;
using Base = corio::BaseParameters<double>;

struct Motion {
  Vector q, v, a;
};

/// Periodic joint motions, finite Fourier series about the middle of the joints' ranges: they can be repeated without a
/// jump, and what was measured in several periods averaged.
class FourierTrajectory {
 public:
  /// Random coefficients, falling as one over the harmonic, each joint as large as its limits of place and speed allow.
  FourierTrajectory(const corio::Model<double>& model, std::mt19937_64& generator)
      : middle_((model.lower_limit() + model.upper_limit()) / 2),
        sine_(model.nv(), harmonics),
        cosine_(model.nv(), harmonics) {
    std::normal_distribution<double> normal;
    for (int i = 0; i < model.nv(); ++i)
      for (int l = 0; l < harmonics; ++l)
        sine_(i, l) = normal(generator) / (l + 1), cosine_(i, l) = normal(generator) / (l + 1);
    Vector place = Vector::Zero(model.nv()), speed = place;
    for (int k = 0; k < 400; ++k) {
      const Motion m = at(period * k / 400);
      place = place.cwiseMax((m.q - middle_).cwiseAbs());
      speed = speed.cwiseMax(m.v.cwiseAbs());
    }
    const Vector half = (model.upper_limit() - model.lower_limit()) / 2;
    const Vector scale = 0.9 * half.cwiseQuotient(place).cwiseMin(model.velocity_limit().cwiseQuotient(speed));
    sine_ = scale.asDiagonal() * sine_;
    cosine_ = scale.asDiagonal() * cosine_;
  }

  static constexpr double period = 10;  // s

  Motion at(double t) const {
    Motion m{middle_, Vector::Zero(middle_.size()), Vector::Zero(middle_.size())};
    for (int l = 0; l < harmonics; ++l) {
      const double w = 2 * std::numbers::pi * (l + 1) / period, c = std::cos(w * t), s = std::sin(w * t);
      m.q += s * sine_.col(l) + c * cosine_.col(l);
      m.v += w * (c * sine_.col(l) - s * cosine_.col(l));
      m.a -= w * w * (s * sine_.col(l) + c * cosine_.col(l));
    }
    return m;
  }

 private:
  static constexpr int harmonics = 5;
  Vector middle_;
  Matrix sine_, cosine_;  // a row per joint, a column per harmonic
};

/// What there is to identify: the base parameters that states at random excite.
inline Base all_base_parameters(const corio::Model<double>& model, std::mt19937_64& generator) {
  corio::Data<double> data(model);
  const int n = model.nv(), p = corio::num_inertial_parameters(model);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random = [&] { return Vector::NullaryExpr(n, [&] { return uniform(generator); }).eval(); };
  Matrix Y(n, p);
  Stream stream(p);
  for (int i = 0; i < 5 * p; ++i) {
    const Vector q = corio::random_configuration(model, generator), v = random(), a = random();
    corio::inverse_dynamics_regressor(model, data, q, v, a, Y);
    stream.add(Y, Vector::Zero(n));
  }
  return Base(stream);
}

/// How well a trajectory tells base parameters apart.
struct Excitation {
  double condition;  // of the regressor, rows over the joints' limits of torque
  double effort;     // the largest share of such a limit that the model needs
};

inline Excitation excitation(const corio::Model<double>& model, const Base& base, const FourierTrajectory& trajectory) {
  corio::Data<double> data(model);
  Matrix Y(model.nv(), base.num_parameters());
  Stream stream(base.num_parameters());
  const Vector zero = Vector::Zero(model.nv()), weights = model.effort_limit().cwiseAbs2().cwiseInverse();
  Excitation result{0, 0};
  for (int k = 0; k < 200; ++k) {
    const Motion m = trajectory.at(FourierTrajectory::period * k / 200);
    const Vector& tau = corio::rnea(model, data, m.q, m.v, m.a);
    result.effort = std::max(result.effort, tau.cwiseAbs().cwiseQuotient(model.effort_limit()).maxCoeff());
    corio::inverse_dynamics_regressor(model, data, m.q, m.v, m.a, Y);
    stream.add(Y, zero, weights);
  }
  result.condition = corio::estimate(stream, base).condition;
  return result;
}

}  // namespace identify
