#pragma once

#include <corio/identification/log_cholesky.hpp>

#include "bounded.hpp"
#include "trajectory.hpp"

namespace identify {

/// All parameters, not just the base ones: those that fit the samples, are physically consistent, and are near the
/// prior ones from drawings. Minimises
///
///   |R p - z|^2 + sum_bodies d(J, J0) / spread^2 + sum_joints ((p - p0) / deviation)^2
///
/// over all p whose armature, damping and friction are not negative.
/// R and z are those of the stream: the first term is the sum of squares over all samples but for a constant. d is the
/// divergence  tr(J0^-1 J) - log det(J0^-1 J) - 4  of the pseudo-inertia J from that of the drawings: the same in every
/// frame and unit, the square of small errors, infinite at the boundary of physical consistency [LeeWP].
/// All is convex in p, so there is one minimum, and Newton's method finds it from the drawings, with steps to the
/// minimum of the quadratic model under the same bounds.
///
/// [LeeWP] Lee, Wensing, Park, Geometric robot dynamic identification: a convex programming approach, IEEE
/// Transactions on Robotics 36(2), 2020.
class ConsistentFit {
 public:
  /// @param drawings    parameters, 10 per body and 4 per degree of freedom
  /// @param spread  relative deviation of the bodies' true parameters from the drawings: 0.2 for 20 %
  /// @param deviations  deviations for the joints, each in its unit
  /// @throws corio::ModelError naming a body of the drawings that is not consistent; std::invalid_argument if a joint's
  ///         armature, damping or friction is negative in them
  ConsistentFit(const corio::Model<double>& model, Vector drawings, double spread, const Vector& deviations)
      : bodies_(static_cast<int>(model.bodies().size())),
        spread_(spread),
        drawings_(std::move(drawings)),
        joint_weights_(deviations.cwiseAbs2().cwiseInverse()) {
    corio::check_physically_consistent(model, drawings_.head(10 * bodies_));
    for (int b = 0; b < bodies_; ++b) factors0_.push_back(factor(drawings_, b));
    least_.setConstant(drawings_.size(), -std::numeric_limits<double>::infinity());
    for (Eigen::Index k = 10 * bodies_; k < drawings_.size(); k += 4) least_.segment<3>(k).setZero();
    if (!(drawings_.array() >= least_.array()).all())
      throw std::invalid_argument("armature, damping and friction of the drawings must not be negative");
  }

  struct Result {
    Vector p;
    int iterations;
    /// How much the last step changed the minimised sum, by its quadratic model; it has no unit.
    double decrement;
  };

  Result solve(const Stream& samples) const {
    const Matrix R = samples.R();
    const Vector z = samples.z();
    Vector p = drawings_;
    double now = cost(R, z, p);
    for (int iteration = 1;; ++iteration) {
      // The quadratic model of the cost is a sum of squares too: |R (p + x) - z|^2 + sum |W x + m|^2 / (2 spread^2).
      Stream model(static_cast<int>(p.size()));
      model.add(R, z - R * p);
      for (int b = 0; b < bodies_; ++b) add_divergence(model, p, b);
      const auto joints = joint_weights_.size();
      model.add(Matrix::Identity(p.size(), p.size()).bottomRows(joints), (drawings_ - p).tail(joints), joint_weights_);
      const Matrix root = model.R().triangularView<Eigen::Upper>();
      const Vector target = model.z(), step = bounded_least_squares(root, target, least_ - p);
      const double decrement = target.squaredNorm() - (root * step - target).squaredNorm();
      double share = 1;
      while (share > 1e-10 && !(cost(R, z, p + share * step) <= now - 0.1 * share * decrement)) share /= 2;
      // Below this the cost does not resolve the step any more.
      if (share <= 1e-10 || decrement < 1e-12 * (1 + now) || iteration == 100) return {p, iteration, decrement};
      p += share * step;
      now = cost(R, z, p);
    }
  }

 private:
  static corio::Vector10<double> of_body(const Vector& p, int b) { return p.segment<10>(10 * b); }
  /// U of J = U U^T, upper triangular.
  static Eigen::Matrix4d factor(const Vector& p, int b) {
    return corio::log_cholesky_factor(
        corio::log_cholesky(corio::InertialParameters<double>::from_parameters(of_body(p, b))));
  }
  /// A = U0^-1 U: J0^-1 J is similar to A A^T.
  Eigen::Matrix4d relative_factor(const Vector& p, int b) const {
    return factors0_[static_cast<std::size_t>(b)].triangularView<Eigen::Upper>().solve(factor(p, b));
  }

  double cost(const Matrix& R, const Vector& z, const Vector& p) const {
    double sum = 0;
    for (int b = 0; b < bodies_; ++b) {
      if (!corio::is_physically_consistent(of_body(p, b))) return std::numeric_limits<double>::infinity();
      const Eigen::Matrix4d A = relative_factor(p, b);
      sum += A.squaredNorm() - 2 * A.diagonal().array().log().sum() - 4;
    }
    const Vector joints = (p - drawings_).tail(joint_weights_.size());
    return (R * p - z).squaredNorm() + sum / (spread_ * spread_) + joint_weights_.dot(joints.cwiseAbs2());
  }

  /// With F_k = U^-1 (dJ/dpi_k) U^-T the derivatives of d are tr((A^T A - 1) F_k) and tr(F_k F_l): W has the entries
  /// of F_k as column k, m those of A^T A - 1.
  void add_divergence(Stream& model, const Vector& p, int b) const {
    const Eigen::Matrix4d U = factor(p, b), A = relative_factor(p, b);
    const Eigen::Matrix4d inverse = U.triangularView<Eigen::Upper>().solve(Eigen::Matrix4d::Identity());
    Matrix W = Matrix::Zero(16, p.size());
    for (int k = 0; k < 10; ++k) {
      const Eigen::Matrix4d E = corio::pseudo_inertia<double>(corio::Vector10<double>::Unit(k));
      const Eigen::Matrix4d F = inverse * E * inverse.transpose();
      W.col(10 * b + k) = F.reshaped();
    }
    const Eigen::Matrix4d m = A.transpose() * A - Eigen::Matrix4d::Identity();
    const double weight = 1 / (2 * spread_ * spread_);
    model.add(W, -m.reshaped(), Vector::Constant(16, weight));
  }

  int bodies_;
  double spread_;
  Vector drawings_, joint_weights_, least_;
  std::vector<Eigen::Matrix4d> factors0_;
};

}  // namespace identify
