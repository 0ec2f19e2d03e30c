#pragma once

#include <array>

#include "corio/core/error.hpp"
#include "corio/core/vector3.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Rates of three successive angles and the angular velocity w that they make, in body axes: for the rotation
///   R = R_a(q0) R_b(q1) R_c(q2)
/// about coordinate axes a, b, c of the turning body, w = E(q) dq/dt and dq/dt = Gamma(q) w. E and Gamma convert
/// derivatives along the velocities of a spherical joint or a floating base to derivatives with respect to angles, and
/// conversely: for any function f of the rotation, D_l f = sum_h (df/dq_h) Gamma(h,l).
///
/// Gamma is the inverse of E. E is singular (gimbal lock) when the first and the third axis are parallel: at cos q1 = 0
/// for three different axes, at sin q1 = 0 for a = c. Near there Gamma grows without bound.
///
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), Remark 7 and eq. 33.
template <class S>
struct EulerRates {
  Matrix3<S> E, Gamma;
};

/// @param axes    0, 1 or 2 for x, y or z, neighbours different: {2, 1, 0} is yaw, pitch, roll
/// @param angles  q0, q1, q2 in rad
/// @throws Error for other axes. O(1).
template <class S>
EulerRates<S> euler_rates(const std::array<int, 3>& axes, const Vector3<S>& angles) {
  using std::cos, std::sin;
  for (const int axis : axes)
    if (axis < 0 || axis > 2 || axes[0] == axes[1] || axes[1] == axes[2])
      throw Error("euler_rates: the axes must be 0, 1 or 2, for x, y or z, and neighbours must differ");
  // Returns R_axis(-angle) x.
  const auto turn_back = [](int axis, const S& angle, const Vector3<S>& x) -> Vector3<S> {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const S c = cos(angle), s = sin(angle);
    Vector3<S> y = x;
    y[i] = c * x[i] + s * x[j];
    y[j] = c * x[j] - s * x[i];
    return y;
  };
  const Vector3<S> third = unit3<S>(axes[2]);
  const Vector3<S> second = turn_back(axes[2], angles[2], unit3<S>(axes[1]));
  const Vector3<S> first = turn_back(axes[2], angles[2], turn_back(axes[1], angles[1], unit3<S>(axes[0])));
  const Vector3<S> rows[] = {cross(second, third), cross(third, first), cross(first, second)};
  const S reciprocal = S(1) / dot(first, rows[0]);
  EulerRates<S> rates;
  for (int i = 0; i < 3; ++i) {
    rates.E(i, 0) = first[i], rates.E(i, 1) = second[i], rates.E(i, 2) = third[i];
    for (int h = 0; h < 3; ++h) rates.Gamma(h, i) = reciprocal * rows[h][i];
  }
  return rates;
}

}}  // namespace corio
