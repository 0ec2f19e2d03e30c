#pragma once

#include <array>
#include <string>
#include <vector>

#include "corio/algorithms/dynamics/passive_forces.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Parameters of joints that enter motor torques linearly, per degree of freedom and in this order.
enum class JointParameter { armature, damping, friction, offset };

namespace detail {

/// Returns the factors of these parameters: a, v, tanh(v / smoothing), 1.
template <class S>
std::array<S, 4> joint_factors(const S& v, const S& a, double smoothing) {
  return {a, v, friction_direction<S>(v, smoothing), S(1)};
}

}  // namespace detail

/// Returns the parameters p of joint_regressor that a model has, four for each degree of freedom: armature, damping,
/// friction, and zero, since a model has no offsets. Allocates.
template <class S>
VectorX<S> joint_parameters(const Model<S>& model) {
  VectorX<S> p(4 * model.nv());
  for (int k = 0; k < model.nv(); ++k)
    p.template segment<4>(4 * k) << model.armature()[k], model.damping()[k], model.friction()[k], S(0);
  return p;
}

/// Sets armature, damping and friction of all joints to the numbers in p. Offsets are not used; a program adds them to
/// the torques of its motors. Allocates.
/// @throws SizeError; ModelError naming the joint whose number is negative or not finite. The model is then unchanged.
template <class S>
void set_joint_parameters(Model<S>& model, VectorIn<S> p) {
  detail::check_size("p", p.size(), 4 * model.nv());
  const MatrixX<S> rows = p.reshaped(4, model.nv()).transpose();
  Model<S> changed = model;
  changed.set_armature(rows.col(0));
  changed.set_damping(rows.col(1));
  changed.set_friction(rows.col(2));
  model = std::move(changed);
}

/// Returns the names of the columns of joint_regressor, such as "armature(elbow)"; for a joint with several degrees of
/// freedom, such as "armature(ball[0])". Allocates.
template <class S>
std::vector<std::string> joint_parameter_names(const Model<S>& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints())
    for (int k = 0; k < joint.nv(); ++k) {
      const std::string index = joint.nv() > 1 ? detail::join({"[", std::to_string(k), "]"}) : "";
      for (const char* of : {"armature", "damping", "friction", "offset"})
        names.push_back(detail::join({of, "(", joint.name(), index, ")"}));
    }
  return names;
}

/// Computes Y with Y p = the motor torques for armature, damping, friction and offset of the joints,
///   tau_k = armature_k a_k + damping_k v_k + friction_k tanh(v_k / smoothing) + offset_k,
/// p = [armature_0, damping_0, friction_0, offset_0, armature_1, ...]. To identify a robot, append these columns to
/// inverse_dynamics_regressor.
///
/// For a mechanism with closed loops there is a row for each independent speed, and four columns for each degree of
/// freedom of the tree. Columns of coupled joints, such as a motor's and its gear's, are linearly dependent: only a sum
/// of their parameters can be identified.
///
/// @param Y  resized to nv x 4 nv of the tree if its size differs, which allocates; degree of freedom k has columns 4 k
///           to 4 k + 3
/// @throws SizeError, StateError; Error for a negative smoothing. O(n), for a mechanism times the number of independent
/// speeds in a cluster, plus setting Y to zero.
template <class S, template <class> class Robot>
void joint_regressor(const Robot<S>& robot, const DataOf<Robot<S>>& data, MatrixX<S>& Y,
                     double smoothing = friction_smoothing) {
  data.require(robot, Pass::acceleration, "joint_regressor");
  detail::check_smoothing(smoothing);
  const Data<S>& tree = data.of_tree();
  const int n = robot.tree().nv();
  Y.setZero(robot.nv(), 4 * n);
  for (int k = 0; k < n; ++k) {
    const auto factors = detail::joint_factors<S>(tree.v[k], tree.a[k], smoothing);
    for_each_speed(robot, data, k, [&](int c, const S& g) {
      for (int i = 4 * k; const S& factor : factors) Y(c, i++) = g * factor;
    });
  }
}
template <class S, template <class> class Robot>
void joint_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                     MatrixX<S>& Y, double smoothing = friction_smoothing) {
  detail::check_smoothing(smoothing);
  joint_regressor(robot, forward_kinematics(robot, data, q, v, a, __func__), Y, smoothing);
}
/// Computes joint_regressor of a Model at any v and a, which needs no kinematics pass.
template <class S>
void joint_regressor(const Model<S>& model, VectorIn<S> v, VectorIn<S> a, MatrixX<S>& Y,
                     double smoothing = friction_smoothing) {
  detail::check_speeds("v", v, model);
  detail::check_speeds("a", a, model);
  detail::check_smoothing(smoothing);
  Y.setZero(model.nv(), 4 * model.nv());
  for (int k = 0; k < model.nv(); ++k)
    for (int i = 4 * k; const S& factor : detail::joint_factors<S>(v[k], a[k], smoothing)) Y(k, i++) = factor;
}

}}  // namespace corio
