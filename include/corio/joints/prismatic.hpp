#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio::joint {

/// Translation along a fixed axis: q = [distance] in m, nu = dq/dt, column [0; axis].
class Prismatic : public VectorSpace<1> {
 public:
  static constexpr const char* type = "prismatic";

  /// @param axis  in the joint frame, of any nonzero length.
  explicit Prismatic(const Vector3<double>& axis = unit3<double>(2)) : axis_(axis) {}
  static Prismatic x() { return Prismatic(unit3<double>(0)); }
  static Prismatic y() { return Prismatic(unit3<double>(1)); }
  static Prismatic z() { return Prismatic(); }

  /// Axes whose z is the joint's axis (see Revolute).
  Matrix3<double> axes() const { return detail::axis_frame(axis_); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation, A.translation + column(A.rotation, 2) * q[0]};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::translation_column(X, 2);
  }

 private:
  Vector3<double> axis_;
};

}  // namespace corio::joint
