#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "corio/spatial/pose.hpp"
#include "support/eager.hpp"

namespace corio::test {

template <class S>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

template <class S>
struct PointMass {
  S mass;
  Vector3<S> position;
};

/// Returns the inertia of point masses, from the definitions m, sum m r, sum m r r^T.
template <class S>
Inertia<S> inertia_of(const std::vector<PointMass<S>>& points) {
  S mass(0);
  Vector3<S> h = Vector3<S>::Zero();
  Matrix3<S> sigma = Matrix3<S>::Zero();
  for (const PointMass<S>& point : points) {
    mass += point.mass;
    h += point.mass * point.position;
    sigma += point.mass * point.position * point.position.transpose();
  }
  return {mass, h, {sigma(0, 0), sigma(1, 1), sigma(2, 2), sigma(0, 1), sigma(0, 2), sigma(1, 2)}};
}

/// Returns the velocity of the body-fixed point at r.
template <class S>
Vector3<S> velocity_at(const Motion<S>& V, const Vector3<S>& r) {
  return V.linear + skew(V.angular) * r;
}

template <class S>
Inertia<S> scaled(const S& z, const Inertia<S>& I) {
  const Symmetric3<S>& s = I.sigma;
  return {z * I.mass, z * I.h, {z * s.xx, z * s.yy, z * s.zz, z * s.xy, z * s.xz, z * s.yz}};
}

/// Random spatial quantities of order one, the same on every platform for the same seed. Over a complex scalar the
/// imaginary parts are of order one too, so that a superfluous conjugation cannot pass; rotations are then complex
/// matrices with R^T R = 1.
template <class S>
class Random {
 public:
  explicit Random(int seed) : engine_(static_cast<std::uint32_t>(seed)) {}

  /// Uniform in (-1, 1).
  double real() { return (static_cast<double>(engine_()) - 2147483647.5) / 2147483648.0; }

  S scalar() { return scalar(1.0); }
  Vector3<S> vector() { return vector(1.0); }
  Motion<S> motion() {
    const Vector3<S> angular = vector();
    return {angular, vector()};
  }
  Force<S> force() {
    const Vector3<S> moment = vector();
    return {moment, vector()};
  }

  /// A real unit vector with all components above 0.1 in modulus.
  Vector3<double> direction() {
    Vector3<double> n;
    for (int i = 0; i < 3; ++i) {
      const double x = real();
      n[i] = (x < 0 ? -1.0 : 1.0) * (0.2 + 0.8 * std::abs(x));
    }
    return n.normalized();
  }

  /// Returns the product of two Cayley transforms (1 - S(a))^-1 (1 + S(a)) = 1 + 2 (S(a) + S(a)^2) / (1 + a.a), which
  /// reaches every angle. The imaginary part of a is kept small, so that 1 + a.a stays away from zero.
  Matrix3<S> rotation() {
    const Matrix3<S> first = cayley();
    return first * cayley();
  }
  Pose<S> pose() {
    const Matrix3<S> R = rotation();
    return {R, vector()};
  }

  /// Returns five positive masses (for a complex scalar their real parts are positive) in a cube of two metres.
  std::vector<PointMass<S>> points() {
    std::vector<PointMass<S>> cloud;
    for (int i = 0; i < 5; ++i) {
      const S mass = S(1.5) + scalar();
      cloud.push_back({mass, vector()});
    }
    return cloud;
  }
  /// Returns the inertia of a cloud of points, which is physically valid for every real scalar.
  Inertia<S> inertia() { return inertia_of(points()); }

 private:
  S scalar(double imaginary) {
    const double x = real();
    if constexpr (is_complex<S>) {
      using Part = typename S::value_type;
      return S(Part(x), Part(imaginary * real()));
    } else {
      return S(x);
    }
  }
  Vector3<S> vector(double imaginary) {
    Vector3<S> a;
    for (int i = 0; i < 3; ++i) a[i] = scalar(imaginary);
    return a;
  }
  Matrix3<S> cayley() {
    const Matrix3<S> K = skew(vector(0.3));
    // tr(K^2) = -2 a.a
    const S a_dot_a = (K * K).trace() / S(-2);
    return Matrix3<S>::Identity() + (K + K * K) * (S(2) / (S(1) + a_dot_a));
  }

  std::mt19937 engine_;
};

}  // namespace corio::test
