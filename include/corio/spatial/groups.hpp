#pragma once

#include "corio/spatial/lie.hpp"

/// Maps of SO(3) and SE(3) under the names of Pinocchio, whose SE3 is a Pose here. Motions are [angular; linear];
/// Jacobians are 6 x 6 in that order. Exact near zero and near pi; safe to differentiate at zero.
namespace corio { inline namespace CORIO_ABI {

/// Returns the right Jacobian J of exp at V = [w; v], |w| < 2 pi: exp(V + d) = exp(V) exp(J d) to first order, so that
/// J dV/dt is the twist of exp(V) in its own axes,
///   J = [J_w, 0; Q, J_w],   J_w = right_jacobian(w),   Q d = exp(w)^T (derivative of left_jacobian(w) along d) v.
/// 6 x 6. Source: Barfoot and Furgale (2014), eq. 99-102, by derivatives of J_w in place of their closed form.
template <class S>
Matrix6<S> right_jacobian(const Motion<S>& V) {
  const Matrix3<S> J_w = right_jacobian(V.angular), R_T = exp_rotation<S>(-V.angular);
  Matrix6<S> J = Matrix6<S>::Zero();
  for (int k = 0; k < 3; ++k) {
    Vector3<S> d = zero3<S>();
    d[k] = S(1);
    const Vector3<S> Q_k = R_T * (left_jacobian_rate(V.angular, d) * V.linear);
    for (int i = 0; i < 3; ++i) J(i, k) = J(3 + i, 3 + k) = J_w(i, k), J(3 + i, k) = Q_k[i];
  }
  return J;
}
/// Returns the left Jacobian: exp(V + d) = exp(J d) exp(V) to first order; J dV/dt is the twist in the axes that V is
/// given in.
template <class S>
Matrix6<S> left_jacobian(const Motion<S>& V) {
  return right_jacobian<S>(-V);
}
/// Return the inverses of these Jacobians, for |w| < 2 pi.
template <class S>
Matrix6<S> right_jacobian_inverse(const Motion<S>& V) {
  Matrix6<S> J = right_jacobian(V);
  const Matrix3<S> inverse = right_jacobian_inverse(V.angular);
  const Matrix3<S> Q = J.template bottomLeftCorner<3, 3>();
  const Matrix3<S> below = inverse * Matrix3<S>(Q * inverse);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) J(i, k) = J(3 + i, 3 + k) = inverse(i, k), J(3 + i, k) = -below(i, k);
  return J;
}
template <class S>
Matrix6<S> left_jacobian_inverse(const Motion<S>& V) {
  return right_jacobian_inverse<S>(-V);
}

/// Returns exp([w]x), and conversely the w, |w| <= pi, with exp([w]x) = R.
template <class S>
Matrix3<S> exp3(const Vector3<S>& w) {
  return exp_rotation(w);
}
template <class S>
Vector3<S> log3(const Matrix3<S>& R) {
  return log_rotation(R);
}
/// Right Jacobians of exp3 at w and of log3 at R: exp3(w + d) = exp3(w) exp3(Jexp3(w) d), log3(R exp3(d)) = log3(R) +
/// Jlog3(R) d, to first order. Each is the inverse of the other; the left Jacobians are the right ones at -w and R^T.
template <class S>
Matrix3<S> Jexp3(const Vector3<S>& w) {
  return right_jacobian(w);
}
template <class S>
Matrix3<S> Jlog3(const Matrix3<S>& R) {
  return right_jacobian_inverse(log_rotation(R));
}

/// Returns the pose reached from the identity by the constant twist V in unit time, and conversely the V, |w| <= pi,
/// with exp6(V) = T.
template <class S>
Pose<S> exp6(const Motion<S>& V) {
  return exp(V);
}
template <class S>
Motion<S> log6(const Pose<S>& T) {
  return log(T);
}
/// Right Jacobians of exp6 at V and of log6 at T: exp6(V + d) = exp6(V) exp6(Jexp6(V) d), log6(T exp6(d)) = log6(T) +
/// Jlog6(T) d, to first order. Each is the inverse of the other; the left Jacobians are the right ones at -V and the
/// inverse of T.
template <class S>
Matrix6<S> Jexp6(const Motion<S>& V) {
  return right_jacobian(V);
}
template <class S>
Matrix6<S> Jlog6(const Pose<S>& T) {
  return right_jacobian_inverse(log(T));
}

}}  // namespace corio
