#pragma once

#include "corio/joints/free_flyer.hpp"
#include "corio/joints/spherical_in_parent_axes.hpp"

namespace corio::joint {

/// Floating base like FreeFlyer, q = [position (3), quaternion x y z w] of the child in the joint frame, with
/// nu = [w; dp/dt]: angular velocity of the child and velocity of its origin, both in the axes of the joint frame, as
/// in Drake. Columns [R^T e_i; 0] and [0; R^T e_i] in the child's axes, in which they move. A step moves the origin
/// along a straight line and turns about an axis fixed in the joint frame: the group SO(3) x R^3.
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

}  // namespace corio::joint
