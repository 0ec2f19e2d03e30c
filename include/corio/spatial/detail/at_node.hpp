#pragma once

#include "corio/spatial/body_coriolis.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// X, an inertia or operator about the origin of a node, `point`, as a map of motions to forces about the origin of the
/// tree. (Stored about the origin of the tree, the inertia of a small distant body would lose digits.)
template <class X, class S>
struct AtNode {
  X own;
  Vector3<S> point;

  /// Returns V about the point.
  CORIO_INLINE Motion<S> here(const Motion<S>& V) const { return about(V, point); }

  CORIO_INLINE friend Force<S> operator*(const AtNode& a, const Motion<S>& V) {
    return about(a.own * a.here(V), -a.point);
  }
  CORIO_INLINE auto transpose_times(const Motion<S>& V) const { return about(own.transpose_times(here(V)), -point); }
  /// a and b must have the same point.
  CORIO_INLINE friend AtNode operator+(const AtNode& a, const AtNode& b) { return {a.own + b.own, a.point}; }
};

/// Returns B(V, I) about the origin of the tree.
template <class S>
CORIO_INLINE BodyCoriolis<S> body_coriolis(const Motion<S>& V, const AtNode<Inertia<S>, S>& I_b) {
  return about(BodyCoriolis<S>::from(I_b.here(V), I_b.own), -I_b.point);
}
/// Returns (V x*) B - B (V x) about the origin of the tree.
template <class S>
CORIO_INLINE BodyCoriolis<S> transported(const Motion<S>& V, const AtNode<BodyCoriolis<S>, S>& B) {
  return about(corio::transported(B.here(V), B.own), -B.point);
}

}}}  // namespace corio::detail
