#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "corio/model/builder.hpp"
#include "support/compare.hpp"
#include "support/compiled.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"
#include "support/user_joints.hpp"

/// Common parts of tests of joints and models: a built-in joint of every type, poses found by walking the tree,
/// messages.
namespace corio::test {

/// A joint whose axis, if it has one, is along no coordinate axis.
template <class J>
J oblique_joint() {
  const Vector3<double> axis(0.4, -1.1, 0.7);
  if constexpr (std::constructible_from<J, const Vector3<double>&, double>)
    return J(axis, 0.3);
  else if constexpr (std::constructible_from<J, const Vector3<double>&>)
    return J(axis);
  else
    return J();
}

/// The axis of oblique_joint.
inline Vector3<double> oblique_axis() { return Vector3<double>(0.4, -1.1, 0.7).normalized(); }

/// Uniform in [0, 1), the same on every platform.
inline joint::Uniform uniform(int seed) {
  return [engine = std::mt19937(static_cast<std::uint32_t>(seed))]() mutable {
    return static_cast<double>(engine()) / 4294967296.0;
  };
}

template <class S, class J>
VectorX<S> random_configuration_of(const J& joint, int seed) {
  VectorX<S> q(joint.nq);
  joint.random(uniform(seed), q.data());
  return q;
}

/// A vector with components in (-1, 1).
template <class S>
VectorX<S> random_vector(int n, int seed) {
  Random<double> random(seed);
  VectorX<S> x(n);
  for (int i = 0; i < n; ++i) x[i] = S(random.real());
  return x;
}

/// Returns T(q), and the motion subspace S(q) in the child body's axes, 6 x nv.
template <class S, class J>
Pose<S> pose_of(const J& joint, const VectorX<S>& q) {
  return joint.compose(Pose<S>::identity(), q.data());
}
template <class S, class J>
MatrixX<S> columns_of(const J& joint, const VectorX<S>& q, const Pose<S>& X = Pose<S>::identity()) {
  Motion<S> phi[6];
  joint.columns(X, q.data(), phi);
  MatrixX<S> columns(6, joint.nv);
  for (int k = 0; k < joint.nv; ++k) columns.col(k) = phi[k].vector();
  return columns;
}
template <class S, class J>
VectorX<S> integrated(const J& joint, const VectorX<S>& q, const VectorX<S>& dv) {
  VectorX<S> out(joint.nq);
  joint.integrate(q.data(), dv.data(), out.data());
  return out;
}
template <class S, class J>
VectorX<S> difference_of(const J& joint, const VectorX<S>& q0, const VectorX<S>& q1) {
  VectorX<S> dv(joint.nv);
  joint.difference(q0.data(), q1.data(), dv.data());
  return dv;
}

/// A configuration of all joints of a model.
template <class S>
VectorX<S> random_q(const Model<S>& model, int seed) {
  const joint::Uniform source = uniform(seed);
  VectorX<S> q(model.nq());
  for (int b = 0; b < model.num_nodes(); ++b)
    model.node(b).joint.visit([&](const auto& joint) { joint.random(source, q.data() + model.node(b).q_begin); });
  return q;
}

/// World poses of all nodes, by walking the tree.
template <class S>
std::vector<Pose<S>> node_poses(const Model<S>& model, const VectorX<S>& q) {
  std::vector<Pose<S>> pose;
  for (int b = 0; b < model.num_nodes(); ++b) {
    const int parent = model.node(b).parent;
    const Pose<S> frame =
        parent < 0 ? model.node(b).placement : pose[static_cast<std::size_t>(parent)] * model.node(b).placement;
    pose.push_back(model.node(b).joint.compose(frame, q.data() + model.node(b).q_begin));
  }
  return pose;
}

/// World pose of a body or frame.
template <class S>
Pose<S> frame_pose(const Model<S>& model, const VectorX<S>& q, const Frame<S>& frame) {
  if (frame.node() < 0) return frame.placement();
  return node_poses(model, q)[static_cast<std::size_t>(frame.node())] * frame.placement();
}

/// Returns the message of the exception of type E that f throws; "no exception" or "another exception" otherwise.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (...) {
    return "another exception";
  }
  return "no exception";
}

/// Tells whether `text` contains all of `parts`.
inline bool mentions(const std::string& text, const std::vector<std::string>& parts) {
  for (const auto& part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

/// Uniform ball-like inertia: valid, isotropic, centred at `com`.
template <class S = double>
InertialParameters<S> ball(double mass = 1.0, const Vector3<double>& com = Vector3<double>::Zero()) {
  return {S(mass), com.cast<S>(), (0.1 * mass) * Matrix3<S>::Identity()};
}

}  // namespace corio::test
