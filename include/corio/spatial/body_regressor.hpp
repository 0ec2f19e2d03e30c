#pragma once

#include <array>

#include "corio/spatial/pose.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A field of vectors A r + b at the points r of a body, such as their velocities or accelerations. Its integral over
/// the mass is a momentum or a force.
template <class S>
struct PointField {
  Matrix3<S> A;
  Vector3<S> b;

  /// Returns the field of velocities w x r + v.
  CORIO_INLINE static PointField velocity(const Motion<S>& V) { return {skew(V.angular), V.linear}; }

  /// Returns the field whose force is I dW + B(V, I) W, with B of Christoffel's factorization (BodyCoriolis):
  ///   A = [dw_r]x + [w_r]x [w]x,   b = dv_r + w_r x v.
  /// Only the angular part of W = [w_r; v_r] enters. For W = V these are the accelerations of the points.
  CORIO_INLINE static PointField acceleration(const Motion<S>& V, const Motion<S>& W, const Motion<S>& dW) {
    const Vector3<S>&w = V.angular, &x = W.angular, &dx = dW.angular;
    // [x]x [w]x = w x^T - (x . w) 1.
    const S xx = x[0] * w[0], yy = x[1] * w[1], zz = x[2] * w[2];
    return {matrix3<S>(-(yy + zz), x[1] * w[0] - dx[2], x[2] * w[0] + dx[1],  //
                       x[0] * w[1] + dx[2], -(xx + zz), x[2] * w[1] - dx[0],  //
                       x[0] * w[2] - dx[1], x[1] * w[2] + dx[0], -(xx + yy)),
            dW.linear + cross(x, V.linear)};
  }
};

/// The 6 x 10 regressor H of a body: H pi is the moment and force (or angular and linear momentum) of a PointField, for
/// the ten parameters pi = [m, m c (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in the body's frame. The columns of rotational
/// inertia have no force, which leaves 42 numbers. Source: Garofalo, Ott and Albu-Schaeffer (2013), eqs. 9-12 and 15;
/// Slotine and Li (1987); the form by fields of vectors is corio's own.
template <class S>
struct BodyRegressor {
  Vector3<S> moment[10];
  Vector3<S> force[4];

  /// Computes H in the axes and about the point of the given field and of the body frame's pose X = (R, p). With r_i
  /// the axes of the body, c_i = A r_i and a = A p + b:
  ///   m -> [p x a; a],   m c_i -> [r_i x a + p x c_i; c_i],   int x_i x_j dm -> r_i x c_j.
  CORIO_INLINE static BodyRegressor of(const PointField<S>& field, const Pose<S>& X) {
    const Vector3<S> r[] = {column(X.rotation, 0), column(X.rotation, 1), column(X.rotation, 2)};
    const Vector3<S> c[] = {field.A * r[0], field.A * r[1], field.A * r[2]};
    const Vector3<S> a = field.A * X.translation + field.b;
    BodyRegressor H;
    H.force[0] = a;
    H.moment[0] = cross(X.translation, a);
    Vector3<S> second[3];
    detail::repeat<3>([&](auto i) CORIO_INLINE_LAMBDA {
      H.force[1 + i] = c[i];
      H.moment[1 + i] = cross(r[i], a) + cross(X.translation, c[i]);
      second[i] = cross(r[i], c[i]);
    });
    // Convert second moments to rotational inertia: int x^2 dm = (Iyy + Izz - Ixx) / 2, int x y dm = -Ixy.
    const Vector3<S> half = S(0.5) * (second[0] + second[1] + second[2]);
    detail::repeat<3>([&](auto i) CORIO_INLINE_LAMBDA { H.moment[4 + i] = half - second[i]; });
    H.moment[7] = -(cross(r[0], c[1]) + cross(r[1], c[0]));
    H.moment[8] = -(cross(r[0], c[2]) + cross(r[2], c[0]));
    H.moment[9] = -(cross(r[1], c[2]) + cross(r[2], c[1]));
    return H;
  }
  /// Computes H in the body's own frame: I V = H pi for the field of velocities.
  static BodyRegressor of(const PointField<S>& field) { return of(field, Pose<S>::identity()); }

  /// Returns H pi.
  CORIO_INLINE Force<S> operator*(const std::array<S, 10>& pi) const {
    Force<S> sum{moment[0] * pi[0], force[0] * pi[0]};
    for (std::size_t i = 1; i < 10; ++i) sum.moment += moment[i] * pi[i];
    for (std::size_t i = 1; i < 4; ++i) sum.force += force[i] * pi[i];
    return sum;
  }
  /// Returns W . H(:, i), the power of each column.
  CORIO_INLINE std::array<S, 10> powers(const Motion<S>& W) const {
    std::array<S, 10> power;
    for (std::size_t i = 0; i < 10; ++i) power[i] = dot(W.angular, moment[i]);
    for (std::size_t i = 0; i < 4; ++i) power[i] += dot(W.linear, force[i]);
    return power;
  }

  Eigen::Matrix<S, 6, 10> matrix() const {
    Eigen::Matrix<S, 6, 10> H;
    for (int i = 0; i < 10; ++i)
      for (int r = 0; r < 3; ++r) H(r, i) = moment[i][r], H(3 + r, i) = i < 4 ? force[i][r] : S(0);
    return H;
  }
};

}}  // namespace corio
