#pragma once

#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/control/checks.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"

/// Errors of a motion against a desired one on the configuration manifold.
namespace corio {

/// Errors of q and v against q_d and v_d, all measured in the degrees of freedom at q.
///
/// e = difference(q_d, q). A velocity v_d at q_d corresponds to the velocity w = A v_d at q = integrate(q_d, e) as q_d
/// moves at constant e. It is v_d itself where q is a plain vector, and Ad(exp(-e)) v_d for joints that are groups,
/// such as ball joints and floating bases. For E = de/dq,
///
///   de/dt = E (v - w),   dw/dt = A a_d - [v - w, w],   [x, y]_l = sum_ab c(l,a,b) x_a y_b,
///
/// with the structure constants c of the joints.
template <class S = double>
class TrackingError {
 public:
  explicit TrackingError(const Model<S>& m) : e(zeros<S>(m.nv())), e_dot(e), v_d(e), a_d(e), v_e(e) {}

  VectorX<S> e, e_dot;  // nv, difference(q_d, q) and its rate
  VectorX<S> v_d, a_d;  // nv, the desired velocity w and dw/dt, in the degrees of freedom at q
  VectorX<S> v_e;       // nv, v - w

  /// @param data                             after forward_kinematics(model, data, q, v)
  /// @param desired_q, desired_v, desired_a  nq, nv, nv, in the degrees of freedom at desired_q
  /// @throws SizeError, StateError; Error, naming the caller and the index, for a number that is not finite; ModelError
  /// for a user's joint with several degrees of freedom whose functions are not templates. O(n), no allocation.
  void update(const Model<S>& model, const Data<S>& data, VectorIn<S> desired_q, VectorIn<S> desired_v,
              VectorIn<S> desired_a, const char* caller = "TrackingError");
};

template <class S>
void TrackingError<S>::update(const Model<S>& model, const Data<S>& data, VectorIn<S> desired_q, VectorIn<S> desired_v,
                              VectorIn<S> desired_a, const char* caller) {
  data.require(model, Pass::velocity, caller);
  detail::check_size("the model's nv", model.nv(), e.size(), caller);
  detail::check_sample("q", data.q, model.nq(), caller);
  detail::check_sample("v", data.v, model.nv(), caller);
  detail::check_sample("q_d", desired_q, model.nq(), caller);
  detail::check_sample("v_d", desired_v, model.nv(), caller);
  detail::check_sample("a_d", desired_a, model.nv(), caller);
  difference<S>(model, desired_q, data.q, e);
  v_d = desired_v, a_d = desired_a;
  e_dot = v_e = data.v - v_d;
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    const int k = node.v_begin, n = node.v_end - k;
    if (n < 2) continue;
    detail::integrate_along<S>(model, node, caller, desired_q, &e[k], desired_v.data() + k, &v_d[k]);
    detail::integrate_along<S>(model, node, caller, desired_q, &e[k], desired_a.data() + k, &a_d[k]);
    detail::difference_along<S>(model, node, caller, desired_q, data.q, desired_v.data() + k, data.v.data() + k,
                                &e_dot[k]);
    v_e.segment(k, n) = data.v.segment(k, n) - v_d.segment(k, n);
    S bracket[joint::max_nv];
    detail::JointBrackets<S>(data, b, node).apply(&v_e[k], &v_d[k], bracket);
    for (int i = 0; i < n; ++i) a_d[k + i] -= bracket[i];
  }
}

}  // namespace corio
