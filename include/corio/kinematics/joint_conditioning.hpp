#pragma once

#include <Eigen/SVD>
#include <cmath>
#include <string>

#include "corio/kinematics/forward_kinematics.hpp"

/// How well the speeds of a joint describe its motions. Euler angles and exponential coordinates have configurations in
/// which they do not: M is singular there whatever the bodies' inertia (an armature hides it), and what inverts M (aba,
/// mass_matrix_inverse, the derivatives of forward dynamics) divides by rounding errors: huge numbers, or none. So do
/// structure_constants for SphericalExp, and the terms of hamel_equations that use them. All else holds there, too. Not
/// included by corio.hpp, since it needs the singular values of Eigen.
namespace corio::inline CORIO_ABI {

/// The smallest over the largest singular value of the columns S(q) of a joint, about the origin of the body it
/// carries: one where each speed is a motion of its own (revolute, spherical with any of its speeds, free flyer), |cos
/// q1| / (1 + |sin q1|) for Euler angles about three different axes, with sin and cos exchanged where the third is the
/// first: zero at gimbal lock.
///
/// Motions are measured by rad and by `length`, coordinates that move along a line by `length`, too, so that the result
/// has no unit and that of joints which only turn, or only slide, does not depend on it.
/// @param data    after forward_kinematics(model, data, q)
/// @param joint   its name; of one with more than six speeds the result is zero
/// @param length  m, that counts as much as a radian; > 0
/// @throws ModelError for an unknown name, Error for a length that is not positive, StateError. No allocation. O(1).
template <class S>
double joint_conditioning(const Model<S>& model, const Data<S>& data, const std::string& joint, double length = 1.0) {
  data.require(model, Pass::position, "joint_conditioning");
  if (!(length > 0.0) || !std::isfinite(length))
    throw Error(detail::join({"joint_conditioning: the length must be positive, not ", detail::number(length)}));
  const Joint& which = model.joint(joint);
  const int begin = which.v_index(), n = which.nv();
  if (n == 0) return 1.0;
  if (n > 6) return 0.0;
  const Pose<S>& X = data.pose[model.node_of(begin + n - 1)];
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> columns(6, n);
  for (int k = 0; k < n; ++k) {
    const Motion<S> s = X.act_inverse(data.phi[begin + k]);
    for (int i = 0; i < 3; ++i) columns(i, k) = value_of(s.angular[i]), columns(3 + i, k) = value_of(s.linear[i]);
    if (!columns.col(k).head(3).isZero(0.0)) columns.col(k).tail(3) /= length;
  }
  if (!columns.allFinite()) return 0.0;
  const auto singular = Eigen::JacobiSVD<decltype(columns)>(columns).singularValues();
  return singular[0] > 0.0 ? singular[n - 1] / singular[0] : 0.0;
}

/// @throws Error naming the first joint whose conditioning is below `least`: the configuration is singular, or so near
/// to it that as many digits are lost
template <class S>
void check_joint_conditioning(const Model<S>& model, const Data<S>& data, double least = 1e-6, double length = 1.0) {
  for (const Joint& joint : model.joints())
    if (const double x = joint_conditioning(model, data, joint.name(), length); !(x >= least))
      throw Error(detail::join({"the configuration of joint '", joint.name(), "' (", joint.type(),
                                ") is singular: its speeds span its motions with a conditioning of ", detail::number(x),
                                ", less than ", detail::number(least),
                                "; move away, or use a joint without such places, such as Spherical"}));
}

}  // namespace corio
