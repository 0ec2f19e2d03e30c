#pragma once

#include "corio/joints/joint_model.hpp"
#include "corio/spatial/quads.hpp"

namespace corio::joint {

/// Rotation about a fixed axis: q = [angle] in rad, unbounded, nu = dq/dt, column [axis; 0].
class Revolute : public VectorSpace<1> {
 public:
  static constexpr const char* type = "revolute";

  /// @param axis  in the joint frame, of any nonzero length.
  explicit Revolute(const Vector3<double>& axis = unit3<double>(2)) : axis_(axis) {}
  static Revolute x() { return Revolute(unit3<double>(0)); }
  static Revolute y() { return Revolute(unit3<double>(1)); }
  static Revolute z() { return Revolute(); }

  /// Axes whose z is the joint's axis. compose and columns below are in these; the builder does the turning.
  Matrix3<double> axes() const { return detail::axis_frame(axis_); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return detail::turn_about_z(A, q[0]);
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
  }
  /// compose and columns in registers, for the cosine and the sine of the angle.
  template <class S>
  CORIO_INLINE corio::detail::QuadPose<S> compose_registers(const corio::detail::QuadPose<S>& A, const S& cosine,
                                                            const S& sine) const {
    return {A.x * cosine + A.y * sine, A.y * cosine - A.x * sine, A.z, A.p};
  }
  template <class S>
  CORIO_INLINE corio::detail::QuadMotion<S> column_registers(const corio::detail::QuadPose<S>& X) const {
    return {X.z, yzx(cross_zxy(X.p, X.z))};
  }
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    q[0] = S(detail::pi * (2 * uniform() - 1));
  }

 private:
  Vector3<double> axis_;
};

}  // namespace corio::joint
