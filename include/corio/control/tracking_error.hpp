#pragma once

#include "corio/control/detail/checks.hpp"
#include "corio/core/compiled.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/detail/joint_brackets.hpp"

/// Errors of a motion relative to a desired one, on the configuration manifold.
namespace corio { inline namespace CORIO_ABI {

/// Errors of q and v relative to q_d and v_d, all measured in the degrees of freedom at q.
///
/// e = difference(q_d, q). A velocity v_d at q_d corresponds to the velocity w = A v_d at q = integrate(q_d, e) as q_d
/// moves at constant e. It is v_d itself if q is a plain vector, and Ad(exp(-e)) v_d for joints that are groups, such
/// as ball joints and floating bases. For E = de/dq,
///
///   de/dt = E (v - w),   dw/dt = A a_d - [v - w, w],   [x, y]_l = sum_ab c(l,a,b) x_a y_b,
///
/// with the structure constants c of the joints. For a Mechanism the joints are its independent ones: other coordinates
/// of q_d do not matter.
template <class S = double>
class TrackingError {
 public:
  template <template <class> class Robot>
  explicit TrackingError(const Robot<S>& robot)
      : e(zeros<S>(robot.nv())), e_dot(e), v_d(e), a_d(e), v_e(e), of_tree_(zeros<S>(robot.tree().nv())) {}

  VectorX<S> e, e_dot;  // nv, difference(q_d, q) and its rate
  VectorX<S> v_d, a_d;  // nv, the desired velocity w and dw/dt, in the degrees of freedom at q
  VectorX<S> v_e;       // nv, v - w

  /// @param data                             after forward_kinematics(model, data, q, v)
  /// @param desired_q, desired_v, desired_a  nq, nv, nv, in the degrees of freedom at desired_q
  /// @throws SizeError, StateError; Error, naming the caller and the index, for a number that is not finite; ModelError
  /// for a user's joint with several degrees of freedom whose functions are not templates. O(n), no allocation.
  template <template <class> class Robot>
  void update(const Robot<S>& robot, const DataOf<Robot<S>>& data, VectorIn<S> desired_q, VectorIn<S> desired_v,
              VectorIn<S> desired_a, const char* caller = "TrackingError");

 private:
  VectorX<S> of_tree_;  // difference(q_d, q)
};

template <class S>
template <template <class> class Robot>
void TrackingError<S>::update(const Robot<S>& robot, const DataOf<Robot<S>>& data, VectorIn<S> desired_q,
                              VectorIn<S> desired_v, VectorIn<S> desired_a, const char* caller) {
  data.require(robot, Pass::velocity, caller);
  const Model<S>& tree = robot.tree();
  const VectorX<S>&q = data.of_tree().q, &v = data.speeds();
  detail::check_size("the model's nv", robot.nv(), e.size(), caller);
  detail::check_size("nv of the tree", tree.nv(), of_tree_.size(), caller);
  detail::check_finite_coordinates("q", q, tree, caller);
  detail::check_finite_speeds("v", v, robot, caller);
  detail::check_finite_coordinates("q_d", desired_q, tree, caller);
  detail::check_finite_speeds("v_d", desired_v, robot, caller);
  detail::check_finite_speeds("a_d", desired_a, robot, caller);
  difference<S>(tree, desired_q, q, of_tree_);
  for (int k = 0; k < robot.nv(); ++k) e[k] = of_tree_[robot.dof_of_speed(k)];
  v_d = desired_v, a_d = desired_a;
  e_dot = v_e = v - v_d;
  detail::for_each_driven_node(robot, caller, [&](int b, int k) {
    const Node<S>& node = tree.node(b);
    const int n = node.v_end - node.v_begin;
    if (n < 2) return;
    detail::integrate_along<S>(tree, node, caller, desired_q, &e[k], desired_v.data() + k, &v_d[k]);
    detail::integrate_along<S>(tree, node, caller, desired_q, &e[k], desired_a.data() + k, &a_d[k]);
    detail::difference_along<S>(tree, node, caller, desired_q, q, desired_v.data() + k, v.data() + k, &e_dot[k]);
    v_e.segment(k, n) = v.segment(k, n) - v_d.segment(k, n);
    S bracket[joint::max_nv];
    detail::JointBrackets<S>(tree, data.of_tree(), b).apply(&v_e[k], &v_d[k], bracket);
    for (int i = 0; i < n; ++i) a_d[k + i] -= bracket[i];
  });
}

#define CORIO_COMPILED_TRACKING_ERROR(EXTERN, S)                                                           \
  EXTERN template class TrackingError<S>;                                                                  \
  EXTERN template void TrackingError<S>::update(const Model<S>&, const Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                VectorIn<S>, const char*);
CORIO_DECLARE_COMPILED(TRACKING_ERROR)

}}  // namespace corio
