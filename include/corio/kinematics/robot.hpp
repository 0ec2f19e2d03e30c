#pragma once

#include <concepts>

#include "corio/kinematics/forward_kinematics.hpp"

namespace corio::inline CORIO_ABI {

/// What controllers, observers and simulations over the scalar S act on: a Model with a Data, or a Mechanism
/// (loops/mechanism.hpp) with a MechanismData. Configurations q are those of tree(); speeds, forces and gains have
/// nv(), and speed k is that of degree of freedom dof_of_speed(k) of the tree. Functions of a `robot`, such as
/// rnea and crba, are for both.
template <class R, class S>
concept RobotLike = std::same_as<typename R::Scalar, S> &&
    requires(const R& robot, const typename R::DataType& data, const char* name) {
  { robot.tree() } -> std::same_as<const Model<S>&>;
  { robot.nv() } -> std::same_as<int>;
  { robot.dof_of_speed(0) } -> std::same_as<int>;
  { data.of_tree() } -> std::same_as<const Data<S>&>;
  { data.speeds() } -> std::same_as<const VectorX<S>&>;
  data.require(robot, Pass::velocity, name);
};

/// Velocities and accelerations of the tree for speeds y of a robot and their rates, and forces on the speeds for those
/// of the tree: for a Model they are the same.
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
/// f(c, g) for the speeds c that move degree of freedom k of the tree, dv_k/dy_c = g: of a Model k itself, by 1; and
/// f(c, dg/dt) for those whose g varies.
template <class S, class F>
CORIO_INLINE void for_each_speed(const Model<S>&, const Data<S>&, int k, F&& f) {
  f(k, S(1));
}
template <class S, class F>
CORIO_INLINE void for_each_speed_rate(const Model<S>&, const Data<S>&, int, F&&) {}

namespace detail {

/// f(b, k) for the nodes b whose degrees of freedom are the speeds of the robot from k on.
/// @throws ModelError, naming the caller, for a joint of which a mechanism has some speeds, and not all
template <class R, class F>
void for_each_driven_node(const R& robot, const char* caller, F&& f) {
  const auto& tree = robot.tree();
  for (int k = 0; k < robot.nv();) {
    const int dof = robot.dof_of_speed(k), b = tree.node_of(dof);
    const auto& node = tree.node(b);
    const int n = node.v_end - node.v_begin;
    if (dof != node.v_begin || k + n > robot.nv() || robot.dof_of_speed(k + n - 1) != node.v_end - 1)
      throw ModelError(join({caller, ": of joint '", joint_of_dof(tree, dof),
                             "' some speeds are independent, and others are not; choose joints as a whole"}));
    f(b, k);
    k += n;
  }
}

}  // namespace detail
}  // namespace corio
