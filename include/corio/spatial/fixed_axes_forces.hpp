#pragma once

#include "corio/spatial/cross.hpp"

namespace corio::detail {

/// External forces of a subtree that do not turn with their bodies, by what they become when the subtree moves by a
/// unit twist V about the origin:
///   about points of the world   F, staying: V x* F is taken back from the change of the other forces,
///   carried with the bodies     [ tr(Q) w - Q^T w + w x n; w x f ], with Q = sum x f^T over the points x they act at.
template <class S>
struct FixedAxesForces {
  Force<S> of_world, carried;  // the latter as sum of couples and sum of forces
  Matrix3<S> Q;

  static FixedAxesForces zero() { return {Force<S>::zero(), Force<S>::zero(), diagonal3(S(0))}; }
  FixedAxesForces& operator+=(const FixedAxesForces& b) {
    of_world += b.of_world, carried += b.carried, Q += b.Q;
    return *this;
  }
  Force<S> change(const Motion<S>& V) const {
    const Vector3<S>& w = V.angular;
    return cross(V, of_world) +
           Force<S>{trace(Q) * w - transpose_times(Q, w) + cross(w, carried.moment), cross(w, carried.force)};
  }
  /// The force C with U . change(V) = V . C for a motion U.
  Force<S> transposed_change(const Motion<S>& U) const {
    const Vector3<S>& w = U.angular;
    return -cross(U, of_world) +
           Force<S>{trace(Q) * w - Q * w + cross(carried.moment, w) + cross(carried.force, U.linear), zero3<S>()};
  }
};

}  // namespace corio::detail
