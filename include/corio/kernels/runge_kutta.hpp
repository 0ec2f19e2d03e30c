#pragma once

#include "corio/kinematics/configuration.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The Runge-Kutta method of order four for
///   dq/dt = v(q, y), on the configuration manifold of a tree,   dy/dt = a(q, y),
/// commutator-free for q, classical for y. y = v for a tree; for a mechanism y are its independent speeds.
/// Source: Celledoni, Marthinsen and Owren, Commutator-free Lie group methods, 2003.
template <class S>
class RungeKutta4 {
 public:
  RungeKutta4(const Model<S>& tree, int nv) : stage_q_(zeros<S>(tree.nq())), move_(zeros<S>(tree.nv())) {
    stage_y_ = sum_ = zeros<S>(nv);
    v_[0] = v_[1] = v_[2] = v_[3] = move_;
  }

  /// Makes a step of length h with four evaluations of rates; allocates nothing.
  /// @param rates   rates(q, y, weight, v) writes v and returns a; `weight` is the stage's in means over the step
  /// @param next_q, next_y  must not alias q and y
  template <class F>
  void run(const Model<S>& tree, const VectorX<S>& q, const VectorX<S>& y, const S& h, F&& rates, VectorX<S>& next_q,
           VectorX<S>& next_y) {
    const double sixth = 1.0 / 6;
    const S half = h / S(2), twelfth = h / S(12);
    auto& [v1, v2, v3, v4] = v_;
    const auto evaluate = [&](const VectorX<S>& at_q, const VectorX<S>& at_y, double share,
                              VectorX<S>& v) -> const VectorX<S>& {
      const VectorX<S>& a = rates(at_q, at_y, share, v);
      sum_ += S(share) * h * a;
      return a;
    };
    const auto move = [&](const VectorX<S>& from, VectorX<S>& out) { integrate<S>(tree, from, move_, out); };
    sum_ = y;

    stage_y_ = y + half * evaluate(q, y, sixth, v1);
    move_ = half * v1;
    move(q, next_q);
    next_y = y + half * evaluate(next_q, stage_y_, 2 * sixth, v2);
    move_ = half * v2;
    move(q, stage_q_);
    stage_y_ = y + h * evaluate(stage_q_, next_y, 2 * sixth, v3);
    move_ = h * v3 - half * v1;
    move(next_q, stage_q_);  // from the second stage
    evaluate(stage_q_, stage_y_, sixth, v4);

    move_ = twelfth * (S(3) * v1 + S(2) * v2 + S(2) * v3 - v4);
    move(q, stage_q_);
    move_ = twelfth * (S(-1) * v1 + S(2) * v2 + S(2) * v3 + S(3) * v4);
    move(stage_q_, next_q);
    next_y = sum_;
  }

 private:
  VectorX<S> v_[4], stage_q_, stage_y_, move_, sum_;
};

}}}  // namespace corio::detail
