#pragma once

#include <corio/algorithms/dynamics/jacobian.hpp>
#include <corio/control/computed_torque.hpp>
#include <corio/kinematics/frames.hpp>
#include <corio/simulation/simulation.hpp>
#include <random>

#include "../support/joint_log.hpp"

namespace collision {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vector3 = corio::Vector3<double>;

/// A force on a point of a body.
struct Push {
  double begin, end;  // s
  int body;           // index in Model::bodies()
  Vector3 point;      // in the body's axes
  double force;       // N
  bool along_motion;  // whether it has the direction of greatest moment about the joint, otherwise a random one
};

/// Gives the joints gears, dampers and friction in proportion to their torques.
inline void set_geared_joints(corio::Model<double>& model) {
  const Vector& effort = model.effort_limit();
  model.set_armature(2e-3 * effort), model.set_damping(1e-2 * effort), model.set_friction(3e-2 * effort);
}

/// The model known to the detector, with errors of 2 % in masses and 10 % in damping and friction.
inline corio::Model<double> known(corio::Model<double> model, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> error(-1, 1);
  for (const auto& body : model.bodies()) {
    auto inertia = model.inertia(body);
    inertia.mass *= 1 + 0.02 * error(generator);
    model.set_inertia(body, inertia);
  }
  const auto about = [&](const Vector& x) {
    return Vector(x.unaryExpr([&](double x_k) { return x_k * (1 + 0.1 * error(generator)); }));
  };
  model.set_damping(about(model.damping())), model.set_friction(about(model.friction()));
  return model;
}

/// Pushes each body twice: in the direction of greatest moment about its joint, then in a random direction.
inline std::vector<Push> pushes(const corio::Model<double>& arm, double quiet) {
  std::vector<Push> all;
  const double forces[] = {60, 40, 50, 40, 35, 25, 25};
  for (int i = 0; i < 14; ++i) {
    // Pushes are out of phase with the trajectory, and act on the side of the link, away from its axis.
    const double begin = quiet + 1 + 1.13 * i;
    const int body = i % static_cast<int>(arm.bodies().size());
    const auto& inertia = arm.inertia(arm.bodies()[static_cast<std::size_t>(body)]);
    const Vector3 side = inertia.com + Vector3(0.05, 0.03, 0.02);
    all.push_back({begin, begin + 0.3, body, side, forces[body % 7], i < 7});
  }
  return all;
}

/// The generalized force J^T f of a push in the state of data.
inline Vector generalized_push(const corio::Model<double>& model, corio::Data<double>& data, const Push& push) {
  const auto& body = model.bodies()[static_cast<std::size_t>(push.body)];
  const corio::FramePoint<double> where(body, corio::ReferenceFrame::world_aligned, push.point);
  Matrix J(6, model.nv());
  corio::body_jacobian(model, data, where, J);
  const int own = model.joints()[static_cast<std::size_t>(body.joint())].v_index();
  const Vector3 along = J.col(own).tail<3>(), anywhere(0.6, -0.5, 0.62);
  return J.bottomRows(3).transpose() * (push.force * (push.along_motion ? along : anywhere).normalized());
}

/// The measurements of an arm at 1 kHz, whose controller uses the model `known`.
inline support::JointLog record(const corio::Model<double>& arm, const corio::Model<double>& known,
                                const std::vector<Push>& pushes, std::mt19937_64& generator) {
  const double dt = 1e-3, duration = pushes.back().end + 1;
  const int n = arm.nv(), ticks = static_cast<int>(duration / dt);
  const Vector frequency = Vector::LinSpaced(n, 0.9, 1.7), phase = Vector::LinSpaced(n, 0, 4),
               amplitude = Vector::Constant(n, 0.4), center = Vector::Constant(n, 0.6);
  const Vector noise_v = Vector::Constant(n, 1e-3), noise_tau = 5e-3 * arm.effort_limit();
  std::normal_distribution<double> normal;
  const auto noise = [&](const Vector& sigma) {
    return Vector(sigma.unaryExpr([&](double s) { return s * normal(generator); }));
  };
  const auto wave = [&](double t) { return (frequency * t + phase).array(); };
  const auto q_d = [&](double t) { return Vector(center.array() + amplitude.array() * wave(t).sin()); };
  const auto v_d = [&](double t) { return Vector((amplitude.cwiseProduct(frequency)).array() * wave(t).cos()); };
  const auto a_d = [&](double t) {
    return Vector(-(amplitude.cwiseProduct(frequency.cwiseAbs2())).array() * wave(t).sin());
  };

  corio::ComputedTorque<double> controller(known, {Vector::Constant(n, 100), Vector::Constant(n, 20)});
  corio::Data<double> data(known);
  // The simulation has the same smooth friction as the observer.
  corio::Simulation<double> plant(arm, q_d(0), v_d(0), dt, corio::Integrator::rk4, 2, corio::Friction::smooth);
  support::JointLog log{Vector(ticks), Matrix(n, ticks), Matrix(n, ticks), Matrix(n, ticks)};
  for (int i = 0; i < ticks; ++i) {
    const double t = plant.time();
    const Vector q = plant.q(), v = plant.v() + noise(noise_v);
    Vector tau = controller.update(known, data, q, v, q_d(t), v_d(t), a_d(t));
    tau -= corio::passive_forces(known, data, q_d(t), v_d(t));
    log.t[i] = t, log.q.col(i) = q, log.v.col(i) = v, log.tau.col(i) = tau + noise(noise_tau);

    Vector outside = Vector::Zero(n);
    for (const Push& push : pushes)
      if (t >= push.begin && t < push.end) {
        corio::forward_kinematics(arm, plant.data(), plant.q(), plant.v());
        outside += generalized_push(arm, plant.data(), push);
      }
    plant.advance(tau + outside);
  }
  return log;
}

}  // namespace collision
