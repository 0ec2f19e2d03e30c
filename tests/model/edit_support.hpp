#pragma once

#include <algorithm>

#include "corio/corio.hpp"
#include "corio/model/edit.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/model_support.hpp"

/// Common parts of tests of edited models: models with everything that a model can have, and all results of their
/// dynamics.
namespace edit_test {

using namespace corio;
using namespace corio::test;
using Eigen::VectorXd;

inline constexpr double bound = 1e-11;

/// Builds joints of all types with armature and passive terms, and then changes the inertias.
inline Model<double> random_model(int seed, bool floating = false) {
  auto model = zoo::random_tree(static_cast<std::uint64_t>(seed),
                                {.bodies = 20, .floating_base = floating, .armature = true, .passive = true});
  model.set_gravity({0.5, -2, -9});
  const auto& body = model.bodies()[4];
  auto changed = model.inertia(body);
  changed.mass *= 1.5, changed.inertia *= 1.5;
  model.set_inertia(body, changed);
  return model;
}

struct State {
  VectorXd q, v, a;
};
inline State random_state(const Model<double>& model, int seed) {
  return {random_q(model, seed), random_vector<double>(model.nv(), seed + 1),
          random_vector<double>(model.nv(), seed + 2)};
}

/// tau, C v + g, M, C and passive forces at a state.
struct Dynamics {
  VectorXd tau, g, passive;
  MatrixX<double> M, C;
};
inline Dynamics dynamics(const Model<double>& model, const State& at) {
  Data<double> data(model);
  const auto& matrices = coriolis_matrix(model, data, at.q, at.v);
  Dynamics result{{}, generalized_gravity(model, data), passive_forces(model, data), matrices.M, matrices.C};
  result.tau = rnea(model, data, at.q, at.v, at.a);
  return result;
}
inline double difference(const Dynamics& x, const Dynamics& y) {
  return std::max({relative_error(x.tau, y.tau), relative_error(x.g, y.g), relative_error(x.passive, y.passive),
                   relative_error(x.M, y.M), relative_error(x.C, y.C)});
}
inline MatrixX<double> jacobian(const Model<double>& model, const VectorXd& q, const Frame<double>& frame) {
  Data<double> data(model);
  MatrixX<double> J(6, model.nv());
  body_jacobian(model, data, q, frame, J);
  return J;
}
/// Selects some degrees of freedom.
inline Dynamics at_indices(const Dynamics& x, const std::vector<int>& k) {
  return {x.tau(k), x.g(k), x.passive(k), x.M(k, k), x.C(k, k)};
}

/// Returns the largest difference between a frame's pose in one model and, relative to some pose, in the other.
inline double frame_difference(const Model<double>& edited, const VectorXd& q, const Model<double>& model,
                               const VectorXd& q_model, const Pose<double>& seen_from = Pose<double>::identity(),
                               const std::string& prefix = "") {
  double worst = 0;
  for (const auto& frame : edited.frames())
    if (frame.name().starts_with(prefix))
      worst =
          std::max(worst, relative_error(seen_from * frame_pose(edited, q, frame),
                                         frame_pose(model, q_model, model.frame(frame.name().substr(prefix.size())))));
  return worst;
}

/// Sets v and a to zero except for some degrees of freedom.
inline State only(State at, const std::vector<int>& moving) {
  State result{at.q, VectorXd::Zero(at.v.size()), VectorXd::Zero(at.v.size())};
  for (const int k : moving) result.v[k] = at.v[k], result.a[k] = at.a[k];
  return result;
}

inline JointLimits some_limits(int nq, int nv) {
  JointLimits limits;
  for (int i = 0; i < nq; ++i) limits.lower.push_back(-1.0 - i), limits.upper.push_back(2.0 + i);
  for (int k = 0; k < nv; ++k) limits.velocity.push_back(3.0 + k), limits.effort.push_back(30.0 + k);
  return limits;
}

inline JointSafety some_safety(int nq, int nv) {
  JointSafety safety;
  for (int i = 0; i < nq; ++i) safety.lower.push_back(-0.5 - i), safety.upper.push_back(1.5 + i);
  for (int k = 0; k < nv; ++k) safety.position_gain.push_back(50.0 + k), safety.velocity_gain.push_back(60.0 + k);
  return safety;
}

/// Adds two fingers with everything that a joint can have, at some pose on a parent: an offset joint, a joint of two
/// axes, a user's joint, a welded body, a frame.
inline void add_gripper(ModelBuilder<double>& builder, const Parent& parent, const Pose<double>& placement,
                        const std::string& prefix = "") {
  Random<double> random(9);
  const auto base = builder.add_body({.name = prefix + "palm",
                                      .parent = parent,
                                      .placement = placement * random.pose(),
                                      .inertia = ball(0.8, {0.1, 0, 0.2}),
                                      .joint_name = prefix + "mount"});
  builder.add_body({.name = prefix + "finger",
                    .parent = base,
                    .joint = joint::Universal({1, 2, 0}, {0, 1, 1}),
                    .placement = random.pose(),
                    .inertia = {0.1, {0, 0, 0.1}, Vector3<double>(0.1, 0.1, 0.5).asDiagonal()},  // that no body has
                    .armature = {0.1, 0.2},
                    .limits = some_limits(2, 2),
                    .safety = some_safety(2, 2),
                    .passive = {{1, 2}, {3, 4}, {5, 6}, {0.1, 0.2}}});
  builder.add_body({.name = prefix + "thumb",
                    .parent = base,
                    .joint = Cam(0.2),
                    .placement = random.pose(),
                    .body_placement = random.pose(),
                    .inertia = ball(0.2, {0, 0, 0.1}),
                    .limits = some_limits(1, 1),
                    .safety = some_safety(1, 1)});
  builder.add_body(
      {.name = prefix + "nail", .parent = prefix + "thumb", .placement = random.pose(), .inertia = ball(0.1)});
  builder.add_frame(prefix + "tip", prefix + "nail", random.pose());
  builder.add_frame(prefix + "socket", parent, placement * random.pose());
}
inline Model<double> gripper() {
  ModelBuilder<double> builder("gripper");
  builder.add_note({"link 'thumb'", 7, "it is green", ""});
  add_gripper(builder, Parent(), Pose<double>::identity());
  return builder.build();
}

std::vector<std::string> names(const auto& all) {
  std::vector<std::string> result;
  for (const auto& x : all) result.push_back(x.name());
  return result;
}
inline std::vector<std::string> texts(const std::vector<Note>& notes) {
  std::vector<std::string> result;
  for (const Note& note : notes) result.push_back(to_string(note));
  return result;
}

}  // namespace edit_test
