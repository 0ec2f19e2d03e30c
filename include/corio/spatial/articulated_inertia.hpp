#pragma once

#include "corio/spatial/inertia.hpp"

namespace corio {

/// Featherstone's articulated-body inertia, symmetric 6 x 6, [A, B; B^T, D] by its 21 numbers: what takes the place of
/// a rigid-body inertia if the body carries others on joints that are free to move.
template <class S>
struct ArticulatedInertia {
  Symmetric3<S> A;
  Matrix3<S> B;
  Symmetric3<S> D;

  CORIO_INLINE static ArticulatedInertia from(const Inertia<S>& I) {
    return {trace_complement(I.sigma), skew(I.h), {I.mass, I.mass, I.mass, S(0), S(0), S(0)}};
  }

  CORIO_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A;
    B += b.B;
    D += b.D;
    return *this;
  }

  CORIO_INLINE friend Force<S> operator*(const ArticulatedInertia& I, const Motion<S>& V) {
    return {I.A * V.angular + I.B * V.linear, transpose_times(I.B, V.angular) + I.D * V.linear};
  }

  /// Eliminates a degree of freedom along phi: I - U U^T / d with U = I phi and d = phi . U + armature. 27m 21a.
  CORIO_INLINE void subtract_outer(const Force<S>& U, const S& reciprocal_d) {
    const Vector3<S>&n = U.moment, &f = U.force;
    const Vector3<S> sn = n * reciprocal_d, sf = f * reciprocal_d;
    const auto subtract = [](Symmetric3<S>& X, const Vector3<S>& x, const Vector3<S>& y) {
      X.xx -= x[0] * y[0], X.yy -= x[1] * y[1], X.zz -= x[2] * y[2];
      X.xy -= x[0] * y[1], X.xz -= x[0] * y[2], X.yz -= x[1] * y[2];
    };
    subtract(A, n, sn);
    subtract(D, f, sf);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) B(i, j) -= n[i] * sf[j];
  }
};

}  // namespace corio
