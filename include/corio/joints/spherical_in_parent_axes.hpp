#pragma once

#include "corio/joints/spherical.hpp"

namespace corio::joint {

/// Ball joint like Spherical, q = unit quaternion (x, y, z, w), with left-trivialised speeds: nu = angular velocity of
/// the child in the axes of the joint frame, not in the body's own. Columns [R^T e_i; 0] in the child's axes, in which
/// they move. A step turns about an axis fixed in the joint frame: R(out) = exp([dv]x) R(q).
struct SphericalInParentAxes : Spherical {
  static constexpr const char* type = "spherical_in_parent_axes";

  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    const Matrix3<S> axes = parent_axes(X, q);
    for (int i = 0; i < 3; ++i) phi[i] = detail::rotation_column<S>({axes, X.translation}, i);
  }
  /// d(R^T e_i)/dt = R^T (e_i x w).
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    const Matrix3<S> turned = parent_axes(X, q) * skew<S>(-vector3(v));
    for (int i = 0; i < 3; ++i) rates[i] = detail::rotation_column<S>({turned, X.translation}, i);
  }

  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    detail::store(quaternion_product(exp_quaternion(vector3(dv)), detail::scaled_quaternion(q)), out);
  }
  /// The rotation vector of at most pi, in the axes of the joint frame.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Quaternion<S> turn =
        quaternion_product(detail::scaled_quaternion(q1), quaternion_inverse(detail::scaled_quaternion(q0)));
    detail::store(log_quaternion(turn), dv);
  }

  /// The axes of the joint frame, when the child's pose is X: X R(q)^T.
  template <class S>
  static Matrix3<S> parent_axes(const Pose<S>& X, const S* q) {
    return X.rotation * transpose(rotation_from_quaternion(detail::quaternion(q)));
  }
};

}  // namespace corio::joint
