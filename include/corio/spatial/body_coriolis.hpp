#pragma once

#include "corio/spatial/inertia.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Body-level Coriolis operator of the Christoffel-consistent factorization,
///   B(V, I) = 1/2 [ (V x*) I + (I V xbar*) - I (V x) ] = [ tr(P) 1 - P, 0; -[f]x, 0 ],
/// stored as the 12 numbers of hat(V) J = [ P, f; 0, 0 ], where J is the pseudo-inertia and hat(V) = [ [w]x, v; 0, 0 ].
/// It is bilinear in V and I, so composites are plain sums.
/// Properties: B V = V x* I V, B^T V = 0, B + B^T = (V x*) I - I (V x).
/// Source: Niemeyer and Slotine (1991); Echeandia and Wensing (2021), eq. 10; the 12 numbers are corio's own form of
/// it.
template <class S>
struct BodyCoriolis {
  using TransposeProduct = Couple<S>;
  MatrixOf<S> P;
  VectorOf<S> f;

  static BodyCoriolis zero() { return {diagonal3(S(0)), zero3<S>()}; }

  /// Computes P = v h^T + [w]x Sigma, f = m v + w x h. 36m 24a.
  CORIO_INLINE static BodyCoriolis from(const Motion<S>& V, const Inertia<S>& I_b) {
    return {outer(V.linear, I_b.h) + skew_times(V.angular, I_b.sigma), I_b.mass * V.linear + cross(V.angular, I_b.h)};
  }

  CORIO_INLINE BodyCoriolis& operator+=(const BodyCoriolis& b) {
    P += b.P;
    f += b.f;
    return *this;
  }
  CORIO_INLINE friend BodyCoriolis operator+(const BodyCoriolis& a, const BodyCoriolis& b) {
    BodyCoriolis sum = a;  // a is not passed by value: GCC would note that the ABI has changed
    return sum += b;
  }

  /// Moves the operator to the point c: P' = P - f c^T.
  CORIO_INLINE friend BodyCoriolis about(const BodyCoriolis& B, const VectorOf<S>& c) {
    return {B.P - outer(B.f, c), B.f};
  }

  /// Computes B W = [ tr(P) w' - P w'; w' x f ]: only the angular part of W enters. 18m 14a.
  CORIO_INLINE friend Force<S> operator*(const BodyCoriolis& B, const Motion<S>& W) {
    return {trace(B.P) * W.angular - B.P * W.angular, cross(W.angular, B.f)};
  }

  /// Computes B^T W = [ tr(P) w' - P^T w' + f x v'; 0 ]. 18m 17a.
  CORIO_INLINE Couple<S> transpose_times(const Motion<S>& W) const {
    return {trace(P) * W.angular - corio::transpose_times(P, W.angular) + cross(f, W.linear)};
  }

  /// Returns tr(P) 1 - P, the block of B that maps angular velocities to moments.
  Matrix3<S> rotational() const {
    const S xx = P(1, 1) + P(2, 2), yy = P(0, 0) + P(2, 2), zz = P(0, 0) + P(1, 1);
    return matrix3<S>(xx, -P(0, 1), -P(0, 2), -P(1, 0), yy, -P(1, 2), -P(2, 0), -P(2, 1), zz);
  }
  Matrix6<S> matrix() const {
    const Matrix3<S> zero = diagonal3(S(0));
    return matrix6<S>(rotational(), zero, skew<S>(-f), zero);
  }
};

/// Returns (V x*) B - B (V x), the rate of change of an operator that moves with V.
template <class S>
BodyCoriolis<S> transported(const Motion<S>& V, const BodyCoriolis<S>& B) {
  const Vector3<S>&w = V.angular, &v = V.linear;
  Matrix3<S> P = skew(w) * B.P;
  const Matrix3<S> Pw = B.P * skew(w);
  detail::repeat<9>([&](int i) CORIO_INLINE_LAMBDA { P(i) += B.f[i % 3] * v[i / 3] - Pw(i); });
  return {P, cross(w, B.f)};
}

}}  // namespace corio
