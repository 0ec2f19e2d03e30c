#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "corio/core/error.hpp"
#include "corio/spatial/inertia.hpp"

namespace corio::detail {

template <class Derived>
bool all_finite(const Eigen::DenseBase<Derived>& x) {
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      if (!std::isfinite(value_of(x.derived().coeff(i, j)))) return false;
  return true;
}

/// Eigenvalues of a symmetric 3 x 3 matrix, ascending (trigonometric closed form; errors of 1e-8 of the largest at
/// worst).
inline std::array<double, 3> symmetric_eigenvalues(const Symmetric3<double>& A) {
  const double mean = A.trace() / 3.0;
  const double x = A.xx - mean, y = A.yy - mean, z = A.zz - mean;
  const double p = std::sqrt((x * x + y * y + z * z + 2.0 * (A.xy * A.xy + A.xz * A.xz + A.yz * A.yz)) / 6.0);
  if (p <= 1e-300) return {mean, mean, mean};
  const double det = x * (y * z - A.yz * A.yz) - A.xy * (A.xy * z - A.yz * A.xz) + A.xz * (A.xy * A.yz - y * A.xz);
  const double half_det = det / (2.0 * p * p * p);
  const double angle = std::acos(std::clamp(half_det, -1.0, 1.0)) / 3.0;
  constexpr double third_turn = 2.0943951023931953;
  const double largest = mean + 2.0 * p * std::cos(angle);
  const double smallest = mean + 2.0 * p * std::cos(angle + third_turn);
  return {smallest, 3.0 * mean - largest - smallest, largest};
}

/// Principal moments of inertia about the centre of mass, ascending.
template <class S>
std::array<double, 3> principal_moments(const InertialParameters<S>& parameters) {
  const auto I = [&parameters](int i, int j) { return value_of(parameters.inertia(i, j)); };
  return symmetric_eigenvalues({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
}

/// Distributed robots' files violate the triangle inequality by up to 2.5 % of the largest moment.
inline constexpr double triangle_tolerance = 0.03;
/// What a link may disturb the rigid body that it is welded into, relative to the largest moment of that.
inline constexpr double welded_tolerance = 1e-4;

/// Throws ModelError unless the parameters belong to some distribution of mass: finite, mass >= 0, symmetric inertia,
/// principal moments about the centre of mass nonnegative and none above the sum of the other two.
/// @param model, body  names for the message
/// @param scale        largest principal moment of the rigid body that these parameters are part of; violations below
///                     welded_tolerance of it pass
template <class S>
void check_inertia(const InertialParameters<S>& parameters, std::string_view model, std::string_view body,
                   double scale) {
  const auto fail = [&](std::initializer_list<std::string_view> what) {
    throw ModelError(join({"model '", model, "': body '", body, "': ", join(what)}));
  };
  const double mass = value_of(parameters.mass);
  if (!std::isfinite(mass) || !all_finite(parameters.com) || !all_finite(parameters.inertia))
    fail({"mass, centre of mass and inertia must be finite numbers"});
  if (mass < 0.0) fail({"mass is ", number(mass), " kg, must not be negative"});
  const auto principal = principal_moments(parameters);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(value_of(parameters.inertia(i, j)) - value_of(parameters.inertia(j, i))) > 1e-5 * principal[2])
        fail({"the rotational inertia about the centre of mass must be a symmetric matrix"});
  const double tolerance = std::max(welded_tolerance * scale, triangle_tolerance * principal[2]);
  const double rounding = std::max(welded_tolerance * scale, 1e-6 * principal[2]);
  if (principal[0] < -rounding || principal[0] + principal[1] < principal[2] - tolerance)
    fail({"principal moments of inertia about the centre of mass are ", number(principal[0]), ", ",
          number(principal[1]), ", ", number(principal[2]),
          " kg m^2; each must be nonnegative and at most the sum of the other two (triangle inequality)"});
}

}  // namespace corio::detail
