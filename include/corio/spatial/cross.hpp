#pragma once

#include "corio/spatial/force.hpp"

/// The three spatial cross products, as operations and as 6 x 6 matrices (Singh, Russell and Wensing 2022, eqs. 41-44):
///   cross(V, W) = V x W,   cross(V, F) = V x* F = F xbar* V.
namespace corio { inline namespace CORIO_ABI {

/// Returns V x W = [w x w'; w x v' + v x w']: rate of change of a motion vector W that moves with V. 18m 12a.
template <class S>
CORIO_INLINE Motion<S> cross(const Motion<S>& V, const Motion<S>& W) {
  return {cross(V.angular, W.angular), cross(V.angular, W.linear) + cross(V.linear, W.angular)};
}

/// Returns V x* F = [w x n + v x f; w x f]: rate of change of a force vector F that moves with V. 18m 12a.
template <class S>
CORIO_INLINE Force<S> cross(const Motion<S>& V, const Force<S>& F) {
  return {cross(V.angular, F.moment) + cross(V.linear, F.force), cross(V.angular, F.force)};
}

/// Returns V x* [n; 0] = [w x n; 0].
template <class S>
CORIO_INLINE Couple<S> cross(const Motion<S>& V, const Couple<S>& F) {
  return {cross(V.angular, F.moment)};
}

/// Returns (V x), 6 x 6.
template <class S>
Matrix6<S> crm(const Motion<S>& V) {
  return matrix6<S>(skew(V.angular), diagonal3(S(0)), skew(V.linear), skew(V.angular));
}

/// Returns (V x*) = -(V x)^T, 6 x 6.
template <class S>
Matrix6<S> crf(const Motion<S>& V) {
  return matrix6<S>(skew(V.angular), skew(V.linear), diagonal3(S(0)), skew(V.angular));
}

/// Returns (F xbar*), 6 x 6 and skew-symmetric: (F xbar*) V = V x* F.
template <class S>
Matrix6<S> crf_bar(const Force<S>& F) {
  const Matrix3<S> f = skew<S>(-F.force);
  return matrix6<S>(skew<S>(-F.moment), f, f, diagonal3(S(0)));
}
}}  // namespace corio
