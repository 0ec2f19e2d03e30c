#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Translation along a fixed axis: q = [distance] in m, nu = dq/dt, column [0; axis].
struct Prismatic : VectorSpace<1>, AlongAxis {
  static constexpr const char* type = "prismatic";
  using AlongAxis::AlongAxis;
  static Prismatic x() { return Prismatic(unit3<double>(0)); }
  static Prismatic y() { return Prismatic(unit3<double>(1)); }
  static Prismatic z() { return Prismatic(); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation, A.translation + column(A.rotation, 2) * q[0]};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::translation_column(X, 2);
  }
};

}  // namespace corio::joint
