#pragma once

#include <corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp>
#include <corio/algorithms/derivatives/passive_force_derivatives.hpp>
#include <corio/identification/log_cholesky.hpp>

#include "trajectory.hpp"

namespace identify {

/// Standard deviations of what is measured.
struct Noise {
  Vector torque;                                           // N m, per joint
  double place = 1e-5, speed = 1e-3, acceleration = 1e-2;  // rad, rad/s, rad/s^2
};

/// Prior parameters of the arm: as true_model, but every body's pseudo-inertia J = U U^T is (U A) (U A)^T with A = 1 +
/// errors of the relative size `spread`.
inline Vector drawings(const corio::Model<double>& true_model, double spread, std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, spread);
  Vector pi = Vector::Zero(num_parameters(true_model));  // nothing is known of the joints
  int b = 0;
  for (const auto& body : true_model.bodies()) {
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j) A(i, j) = i == j ? std::exp(normal(generator)) : normal(generator);
    const Eigen::Matrix4d U =
        corio::log_cholesky_factor(corio::log_cholesky(true_model.inertia(body), body.name())) * A;
    pi.segment<10>(10 * b++) = corio::from_pseudo_inertia<double>(U * U.transpose()).vector();
  }
  return pi;
}

/// One sample: the motion and the torques as measured.
struct Sample {
  Motion motion;
  Vector tau;
};

/// The arm that is measured, of true parameters. It follows every trajectory exactly.
class Arm {
 public:
  Arm(const corio::Model<double>& model, const Vector& truth, Noise noise, std::uint64_t seed)
      : model_(model),
        data_(model),
        offset_(truth.tail(4 * model.nv()).reshaped(4, model.nv()).row(3).transpose()),
        noise_(std::move(noise)),
        generator_(seed) {
    set_parameters(model_, truth);
  }

  Vector torque(const Motion& m) {
    const Vector inertial = corio::rnea(model_, data_, m.q, m.v, m.a);
    return inertial - corio::passive_forces(model_, data_, smoothing) + offset_;
  }

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
  Vector offset_;
  Noise noise_;
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_;
};

/// Joints as those of an arm with gears, in proportion to the torques that they give: their parameters in the place of
/// those of the model.
inline Vector with_joint_parameters(const corio::Model<double>& model, Vector p, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  for (int k = 0; k < model.nv(); ++k) {
    const double effort = model.effort_limit()[k];
    p.segment<4>(p.size() - 4 * model.nv() + 4 * k) << 2e-3 * effort * uniform(generator),
        1e-2 * effort * uniform(generator), 3e-2 * effort * uniform(generator),
        1e-2 * effort * (uniform(generator) - 1);
  }
  return p;
}

/// One over the variances of tau - Y(q, v, a) p: noise of the torques, and that of the motion propagated through
/// inverse dynamics, for which a rough model is enough.
class Weights {
 public:
  Weights(const corio::Model<double>& rough, Noise noise) : model_(rough), data_(rough), noise_(std::move(noise)) {}

  void improve(const Vector& p) { set_parameters(model_, p); }

  Vector operator()(const Motion& m) {
    const auto& [dtau_dq, dtau_dv, M] = corio::inverse_dynamics_derivatives(model_, data_, m.q, m.v, m.a);
    Vector variance = noise_.torque.cwiseAbs2();
    variance += std::pow(noise_.place, 2) * dtau_dq.rowwise().squaredNorm();
    const Matrix& of_joints = corio::passive_force_derivatives(model_, data_, smoothing).dtau_dv;
    variance += std::pow(noise_.speed, 2) * (dtau_dv - of_joints).rowwise().squaredNorm();
    variance += std::pow(noise_.acceleration, 2) * M.rowwise().squaredNorm();
    return variance.cwiseInverse();
  }

 private:
  corio::Model<double> model_;
  corio::Data<double> data_;
  Noise noise_;
};

}  // namespace identify
