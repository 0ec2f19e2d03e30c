#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Screw: rotation about a fixed axis with an advance along it. q = [angle] in rad, nu = dq/dt,
/// column [axis; pitch axis] with the pitch in m/rad (negative: left-handed).
class Helical : public VectorSpace<1, 1>, public AlongAxis {
 public:
  static constexpr const char* type = "helical";

  Helical(const Vector3<double>& axis, double pitch) : AlongAxis(axis), pitch_(pitch) {}

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

 private:
  double pitch_;
};

}  // namespace corio::joint
