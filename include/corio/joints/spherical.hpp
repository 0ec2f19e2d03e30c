#pragma once

#include <numbers>

#include "corio/joints/joint_model.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

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
  /// Computes dv = log(R(q0)^T R(q1)), a rotation vector of length at most pi.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Quaternion<S> relative =
        quaternion_product(quaternion_inverse(detail::scaled_quaternion(q0)), detail::scaled_quaternion(q1));
    detail::store(log_quaternion(relative), dv);
  }
  /// Draws an orientation, uniform over all orientations (Shoemake).
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

/// Ball joint like Spherical, q = unit quaternion (x, y, z, w), with left-trivialised speeds: nu = angular velocity of
/// the child in the axes of the joint frame, not in the body's own. Columns [R^T e_i; 0], which move in the child's
/// axes. integrate turns about an axis fixed in the joint frame: R(out) = exp([dv]x) R(q).
struct SphericalInParentAxes : Spherical {
  static constexpr const char* type = "spherical_in_parent_axes";

  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    const Matrix3<S> axes = parent_axes(X, q);
    for (int i = 0; i < 3; ++i) phi[i] = detail::rotation_column<S>({axes, X.translation}, i);
  }
  /// Computes d(R^T e_i)/dt = R^T (e_i x w).
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    const Matrix3<S> turned = parent_axes(X, q) * skew<S>(-vector3(v));
    for (int i = 0; i < 3; ++i) rates[i] = detail::rotation_column<S>({turned, X.translation}, i);
  }

  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    detail::store(quaternion_product(exp_quaternion(vector3(dv)), detail::scaled_quaternion(q)), out);
  }
  /// Computes dv = log(R(q1) R(q0)^T), a rotation vector of length at most pi in the axes of the joint frame.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Quaternion<S> turn =
        quaternion_product(detail::scaled_quaternion(q1), quaternion_inverse(detail::scaled_quaternion(q0)));
    detail::store(log_quaternion(turn), dv);
  }

  /// Returns the axes of the joint frame for the child's pose X: X R(q)^T.
  template <class S>
  static Matrix3<S> parent_axes(const Pose<S>& X, const S* q) {
    return X.rotation * transpose(rotation_from_quaternion(detail::quaternion(q)));
  }
};

}}}  // namespace corio::joint
