#pragma once

#include <corio/algorithms/dynamics/rnea.hpp>
#include <corio/algorithms/regressors/joint_regressor.hpp>
#include <corio/algorithms/regressors/regressors.hpp>
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

/// What is identified: the parameters of the bodies, ten each, then those of the joints, four per degree of freedom as
/// joint_regressor has them.
inline int num_parameters(const corio::Model<double>& model) {
  return corio::num_inertial_parameters(model) + 4 * model.nv();
}
inline std::vector<std::string> names_of_parameters(const corio::Model<double>& model) {
  auto names = corio::parameter_names(model);
  const auto of_joints = corio::joint_parameter_names(model);
  names.insert(names.end(), of_joints.begin(), of_joints.end());
  return names;
}
/// Those of the model. Offsets, which a model does not have, are zero.
inline Vector parameters(const corio::Model<double>& model) {
  Vector p(num_parameters(model));
  p << corio::inertial_parameters(model), corio::joint_parameters(model);
  return p;
}
/// Sets them, but for the offsets.
inline void set_parameters(corio::Model<double>& model, const Vector& p) {
  corio::set_inertial_parameters(model, p.head(corio::num_inertial_parameters(model)));
  corio::set_joint_parameters(model, p.tail(4 * model.nv()));
}

/// Velocity that smooths Coulomb friction, rad/s.
inline constexpr double smoothing = 0.05;

/// Y of all parameters at a motion, Y p = tau.
class Regressor {
 public:
  explicit Regressor(const corio::Model<double>& model)
      : model_(model), data_(model), Y_(model.nv(), num_parameters(model)) {}

  const Matrix& operator()(const Motion& m) {
    corio::inverse_dynamics_regressor(model_, data_, m.q, m.v, m.a, Y_.leftCols(Y_.cols() - 4 * Y_.rows()));
    corio::joint_regressor(model_, m.v, m.a, joints_, smoothing);
    Y_.rightCols(joints_.cols()) = joints_;
    return Y_;
  }

 private:
  corio::Model<double> model_;
  corio::Data<double> data_;
  Matrix Y_, joints_;
};

/// Periodic joint motions, finite Fourier series about the middle of the joints' ranges: they can be repeated without a
/// jump, and measurements of several periods averaged.
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

/// The identifiable parameters: the base parameters that random states excite.
inline Base all_base_parameters(const corio::Model<double>& model, std::mt19937_64& generator) {
  Regressor regressor(model);
  const int n = model.nv(), p = num_parameters(model);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random = [&] { return Vector::NullaryExpr(n, [&] { return uniform(generator); }).eval(); };
  Stream stream(p);
  for (int i = 0; i < 5 * p; ++i) {
    const Vector q = corio::random_configuration(model, generator), v = random(), a = random();
    stream.add(regressor({q, v, a}), Vector::Zero(n));
  }
  return Base(stream);
}

/// How well a trajectory excites base parameters.
struct Excitation {
  double condition;  // of the regressor, rows over the joints' limits of torque
  double effort;     // the largest share of such a limit that the model needs
};

inline Excitation excitation(const corio::Model<double>& model, const Base& base, const FourierTrajectory& trajectory) {
  corio::Data<double> data(model);
  Regressor regressor(model);
  Stream stream(base.num_parameters());
  const Vector zero = Vector::Zero(model.nv()), weights = model.effort_limit().cwiseAbs2().cwiseInverse();
  Excitation result{0, 0};
  for (int k = 0; k < 200; ++k) {
    const Motion m = trajectory.at(FourierTrajectory::period * k / 200);
    const Vector& tau = corio::rnea(model, data, m.q, m.v, m.a);
    result.effort = std::max(result.effort, tau.cwiseAbs().cwiseQuotient(model.effort_limit()).maxCoeff());
    stream.add(regressor(m), zero, weights);
  }
  result.condition = corio::estimate(stream, base).condition;
  return result;
}

}  // namespace identify
