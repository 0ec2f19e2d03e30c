#pragma once

#include <Eigen/Core>
#include <vector>

namespace corio {

/// Limits of one joint: one value per coordinate (position) or degree of freedom, empty for none.
struct JointLimits {
  std::vector<double> lower{}, upper{}, velocity{}, effort{};
};

/// What the <safety_controller> of a URDF says of a joint: position limits inside the hard ones (per coordinate), and
/// the gains, per degree of freedom, by which the controller holds the velocity to position_gain times the distance
/// from such a limit, and the effort to velocity_gain times the distance from that velocity. Empty for none. corio only
/// carries them.
struct JointSafety {
  std::vector<double> lower{}, upper{}, position_gain{}, velocity_gain{};
};

/// The same of a model: lower and upper have nq values, infinite where there are none; the gains nv, zero where there
/// are none.
struct SafetyLimits {
  Eigen::VectorXd lower, upper, position_gain, velocity_gain;
};

}  // namespace corio
