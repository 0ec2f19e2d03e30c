#pragma once

#include <cmath>

#include "corio/spatial/pose.hpp"
#include "support/compare.hpp"

/// The 4 x 4 view of rigid-body mechanics, in which products of dense matrices replace spatial algebra.
namespace corio::test {

template <class S>
using Matrix4 = Eigen::Matrix<S, 4, 4>;

/// hat(V) = [ S(w), v; 0, 0 ].
template <class S>
Matrix4<S> hat(const Motion<S>& V) {
  Matrix4<S> m = Matrix4<S>::Zero();
  m.template topLeftCorner<3, 3>() = skew(V.angular);
  m.template topRightCorner<3, 1>() = V.linear;
  return m;
}

/// T = [ R, p; 0, 1 ].
template <class S>
Matrix4<S> homogeneous(const Pose<S>& pose) {
  Matrix4<S> m = Matrix4<S>::Identity();
  m.template topLeftCorner<3, 3>() = pose.rotation;
  m.template topRightCorner<3, 1>() = pose.translation;
  return m;
}

/// J = [ Sigma, h; h^T, m ].
template <class S>
Matrix4<S> pseudo_inertia(const Inertia<S>& I) {
  Matrix4<S> J;
  J << I.sigma.matrix(), I.h, I.h.transpose(), I.mass;
  return J;
}

/// Matrix exponential by scaling and squaring of its Taylor series: slow, and independent of the meaning of the matrix.
template <class Derived>
typename Derived::PlainObject matrix_exponential(const Eigen::MatrixBase<Derived>& a) {
  using Matrix = typename Derived::PlainObject;
  using S = typename Derived::Scalar;
  int halvings = 0;
  for (double size = max_magnitude(a); size > 0.1; size /= 2) ++halvings;
  const Matrix scaled_down = a * S(std::ldexp(1.0, -halvings));
  Matrix sum = Matrix::Identity(a.rows(), a.cols());
  Matrix term = sum;
  for (int k = 1; k <= 16; ++k) {
    term = term * scaled_down * S(1.0 / k);
    sum += term;
  }
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  return sum;
}

}  // namespace corio::test
