#pragma once

#include "corio/spatial/inertia.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Body-level Coriolis operator of the factorization (V x*) I, of whose 36 entries 24 numbers are stored:
///   (V x*) I = [ T, D + [l]x; -D, [p]x ],   T = [w]x Ibar - [v]x [h]x,  D = [w]x [h]x,  l = m v,  p = m w.
/// The operator is linear in V and in I, so composites are plain sums.
template <class S>
struct PlainCoriolis {
  using TransposeProduct = Force<S>;
  Matrix3<S> T, D;
  Vector3<S> l, p;

  static PlainCoriolis zero() { return {diagonal3(S(0)), diagonal3(S(0)), zero3<S>(), zero3<S>()}; }

  static PlainCoriolis from(const Motion<S>& V, const Inertia<S>& I_b) {
    // [a]x [b]x = b a^T - (a.b) 1.
    const Vector3<S>&w = V.angular, &v = V.linear, &h = I_b.h;
    const S wh = dot(w, h), vh = dot(v, h);
    PlainCoriolis B{skew(w) * I_b.rotational(), diagonal3<S>(-wh), I_b.mass * v, I_b.mass * w};
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) B.T(r, c) -= h[r] * v[c], B.D(r, c) += h[r] * w[c];
      B.T(c, c) += vh;
    }
    return B;
  }

  CORIO_INLINE PlainCoriolis& operator+=(const PlainCoriolis& b) {
    T += b.T, D += b.D;
    l += b.l, p += b.p;
    return *this;
  }

  /// Moves the operator to the point c: D' = D - [p]x [c]x,  l' = l - c x p,  T' = T + (D + [l]x) [c]x + [c]x D'.
  friend PlainCoriolis about(const PlainCoriolis& B, const Vector3<S>& c) {
    PlainCoriolis out = B;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) out.D(i, j) -= c[i] * B.p[j];  // [p]x [c]x = c p^T - (p . c) 1
      out.D(j, j) += dot(B.p, c);
    }
    out.l -= cross(c, B.p);
    out.T += B.coupling() * skew(c), out.T += skew(c) * out.D;
    return out;
  }

  CORIO_INLINE friend Force<S> operator*(const PlainCoriolis& B, const Motion<S>& W) {
    return {B.T * W.angular + B.coupling() * W.linear, cross(B.p, W.linear) - B.D * W.angular};
  }
  /// Returns B^T W.
  CORIO_INLINE Force<S> transpose_times(const Motion<S>& W) const {
    return {transpose_times_of(T, W.angular) - transpose_times_of(D, W.linear),
            transpose_times_of(coupling(), W.angular) - cross(p, W.linear)};
  }

  Matrix6<S> matrix() const {
    const Matrix3<S> minus_D = from_columns<S>(-column(D, 0), -column(D, 1), -column(D, 2));
    return matrix6<S>(T, coupling(), minus_D, skew(p));
  }

 private:
  CORIO_INLINE Matrix3<S> coupling() const {
    Matrix3<S> sum = D;
    sum(0, 1) -= l[2], sum(1, 0) += l[2];
    sum(2, 0) -= l[1], sum(0, 2) += l[1];
    sum(1, 2) -= l[0], sum(2, 1) += l[0];
    return sum;
  }
  CORIO_INLINE static Vector3<S> transpose_times_of(const Matrix3<S>& A, const Vector3<S>& x) {
    return corio::transpose_times(A, x);
  }
};

}}  // namespace corio
