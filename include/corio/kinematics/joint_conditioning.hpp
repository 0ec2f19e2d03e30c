#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/solvers/jacobi.hpp"

/// Conditioning of the columns of a joint. With Euler angles or exponential coordinates the columns are linearly
/// dependent at some configurations. M is singular there for every inertia of the bodies (an armature hides it).
/// Functions that invert M (aba, mass_matrix_inverse, the derivatives of forward dynamics) then divide by rounding
/// errors: their results are huge or not finite. So are structure_constants for SphericalExp and the terms of
/// hamel_equations that use them. All other functions are valid there.
namespace corio { inline namespace CORIO_ABI {

/// Returns the ratio of the smallest to the largest singular value of the columns S(q) of a joint, about the origin of
/// the body that it carries: one for orthonormal columns (revolute, spherical, free flyer), zero at gimbal lock. For
/// Euler angles about three different axes it is |cos q1| / (1 + |sin q1|); if the third axis is the first, sin and cos
/// are exchanged.
///
/// Linear parts of motions, and coordinates that are lengths, are divided by `length`, so that the result has no unit;
/// for joints that only turn, or only slide, it does not depend on `length`.
/// @param data    after forward_kinematics(model, data, q)
/// @param joint   name of a joint; the result is zero if it has more than six speeds
/// @param length  m, counts as much as one radian; > 0
/// @throws ModelError for an unknown name, Error for a length that is not positive, StateError. No allocation. O(1).
template <class S>
double joint_conditioning(const Model<S>& model, const Data<S>& data, const std::string& joint, double length = 1.0) {
  data.require(model, Pass::position, "joint_conditioning");
  if (!(length > 0.0) || !std::isfinite(length))
    throw Error(detail::join({"joint_conditioning: the length is ", detail::number(length), " m, must be positive"}));
  const Joint& which = model.joint(joint);
  const int begin = which.v_index(), n = which.nv();
  if (n == 0) return 1.0;
  if (n > 6) return 0.0;
  const Pose<S>& X = data.pose[model.node_of(begin + n - 1)];
  using Real = decltype(detail::known_value(std::declval<S>()));  // double, but instantiated only with this function
  Eigen::Matrix<Real, 6, Eigen::Dynamic, 0, 6, 6> columns(6, n);
  for (int k = 0; k < n; ++k) {
    const Motion<S> s = X.act_inverse(data.phi[begin + k]);
    const bool turns = detail::known_value(s.angular[0]) != 0.0 || detail::known_value(s.angular[1]) != 0.0 ||
                       detail::known_value(s.angular[2]) != 0.0;
    for (int i = 0; i < 3; ++i) {
      columns(i, k) = detail::known_value(s.angular[i]);
      columns(3 + i, k) = detail::known_value(s.linear[i]) / (turns ? length : 1.0);
      if (!std::isfinite(columns(i, k)) || !std::isfinite(columns(3 + i, k))) return 0.0;
    }
  }
  const auto values = detail::singular_values(columns);
  return values[0] > 0.0 ? values[n - 1] / values[0] : 0.0;
}

/// @throws Error naming the first joint whose conditioning is below `least`: its configuration is singular, or so near
/// a singularity that results lose the digits of 1 / least
template <class S>
void check_joint_conditioning(const Model<S>& model, const Data<S>& data, double least = 1e-6, double length = 1.0) {
  for (const Joint& joint : model.joints())
    if (const double x = joint_conditioning(model, data, joint.name(), length); !(x >= least))
      throw Error(
          detail::join({"the configuration of joint '", joint.name(), "' (", joint.type(),
                        ") is singular: the conditioning of its columns is ", detail::number(x), ", less than ",
                        detail::number(least), "; avoid it, or use a joint without singularities, such as Spherical"}));
}

}}  // namespace corio
