#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Rotation about a fixed axis: q = [angle] in rad, unbounded, nu = dq/dt, column [axis; 0].
struct Revolute : VectorSpace<1, 1>, AlongAxis {
  static constexpr const char* type = "revolute";
  using AlongAxis::AlongAxis;
  static Revolute x() { return Revolute(unit3<double>(0)); }
  static Revolute y() { return Revolute(unit3<double>(1)); }
  static Revolute z() { return Revolute(); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return detail::turn_about_z(A, q[0]);
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
  }
};

}  // namespace corio::joint
