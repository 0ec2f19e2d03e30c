#pragma once

#include <tuple>

#include "corio/joints/spherical_euler.hpp"
#include "corio/joints/translation.hpp"

namespace corio::joint {

/// Floating base by its position and Euler angles: q = [position (3) in the axes of the joint frame, three angles as in
/// SphericalEuler], nu = dq/dt. A chain of a translation and three hinges. Gimbal lock as there; FreeFlyer has none.
template <char first, char second, char third>
struct FreeFlyerEuler {
  static constexpr char type[] = {'f', 'r', 'e', 'e', '_', 'f', 'l',   'y',    'e',   'r', '_',
                                  'e', 'u', 'l', 'e', 'r', '_', first, second, third, '\0'};

  std::tuple<Translation, Revolute, Revolute, Revolute> primitive_joints() const {
    return std::tuple_cat(std::tuple(Translation()), SphericalEuler<first, second, third>().primitive_joints());
  }

  /// The q at which the child has that pose in the joint frame; the angles as from SphericalEuler::configuration.
  template <std::floating_point S>
  static Eigen::Matrix<S, 6, 1> configuration(const Pose<S>& X) {
    Eigen::Matrix<S, 6, 1> q;
    q << X.translation[0], X.translation[1], X.translation[2],
        SphericalEuler<first, second, third>::configuration(X.rotation);
    return q;
  }
};

}  // namespace corio::joint
