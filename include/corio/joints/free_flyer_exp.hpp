#pragma once

#include <tuple>

#include "corio/joints/spherical_exp.hpp"
#include "corio/joints/translation.hpp"

namespace corio::joint {

/// Floating base by its position and exponential coordinates: q = [position (3) in the axes of the joint frame, phi (3)
/// as in SphericalExp], nu = dq/dt. A chain of a translation and that ball joint.
struct FreeFlyerExp {
  static constexpr const char* type = "free_flyer_exp";

  std::tuple<Translation, SphericalExp> primitive_joints() const { return {}; }

  /// The q, |phi| <= pi, at which the child has that pose in the joint frame.
  template <class S>
  static Eigen::Matrix<S, 6, 1> configuration(const Pose<S>& X) {
    Eigen::Matrix<S, 6, 1> q;
    detail::store(X.translation, q.data());
    detail::store(log_rotation(X.rotation), q.data() + 3);
    return q;
  }
};

}  // namespace corio::joint
