#pragma once

#include <numbers>

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Ball joint, the group SO(3). q = unit quaternion (x, y, z, w) of the child in the joint frame; nu = angular velocity
/// in the child body's axes, columns [e_i; 0]. Only the quaternion's direction enters the dynamics, not its norm, which
/// may be any finite nonzero number. For a quaternion that is zero or not finite results contain NaN, and normalize
/// leaves it unchanged.
struct Spherical {
  static constexpr int nq = 4, nv = 3;
  static constexpr const char* type = "spherical";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation * rotation_from_quaternion(detail::quaternion(q)), A.translation};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    for (int i = 0; i < 3; ++i) phi[i] = detail::rotation_column(X, i);
  }

  template <class S>
  void neutral(S* q) const {
    q[0] = q[1] = q[2] = S(0);
    q[3] = S(1);
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    detail::store(quaternion_product(detail::scaled_quaternion(q), exp_quaternion(vector3(dv))), out);
  }
  /// The rotation vector of at most pi.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Quaternion<S> relative =
        quaternion_product(quaternion_inverse(detail::scaled_quaternion(q0)), detail::scaled_quaternion(q1));
    detail::store(log_quaternion(relative), dv);
  }
  /// Uniform over all orientations (Shoemake).
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    const double u = uniform(), a = 2 * std::numbers::pi * uniform(), b = 2 * std::numbers::pi * uniform();
    const double r = std::sqrt(1 - u), s = std::sqrt(u);
    q[0] = S(r * std::sin(a)), q[1] = S(r * std::cos(a)), q[2] = S(s * std::sin(b)), q[3] = S(s * std::cos(b));
  }
  template <class S>
  void normalize(S* q) const {
    detail::normalize_vector(q, 4);
  }
  template <class S>
  double violation(const S* q) const {
    return detail::norm_violation(q, 4);
  }
};

}  // namespace corio::joint
