#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "corio/kinematics/configuration.hpp"
#include "corio/loops/pose_targets.hpp"
#include "corio/solvers/symmetric_factor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Calls f(node, lower, upper) once for each hinge and slider that has limits.
template <class S, class F>
void for_each_limited(const Model<S>& model, F&& f) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    const int q_end = b + 1 < model.num_nodes() ? model.node(b + 1).q_begin : model.nq();
    if (q_end != node.q_begin + 1 || node.v_end != node.v_begin + 1) continue;
    const double lower = model.lower_limit()[node.q_begin], upper = model.upper_limit()[node.q_begin];
    if (lower <= upper && (std::isfinite(lower) || std::isfinite(upper))) f(node, S(lower), S(upper));
  }
}

/// Solves k(q) = 0 for conditions on the configuration manifold by Levenberg-Marquardt steps of least length,
///   x = -K^T (K K^T + mu)^-1 k,   q <- q (+) x,
/// where mu, the damping, is adapted to the decrease that each step attains. Redundant conditions do no harm. Steps of
/// degrees of freedom may be bounded: a degree of freedom that is at its bound and would pass it is removed from K, and
/// the steps of the others end at their bounds.
template <std::floating_point S>
class ClosingSteps {
 public:
  static constexpr int most = 200;  // steps from one start

  /// @param limits  whether the limits of hinges and sliders are kept
  ClosingSteps(const TargetsAndLoops<S>& conditions, bool limits)
      : lower(VectorX<S>::Constant(conditions.model().nv(), -std::numeric_limits<S>::infinity())),
        upper(-lower),
        conditions_(conditions),
        model_(conditions.model()),
        limits_(limits),
        k_(conditions.rows()),
        size_(conditions.rows()),
        K_(conditions.rows(), model_.nv()) {}

  /// Bounds for the next step of each degree of freedom; both are zero for a degree of freedom that is held.
  VectorX<S> lower, upper;

  /// Moves q within the limits, and iterates until the largest residual, relative to its size, is far below the
  /// tolerance or at a minimum.
  /// @returns this residual
  S reach(VectorX<S>& q, double tolerance) {
    const S good = static_cast<S>(1e-2 * tolerance);
    keep_limits(q);
    evaluate(q);
    const bool closed = iterate(q, good);
    keep_limits(q);  // Rounding may have left q slightly outside.
    if (limits_ || !closed) conditions_.residual(q, k_);
    conditions_.sizes(size_);
    return largest();
  }
  /// Returns the step that is nearest to `wish` and leaves the residual at q unchanged to first order.
  VectorX<S> step_along_conditions(const VectorX<S>& q, const VectorX<S>& wish) {
    evaluate(q);
    linearize(q);
    return bounded(std::numeric_limits<S>::epsilon(), wish, VectorX<S>::Zero(k_.size()));
  }
  /// Computes the residual at q.
  void evaluate(const VectorX<S>& q) { conditions_.residual(q, k_), conditions_.sizes(size_); }
  /// Writes the number of steps so far, and the largest residual at the present q with the name of its target or loop.
  template <class Result>
  void report(Result& result) const {
    result.iterations = iterations_;
    if (k_.size() == 0) return;
    Eigen::Index row = 0;
    result.residual = k_.cwiseAbs().maxCoeff(&row);
    result.worst = conditions_.name_of(row);
  }

 private:
  void linearize(const VectorX<S>& q) {
    conditions_.jacobian(k_, K_);
    if (!limits_) return;
    for_each_limited(model_, [&](const Node<S>& node, S least, S most_of_q) {
      lower[node.v_begin] = least - q[node.q_begin], upper[node.v_begin] = most_of_q - q[node.q_begin];
    });
  }
  void keep_limits(VectorX<S>& q) const {
    if (!limits_) return;
    for_each_limited(model_, [&](const Node<S>& node, S least, S most_of_q) {
      q[node.q_begin] = std::clamp(q[node.q_begin], least, most_of_q);
    });
  }
  /// Returns the largest residual, relative to its size.
  S largest() const {
    S found(0);
    for (Eigen::Index i = 0; i < k_.size(); ++i)
      if (const S x = std::abs(k_[i] / size_[i]); x > found || std::isnan(x)) found = x;
    return found;
  }
  /// Iterates from q, with its residual in k_, until largest() is not above `good` or at a minimum.
  /// @returns whether largest() is not above `good`; otherwise the last call of residual() may have had another q
  bool iterate(VectorX<S>& q, S good) {
    const VectorX<S> no_wish = VectorX<S>::Zero(model_.nv());
    S mu = static_cast<S>(1e-3);
    // Only the excess over `good` counts: rounding errors of large coordinates would hide the decrease of small ones.
    const auto excess = [&](const VectorX<S>& k) {
      S squares(0);
      for (Eigen::Index i = 0; i < k.size(); ++i)
        if (const S x = std::abs(k[i]) - good * size_[i]; !(x <= S(0))) squares += x * x;
      return squares;
    };
    for (int steps = 0; steps < most && k_.size() > 0; ++steps, ++iterations_) {
      if (largest() <= good) return true;
      linearize(q);
      bool better = false;
      // The residual falls for a mu that is large enough, unless q is at a minimum.
      for (; !better && mu < static_cast<S>(1e12); mu *= better ? static_cast<S>(0.1) : S(10)) {
        integrate<S>(model_, q, bounded(mu, no_wish, k_), next_q_);
        conditions_.residual(next_q_, next_k_);
        better = excess(next_k_) < excess(k_);
        if (better) q.swap(next_q_), k_.swap(next_k_);
      }
      if (!better) return false;
      mu = (std::max)(mu, static_cast<S>(1e-14));
    }
    return false;
  }
  /// Computes the step that is nearest to a desired step z and removes the residual to first order, within the bounds,
  ///   x = z - K^T (K K^T + mu)^-1 (residual + K z),
  /// with mu relative to the largest entry. The columns of K of degrees of freedom that may not move are zero.
  VectorX<S> bounded(S mu, const VectorX<S>& wish, const VectorX<S>& residual) {
    Kf_ = K_;
    for (int j = 0; j < model_.nv(); ++j)
      if (lower[j] == S(0) && upper[j] == S(0)) Kf_.col(j).setZero();
    const Eigen::Index m = K_.rows();
    for (;;) {
      A_.setZero(m, m);
      VectorX<S> x = wish, multipliers = residual;
      for (int j = 0; j < model_.nv(); ++j) {
        const S* const column = Kf_.data() + j * m;
        for (Eigen::Index c = 0; c < m; ++c) add_multiple<S>(&A_(0, c), column[c], column, m);
        add_multiple<S>(multipliers.data(), wish[j], column, m);
      }
      A_.diagonal().array() += mu * A_.diagonal().template lpNorm<Eigen::Infinity>();
      factor_.compute(A_);
      factor_.solve(multipliers.data());
      bool passes = false;
      for (int j = 0; j < model_.nv(); ++j) {
        S* const column = Kf_.data() + j * m;
        for (Eigen::Index i = 0; i < m; ++i) x[j] -= column[i] * multipliers[i];
        if (!(x[j] > S(0) ? upper[j] <= S(0) : x[j] < S(0) && lower[j] >= S(0))) continue;
        passes = passes || std::any_of(column, column + m, [](S entry) { return entry != S(0); });
        std::fill_n(column, m, S(0));
      }
      if (passes) continue;
      x = x.cwiseMax(lower).cwiseMin(upper);
      return x;
    }
  }

  const TargetsAndLoops<S>& conditions_;
  const Model<S>& model_;
  const bool limits_;
  int iterations_ = 0;
  VectorX<S> k_, size_;  // the residual at q, and the size of each (TargetsAndLoops::sizes)
  MatrixX<S> K_, Kf_, A_;
  VectorX<S> next_q_{model_.nq()}, next_k_{k_.size()};
  SymmetricFactor<S> factor_;
};

}}}  // namespace corio::detail
