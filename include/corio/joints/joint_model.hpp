#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>

#include "corio/simd/add_multiple.hpp"
#include "corio/spatial/lie.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// The largest number of degrees of freedom of a rigid body.
inline constexpr int max_nv = 6;

/// A source of numbers uniform in [0, 1), for random configurations.
using Uniform = std::function<double()>;

/// The interface of a joint; a user's own joint satisfies it and is passed to ModelBuilder like the built-in ones
/// (examples/custom_joint.cpp).
///
///   nq, nv                    sizes of its configuration and of its velocity, 0 < nv <= 6, nv <= nq
///   type                      short lower-case name for messages
///   compose(A, q)             A T(q): pose of the child body when A is the pose of the joint frame
///   columns(X, q, phi)        phi[k] = X s_k(q), k < nv: the columns s_k of the motion subspace, in the child's axes,
///                             carried by X = compose(A, q); the joint twist is the sum of s_k nu_k
///   column_rates(X, q, v, r)  optional: r[k] = X ds_k/dt, the rate of the column in the child body's own axes; only
///                             for joints whose axes move in the body
///   neutral(q), integrate(q, dv, out), difference(q0, q1, dv), random(uniform, q), normalize(q), violation(q)
///                             the configuration manifold; derive from VectorSpace<n> if q is a plain vector. integrate
///                             is T(out) = T(q) exp(sum s_k dv_k) for joints with constant columns;
///                             violation is zero for a valid q (for instance | |quaternion| - 1 |).
///   check()                   optional, for a joint with parameters: says what is wrong with them as the end of a
///                             sentence ("its radius must be positive"); an empty std::string if they are valid.
///                             ModelBuilder::build calls it and rejects the joint by its name.
///
/// All members are templates on the scalar and read plain arrays of nq or nv scalars. integrate, difference and
/// column_rates are also called with Dual<S>, for derivatives, and with Dual<Dual<S>>, for second derivatives. They are
/// compiled for float, double, long double, std::complex<double> and AnyScalar (any_scalar.hpp), with which Model::cast
/// takes the joint to all other scalars, operation by operation and with constants in double; ModelBuilder over such a
/// scalar compiles it for that, too. Members that do not compile for one of these need a requires clause. Arrays that a
/// user's joint writes never overlap arrays that it reads. check_joint (check_joint.hpp) compares the members with each
/// other.
template <class J, class S>
concept JointModel = requires(const J& j, const Pose<S>& X, const S* q, S* out, Motion<S>* phi, const Uniform& u) {
  { J::nq } -> std::convertible_to<int>;
  { J::nv } -> std::convertible_to<int>;
  { J::type } -> std::convertible_to<const char*>;
  { j.compose(X, q) } -> std::same_as<Pose<S>>;
  j.columns(X, q, phi);
  j.neutral(out);
  j.integrate(q, q, out);
  j.difference(q, q, out);
  j.random(u, out);
  j.normalize(out);
  { j.violation(q) } -> std::convertible_to<double>;
}
&&(J::nv > 0) && (J::nv <= max_nv) && (J::nq >= J::nv) &&
    (
        !requires(const J& j) { j.check(); } ||
        requires(const J& j) {
          { j.check() } -> std::convertible_to<std::string>;
        });

namespace detail {

/// Returns the result of J::check(), empty for a joint without check().
template <class J>
std::string check(const J& joint) {
  if constexpr (requires { joint.check(); })
    return joint.check();
  else
    return {};
}

/// Returns pseudo-random numbers in [0, 1) that are the same on every machine, for generic configurations.
inline Uniform uniform_numbers(std::uint32_t seed) {
  return [state = seed]() mutable { return (state = state * 1664525u + 1013904223u) / 4294967296.0; };
}

}  // namespace detail

/// Configurations that are plain vectors with dq/dt = nu: first `angles` angles in rad, then lengths.
template <int n, int angles = 0>
struct VectorSpace {
  static constexpr int nq = n, nv = n;
  static constexpr bool adds = true;  // integrate is a sum and difference a difference of numbers

  template <class S>
  void neutral(S* q) const {
    for (int i = 0; i < n; ++i) q[i] = S(0);
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    for (int i = 0; i < n; ++i) out[i] = q[i] + dv[i];
  }
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    for (int i = 0; i < n; ++i) dv[i] = q1[i] - q0[i];
  }
  /// Draws angles uniform in [-pi, pi] and lengths in [-1, 1].
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    for (int i = 0; i < n; ++i) q[i] = S((i < angles ? std::numbers::pi : 1.0) * (2 * uniform() - 1));
  }
  template <class S>
  void normalize(S*) const {}
  template <class S>
  double violation(const S*) const {
    return 0.0;
  }
};

/// Neighbouring joints that are all of a VectorSpace, as one: their n numbers are added in registers.
struct VectorSpaces {
  int n;

  template <class S>
  void neutral(S* q) const {
    std::fill_n(q, n, S(0));
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    corio::detail::map_numbers(out, q, dv, n, [](const auto& x, const auto& y) CORIO_INLINE_LAMBDA { return x + y; });
  }
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    corio::detail::map_numbers(dv, q0, q1, n, [](const auto& x, const auto& y) CORIO_INLINE_LAMBDA { return y - x; });
  }
  template <class S>
  void normalize(S*) const {}
  template <class S>
  double violation(const S*) const {
    return 0.0;
  }
};

/// A joint with an axis: it moves about or along the axis, or in the plane normal to it.
class AlongAxis {
 public:
  /// @param axis  the axis in the joint frame, of any nonzero length
  explicit AlongAxis(const Vector3<double>& axis = unit3<double>(2)) : axis_(axis) {}

  /// Returns the joint's own axes, with z along its axis: rotation_with_z(axis / |axis|). compose and columns are in
  /// these axes; the builder applies the rotation. The result is NaN if the axis is zero or not finite; the builder
  /// rejects such a joint.
  Matrix3<double> axes() const {
    Vector3<double> z = axis_;
    const double norm = std::sqrt(corio::detail::rescale(z.data(), 3));
    return rotation_with_z<double>(z * (1.0 / norm));
  }

 private:
  Vector3<double> axis_;
};

namespace detail {

/// Returns A Rz(angle), given cosine and sine: only two columns change. 12m 6a.
template <class N>
CORIO_INLINE Pose<N> turn_about_z(const Pose<N>& A, const N& cosine, const N& sine) {
  const VectorOf<N> x = column(A.rotation, 0), y = column(A.rotation, 1);
  return {from_columns(cosine * x + sine * y, cosine * y - sine * x, column(A.rotation, 2)), A.translation};
}
template <class S>
CORIO_INLINE Pose<S> turn_about_z(const Pose<S>& A, const S& angle) {
  using std::cos, std::sin;
  S c, s;
  if constexpr (requires { sincos(angle, s, c); })
    sincos(angle, s, c);
  else
    c = cos(angle), s = sin(angle);
  return turn_about_z(A, c, s);
}

/// Return the unit rotation about axis i through the origin of X, and the unit translation along it.
template <class S>
CORIO_INLINE Motion<S> rotation_column(const Pose<S>& X, int i) {
  const VectorOf<S> axis = column(X.rotation, i);
  return {axis, cross(X.translation, axis)};
}
template <class S>
CORIO_INLINE Motion<S> translation_column(const Pose<S>& X, int i) {
  return {zero3<S>(), column(X.rotation, i)};
}

/// Scales the n numbers q to a norm of one; leaves them unchanged if they are zero or not finite.
template <class S>
void normalize_vector(S* q, int n) {
  using std::sqrt, std::isfinite;
  const S norm = sqrt(corio::detail::rescale(q, n));
  const auto size = corio::detail::real_value(norm);
  const S length = select(size > 0 && isfinite(size), norm, S(1));
  for (int i = 0; i < n; ++i) q[i] /= length;
}
/// Returns | |q| - 1 |, for a Pack the largest of all states; finite for every q with a finite norm.
template <class S>
double norm_violation(const S* q, int n) {
  using std::hypot;
  auto norm = corio::detail::real_value(q[0]);
  for (int i = 1; i < n; ++i) norm = hypot(norm, corio::detail::real_value(q[i]));
  return std::abs(farthest_from(1.0, norm) - 1.0);
}

template <class S>
Quaternion<S> quaternion(const S* x) {
  return {x[0], x[1], x[2], x[3]};
}
/// Returns the quaternion x, scaled by a power of two if the product of two such quaternions could over- or underflow.
template <class S>
Quaternion<S> scaled_quaternion(const S* x) {
  Quaternion<S> a = quaternion(x);
  corio::detail::rescale(a.data(), 4);
  return a;
}
template <class S, int n>
void store(const Eigen::Matrix<S, n, 1>& x, S* out) {
  for (int i = 0; i < n; ++i) out[i] = x[i];
}

}  // namespace detail
}}}  // namespace corio::joint
