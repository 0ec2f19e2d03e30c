#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "corio/spatial/pose.hpp"

/// Rotations and the exponential maps of SO(3) and SE(3). Errors are a few roundings of the scalar (also of long
/// double) for every angle, and some sixty for rates of Jacobians. All functions are safe to differentiate at zero.
/// Below, [w]x is the matrix of b -> w x b. Quaternions are stored x, y, z, w.
namespace corio { inline namespace CORIO_ABI {

/// A quaternion, stored x, y, z, w.
template <class S>
using Quaternion = Eigen::Matrix<S, 4, 1>;

namespace detail {

/// The floating-point type of a scalar.
template <class S>
using RealOf = typename NumberOf<std::remove_cvref_t<decltype(real_value(std::declval<const S&>()))>>::Type;

/// Returns the power of two that scales a number to about one; one for zero, infinity and NaN.
template <class Real>
Real scale_to_one(const Real& size) {
  if constexpr (states_of < Real >> 1) {
    return Real::by_lane([](auto x) { return scale_to_one(x); }, size);
  } else {
    if (!(size > Real(0) && size <= (std::numeric_limits<Real>::max)())) return Real(1);
    constexpr int limit = std::numeric_limits<Real>::max_exponent - 2;
    return std::ldexp(Real(1), -std::clamp(std::ilogb(size), -limit, limit));
  }
}

/// Returns the squared norm of the n numbers x. If it is so large or small that its square would over- or underflow, x
/// is first scaled by a power of two, which is exact and a constant for derivatives, to a largest number of about one.
/// Vectors that are zero or not finite are not scaled.
template <class S>
S rescale(S* x, int n) {
  using std::abs;
  using Real = RealOf<S>;
  constexpr Real high = [] {
    Real power(1);
    for (int i = 0; i < std::numeric_limits<Real>::max_exponent / 2 - 1; ++i) power *= Real(2);
    return power;
  }();
  const auto squared_norm = [&] {
    S sum = x[0] * x[0];
    for (int i = 1; i < n; ++i) sum += x[i] * x[i];
    return sum;
  };
  const S squared = squared_norm();
  const auto size = real_value(squared);
  const auto in_range = size > Real(1) / high && size < high;
  if (in_every_state(in_range)) return squared;
  auto largest = abs(real_value(x[0]));
  for (int i = 0; i < n; ++i) {
    const auto a = abs(real_value(x[i]));
    largest = select(largest < a, a, largest) + (a - a);  // a - a is zero, or NaN if a is not finite
  }
  const S factor(select(in_range, decltype(largest)(1), scale_to_one(largest)));
  for (int i = 0; i < n; ++i) x[i] *= factor;
  return squared_norm();
}

/// Returns the power series first (1 + t r(0) (1 + t r(1) (1 + ...))), where r are the ratios of successive
/// coefficients. The number of terms suits the series below and the mantissa of S: up to 64 bits, or the 113 of long
/// double on some machines.
template <class S, class Ratio>
S power_series(RealOf<S> first, const S& t, Ratio ratio) {
  constexpr int terms = std::numeric_limits<RealOf<S>>::digits <= 64 ? 10 : 18;
  S sum(0);
  S term(first);
  for (int k = 0; k < terms; ++k) {
    sum += term;
    term *= t * S(ratio(k));
  }
  return sum;
}

/// Below this squared angle the closed forms lose digits to cancellation, and the terms of their series are exact.
template <class S>
auto use_series(const S& squared_angle) {
  return real_value(squared_angle) < RealOf<S>(0.5);
}

/// Returns sin(x) / x for t = x^2.
template <class S>
S sinc(const S& t) {
  using std::sin, std::sqrt;
  using Real = RealOf<S>;
  const auto series = [&] {
    return power_series(Real(1), t, [](int k) { return Real(-1) / Real((2 * k + 2) * (2 * k + 3)); });
  };
  const auto closed = [&] {
    const S x = sqrt(t);
    return S(sin(x) / x);
  };
  return choose(use_series(t), series, closed);
}

/// Returns (1 - cos x) / x^2 for t = x^2.
template <class S>
S one_minus_cos(const S& t) {
  const S half = sinc(S(t / S(4)));
  return half * half / S(2);
}

/// Returns (x - sin x) / x^3 for t = x^2.
template <class S>
S x_minus_sin(const S& t) {
  using Real = RealOf<S>;
  const auto series = [&] {
    return power_series(Real(1) / Real(6), t, [](int k) { return Real(-1) / Real((2 * k + 4) * (2 * k + 5)); });
  };
  return choose(use_series(t), series, [&] { return S((S(1) - sinc(t)) / t); });
}

/// Returns (1 - (x/2) cot(x/2)) / x^2 for t = x^2, 0 <= x < 2 pi. With f(x) = (x - sin x) / x^3 and s = sin(x/2) /
/// (x/2) this is (f(x) - f(x/2) (1 + s) / 4) / s^2, which does not cancel.
template <class S>
S one_minus_half_cot(const S& t) {
  const S quarter = t / S(4), s = sinc(quarter);
  return (x_minus_sin(t) - x_minus_sin(quarter) * (S(1) + s) / S(4)) / (s * s);
}

/// Returns f'(x) / x of f = (1 - cos x) / x^2, for t = x^2.
template <class S>
S one_minus_cos_rate(const S& t) {
  using Real = RealOf<S>;
  const auto series = [&] {
    return power_series(Real(-1) / Real(12), t,
                        [](int k) { return -Real(k + 2) / Real((k + 1) * (2 * k + 5) * (2 * k + 6)); });
  };
  return choose(use_series(t), series, [&] { return S((sinc(t) - S(2) * one_minus_cos(t)) / t); });
}

/// Returns f'(x) / x of f = (x - sin x) / x^3, for t = x^2.
template <class S>
S x_minus_sin_rate(const S& t) {
  using Real = RealOf<S>;
  const auto series = [&] {
    return power_series(Real(-1) / Real(60), t,
                        [](int k) { return -Real(k + 2) / Real((k + 1) * (2 * k + 6) * (2 * k + 7)); });
  };
  return choose(use_series(t), series, [&] { return S((one_minus_cos(t) - S(3) * x_minus_sin(t)) / t); });
}

/// Returns 1 + a [w]x + b [w]x^2, the form of all functions of [w]x below.
template <class S>
Matrix3<S> function_of_skew(const S& a, const S& b, const Vector3<S>& w) {
  const Matrix3<S> K = skew(w);
  const Matrix3<S> K2 = K * K;
  Matrix3<S> sum = identity3<S>();
  for (int i = 0; i < 9; ++i) sum(i) += a * K(i) + b * K2(i);
  return sum;
}

}  // namespace detail

/// Return rotation matrices of a right-handed turn about the coordinate axes; angle in rad.
template <class S>
Matrix3<S> rotation_x(const S& angle) {
  using std::cos, std::sin;
  const S c = cos(angle), s = sin(angle);
  return matrix3<S>(S(1), S(0), S(0), S(0), c, -s, S(0), s, c);
}
template <class S>
Matrix3<S> rotation_y(const S& angle) {
  using std::cos, std::sin;
  const S c = cos(angle), s = sin(angle);
  return matrix3<S>(c, S(0), s, S(0), S(1), S(0), -s, S(0), c);
}
template <class S>
Matrix3<S> rotation_z(const S& angle) {
  using std::cos, std::sin;
  const S c = cos(angle), s = sin(angle);
  return matrix3<S>(c, -s, S(0), s, c, S(0), S(0), S(0), S(1));
}

/// Returns Rz(yaw) Ry(pitch) Rx(roll): fixed-axis roll, pitch, yaw as in URDF.
template <class S>
Matrix3<S> rotation_rpy(const S& roll, const S& pitch, const S& yaw) {
  return rotation_z(yaw) * rotation_y(pitch) * rotation_x(roll);
}

/// Returns exp([w]x): rotation by |w| about w (Rodrigues).
template <class S>
Matrix3<S> exp_rotation(const Vector3<S>& w) {
  const S t = dot(w, w);
  return detail::function_of_skew<S>(detail::sinc(t), detail::one_minus_cos(t), w);
}

/// Jacobians of the exponential map: the angular velocity of exp([w]x) is left_jacobian(w) dw/dt in fixed axes and
/// right_jacobian(w) dw/dt in body axes. They are 1 +- c [w]x + d [w]x^2 with c = (1 - cos x)/x^2, d = (x - sin x)/x^3,
/// x = |w|. Singular at x = 2 pi, 4 pi, ..
/// Source: LJ, eqs. 53-56, with exact limits at zero.
template <class S>
Matrix3<S> left_jacobian(const Vector3<S>& w) {
  const S t = dot(w, w);
  return detail::function_of_skew<S>(detail::one_minus_cos(t), detail::x_minus_sin(t), w);
}
template <class S>
Matrix3<S> right_jacobian(const Vector3<S>& w) {
  return left_jacobian<S>(-w);
}

/// Return the inverses of the Jacobians for |w| < 2 pi: dw/dt from the angular velocity.
template <class S>
Matrix3<S> left_jacobian_inverse(const Vector3<S>& w) {
  return detail::function_of_skew<S>(S(-0.5), detail::one_minus_half_cot(S(dot(w, w))), w);
}
template <class S>
Matrix3<S> right_jacobian_inverse(const Vector3<S>& w) {
  return left_jacobian_inverse<S>(-w);
}

/// Return the rates of the Jacobians, with dw = dw/dt:
///   +- c [dw]x + d ([dw]x [w]x + [w]x [dw]x) + (w . dw) (+- c'/x [w]x + d'/x [w]x^2).
template <class S>
Matrix3<S> left_jacobian_rate(const Vector3<S>& w, const Vector3<S>& dw) {
  const S t = dot(w, w), along = dot(w, dw), d = detail::x_minus_sin(t);
  const Vector3<S> u = detail::one_minus_cos(t) * dw + S(along * detail::one_minus_cos_rate(t)) * w;
  // [x]x [y]x = y x^T - (x . y) 1.
  const S b = along * detail::x_minus_sin_rate(t);
  const Vector3<S> y = d * dw + S(b * S(0.5)) * w;
  const S diagonal = S(2) * d * along + b * t;
  Matrix3<S> sum = skew(u);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) sum(i, j) += w[i] * y[j] + y[i] * w[j];
    sum(j, j) -= diagonal;
  }
  return sum;
}
template <class S>
Matrix3<S> right_jacobian_rate(const Vector3<S>& w, const Vector3<S>& dw) {
  return left_jacobian_rate<S>(-w, -dw);
}

/// Returns a rotation whose third column is the unit vector z. It has no rounding error for z along a coordinate axis,
/// and is the identity for e_z.
template <class S>
Matrix3<S> rotation_with_z(const Vector3<S>& z) {
  const S s = select(detail::real_value(z[2]) >= 0.0, S(1), S(-1));
  const S a = S(-1) / (s + z[2]);
  const S b = z[0] * z[1] * a;
  return matrix3<S>(S(1) + s * z[0] * z[0] * a, b, z[0], s * b, s + z[1] * z[1] * a, z[1], -s * z[0], -z[1], z[2]);
}

/// Returns the Hamilton product a b: the rotation of b followed, in fixed axes, by the rotation of a.
template <class S>
Quaternion<S> quaternion_product(const Quaternion<S>& a, const Quaternion<S>& b) {
  return {a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

/// Returns the inverse of a unit quaternion; for other norms a multiple of the inverse.
template <class S>
Quaternion<S> quaternion_inverse(const Quaternion<S>& a) {
  return {-a[0], -a[1], -a[2], a[3]};
}

/// Returns the rotation matrix of a quaternion of any finite nonzero norm. It is always orthogonal, so a drifting norm
/// never enters the dynamics. It contains NaN if the quaternion is zero or not finite.
template <class S>
Matrix3<S> rotation_from_quaternion(const Quaternion<S>& quaternion) {
  Quaternion<S> a = quaternion;
  const S two = S(2) / detail::rescale(a.data(), 4);
  const S x = a[0] * two, y = a[1] * two, z = a[2] * two;
  const S xx = a[0] * x, yy = a[1] * y, zz = a[2] * z, xy = a[0] * y, xz = a[0] * z, yz = a[1] * z;
  const S wx = a[3] * x, wy = a[3] * y, wz = a[3] * z;
  return matrix3<S>(S(1) - (yy + zz), xy - wz, xz + wy, xy + wz, S(1) - (xx + zz), yz - wx, xz - wy, yz + wx,
                    S(1) - (xx + yy));
}

/// Returns the unit quaternion of a rotation matrix (Shepperd's method). Its largest component is positive, so w may be
/// negative.
template <class S>
Quaternion<S> quaternion_from_rotation(const Matrix3<S>& R) {
  using std::sqrt;
  const S x = R(0, 0), y = R(1, 1), z = R(2, 2), w = trace(R);
  const auto difference = [&R](int i) { return S(R((i + 2) % 3, (i + 1) % 3) - R((i + 1) % 3, (i + 2) % 3)); };
  // Scale column `pivot` of 4 a a^T to unit length.
  const auto column = [&](int pivot) {
    Quaternion<S> a;
    for (int i = 0; i < 3; ++i) a[i] = pivot == 3 ? difference(i) : S(R(i, pivot) + R(pivot, i));
    if (pivot < 3) a[3] = difference(pivot);
    a[pivot] = S(1) + (pivot == 3 ? w : S(S(2) * R(pivot, pivot) - w));
    const S norm = S(2) * sqrt(a[pivot]);
    return Quaternion<S>(a[0] / norm, a[1] / norm, a[2] / norm, a[3] / norm);
  };
  const auto at_most = [](const S& a, const S& b) { return detail::real_value(a) <= detail::real_value(b); };
  return choose(
      at_most(x, w) && at_most(y, w) && at_most(z, w), [&] { return column(3); },
      [&] {
        return choose(
            at_most(y, x) && at_most(z, x), [&] { return column(0); },
            [&] {
              return choose(
                  at_most(z, y), [&] { return column(1); }, [&] { return column(2); });
            });
      });
}

/// Returns the unit quaternion of the rotation by |w| about w.
template <class S>
Quaternion<S> exp_quaternion(const Vector3<S>& w) {
  using std::cos, std::sqrt;
  const S quarter = dot(w, w) / S(4);
  const S half_sinc = detail::sinc(quarter) / S(2);
  // cos x = 1 - x^2 (1 - cos x)/x^2 has no square root to differentiate at zero.
  return {w[0] * half_sinc, w[1] * half_sinc, w[2] * half_sinc, S(1) - quarter * detail::one_minus_cos(quarter)};
}

/// Returns the rotation vector w, |w| <= pi, of a quaternion of any finite nonzero norm: the inverse of exp_quaternion.
template <class S>
Vector3<S> log_quaternion(const Quaternion<S>& quaternion) {
  using std::sqrt;
  using Real = detail::RealOf<S>;
  Quaternion<S> a = quaternion;
  detail::rescale(a.data(), 4);
  const S sign = select(detail::real_value(a[3]) < Real(0), S(-1), S(1));
  const Vector3<S> u = sign * vector3(a.data());
  const S c = sign * a[3];
  const S squared = dot(u, u);
  // Compute atan(s/c) / (s/c) as a series in (s/c)^2.
  const auto series = [&] {
    const S t = squared / (c * c);
    const S half = detail::power_series(Real(1), t, [](int k) { return -Real(2 * k + 1) / Real(2 * k + 3); });
    return S(S(2) * half / c);
  };
  const auto closed = [&] {
    const S s = sqrt(squared);
    const S angle = choose(
        detail::real_value(c) > detail::real_value(s), [&] { return S(S(2) * detail::arc_tangent(S(s / c))); },
        [&] { return S(S(detail::pi<Real>) - S(2) * detail::arc_tangent(S(c / s))); });
    return S(angle / s);
  };
  return u * choose(detail::real_value(squared) < Real(0.01) * detail::real_value(S(c * c)), series, closed);
}

/// Returns the vector w of the rotation exp([w]x), |w| <= pi.
template <class S>
Vector3<S> log_rotation(const Matrix3<S>& R) {
  return log_quaternion(quaternion_from_rotation(R));
}

/// Returns the translation of exp(hat(V)): left_jacobian(w) v, without forming the matrix.
template <class S>
Vector3<S> exp_translation(const Motion<S>& V) {
  const S t = dot(V.angular, V.angular);
  const Vector3<S> wv = cross(V.angular, V.linear);
  return V.linear + detail::one_minus_cos(t) * wv + detail::x_minus_sin(t) * cross(V.angular, wv);
}

/// Returns the v for which exp(hat([w; v])) has translation p: left_jacobian_inverse(w) p.
template <class S>
Vector3<S> log_translation(const Vector3<S>& w, const Vector3<S>& p) {
  const Vector3<S> wp = cross(w, p);
  return p - S(0.5) * wp + detail::one_minus_half_cot(dot(w, w)) * cross(w, wp);
}

/// Returns exp(hat(V)): the pose reached from the identity by the constant twist V in unit time.
template <class S>
Pose<S> exp(const Motion<S>& V) {
  return {exp_rotation(V.angular), exp_translation(V)};
}

/// Returns the twist V, |w| <= pi, with exp(V) = T.
template <class S>
Motion<S> log(const Pose<S>& T) {
  const Vector3<S> w = log_rotation(T.rotation);
  return {w, log_translation(w, T.translation)};
}

}}  // namespace corio
