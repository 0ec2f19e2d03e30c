#pragma once

#include <corio/algorithms/inverse_dynamics_derivatives.hpp>
#include <corio/identification/log_cholesky.hpp>

#include "trajectory.hpp"

namespace identify {

/// Standard deviations of what is measured.
struct Noise {
  Vector torque;                                           // N m, per joint
  double place = 1e-5, speed = 1e-3, acceleration = 1e-2;  // rad, rad/s, rad/s^2
};

/// What is known of the arm before: as true_model, but every body's pseudo-inertia J = U U^T is (U A) (U A)^T with
/// A = 1 + errors of the relative size `spread`.
inline Vector drawings(const corio::Model<double>& true_model, double spread, std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, spread);
  Vector pi(corio::num_inertial_parameters(true_model));
  int b = 0;
  for (const auto& body : true_model.bodies()) {
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j) A(i, j) = i == j ? std::exp(normal(generator)) : normal(generator);
    const Eigen::Matrix4d U =
        corio::log_cholesky_factor(corio::log_cholesky(true_model.inertia(body), body.name())) * A;
    pi.segment<10>(10 * b++) = corio::from_pseudo_inertia<double>(U * U.transpose()).parameters();
  }
  return pi;
}

/// One sample: the motion and the torques as measured.
struct Sample {
  Motion motion;
  Vector tau;
};

/// The arm that is measured. It follows every trajectory exactly.
class Arm {
 public:
  Arm(const corio::Model<double>& model, Noise noise, std::uint64_t seed)
      : model_(model), data_(model), noise_(std::move(noise)), generator_(seed) {}

  const Vector& torque(const Motion& m) { return corio::rnea(model_, data_, m.q, m.v, m.a); }

  Sample measure(const Motion& m) {
    Sample sample{m, torque(m)};
    for (Eigen::Index i = 0; i < sample.tau.size(); ++i) {
      sample.tau[i] += noise_.torque[i] * normal_(generator_);
      sample.motion.q[i] += noise_.place * normal_(generator_);
      sample.motion.v[i] += noise_.speed * normal_(generator_);
      sample.motion.a[i] += noise_.acceleration * normal_(generator_);
    }
    return sample;
  }

 private:
  corio::Model<double> model_;
  corio::Data<double> data_;
  Noise noise_;
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_;
};

/// One over the variances of tau - Y(q, v, a) pi: noise of the torques, and that of the motion by what inverse dynamics
/// makes of it. A rough model is enough for that, and can be improved.
class Weights {
 public:
  Weights(const corio::Model<double>& rough, Noise noise) : model_(rough), data_(rough), noise_(std::move(noise)) {}

  void improve(const Vector& pi) { corio::set_inertial_parameters(model_, pi); }

  Vector operator()(const Motion& m) {
    const auto& [dtau_dq, dtau_dv, M] = corio::inverse_dynamics_derivatives(model_, data_, m.q, m.v, m.a);
    Vector variance = noise_.torque.cwiseAbs2();
    variance += std::pow(noise_.place, 2) * dtau_dq.rowwise().squaredNorm();
    variance += std::pow(noise_.speed, 2) * dtau_dv.rowwise().squaredNorm();
    variance += std::pow(noise_.acceleration, 2) * M.rowwise().squaredNorm();
    return variance.cwiseInverse();
  }

 private:
  corio::Model<double> model_;
  corio::Data<double> data_;
  Noise noise_;
};

}  // namespace identify
