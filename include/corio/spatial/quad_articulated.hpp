#pragma once

#include "corio/spatial/articulated_inertia.hpp"
#include "corio/spatial/quads.hpp"

namespace corio::detail {

/// Articulated inertia [A, B; B^T, D] in quads.
template <class S>
struct QuadArticulated {
  QuadSymmetric<S> A;
  QuadMatrix<S> B;
  QuadSymmetric<S> D;

  CORIO_INLINE static QuadArticulated from(const QuadInertia<S>& I) {
    const Quad<S> zero = Quad<S>::all(S(0));
    return {I.sigma.trace_complement(), {zero, -zxy(I.h), yzx(I.h)}, {Quad<S>::of(I.mass, I.mass, I.mass), zero}};
  }

  CORIO_INLINE QuadArticulated& operator+=(const QuadArticulated& b) {
    A += b.A, B += b.B, D += b.D;
    return *this;
  }

  /// About the point c: B' = B - [c]x D,  A' = A + K [c]x + (K [c]x)^T with K = (B + B') / 2.
  CORIO_INLINE friend QuadArticulated about(const QuadArticulated& I, const Quad<S>& c) {
    const Quad<S> c1 = yzx(c), c2 = zxy(c);
    const QuadMatrix<S> half = cross_product(c * S(0.5), I.D);
    const QuadMatrix<S> K = I.B - half;
    const Quad<S> diagonal = K.next * c2 - K.previous * c1;
    return {{I.A.diagonal + diagonal + diagonal,
             I.A.rest + (K.previous * c - yzx(K.next) * c1) + (yzx(K.diagonal) - K.diagonal) * c2},
            K - half,
            I.D};
  }

  CORIO_INLINE friend QuadForce<S> operator*(const QuadArticulated& I, const QuadMotion<S>& V) {
    return {I.A * V.angular + I.B * V.linear, I.D * V.linear + transpose_times(I.B, V.angular)};
  }

  /// As for ArticulatedInertia, with 1 / d in all lanes.
  CORIO_INLINE void subtract_outer(const QuadForce<S>& U, const Quad<S>& r) {
    const Quad<S>&n = U.moment, &f = U.force;
    const Quad<S> rn = n * r, rf = f * r, f1 = yzx(f);
    A.diagonal = A.diagonal - rn * n, A.rest = A.rest - rn * yzx(n);
    B.diagonal = B.diagonal - rn * f, B.next = B.next - rn * f1, B.previous = B.previous - rn * zxy(f);
    D.diagonal = D.diagonal - rf * f, D.rest = D.rest - rf * f1;
  }
};

template <class S>
using Articulated = std::conditional_t<has_registers<S>, QuadArticulated<S>, ArticulatedInertia<S>>;
/// What goes along with it.
template <class S>
using ArticulatedForce = std::conditional_t<has_registers<S>, QuadForce<S>, Force<S>>;
template <class S>
using ArticulatedMotion = std::conditional_t<has_registers<S>, QuadMotion<S>, Motion<S>>;

template <class S>
CORIO_INLINE ArticulatedMotion<S> in_registers(const Motion<S>& V) {
  if constexpr (has_registers<S>)
    return QuadMotion<S>::load(V);
  else
    return V;
}
template <class S>
CORIO_INLINE ArticulatedForce<S> in_registers(const Force<S>& F) {
  if constexpr (has_registers<S>)
    return QuadForce<S>::of(F);
  else
    return F;
}
template <class S>
CORIO_INLINE void store(const ArticulatedMotion<S>& V, Motion<S>& to) {
  if constexpr (has_registers<S>)
    V.store(to);
  else
    to = V;
}
template <class S>
CORIO_INLINE void store(const ArticulatedForce<S>& F, Force<S>& to) {
  if constexpr (has_registers<S>)
    F.store(to);
  else
    to = F;
}
/// The number that is in all lanes.
template <class S>
CORIO_INLINE const S& any_lane(const S& x) {
  return x;
}
template <class S>
CORIO_INLINE S any_lane(const Quad<S>& x) {
  return x[0];
}
template <class S>
CORIO_INLINE S subtract_dot(const S& x, const Motion<S>& V, const Force<S>& F) {
  return x - dot(V, F);
}
/// 1 / (x + V . F).
template <class S>
CORIO_INLINE S reciprocal_of_sum(const S& x, const Motion<S>& V, const Force<S>& F) {
  return S(1) / (x + dot(V, F));
}
template <class S>
CORIO_INLINE Quad<S> reciprocal_of_sum(const S& x, const QuadMotion<S>& V, const QuadForce<S>& F) {
  return Quad<S>::all(S(1)) / add_dot(x, V, F);
}

}  // namespace corio::detail
