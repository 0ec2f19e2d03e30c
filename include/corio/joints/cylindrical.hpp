#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Rotation about and translation along one axis: q = [angle, distance], nu = dq/dt, columns
/// [axis; 0] and [0; axis].
class Cylindrical : public VectorSpace<2> {
 public:
  static constexpr const char* type = "cylindrical";

  /// @param axis  in the joint frame, of any nonzero length.
  explicit Cylindrical(const Vector3<double>& axis = unit3<double>(2)) : axis_(axis) {}

  /// Axes whose z is the joint's axis (see Revolute).
  Matrix3<double> axes() const { return detail::axis_frame(axis_); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    Pose<S> X = detail::turn_about_z(A, q[0]);
    X.translation += column(A.rotation, 2) * q[1];
    return X;
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
    phi[1] = detail::translation_column(X, 2);
  }
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    q[0] = S(detail::pi * (2 * uniform() - 1));
    q[1] = S(2 * uniform() - 1);
  }

 private:
  Vector3<double> axis_;
};

}  // namespace corio::joint
