#pragma once

#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/identification/bounded_least_squares.hpp"
#include "corio/identification/pseudo_inertia.hpp"
#include "corio/identification/streaming_least_squares.hpp"

namespace corio::inline CORIO_ABI {

/// What is known before a consistent_estimate: how far the parameters of the model may be from the true ones.
template <class S = double>
struct ConsistentPrior {
  /// Relative deviation of the bodies: 0.2 for 20 %.
  S spread = S(0.2);
  /// Deviations of the joints' parameters, each in its unit, in the order of joint_regressor; empty for samples without
  /// its columns.
  VectorX<S> deviations{};
};

/// What consistent_estimate returns.
template <class S>
struct ConsistentEstimate {
  VectorX<S> parameters;  // ten for each of model.bodies(), then the joints' if the samples have their columns
  int iterations;
  S decrement;  // the change of the minimised sum by the last step, by its quadratic model; it has no unit
};

namespace detail {

/// The sum that consistent_estimate minimises, at parameters p.
template <std::floating_point S>
class ConsistentCost {
 public:
  ConsistentCost(const Model<S>& model, const StreamingLeastSquares<S>& samples, const ConsistentPrior<S>& prior)
      : bodies_(std::ssize(model.bodies())), R_(samples.R()), z_(samples.z()), prior_(samples.columns()) {
    const VectorX<S>& deviations = prior.deviations;
    const Eigen::Index joints = samples.columns() == 10 * bodies_ ? 0 : 4 * model.nv();
    check_size("columns of the samples", samples.columns(), 10 * bodies_ + joints, "consistent_estimate");
    check_size("prior.deviations", deviations.size(), joints, "consistent_estimate");
    if (!(prior.spread > 0 && std::isfinite(prior.spread)) || !(deviations.array() > 0).all())
      throw Error("consistent_estimate: the spread and all deviations must be positive");
    prior_.head(10 * bodies_) = inertial_parameters(model);
    check_physically_consistent<S>(model, prior_.head(10 * bodies_));
    if (deviations.size() > 0) prior_.tail(deviations.size()) = joint_parameters(model);
    for (Eigen::Index b = 0; b < bodies_; ++b) factors_.push_back(factor(prior_, b));
    body_weight_ = 1 / (prior.spread * prior.spread);
    joint_weights_ = deviations.cwiseAbs2().cwiseInverse();
  }
  const VectorX<S>& prior() const { return prior_; }

  /// Infinite for bodies that are not physically consistent.
  S operator()(const VectorX<S>& p) const {
    S sum(0);
    for (Eigen::Index b = 0; b < bodies_; ++b) {
      if (!is_physically_consistent<S>(of_body(p, b))) return std::numeric_limits<S>::infinity();
      sum += divergence(relative_factor(prior_factor(b), factor(p, b)));
    }
    const VectorX<S> joints = (p - prior_).tail(joint_weights_.size());
    return (R_ * p - z_).squaredNorm() + body_weight_ * sum + joint_weights_.dot(joints.cwiseAbs2());
  }

  /// Its quadratic model at p + x as a sum of squares, |R (p + x) - z|^2 + sum |W x + m|^2 / (2 spread^2) + that of the
  /// joints.
  StreamingLeastSquares<S> quadratic_model(const VectorX<S>& p) const {
    StreamingLeastSquares<S> model(p.size());
    model.add(R_, z_ - R_ * p);
    for (Eigen::Index b = 0; b < bodies_; ++b) add_divergence(model, p, b);
    const auto joints = joint_weights_.size();
    if (joints > 0)
      model.add(MatrixX<S>::Identity(p.size(), p.size()).bottomRows(joints), (prior_ - p).tail(joints), joint_weights_);
    return model;
  }

 private:
  static Vector10<S> of_body(const VectorX<S>& p, Eigen::Index b) { return p.template segment<10>(10 * b); }
  /// U of J = U U^T, upper triangular.
  static Eigen::Matrix4<S> factor(const VectorX<S>& p, Eigen::Index b) {
    return pseudo_inertia_factor(InertialParameters<S>::from_parameters(of_body(p, b)));
  }
  const Eigen::Matrix4<S>& prior_factor(Eigen::Index b) const { return factors_[static_cast<std::size_t>(b)]; }
  /// With F_k = U^-1 (dJ/dpi_k) U^-T the derivatives of d are tr((A^T A - 1) F_k) and tr(F_k F_l): W has the entries
  /// of F_k as column k, m those of A^T A - 1.
  void add_divergence(StreamingLeastSquares<S>& model, const VectorX<S>& p, Eigen::Index b) const {
    const Eigen::Matrix4<S> U = factor(p, b), A = relative_factor(prior_factor(b), U);
    const Eigen::Matrix4<S> one = Eigen::Matrix4<S>::Identity(), inverse = relative_factor(U, one);
    const Eigen::Matrix4<S> m = A.transpose() * A - one;
    MatrixX<S> W = MatrixX<S>::Zero(16, p.size());
    for (int k = 0; k < 10; ++k) {
      const Eigen::Matrix4<S> F = inverse * pseudo_inertia<S>(Vector10<S>::Unit(k)) * inverse.transpose();
      W.col(10 * b + k) = F.reshaped();
    }
    model.add(W, -m.reshaped(), VectorX<S>::Constant(16, body_weight_ / 2));
  }

  Eigen::Index bodies_;
  MatrixX<S> R_;
  VectorX<S> z_, prior_, joint_weights_;
  S body_weight_;
  std::vector<Eigen::Matrix4<S>> factors_;
};

}  // namespace detail

/// All parameters, not just the base ones: those that fit the samples, are physically consistent, and are near those of
/// the model, such as drawings give. Minimises
///
///   |R p - z|^2 + sum_bodies d(J, J_0) / spread^2 + sum_joints ((p - p_0) / deviation)^2
///
/// over all p whose armature, damping and friction are not negative. R and z are those of the stream: the first term is
/// the sum of squares over all samples but for a constant, so weights should be one over the variances of tau. d is the
/// divergence tr(J_0^-1 J) - log det(J_0^-1 J) - 4 of the pseudo-inertia J from that of the model: the same in every
/// frame and unit, the square of small errors, infinite at the boundary of physical consistency. All is convex in p, so
/// there is one minimum, and Newton's method finds it from the model's parameters, with steps to the minimum of the
/// quadratic model under the same bounds. set_inertial_parameters and set_joint_parameters take its result.
///
/// @param model    its inertial_parameters and joint_parameters are the prior ones; of a mechanism its tree
/// @param samples  columns of inverse_dynamics_regressor, and, if prior.deviations is not empty, of joint_regressor
/// @throws SizeError; ModelError for a body of the model that is not physically consistent; Error for a spread or
/// deviation that is not positive. Allocates; some ten steps of O(columns^3).
/// Source: Lee, Wensing and Park, Geometric robot dynamic identification: a convex programming approach (2020).
template <std::floating_point S>
ConsistentEstimate<S> consistent_estimate(const Model<S>& model, const StreamingLeastSquares<S>& samples,
                                          const std::type_identity_t<ConsistentPrior<S>>& prior = {}) {
  const detail::ConsistentCost<S> cost(model, samples, prior);
  VectorX<S> p = cost.prior(), least = VectorX<S>::Constant(p.size(), -std::numeric_limits<S>::infinity());
  for (Eigen::Index k = num_inertial_parameters(model); k < p.size(); k += 4) least.template segment<3>(k).setZero();
  constexpr int most_iterations = 100;
  S now = cost(p);
  for (int iteration = 1;; ++iteration) {
    const StreamingLeastSquares<S> quadratic = cost.quadratic_model(p);
    const MatrixX<S> root = quadratic.R().template triangularView<Eigen::Upper>();
    const VectorX<S> target = quadratic.z(), step = bounded_least_squares<S>(root, target, least - p);
    const S decrement = target.squaredNorm() - (root * step - target).squaredNorm();
    S share(1);
    while (share > S(1e-10) && !(cost(p + share * step) <= now - S(0.1) * share * decrement)) share /= 2;
    // Below these the cost does not resolve the step any more.
    if (share <= S(1e-10) || decrement < 1e4 * std::numeric_limits<S>::epsilon() * (1 + now) ||
        iteration == most_iterations)
      return {p, iteration, decrement};
    p += share * step;
    now = cost(p);
  }
}

}  // namespace corio
