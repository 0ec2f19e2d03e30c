#pragma once

#include <concepts>

#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A robot over the scalar S, for algorithms, controllers, observers and simulations: a Model with a Data, or a
/// Mechanism (mechanism/mechanism.hpp) with a MechanismData. q is a configuration of tree(); speeds, forces and gains
/// have nv() numbers, and speed k is the speed of degree of freedom dof_of_speed(k) of the tree. Functions with an
/// argument `robot`, such as rnea and crba, take both: the argument has the type Robot<S>, so that S is deduced from
/// it. The concept is for classes that have the type of their robot as a parameter.
template <class Robot, class S>
concept RobotLike = ModelOrMechanism<Robot> && std::same_as<typename Robot::Scalar, S> &&
    requires(const Robot& robot, const DataOf<Robot>& data, const char* name) {
  { robot.tree() } -> std::same_as<const Model<S>&>;
  { robot.nv() } -> std::same_as<int>;
  { robot.dof_of_speed(0) } -> std::same_as<int>;
  { data.of_tree() } -> std::same_as<const Data<S>&>;
  { data.speeds() } -> std::same_as<const VectorX<S>&>;
  data.require(robot, Pass::velocity, name);
};

/// Conversions between a robot's speeds y and its tree: velocities and accelerations of the tree from y and dy/dt, and
/// the forces on y from the forces on the tree. For a Model they copy.
template <class S>
void tree_velocities(const Model<S>&, const Data<S>&, const VectorX<S>& y, VectorX<S>& v) {
  v = y;
}
template <class S>
void tree_accelerations(const Model<S>&, const Data<S>&, const VectorX<S>&, const VectorX<S>& ydot, VectorX<S>& a) {
  a = ydot;
}
template <class S>
void project_forces(const Model<S>&, const Data<S>&, MatrixIn<S> tau, MatrixOut<S> tau_y) {
  for (Eigen::Index j = 0; j < tau.cols(); ++j)
    for (Eigen::Index i = 0; i < tau.rows(); ++i) tau_y(i, j) = tau(i, j);
}
/// for_each_speed calls f(c, dv_k/dy_c) for every speed c that moves degree of freedom k of the tree;
/// for_each_speed_rate calls f(c, d/dt dv_k/dy_c) for every such speed whose dv_k/dy_c varies.
/// for_each_speed_derivative calls f(c, dv_k/dq_c, da_k/dq_c, da_k/dy_c) for the same speeds, with the derivatives
/// along q at constant y and dy/dt; the derivatives of a_k are valid from Pass::acceleration on. For a Model,
/// for_each_speed calls f(k, 1), and the other two do not call f. For a Mechanism these two take a RateDataOf.
template <class S, class F>
void for_each_speed(const Model<S>&, const Data<S>&, int k, F&& f) {
  f(k, S(1));
}
template <class S, class F>
void for_each_speed_rate(const Model<S>&, const Data<S>&, int, F&&) {}
template <class S, class F>
void for_each_speed_derivative(const Model<S>&, const Data<S>&, int, Pass, F&&) {}

/// Runs forward_kinematics inside an integration step, when loops of a Mechanism may be open by the step's error; and
/// ends the step, which closes the loops at q. In a batch, `speeds` are NaN for states whose loops cannot be closed.
template <class S>
void pass_within_step(const Model<S>& model, Data<S>& data, const VectorX<S>& q, const VectorX<S>& v,
                      const char* function = "forward_kinematics") {
  forward_kinematics<S>(model, data, q, v, function);
}
template <class S>
void close_loops(const Model<S>&, const Data<S>&, const VectorX<S>&, const VectorX<S>&) {}

namespace detail {

/// Calls f(b, k) once for each node b of independent joints, whose degrees of freedom are the robot's from k on.
/// @throws ModelError, naming the caller, for a joint with both independent and dependent speeds
template <class Robot, class F>
void for_each_driven_node(const Robot& robot, const char* caller, F&& f) {
  const auto& tree = robot.tree();
  for (int k = 0; k < robot.nv();) {
    const int dof = robot.dof_of_speed(k), b = tree.node_of(dof);
    const auto& node = tree.node(b);
    const int n = node.v_end - node.v_begin;
    if (dof != node.v_begin || k + n > robot.nv() || robot.dof_of_speed(k + n - 1) != node.v_end - 1)
      throw ModelError(join({caller, ": only some speeds of joint '", joint_of_dof(tree, dof),
                             "' are independent; make all of them independent, or none"}));
    f(b, k);
    k += n;
  }
}

}  // namespace detail
}}  // namespace corio
