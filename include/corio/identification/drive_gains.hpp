#pragma once

#include "corio/identification/base_parameters.hpp"
#include "corio/identification/detail/checks.hpp"
#include "corio/identification/estimate.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Drive gains k_j (N m/A at the joint) from motor currents i_j, beside the parameters x of a robot:
///
///   k_j i_j = (Y x + tau_known)_j,
///
/// where tau_known is the joint torque of the known parts of the robot, such as a weighed payload. All torques may be
/// scaled by one factor as long as tau_known is zero: without it gains are not identifiable. A step of the Gauss-Newton
/// method minimises the weighted squares of the errors of the currents, with g = 1 / k,
///
///   i_j = g_j (Y x + tau_known)_j + (g' - g)_j (Y x_0 + tau_known)_j,
///
/// from gains 1 / g and parameters x_0 near the solution. The first estimate solves the linear equation above, whose
/// noisy columns i_j make gains too small, by half for joints that the payload loads little; some five steps follow.
/// Source: Gautier and Briot, Global identification of joint drive gains and dynamic parameters of robots, J. Dynamic
/// Systems, Measurement, and Control 136(5), 2014.
class DriveGainEstimator {
 public:
  /// Gains and their standard deviations (N m/A), for weights that are one over the variances of the currents;
  /// is_identifiable if the latter is below a fifth of the gain. Deviations are infinite for joints whose samples do
  /// not separate the gain from the parameters. The parameters are one of the combinations that give their torques.
  struct Result {
    VectorX<double> gains, deviations, parameters;
    std::vector<bool> is_identifiable;
  };

  /// The linear estimate.
  /// @param parameters  columns of Y
  /// @throws Error for no joints or a negative number of parameters
  DriveGainEstimator(Eigen::Index joints, Eigen::Index parameters)
      : joints_(detail::check_at_least("joints", joints, 1, "DriveGainEstimator")),
        rows_(MatrixX<double>::Zero(
            joints, joints + detail::check_at_least("parameters", parameters, 0, "DriveGainEstimator"))),
        stream_(parameters + joints) {}
  /// A step from an estimate. Gains that are not positive begin at one.
  explicit DriveGainEstimator(const Result& from) : DriveGainEstimator(from.gains.size(), from.parameters.size()) {
    inverse_ = (from.gains.array() > 0).select(from.gains.cwiseInverse(), 1);
    x_ = from.parameters;
  }

  /// Adds a sample. O(joints (parameters + joints)^2).
  /// @param weights  one for the current of each joint
  /// @throws SizeError; as StreamingLeastSquares::add
  void add(MatrixIn<double> Y, VectorIn<double> current, VectorIn<double> known, VectorIn<double> weights) {
    detail::check_shape("Y", Y.rows(), Y.cols(), joints_, rows_.cols() - joints_, "DriveGainEstimator");
    detail::check_size("current", current.size(), joints_, "DriveGainEstimator");
    detail::check_size("known", known.size(), joints_, "DriveGainEstimator");
    if (x_.size() == 0) {
      rows_.leftCols(Y.cols()) = -Y;
      rows_.rightCols(joints_).diagonal() = current;
      stream_.add(rows_, known, weights);
    } else {
      rows_.leftCols(Y.cols()) = inverse_.asDiagonal() * Y;
      rows_.rightCols(joints_).diagonal() = Y * x_ + known;
      stream_.add(rows_, current - inverse_.cwiseProduct(known), weights);
    }
  }

  /// Adds a prior: parameters are zero up to these deviations, infinite where nothing is known. If the centre of mass
  /// of a payload is unknown, gains of joints that carry nothing else have no other bound. Give the linear estimate a
  /// thousandth of the deviations, so that its noisy columns do not outweigh them.
  /// @throws SizeError; Error for a deviation that is not positive
  void add_prior(VectorIn<double> deviations) {
    detail::check_size("deviations", deviations.size(), rows_.cols() - joints_, "DriveGainEstimator");
    for (const double x : deviations)
      if (!(x > 0))
        throw Error(detail::join({"DriveGainEstimator: a deviation is ", detail::number(x), ", must be positive"}));
    stream_.add(MatrixX<double>::Identity(deviations.size(), rows_.cols()), VectorX<double>::Zero(deviations.size()),
                deviations.cwiseAbs2().cwiseInverse());
  }

  /// O((parameters + joints)^3), allocates.
  /// @throws Error without samples
  Result estimate() const {
    const Eigen::Index parameters = rows_.cols() - joints_;
    const BaseParameters<double> base(stream_, 1e-6);
    const Estimate<double> found = corio::estimate(stream_, base);
    const VectorX<double> deviation = found.standard_deviation();
    Result result{VectorX<double>::Zero(joints_),
                  VectorX<double>::Constant(joints_, std::numeric_limits<double>::infinity()),
                  VectorX<double>::Zero(parameters), std::vector<bool>(static_cast<std::size_t>(joints_))};
    if (x_.size() > 0) result.gains = inverse_.cwiseInverse();
    for (Eigen::Index i = 0; i < found.beta.size(); ++i) {
      const Eigen::Index column = base.independent()[static_cast<std::size_t>(i)], k = column - parameters;
      if (k < 0) {
        result.parameters[column] = found.beta[i];
        continue;
      }
      double& gain = result.gains[k];
      gain = x_.size() == 0 ? found.beta[i] : 1 / (inverse_[k] + found.beta[i]);
      result.deviations[k] = x_.size() == 0 ? deviation[i] : deviation[i] * gain * gain;
      result.is_identifiable[static_cast<std::size_t>(k)] = result.deviations[k] < 0.2 * gain;
    }
    return result;
  }

 private:
  Eigen::Index joints_;
  MatrixX<double> rows_;
  VectorX<double> inverse_, x_;  // 1 / gains, and parameters; empty for the linear estimate
  StreamingLeastSquares<double> stream_;
};

}}  // namespace corio
