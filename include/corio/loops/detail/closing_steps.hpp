#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>

#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/data.hpp"
#include "corio/solvers/symmetric_factor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Solves k(q) = 0 for conditions on the configuration manifold by Levenberg-Marquardt steps of least length,
///   x = -K^T (K K^T + mu)^-1 k,   q <- q (+) x,
/// where mu, the damping, is adapted to the decrease that each step attains. Redundant conditions do no harm. Degrees
/// of freedom may be bounded: one that is at its bound and would pass it is taken out of K, and the steps of the others
/// end at their bounds.
template <std::floating_point S>
class ClosingSteps {
 public:
  static constexpr int most = 200;  // steps

  /// @param rows  the number of conditions
  ClosingSteps(const Model<S>& model, Eigen::Index rows)
      : lower(VectorX<S>::Constant(model.nv(), -std::numeric_limits<S>::infinity())),
        upper(-lower),
        k(rows),
        size(VectorX<S>::Ones(rows)),
        K(rows, model.nv()),
        model_(model) {}

  /// Bounds for the next step of each degree of freedom; both are zero for one that is held.
  VectorX<S> lower, upper;
  /// The residual at q, and K.
  VectorX<S> k;
  /// The scale of the rounding errors of each residual, at least 1: the size of the coordinates whose difference it is.
  VectorX<S> size;
  MatrixX<S> K;

  /// The largest residual, relative to size.
  S largest() const {
    S found(0);
    for (Eigen::Index i = 0; i < k.size(); ++i)
      if (const S x = std::abs(k[i] / size[i]); x > found || std::isnan(x)) found = x;
    return found;
  }

  /// Iterates from q, with its residual k, until largest() is below `good` or a minimum is reached.
  /// @param residual_at  residual_at(q, k) sets k to the residual at q
  /// @param jacobian     writes K at the q that the last call of residual_at got
  /// @param bound        bound(q) updates lower and upper
  /// @returns the number of steps
  int run(VectorX<S>& q, S good, const std::function<void(const VectorX<S>& q, VectorX<S>& k)>& residual_at,
          const std::function<void()>& jacobian, const std::function<void(const VectorX<S>& q)>& bound) {
    int steps = 0;
    const VectorX<S> no_wish = VectorX<S>::Zero(model_.nv());
    S mu = static_cast<S>(1e-3);
    // Count only the excess over `good`: rounding errors of large coordinates would hide the decrease of small ones.
    const auto excess = [&](const VectorX<S>& of) {
      S squares(0);
      for (Eigen::Index i = 0; i < of.size(); ++i)
        if (const S x = std::abs(of[i]) - good * size[i]; !(x <= S(0))) squares += x * x;
      return squares;
    };
    for (; steps < most && k.size() > 0; ++steps) {
      if (largest() <= good) break;
      jacobian();
      bound(q);
      bool better = false;
      // The residual falls for a mu that is large enough, unless q is at a minimum.
      for (; !better && mu < static_cast<S>(1e12); mu *= better ? static_cast<S>(0.1) : S(10)) {
        integrate<S>(model_, q, bounded(mu, no_wish, k), next_q_);
        residual_at(next_q_, next_k_);
        better = excess(next_k_) < excess(k);
        if (better) q.swap(next_q_), k.swap(next_k_);
      }
      if (!better) break;
      mu = (std::max)(mu, static_cast<S>(1e-14));
    }
    return steps;
  }

  /// Computes the step that is nearest to a desired step z and removes the residual to first order, within the bounds,
  ///   x = z - K^T (K K^T + mu)^-1 (residual + K z),
  /// with mu relative to the largest entry. The columns of K of degrees of freedom that may not move are zero.
  VectorX<S> bounded(S mu, const VectorX<S>& wish, const VectorX<S>& residual) {
    Kf_ = K;
    for (int j = 0; j < model_.nv(); ++j)
      if (lower[j] == S(0) && upper[j] == S(0)) hold(j);
    const Eigen::Index m = K.rows();
    for (;;) {
      A_.setZero(m, m);
      VectorX<S> x = wish, multipliers = residual;
      for (int j = 0; j < model_.nv(); ++j) {
        const S* const column = Kf_.data() + j * m;
        for (Eigen::Index c = 0; c < m; ++c) add_multiple<S>(&A_(0, c), column[c], column, m);
        add_multiple<S>(multipliers.data(), wish[j], column, m);
      }
      S largest(0);
      for (Eigen::Index i = 0; i < m; ++i) largest = (std::max)(largest, A_(i, i));
      for (Eigen::Index i = 0; i < m; ++i) A_(i, i) += mu * largest;
      factor_.compute(A_);
      factor_.solve(multipliers.data());
      bool passes = false;
      for (int j = 0; j < model_.nv(); ++j) {
        S* const column = Kf_.data() + j * m;
        for (Eigen::Index i = 0; i < m; ++i) x[j] -= column[i] * multipliers[i];
        if (!(x[j] > S(0) ? upper[j] <= S(0) : x[j] < S(0) && lower[j] >= S(0))) continue;
        passes = passes || std::any_of(column, column + m, [](S entry) { return entry != S(0); });
        hold(j);
      }
      if (passes) continue;
      for (int j = 0; j < model_.nv(); ++j) x[j] = (std::min)((std::max)(x[j], lower[j]), upper[j]);
      return x;
    }
  }

 private:
  void hold(int j) { std::fill_n(Kf_.data() + j * Kf_.rows(), Kf_.rows(), S(0)); }

  const Model<S>& model_;
  VectorX<S> next_q_{model_.nq()}, next_k_{k.size()};
  MatrixX<S> Kf_, A_;
  SymmetricFactor<S> factor_;
};

/// Returns the largest coordinate of a node from the base of its tree. From the origin of the world this distance could
/// overflow, and open loops relative to it would count as closed.
template <class S>
S largest_coordinate(const Data<S>& data, bool from_origin) {
  S largest(0);
  for (int b = 0; b < data.pose.size(); ++b) {
    const Vector3<S> p = from_origin ? data.pose[b].translation + data.origin[b] : data.pose[b].translation;
    largest = (std::max)(largest, S(p.cwiseAbs().maxCoeff()));
  }
  return largest;
}

}}}  // namespace corio::detail
