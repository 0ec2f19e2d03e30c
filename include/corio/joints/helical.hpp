#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Screw: rotation about a fixed axis with an advance along it. q = [angle] in rad, nu = dq/dt,
/// column [axis; pitch axis] with the pitch in m/rad (negative: left-handed).
class Helical : public VectorSpace<1> {
 public:
  static constexpr const char* type = "helical";

  /// @param axis  in the joint frame, of any nonzero length.
  Helical(const Vector3<double>& axis, double pitch) : axis_(axis), pitch_(pitch) {}

  /// Axes whose z is the joint's axis (see Revolute).
  Matrix3<double> axes() const { return detail::axis_frame(axis_); }
  double pitch() const { return pitch_; }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    Pose<S> X = detail::turn_about_z(A, q[0]);
    X.translation += column(A.rotation, 2) * (S(pitch_) * q[0]);
    return X;
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
    phi[0].linear += column(X.rotation, 2) * S(pitch_);
  }
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    q[0] = S(detail::pi * (2 * uniform() - 1));
  }

 private:
  Vector3<double> axis_;
  double pitch_;
};

}  // namespace corio::joint
