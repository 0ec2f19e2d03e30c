#pragma once

#include <Eigen/LU>

#include "corio/algorithms/structure_constants.hpp"
#include "corio/control/checks.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"

/// How far a motion is from a desired one on the configuration manifold.
namespace corio {

/// Errors of q and v against q_d and v_d, all measured in the degrees of freedom at q.
///
/// e = difference(q_d, q). A velocity at q_d has other components at q: those of the velocity w with which q would keep
/// e constant, 0 = (de/dq_d) v_d + (de/dq) w. That is v_d itself where q is a plain vector, and Ad(exp(-e)) v_d for
/// joints that are groups, as balls and floating bases are. With it,
///
///   de/dt = E (v - w),   E = de/dq,
///   dw/dt = -(de/dq)^-1 (de/dq_d) a_d - [v - w, w],   [x, y]_l = sum_ab c(l,a,b) x_a y_b,
///
/// with the structure constants c of the joints.
template <class S = double>
class TrackingError {
 public:
  explicit TrackingError(const Model<S>& m)
      : e(zeros<S>(m.nv())), e_dot(e), v_d(e), a_d(e), v_e(e), blocks_(m.num_nodes()) {}

  VectorX<S> e, e_dot;  // nv, difference(q_d, q) and its rate
  VectorX<S> v_d, a_d;  // nv, the desired velocity w and dw/dt, in the degrees of freedom at q
  VectorX<S> v_e;       // nv, v - w

  /// @param data  after forward_kinematics(model, data, q, v)
  /// @param desired_q, desired_v, desired_a  nq, nv, nv, in the degrees of freedom at desired_q
  /// @throws SizeError, StateError; Error, naming the caller and the index, for a number that is not finite; ModelError
  /// for a user's joint with several degrees of freedom whose functions are no templates. O(n), no allocation.
  void update(const Model<S>& model, const Data<S>& data, VectorIn<S> desired_q, VectorIn<S> desired_v,
              VectorIn<S> desired_a, const char* caller = "TrackingError");

  /// out = E^T x: the gradient, along the degrees of freedom at q, of a potential of e whose gradient is x.
  void apply_transpose(const Model<S>& model, VectorIn<S> x, VectorX<S>& out) const {
    out = x;
    for (int b = 0; b < model.num_nodes(); ++b)
      if (const auto [k, n] = several(model.node(b)); n > 1)
        out.segment(k, n) = blocks_[b].transpose() * x.segment(k, n);
  }

 private:
  using Block = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, joint::max_nv, joint::max_nv>;
  struct Dofs {
    int begin, count;
  };
  static Dofs several(const Node<S>& node) { return {node.v_begin, node.v_end - node.v_begin}; }

  PerNode<Block> blocks_;  // of E, for joints with several degrees of freedom
};

template <class S>
void TrackingError<S>::update(const Model<S>& model, const Data<S>& data, VectorIn<S> desired_q, VectorIn<S> desired_v,
                              VectorIn<S> desired_a, const char* caller) {
  data.require(model, Pass::velocity, caller);
  detail::check_size("the model's nv", model.nv(), e.size(), caller);
  detail::check_sample<S>(caller, "q", data.q, model.nq());
  detail::check_sample<S>(caller, "v", data.v, model.nv());
  detail::check_sample<S>(caller, "q_d", desired_q, model.nq());
  detail::check_sample<S>(caller, "v_d", desired_v, model.nv());
  detail::check_sample<S>(caller, "a_d", desired_a, model.nv());
  difference<S>(model, desired_q, data.q, e);
  v_d = desired_v, a_d = desired_a;
  e_dot = v_e = data.v - v_d;
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto [k, n] = several(model.node(b));
    if (n < 2) continue;
    joint::ManifoldPartials<S> partials;
    detail::difference_blocks<S>(model, model.node(b), caller, desired_q, data.q, partials);
    const Eigen::Map<const MatrixX<S>> by_desired(partials.first, n, n);
    Block& E = blocks_[b];
    E = Eigen::Map<const MatrixX<S>>(partials.second, n, n);
    Block w(n, 2);
    w << desired_v.segment(k, n), desired_a.segment(k, n);
    w = Block(E.partialPivLu().solve(Block(-(by_desired * w))));
    v_d.segment(k, n) = w.col(0), a_d.segment(k, n) = w.col(1);
    v_e.segment(k, n) = data.v.segment(k, n) - v_d.segment(k, n);
    e_dot.segment(k, n).noalias() = E * v_e.segment(k, n);
    detail::for_each_structure_constant(model, data, b,
                                        [&](int l, int i, int j, const S& c) { a_d[l] -= c * v_e[i] * v_d[j]; });
  }
}

}  // namespace corio
