#pragma once

#include "corio/control/operational_space.hpp"

#include <array>

#include "corio/algorithms/coriolis/mass_matrix_dot.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

/// Compares operational space dynamics and control with forward dynamics, which know nothing of tasks.
namespace operational_space_test {

using namespace corio;
using namespace corio::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Task = OperationalTask<double>;

// Allow some hundred roundings, times the condition of M and of J M^-1 J^T, each up to 1e3 in these states.
constexpr double bound = 1e-8;

struct State {
  Model<double> model;
  VectorXd q, v;
  Data<double> data;
  State(const Model<double>& m, int seed)
      : model(m), q(random_q(model, seed)), v(random_vector<double>(model.nv(), seed + 1)), data(model) {
    forward_kinematics<double>(model, data, q, v);
  }
  int n() const { return model.nv(); }
};

/// Random trees with all types of joints, with and without armature; odd seeds float.
inline State tree_state(int seed) {
  return {zoo::random_tree(static_cast<std::uint64_t>(seed),
                           {.bodies = 9, .floating_base = seed % 2 == 1, .chain_bias = 0.8, .armature = seed % 4 > 1}),
          seed};
}

/// Makes a task from `rows` rows, from `begin` on, of a body's motion in world axes; the accelerations are random.
inline Task task_of(const State& s, const Frame<double>& frame, int begin, int rows, int seed) {
  MatrixXd J(6, s.n()), Jdot(6, s.n());
  const FramePoint<double> where(frame, ReferenceFrame::world_aligned, {0.1, -0.2, 0.3});
  body_jacobian(s.model, s.data, where, J);
  body_jacobian_dot(s.model, s.data, where, Jdot);
  return {J.middleRows(begin, rows), Jdot.middleRows(begin, rows), random_vector<double>(rows, seed)};
}
inline Task task_of_last(const State& s, int begin, int rows, int seed = 7) {
  return task_of(s, s.model.bodies().back(), begin, rows, seed);
}

/// Returns the task's part of the acceleration a minus the requested acceleration.
inline VectorXd missed(const State& s, const Task& task, const VectorXd& a) {
  return task.J * a + task.Jdot * s.v - task.acceleration;
}
inline VectorXd accelerations(State& s, const VectorXd& tau) { return aba(s.model, s.data, tau); }

/// A quadruped with legs that roll, pitch and bend, and contacts that hold its feet in place on the ground.
inline Model<double> legged() {
  ModelBuilder<double> builder("legged");
  Random<double> random(5);
  builder.add_body(
      {.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = InertialParameters<double>(random.inertia())});
  for (int leg = 0; leg < 4; ++leg) {
    Parent parent = "trunk";
    const double x = leg < 2 ? 0.3 : -0.3, y = leg % 2 == 0 ? 0.2 : -0.2;
    for (int i = 0; i < 3; ++i)
      parent =
          builder.add_body({.name = std::to_string(leg) + "_" + std::to_string(i),
                            .parent = parent,
                            .joint = joint::Revolute(i == 0 ? Vector3<double>(1, 0, 0) : Vector3<double>(0, 1, 0)),
                            .placement = {identity3<double>(), i == 0 ? Vector3<double>(x, y, 0)
                                                                      : Vector3<double>(0, 0.02, i == 1 ? 0.0 : -0.3)},
                            .inertia = ball(0.5, {0.01, 0.02, -0.15})});
    builder.add_frame("foot" + std::to_string(leg), parent, {identity3<double>(), {0, 0, -0.3}});
  }
  return builder.build();
}
inline State standing(int seed) {
  State s(legged(), seed);
  for (int leg = 0; leg < 4; ++leg)
    s.q.segment<3>(7 + 3 * leg) = Eigen::Vector3d(0.1, 0.6, -1.2) + 0.1 * random_vector<double>(3, seed + leg);
  forward_kinematics<double>(s.model, s.data, s.q, s.v);
  return s;
}
inline Loops<double> feet(const State& s, int count) {
  Loops<double> loops(s.model);
  for (int i = 0; i < count; ++i) {
    const auto& foot = s.model.frame("foot" + std::to_string(i));
    const auto pose = body_pose(s.model, s.data, foot);
    loops.close(foot.name(), s.model.ground_frame(pose), foot, closure::Point{});
  }
  return loops;
}
inline Task contacts_of(const State& s, const Loops<double>& loops) {
  Task c{MatrixXd(loops.rows(), s.n()), MatrixXd(loops.rows(), s.n()), VectorXd::Zero(loops.rows())};
  constraint_jacobian<double>(s.model, s.data, loops, c.J);
  constraint_jacobian_dot<double>(s.model, s.data, loops, c.Jdot);
  return c;
}

}  // namespace operational_space_test
