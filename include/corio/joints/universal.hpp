#pragma once

#include <array>

#include "corio/joints/revolute.hpp"

namespace corio::joint {

/// Two intersecting revolute axes: T = exp(first q0) exp(second q1), q = [q0, q1] in rad, nu = dq/dt. `first` is fixed
/// in the joint frame, `second` turns with it. Inside the model it is a chain of two single-axis joints with a massless
/// body between them, so that all axes are constant in their bodies.
class Universal {
 public:
  static constexpr const char* type = "universal";

  explicit Universal(const Vector3<double>& first = unit3<double>(0), const Vector3<double>& second = unit3<double>(1))
      : primitive_joints_{Revolute(first), Revolute(second)} {}

  const std::array<Revolute, 2>& primitive_joints() const { return primitive_joints_; }

 private:
  std::array<Revolute, 2> primitive_joints_;
};

}  // namespace corio::joint
