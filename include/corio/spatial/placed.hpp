#pragma once

#include "corio/spatial/body_coriolis.hpp"

namespace corio::detail {

/// An inertia or operator X that is kept about a point, the origin of its node, and acts on motions about the origin of
/// the tree: what it gives is about that, too. Inertias about a distant point would lose the digits of small ones.
template <class X, class S>
struct Placed {
  X own;
  Vector3<S> point;

  CORIO_INLINE Motion<S> here(const Motion<S>& V) const { return about(V, point); }

  CORIO_INLINE friend Force<S> operator*(const Placed& a, const Motion<S>& V) {
    return about(a.own * a.here(V), -a.point);
  }
  /// Of two about the same point.
  CORIO_INLINE friend Placed operator+(const Placed& a, const Placed& b) { return {a.own + b.own, a.point}; }
};

/// The moment of B^T V, which is the same about every point.
template <class S>
CORIO_INLINE Vector3<S> transpose_moment(const Placed<BodyCoriolis<S>, S>& B, const Motion<S>& V) {
  return B.own.transpose_moment(B.here(V));
}

/// B(V, I) and (V x*) B - B (V x) about the origin of the tree.
template <class S>
CORIO_INLINE BodyCoriolis<S> body_coriolis(const Motion<S>& V, const Placed<Inertia<S>, S>& I) {
  return about(BodyCoriolis<S>::from(I.here(V), I.own), -I.point);
}
template <class S>
CORIO_INLINE BodyCoriolis<S> transported(const Motion<S>& V, const Placed<BodyCoriolis<S>, S>& B) {
  return about(corio::transported(B.here(V), B.own), -B.point);
}

}  // namespace corio::detail
