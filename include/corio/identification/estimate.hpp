#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "corio/identification/base_parameters.hpp"
#include "corio/solvers/triangles.hpp"

namespace corio { inline namespace CORIO_ABI {

/// An estimate of base parameters from samples, and its accuracy.
template <class S>
struct Estimate {
  /// The base parameters that minimise the weighted sum of squares, and that minimum.
  VectorX<S> beta;
  S residual;
  /// Number of rows minus number of parameters: if the weights are one over the variances of tau, and the model is
  /// right, the residual has a chi^2 distribution with this number of degrees of freedom.
  std::int64_t degrees_of_freedom;
  /// Covariance of beta for a row of weight one with errors of variance one: (Y_1^T W Y_1)^-1.
  MatrixX<S> covariance;
  /// The upper triangle with R^T R = Y_1^T W Y_1: the sum of squares at x exceeds the residual by |R (x - beta)|^2.
  MatrixX<S> R;
  /// Frobenius norm of sqrt(W) Y_1 times the Frobenius norm of its pseudo-inverse: at least the condition number in the
  /// 2-norm, and at most size() times this number.
  S condition;

  /// Variance of the error of a row of weight one, estimated from the residual. NaN for degrees_of_freedom = 0.
  S variance() const {
    return degrees_of_freedom > 0 ? S(residual / static_cast<S>(degrees_of_freedom))
                                  : std::numeric_limits<S>::quiet_NaN();
  }
  /// Standard deviation of each base parameter if the error of a row of weight one has this variance; pass 1 if the
  /// weights are known to be one over the variances.
  VectorX<S> standard_deviation(const S& variance) const {
    using std::sqrt;
    return covariance.diagonal().cwiseSqrt() * sqrt(variance);
  }
  VectorX<S> standard_deviation() const { return standard_deviation(variance()); }
};

/// Least-squares estimate of base parameters from the samples of a stream; the base parameters may come from these
/// samples or from others. O(columns^3), allocates.
/// @throws SizeError; Error if the samples do not determine the base parameters
template <class S>
Estimate<S> estimate(const StreamingLeastSquares<S>& samples, const BaseParameters<S>& base) {
  detail::check_size("columns of the samples", samples.columns(), base.num_parameters());
  const int r = base.size();
  // Fitting the rows of [R, z] is fitting all samples: the sums of squares differ by the constant rho^2.
  StreamingLeastSquares<S> reduced(r);
  const MatrixX<S> all = samples.R();
  reduced.add(base.reduce(all), samples.z());

  Estimate<S> e;
  e.R = reduced.R();
  const VectorX<S> length = e.R.colwise().norm();
  for (int i = 0; i < r; ++i) {
    using std::abs;
    if (!(value_of(S(abs(e.R(i, i)))) >
          16.0 * static_cast<double>(std::numeric_limits<S>::epsilon()) * value_of(length[i])))
      throw Error(detail::join({"estimate: the ", std::to_string(samples.rows()),
                                " rows do not separate base parameter ", std::to_string(i),
                                " from those before it; add samples that excite it, or find the "
                                "base parameters of these samples"}));
  }
  e.beta = reduced.z();
  detail::solve_triangle(e.R, e.beta.data(), r);
  const MatrixX<S> inverse = detail::inverse_of_triangle(e.R);
  e.covariance = detail::times_transpose(inverse);
  e.residual = samples.residual() + reduced.residual();
  e.degrees_of_freedom = samples.rows() - r;
  e.condition = e.R.norm() * inverse.norm();
  return e;
}

/// Weights of samples that bound the influence of bad ones, for iteratively reweighted least squares: min(1, (8 s /
/// e)^2) for an error e, where s is 1.4826 times the median of |e| of a row, the standard deviation if errors are
/// normal. Normal errors have the weight 1, since they exceed 8 s once in 1e15 samples: standard deviations stay right.
/// @param errors  a column for each sample
/// @param used    of the same shape, factors of the weights: 0 for errors that do not count
/// @throws SizeError. O(errors), allocates.
/// Source: Holland and Welsch, Robust regression using iteratively reweighted least-squares, Communications in
/// Statistics 6(9), 1977.
inline MatrixX<double> robust_weights(const MatrixX<double>& errors, const MatrixX<double>& used) {
  detail::check_size("used", used.rows(), errors.rows());
  detail::check_size("used", used.cols(), errors.cols());
  MatrixX<double> weights = used;
  for (Eigen::Index k = 0; k < errors.rows(); ++k) {
    std::vector<double> sizes;
    for (Eigen::Index i = 0; i < errors.cols(); ++i)
      if (used(k, i) > 0) sizes.push_back(std::abs(errors(k, i)));
    if (sizes.empty()) continue;
    const auto middle = sizes.begin() + std::ssize(sizes) / 2;
    std::nth_element(sizes.begin(), middle, sizes.end());
    const double most = 8 * 1.4826 * *middle;
    for (Eigen::Index i = 0; i < errors.cols(); ++i)
      if (const double size = std::abs(errors(k, i)); size > most) weights(k, i) *= most / size * (most / size);
  }
  return weights;
}

}}  // namespace corio
