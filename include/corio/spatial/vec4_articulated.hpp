#pragma once

#include "corio/spatial/vec4_types.hpp"

namespace corio::detail {

/// Articulated inertia [A, B; B^T, D].
template <class S>
struct Vec4Articulated {
  Vec4Symmetric<S> A;
  Vec4Matrix<S> B;
  Vec4Symmetric<S> D;

  CORIO_INLINE static Vec4Articulated from(const Vec4Inertia<S>& I) {
    const Vec4<S> zero = Vec4<S>::all(S(0));
    return {I.sigma.trace_complement(), {zero, -zxy(I.h), yzx(I.h)}, {Vec4<S>::of(I.mass, I.mass, I.mass), zero}};
  }

  CORIO_INLINE Vec4Articulated& operator+=(const Vec4Articulated& b) {
    A += b.A, B += b.B, D += b.D;
    return *this;
  }

  /// About the point c: B' = B - [c]x D,  A' = A + K [c]x + (K [c]x)^T with K = (B + B') / 2.
  CORIO_INLINE friend Vec4Articulated about(const Vec4Articulated& I, const Vec4<S>& c) {
    const Vec4<S> c1 = yzx(c), c2 = zxy(c);
    const Vec4Matrix<S> half = cross_product(c * S(0.5), I.D);
    const Vec4Matrix<S> K = I.B - half;
    const Vec4<S> diagonal = K.next * c2 - K.previous * c1;
    return {{I.A.diagonal + diagonal + diagonal,
             I.A.rest + (K.previous * c - yzx(K.next) * c1) + (yzx(K.diagonal) - K.diagonal) * c2},
            K - half,
            I.D};
  }

  CORIO_INLINE friend Vec4Force<S> operator*(const Vec4Articulated& I, const Vec4Motion<S>& V) {
    return {I.A * V.angular + I.B * V.linear, I.D * V.linear + transpose_times(I.B, V.angular)};
  }

  /// Eliminates a degree of freedom along phi: I - U U^T / d with U = I phi and d = phi . U + armature.
  /// @param r  1 / d in all lanes
  CORIO_INLINE void subtract_outer(const Vec4Force<S>& U, const Vec4<S>& r) {
    const Vec4<S>&n = U.moment, &f = U.force;
    const Vec4<S> rn = n * r, rf = f * r, f1 = yzx(f);
    A.diagonal = A.diagonal - rn * n, A.rest = A.rest - rn * yzx(n);
    B.diagonal = B.diagonal - rn * f, B.next = B.next - rn * f1, B.previous = B.previous - rn * zxy(f);
    D.diagonal = D.diagonal - rf * f, D.rest = D.rest - rf * f1;
  }
};

}  // namespace corio::detail
