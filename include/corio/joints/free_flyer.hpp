#pragma once

#include "corio/joints/spherical.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Floating base, the group SE(3). q = [position (3), quaternion x y z w] of the child in the joint frame;
/// nu = [w; v], the twist of the child about its own origin and in its own axes, angular part first. The columns are
/// the columns of the identity.
struct FreeFlyer {
  static constexpr int nq = 7, nv = 6;
  static constexpr const char* type = "free_flyer";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation * rotation_from_quaternion(detail::quaternion(q + 3)), A.point(vector3(q))};
  }
  /// Returns the q for the pose X of the child in the joint frame.
  template <class S>
  static Eigen::Matrix<S, nq, 1> configuration(const Pose<S>& X) {
    Eigen::Matrix<S, nq, 1> q;
    detail::store(X.translation, q.data());
    detail::store(quaternion_from_rotation(X.rotation), q.data() + 3);
    return q;
  }

  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    for (int i = 0; i < 3; ++i) {
      phi[i] = detail::rotation_column(X, i);
      phi[3 + i] = detail::translation_column(X, i);
    }
  }

  template <class S>
  void neutral(S* q) const {
    for (int i = 0; i < 3; ++i) q[i] = S(0);
    Spherical().neutral(q + 3);
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    const Matrix3<S> R = rotation_from_quaternion(detail::quaternion(q + 3));
    const Vector3<S> step = R * exp_translation<S>({vector3(dv), vector3(dv + 3)});
    for (int i = 0; i < 3; ++i) out[i] = q[i] + step[i];
    Spherical().integrate(q + 3, dv, out + 3);
  }
  /// Computes dv = log(T(q0)^-1 T(q1)) with an angle of at most pi.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Matrix3<S> R = rotation_from_quaternion(detail::quaternion(q0 + 3));
    const Vector3<S> step = transpose_times<S>(R, vector3(q1) - vector3(q0));
    Spherical().difference(q0 + 3, q1 + 3, dv);
    detail::store(log_translation<S>(vector3(dv), step), dv + 3);
  }
  /// Draws a position in [-1, 1]^3 and a uniform orientation.
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    for (int i = 0; i < 3; ++i) q[i] = S(2 * uniform() - 1);
    Spherical().random(uniform, q + 3);
  }
  template <class S>
  void normalize(S* q) const {
    Spherical().normalize(q + 3);
  }
  template <class S>
  double violation(const S* q) const {
    return Spherical().violation(q + 3);
  }
};

/// Floating base like FreeFlyer, q = [position (3), quaternion x y z w] of the child in the joint frame, with
/// nu = [w; dp/dt]: angular velocity of the child and velocity of its origin, both in the axes of the joint frame, as
/// in Drake. Columns [R^T e_i; 0] and [0; R^T e_i], which move in the child's axes. integrate moves the origin along a
/// straight line and turns the child about an axis fixed in the joint frame: the group SO(3) x R^3.
struct FreeFlyerInParentAxes : FreeFlyer {
  static constexpr const char* type = "free_flyer_in_parent_axes";

  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    store(X, SphericalInParentAxes::parent_axes(X, q + 3), phi);
  }
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    store(X, Matrix3<S>(SphericalInParentAxes::parent_axes(X, q + 3) * skew<S>(-vector3(v))), rates);
  }

  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    for (int i = 0; i < 3; ++i) out[i] = q[i] + dv[3 + i];
    SphericalInParentAxes().integrate(q + 3, dv, out + 3);
  }
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Vector3<S> step = vector3(q1) - vector3(q0);
    SphericalInParentAxes().difference(q0 + 3, q1 + 3, dv);
    detail::store(step, dv + 3);
  }

 private:
  template <class S>
  static void store(const Pose<S>& X, const Matrix3<S>& axes, Motion<S>* out) {
    for (int i = 0; i < 3; ++i) {
      out[i] = detail::rotation_column<S>({axes, X.translation}, i);
      out[3 + i] = detail::translation_column<S>({axes, X.translation}, i);
    }
  }
};

}}}  // namespace corio::joint
