#pragma once

#include "corio/identification/base_parameters.hpp"
#include "corio/identification/estimate.hpp"

namespace corio::inline CORIO_ABI {

/// Drive gains k_j (N m/A at the joint) from motor currents i_j, beside the parameters x of a robot:
///
///   diag(i) k = Y x + tau_known,
///
/// where tau_known is the joint torque of what is known of the robot, such as a weighed payload. All torques may be
/// scaled by one factor as long as tau_known is zero, for all samples or for those in which a joint carries it: then
/// its gain is not identifiable. Gains are found as least squares of the right-hand side; noise of the currents makes
/// them too small by its variance over the variance of the currents, so filter them first.
/// Source: Gautier and Briot, Global identification of joint drive gains and dynamic parameters of robots, J. Dynamic
/// Systems, Measurement, and Control 136(5), 2014.
class DriveGainEstimator {
 public:
  /// @param parameters  columns of Y
  DriveGainEstimator(Eigen::Index joints, Eigen::Index parameters)
      : joints_(joints), rows_(MatrixX<double>::Zero(joints, parameters + joints)), stream_(parameters + joints) {}

  /// Adds a sample. O(joints (parameters + joints)^2), no allocation.
  /// @throws SizeError; as StreamingLeastSquares::add
  void add(MatrixIn<double> Y, VectorIn<double> current, VectorIn<double> known) {
    detail::check_size("Y", Y.cols(), rows_.cols() - joints_, "DriveGainEstimator");
    detail::check_size("current", current.size(), joints_, "DriveGainEstimator");
    rows_.leftCols(Y.cols()) = -Y;
    rows_.rightCols(joints_).diagonal() = current;
    stream_.add(rows_, known);
  }

  /// gains and their standard deviations (N m/A); is_identifiable if the latter is below a fifth of the gain. Zero and
  /// infinite for joints whose samples do not separate the gain from the parameters.
  struct Result {
    VectorX<double> gains, deviations;
    std::vector<bool> is_identifiable;
  };
  /// O((parameters + joints)^3), allocates.
  /// @throws Error if there are no samples
  Result estimate() const {
    const BaseParameters<double> base(stream_);
    const Estimate<double> found = corio::estimate(stream_, base);
    const VectorX<double> deviation = found.standard_deviation();
    Result result{VectorX<double>::Zero(joints_),
                  VectorX<double>::Constant(joints_, std::numeric_limits<double>::infinity()),
                  std::vector<bool>(static_cast<std::size_t>(joints_))};
    for (Eigen::Index i = 0; i < found.beta.size(); ++i) {
      const Eigen::Index k = base.independent()[static_cast<std::size_t>(i)] - (rows_.cols() - joints_);
      if (k < 0) continue;
      result.gains[k] = found.beta[i], result.deviations[k] = deviation[i];
      result.is_identifiable[static_cast<std::size_t>(k)] = deviation[i] < 0.2 * found.beta[i];
    }
    return result;
  }

 private:
  Eigen::Index joints_;
  MatrixX<double> rows_;
  StreamingLeastSquares<double> stream_;
};

}  // namespace corio
