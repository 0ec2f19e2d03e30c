#pragma once

#include <algorithm>

#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/identification/bounded_least_squares.hpp"
#include "corio/identification/detail/checks.hpp"
#include "corio/identification/pseudo_inertia.hpp"
#include "corio/identification/streaming_least_squares.hpp"
#include "corio/solvers/jacobi.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Prior knowledge for consistent_estimate: how far the parameters of the model may be from the true ones.
template <class S = double>
struct ConsistentPrior {
  /// Relative deviation of the bodies: 0.2 for 20 %.
  S spread = S(0.2);
  /// Deviations of the joints' parameters, each in its unit, in the order of joint_regressor; empty for samples without
  /// its columns.
  VectorX<S> deviations{};
};

/// The result of consistent_estimate.
template <class S>
struct ConsistentEstimate {
  VectorX<S> parameters;  // ten for each of model.bodies(), then the joints' if the samples have their columns
  int iterations;
  S decrement;     // the change of the minimised sum by the last step, by its quadratic model; it has no unit
  bool converged;  // whether decrement is some rounding errors of the sum; if not, 100 iterations did not suffice
};

namespace detail {

template <std::floating_point S>
class ConsistentFit;
template <std::floating_point S>
bool is_massless(const VectorX<S>& parameters, Eigen::Index at) {
  return parameters.template segment<10>(at).isZero(0);
}

}  // namespace detail

/// Estimates all parameters, not only base parameters: they fit the samples, are physically consistent, and are near
/// the parameters of the model, such as drawings give. Bodies without mass stay without mass. Minimises
///
///   |R p - z|^2 + sum_bodies d(J, J_0) / spread^2 + sum_joints ((p - p_0) / deviation)^2
///
/// over all p whose armature, damping and friction are not negative. With R and z of the stream, the first term is the
/// sum of squares over all samples except for a constant, so weights should be one over the variances of tau. d is the
/// divergence tr(J_0^-1 J) - log det(J_0^-1 J) - 4 of the pseudo-inertia J from J_0 of the model: it does not depend on
/// frames and units, is the square of small errors, and infinite at the boundary of physical consistency. The sum is
/// convex in p, so it has one minimum. A primal-dual interior-point method finds it from the model's parameters, also
/// for weak priors, whose minimum is close to that boundary (iterations: guide/from_a_log.md). set_inertial_parameters
/// and set_joint_parameters take its result.
///
/// @param model    its inertial_parameters and joint_parameters are the prior ones; for a mechanism pass its tree
/// @param samples  columns of inverse_dynamics_regressor, and, if prior.deviations is not empty, of joint_regressor
/// @throws SizeError; ModelError for a body of the model that is not physically consistent; Error for a spread or
/// deviation that is not positive. Allocates; each iteration is O(columns^3). See `converged` of the result.
/// Source: Lee, Wensing and Park, Geometric robot dynamic identification: a convex programming approach (2020);
/// Nesterov and Todd, Primal-dual interior-point methods for self-scaled cones, SIAM J. Optimization 8(2), 1998.
template <std::floating_point S>
ConsistentEstimate<S> consistent_estimate(const Model<S>& model, const StreamingLeastSquares<S>& samples,
                                          const std::type_identity_t<ConsistentPrior<S>>& prior = {}) {
  const Eigen::Index bodies = num_inertial_parameters(model), joints = samples.columns() == bodies ? 0 : 4 * model.nv();
  detail::check_size("columns of the samples", samples.columns(), bodies + joints, "consistent_estimate");
  detail::check_size("prior.deviations", prior.deviations.size(), joints, "consistent_estimate");
  VectorX<S> parameters(bodies + joints), least = parameters;
  parameters.head(bodies) = inertial_parameters(model);
  if (joints > 0) parameters.tail(joints) = joint_parameters(model);
  least.setConstant(-std::numeric_limits<S>::infinity());
  for (Eigen::Index k = bodies; k < least.size(); k += 4) least.template segment<3>(k).setZero();
  for (const Body<S>& body : model.bodies())
    if (!detail::is_massless<S>(parameters, 10 * body.index()))
      check_physically_consistent(model.inertia(body), body.name());
  return detail::ConsistentFit<S>(parameters, least, samples, prior).run();
}

/// The same for bodies that the model does not have, such as a payload.
/// @param parameters  prior ones: ten for each body, then others, without bounds, whose deviations are in the prior
/// @param samples     columns for these parameters
/// @throws as above
template <std::floating_point S>
ConsistentEstimate<S> consistent_estimate(const VectorX<S>& parameters, const StreamingLeastSquares<S>& samples,
                                          const std::type_identity_t<ConsistentPrior<S>>& prior = {}) {
  const Eigen::Index others = prior.deviations.size(),
                     bodies = (std::max<Eigen::Index>)(1, (parameters.size() - others) / 10);
  detail::check_size("parameters", parameters.size(), 10 * bodies + others, "consistent_estimate");
  detail::check_size("columns of the samples", samples.columns(), parameters.size(), "consistent_estimate");
  for (Eigen::Index k = 0; k < bodies; ++k)
    check_physically_consistent(InertialParameters<S>::from_parameters(parameters.template segment<10>(10 * k)),
                                std::to_string(k));
  const VectorX<S> least = VectorX<S>::Constant(parameters.size(), -std::numeric_limits<S>::infinity());
  return detail::ConsistentFit<S>(parameters, least, samples, prior).run();
}

namespace detail {

/// Minimises the sum of consistent_estimate, |R p - z|^2 + w sum_bodies d(J, J_0) + sum_joints ((p - p_0) /
/// deviation)^2 with w = 1 / spread^2, by a primal-dual interior-point method. Multipliers Z of J > 0 split its
/// gradient:
///
///   grad |R p - z|^2 + w J_0^-1 = Z + bounds,   J Z = w 1   for all bodies.
///
/// Newton's method in the symmetric form of Nesterov and Todd, with W Z W = J, towards J Z = mu 1, where mu decreases
/// to w, is a least-squares problem in the step x (Delta J of the bodies):
///
///   |R (p + x) - z|^2 + sum_bodies |G^-1 Delta J G^-T + G^T (w J_0^-1 - mu J^-1) G|^2 / 2 + ..,   W = G G^T.
///
/// On the path mu = w, Z = w J^-1 it is the quadratic model of the sum.
template <std::floating_point S>
class ConsistentFit {
 public:
  ConsistentFit(const VectorX<S>& parameters, const VectorX<S>& least, const StreamingLeastSquares<S>& samples,
                const ConsistentPrior<S>& prior)
      : R_(samples.R()), z_(samples.z()), p_(parameters), prior_(p_), least_(least) {
    const VectorX<S>& deviations = prior.deviations;
    const Eigen::Index bodies = p_.size() - deviations.size();
    check_positive("spread", static_cast<double>(prior.spread), "consistent_estimate");
    if (const auto bad = std::ranges::find_if_not(deviations, [](const S& x) { return x > 0; });
        bad != deviations.end())
      throw Error(join({"consistent_estimate: deviations[", Digits(bad - deviations.begin()), "] is ",
                        number(static_cast<double>(*bad)), ", must be positive"}));
    joint_weights_ = deviations.cwiseAbs2().cwiseInverse();
    weight_ = 1 / (prior.spread * prior.spread);
    // Begins on the path, for a weight that makes bodies and samples equally important.
    mu_ = (std::max)(weight_, (R_ * p_ - z_).squaredNorm() / static_cast<S>(bodies));
    for (Eigen::Index b = 0; b < bodies; b += 10) {
      if (is_massless<S>(p_, b)) {
        R_.middleCols(b, 10).setZero();
        massless_.push_back(b);
        continue;
      }
      const Matrix4 U = factor(b), inverse = inverse_of(U);
      bodies_.push_back({b, inverse.transpose() * inverse, mu_ * inverse.transpose() * inverse});
    }
  }

  ConsistentEstimate<S> run() {
    constexpr int most_iterations = 100;
    for (int iteration = 1;; ++iteration) {
      StreamingLeastSquares<S> quadratic(p_.size());
      quadratic.add(R_, z_ - R_ * p_);
      for (Of& body : bodies_) add(quadratic, body);
      const MatrixX<S> unit = MatrixX<S>::Identity(p_.size(), p_.size());
      for (const Eigen::Index b : massless_) quadratic.add(unit.middleRows(b, 10), VectorX<S>::Zero(10));
      if (const auto joints = joint_weights_.size(); joints > 0)
        quadratic.add(unit.bottomRows(joints), (prior_ - p_).tail(joints), joint_weights_);
      const MatrixX<S> root = quadratic.R().template triangularView<Eigen::Upper>();
      const VectorX<S> target = quadratic.z();
      VectorX<S> x = bounded_least_squares<S>(root, target, least_ - p_);
      for (const Eigen::Index b : massless_) x.segment(b, 10).setZero();  // else rounding errors
      const S decrement = target.squaredNorm() - (root * x - target).squaredNorm();
      const S size = 1 + (R_ * p_ - z_).squaredNorm();
      const VectorX<S> before = p_;
      const S share = take(x);
      if (!has_factors()) return {before, iteration, decrement, false};
      const bool converged = mu_ == weight_ && share == 1 && decrement < 1e4 * std::numeric_limits<S>::epsilon() * size;
      if (converged || iteration == most_iterations) return {p_, iteration, decrement, converged};
      // Short steps mean that the products J Z are too unequal: they are made equal first.
      mu_ = (std::max)(weight_, mean_product() * (share > S(0.6) ? S(0.3) : share > S(0.2) ? S(0.6) : S(1)));
    }
  }

 private:
  using Matrix4 = Eigen::Matrix4<S>;
  /// The variables of a body, whose parameters are p[at] to p[at + 9].
  struct Of {
    Eigen::Index at;
    Matrix4 prior_inverse, Z;                    // J_0^-1
    Matrix4 U = Matrix4::Zero(), G_inverse = U;  // J = U U^T
  };
  Vector10<S> of_body(const VectorX<S>& p, Eigen::Index at) const { return p.template segment<10>(at); }
  Matrix4 factor(Eigen::Index at) const {
    return pseudo_inertia_factor(InertialParameters<S>::from_parameters(of_body(p_, at)));
  }
  /// Returns false if some J is so close to a singular matrix that rounding makes it indefinite.
  bool has_factors() const {
    return std::ranges::all_of(bodies_, [&](const Of& body) { return factor(body.at).allFinite(); });
  }
  static Matrix4 inverse_of(const Matrix4& U) { return relative_factor<S>(U, Matrix4::Identity()); }

  /// Returns the eigenvalues of a positive definite matrix, of which rounding may have made small ones negative.
  Eigen::Vector4<S> positive_eigenvalues() const {
    return eigen_.values.cwiseMax(std::numeric_limits<S>::epsilon() * eigen_.values[3]);
  }
  /// Returns the mean eigenvalue of all J Z.
  S mean_product() const {
    S sum(0);
    for (const Of& body : bodies_) {
      const Matrix4 U = factor(body.at);
      sum += (U.transpose() * body.Z * U).trace();
    }
    return sum / static_cast<S>(4 * bodies_.size());
  }

  void add(StreamingLeastSquares<S>& quadratic, Of& body) {
    body.U = factor(body.at);
    const Matrix4 inverse = inverse_of(body.U);
    // W = U (U^T Z U)^-1/2 U^T, by the eigenvalues in the middle.
    eigen_.compute(body.U.transpose() * body.Z * body.U);
    const Eigen::Vector4<S> root = positive_eigenvalues().cwiseSqrt().cwiseSqrt();
    const Matrix4 V = eigen_.vectors, G = body.U * V * root.cwiseInverse().asDiagonal();
    body.G_inverse = root.asDiagonal() * V.transpose() * inverse;
    const Matrix4 m = G.transpose() * (weight_ * body.prior_inverse - mu_ * inverse.transpose() * inverse) * G;
    MatrixX<S> rows = MatrixX<S>::Zero(16, p_.size());
    for (int k = 0; k < 10; ++k) {
      const Matrix4 F = body.G_inverse * pseudo_inertia<S>(Vector10<S>::Unit(k)) * body.G_inverse.transpose();
      rows.col(body.at + k) = F.reshaped();
    }
    quadratic.add(rows, -m.reshaped(), VectorX<S>::Constant(16, S(0.5)));
  }

  /// Moves p along the step x and Z along its own step, both by a share of the step that keeps all J and Z positive
  /// definite. @returns the share
  S take(const VectorX<S>& x) {
    S share(1);
    const auto limit = [&](const Matrix4& inverse_factor, const Matrix4& change) {
      eigen_.compute(inverse_factor * change * inverse_factor.transpose());
      share = (std::min)(share, S(-0.95) / (std::min)(eigen_.values[0], S(-0.95)));
    };
    std::vector<Matrix4> changes;
    for (const Of& body : bodies_) {
      const Matrix4 dJ = pseudo_inertia<S>(of_body(x, body.at)), inverse = inverse_of(body.U);
      const Matrix4 W_inverse = body.G_inverse.transpose() * body.G_inverse;
      const Matrix4 dZ = mu_ * inverse.transpose() * inverse - body.Z - W_inverse * dJ * W_inverse;
      limit(inverse, dJ);
      eigen_.compute(body.Z);
      limit(positive_eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal() * eigen_.vectors.transpose(), dZ);
      changes.push_back(dZ);
    }
    p_ += share * x;
    for (std::size_t b = 0; b < bodies_.size(); ++b) bodies_[b].Z += share * changes[b];
    return share;
  }

  MatrixX<S> R_;
  VectorX<S> z_, p_, prior_, joint_weights_, least_;
  S weight_, mu_;
  std::vector<Of> bodies_;
  std::vector<Eigen::Index> massless_;  // stay zero
  SymmetricEigen<Matrix4> eigen_;
};

}  // namespace detail

}}  // namespace corio
