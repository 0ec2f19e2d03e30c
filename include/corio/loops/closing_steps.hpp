#pragma once

#include <Eigen/Cholesky>
#include <concepts>

#include "corio/kinematics/configuration.hpp"

namespace corio::detail {

/// Solves k(q) = 0 for conditions on the configuration manifold by Levenberg-Marquardt steps of least length,
///   x = -K^T (K K^T + mu)^-1 k,   q <- q (+) x,
/// where mu, the damping, is adapted to the decrease that each step attains. Redundant conditions do no harm. Degrees
/// of freedom may be bounded: one that is at its end and would pass it is taken out of K, the others are cut off there.
template <std::floating_point S>
class ClosingSteps {
 public:
  static constexpr int most = 200;  // steps

  /// @param rows  the number of conditions
  ClosingSteps(const Model<S>& model, Eigen::Index rows)
      : lower(VectorX<S>::Constant(model.nv(), -std::numeric_limits<S>::infinity())),
        upper(-lower),
        k(rows),
        K(rows, model.nv()),
        model_(model) {}

  /// How far each degree of freedom may move in the next step; both zero for one that is held.
  VectorX<S> lower, upper;
  /// The residual at q, and K.
  VectorX<S> k;
  MatrixX<S> K;

  /// From q, with its residual k, until the largest residual is below `good` or a minimum is reached.
  /// @param residual_at  residual_at(q, k)
  /// @param jacobian     writes K at the q that residual_at got last
  /// @param bound        bound(q) updates lower and upper
  /// @returns the number of steps
  template <class Residual, class Jacobian, class Bound>
  int run(VectorX<S>& q, S good, Residual&& residual_at, Jacobian&& jacobian, Bound&& bound) {
    int steps = 0;
    S mu = static_cast<S>(1e-3);
    for (; steps < most && k.size() > 0; ++steps) {
      if (k.template lpNorm<Eigen::Infinity>() <= good) break;
      jacobian();
      bound(q);
      bool better = false;
      // The residual falls for a mu that is large enough, unless q is at a minimum.
      for (; !better && mu < static_cast<S>(1e12); mu *= better ? static_cast<S>(0.1) : S(10)) {
        integrate<S>(model_, q,
                     bounded(mu,
                             [&](const MatrixX<S>& Kf, const auto& solve) -> VectorX<S> {
                               return -(Kf.transpose() * solve(k));
                             }),
                     next_q_);
        residual_at(next_q_, next_k_);
        better = next_k_.squaredNorm() < k.squaredNorm();
        if (better) q.swap(next_q_), k.swap(next_k_);
      }
      if (!better) break;
      mu = std::max(mu, static_cast<S>(1e-14));
    }
    return steps;
  }

  /// x = step(K, solve) within the bounds, with solve(y) = (K K^T + mu)^-1 y, mu relative to the largest entry. Columns
  /// of degrees of freedom that may not move are zero in K, so a step that is made of K does not move them.
  template <class Step>
  VectorX<S> bounded(S mu, Step&& step) {
    Kf_ = K;
    for (int j = 0; j < model_.nv(); ++j)
      if (lower[j] == S(0) && upper[j] == S(0)) Kf_.col(j).setZero();
    for (;;) {
      const MatrixX<S> A = Kf_ * Kf_.transpose();
      const S scale = mu * A.diagonal().maxCoeff();
      const Eigen::LDLT<MatrixX<S>> factor((A + scale * MatrixX<S>::Identity(k.size(), k.size())).eval());
      VectorX<S> x = step(Kf_, [&factor](const VectorX<S>& y) -> VectorX<S> { return factor.solve(y); });
      bool passes = false;
      for (int j = 0; j < model_.nv(); ++j) {
        if (!(x[j] > S(0) ? upper[j] <= S(0) : x[j] < S(0) && lower[j] >= S(0))) continue;
        passes = passes || !Kf_.col(j).isZero(0);
        Kf_.col(j).setZero(), x[j] = S(0);
      }
      if (!passes) return x.cwiseMax(lower).cwiseMin(upper);
    }
  }

 private:
  const Model<S>& model_;
  VectorX<S> next_q_{model_.nq()}, next_k_{k.size()};
  MatrixX<S> Kf_;
};

}  // namespace corio::detail
