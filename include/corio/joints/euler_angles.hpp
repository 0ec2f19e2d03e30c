#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <tuple>

#include "corio/joints/along_axis.hpp"
#include "corio/joints/translation.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Ball joint by Euler angles: R = R_first(q0) R_second(q1) R_third(q2) about axes x, y or z of the turning body; nu =
/// dq/dt, rad/s. Each of the twelve sequences is a type, for instance
///
///   SphericalEuler<'z', 'y', 'x'>   yaw, pitch, roll
///   SphericalEuler<'z', 'x', 'z'>   precession, nutation, spin
///
/// Inside the model it is a chain of three hinges with massless bodies between them, so that all axes are constant in
/// their bodies; it costs as much as three hinges. Gimbal lock: when cos q1 = 0 (sin q1 = 0 if the third axis is the
/// first again) the three axes lie in a plane, no dq/dt gives an angular velocity normal to it, and M is singular;
/// joint_conditioning measures the distance from it. Spherical has no such configuration.
template <char first, char second, char third>
class SphericalEuler {
  static constexpr bool is_axis(char a) { return a == 'x' || a == 'y' || a == 'z'; }
  static_assert(is_axis(first) && is_axis(second) && is_axis(third), "an axis of a sequence is 'x', 'y' or 'z'");
  static_assert(first != second && second != third, "two turns about one axis in a row are one turn");

 public:
  static constexpr char type[] = {'s', 'p', 'h', 'e', 'r', 'i', 'c',   'a',    'l',   '_',
                                  'e', 'u', 'l', 'e', 'r', '_', first, second, third, '\0'};

  std::array<Revolute, 3> primitive_joints() const {
    return {Revolute(unit3<double>(first - 'x')), Revolute(unit3<double>(second - 'x')),
            Revolute(unit3<double>(third - 'x'))};
  }

  /// Returns the angles of a rotation matrix: q1 in [-pi/2, pi/2], or in [0, pi] if the third axis is the first again,
  /// the others in [-pi, pi]. Gimbal lock determines only their sum or difference; the result is then one of the
  /// possible pairs.
  template <std::floating_point S>
  static Eigen::Matrix<S, 3, 1> configuration(const Matrix3<S>& R) {
    constexpr int a = first - 'x', b = second - 'x', c = third - 'x', d = 3 - a - b;
    // e_a x e_b = sign e_d.
    const S sign = (a + 1) % 3 == b ? S(1) : S(-1);
    Eigen::Matrix<S, 3, 1> q;
    if constexpr (a == c) {
      q[0] = std::atan2(R(b, a), -sign * R(d, a));
      q[1] = std::atan2(std::hypot(R(b, a), R(d, a)), R(a, a));
    } else {
      q[0] = std::atan2(-sign * R(b, c), R(c, c));
      q[1] = std::atan2(sign * R(a, c), std::hypot(R(b, c), R(c, c)));
    }
    // Compute q2 from the second axis, expressed in the child's axes, which also determines it at gimbal lock.
    constexpr int other = 3 - b - c;
    const S turn = (c + 1) % 3 == b ? S(1) : S(-1);
    const S cosine = std::cos(q[0]), sine = sign * std::sin(q[0]);
    const auto seen = [&](int i) { return cosine * R(b, i) + sine * R(d, i); };
    q[2] = std::atan2(-turn * seen(other), seen(b));
    return q;
  }
};

/// Floating base by its position and Euler angles: q = [position (3) in the axes of the joint frame, three angles as in
/// SphericalEuler], nu = dq/dt. It is a chain of a translation and three hinges. It has the gimbal lock of
/// SphericalEuler; FreeFlyer has no gimbal lock.
template <char first, char second, char third>
struct FreeFlyerEuler {
  static constexpr char type[] = {'f', 'r', 'e', 'e', '_', 'f', 'l',   'y',    'e',   'r', '_',
                                  'e', 'u', 'l', 'e', 'r', '_', first, second, third, '\0'};

  std::tuple<Translation, Revolute, Revolute, Revolute> primitive_joints() const {
    return std::tuple_cat(std::tuple(Translation()), SphericalEuler<first, second, third>().primitive_joints());
  }

  /// Returns the q for the pose X of the child in the joint frame; angles as from SphericalEuler::configuration.
  template <std::floating_point S>
  static Eigen::Matrix<S, 6, 1> configuration(const Pose<S>& X) {
    Eigen::Matrix<S, 6, 1> q;
    q << X.translation[0], X.translation[1], X.translation[2],
        SphericalEuler<first, second, third>::configuration(X.rotation);
    return q;
  }
};

}}}  // namespace corio::joint
