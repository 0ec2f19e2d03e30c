#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Rotation about and translation along one axis: q = [angle, distance], nu = dq/dt, columns
/// [axis; 0] and [0; axis].
struct Cylindrical : VectorSpace<2, 1>, AlongAxis {
  static constexpr const char* type = "cylindrical";
  using AlongAxis::AlongAxis;

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
};

}  // namespace corio::joint
