#pragma once

#include <tuple>

#include "corio/joints/spherical.hpp"
#include "corio/joints/translation.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Ball joint by exponential coordinates: q = rotation vector phi (rad) of the child in the joint frame, R =
/// exp([phi]x), nu = dphi/dt. The columns are [J e_i; 0] with the right Jacobian J of the exponential map, and move in
/// the body. The joint is smooth at phi = 0. At |phi| = 2 pi, 4 pi, .. J is singular, and so is M: call normalize
/// before the joint gets there. The configuration space is a plain vector space: difference is q1 - q0, which counts
/// turns. rnea takes 1.6 times the operations of SphericalEuler, three hinges, because of the derivatives of the
/// columns.
///
/// Source: LJ, eqs. 53-56.
struct SphericalExp : VectorSpace<3, 3> {
  static constexpr const char* type = "spherical_exp";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation * exp_rotation(vector3(q)), A.translation};
  }
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    store(X, right_jacobian(vector3(q)), phi);
  }
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    store(X, right_jacobian_rate(vector3(q), vector3(v)), rates);
  }

  /// Returns the phi, |phi| <= pi, of a rotation matrix.
  template <class S>
  static Eigen::Matrix<S, 3, 1> configuration(const Matrix3<S>& R) {
    Eigen::Matrix<S, 3, 1> q;
    detail::store(log_rotation(R), q.data());
    return q;
  }
  /// Draws an orientation, uniform over all orientations.
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    Quaternion<S> a;
    Spherical().random(uniform, a.data());
    detail::store(log_quaternion(a), q);
  }
  /// Replaces q by the rotation vector of the same orientation with |phi| <= pi: phi (1 - 2 pi k / |phi|), k whole. nu
  /// would change with it: for a moving body use the next function.
  template <class S>
  void normalize(S* q) const {
    using std::sqrt, std::round, std::isfinite;
    using Real = corio::detail::RealOf<S>;
    constexpr auto turn = Real(2) * corio::detail::pi<Real>;
    const Vector3<S> phi = vector3(q);
    const S squared = dot(phi, phi);
    const auto angle = sqrt(corio::detail::real_value(squared));
    const auto is_large = angle > corio::detail::pi<Real> && isfinite(angle);
    if (!in_any_state(is_large)) return;
    const S factor = select(is_large, S(S(1) - S(turn * round(angle / turn)) / sqrt(squared)), S(1));
    for (int i = 0; i < 3; ++i) q[i] *= factor;
  }
  /// Does the same for a moving body, and also converts nu = dphi/dt, J(phi') nu' = J(phi) nu. q and nu may point into
  /// vectors of a model, at q_index() and v_index() of the joint.
  template <class S>
  void normalize(S* q, S* nu) const {
    const Vector3<S> w = right_jacobian(vector3(q)) * vector3(nu);
    normalize(q);
    detail::store<S, 3>(right_jacobian_inverse(vector3(q)) * w, nu);
  }

 private:
  template <class S>
  static void store(const Pose<S>& X, const Matrix3<S>& J, Motion<S>* out) {
    const Matrix3<S> axes = X.rotation * J;
    for (int k = 0; k < 3; ++k) out[k] = detail::rotation_column<S>({axes, X.translation}, k);
  }
};

/// Floating base by its position and exponential coordinates: q = [position (3) in the axes of the joint frame, phi (3)
/// as in SphericalExp], nu = dq/dt. A chain of a translation and that ball joint.
struct FreeFlyerExp {
  static constexpr const char* type = "free_flyer_exp";

  std::tuple<Translation, SphericalExp> primitive_joints() const { return {}; }

  /// Returns the q, |phi| <= pi, for the pose X of the child in the joint frame.
  template <class S>
  static Eigen::Matrix<S, 6, 1> configuration(const Pose<S>& X) {
    Eigen::Matrix<S, 6, 1> q;
    detail::store(X.translation, q.data());
    detail::store(log_rotation(X.rotation), q.data() + 3);
    return q;
  }
};

}}}  // namespace corio::joint
