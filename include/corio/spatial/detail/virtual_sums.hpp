#pragma once

#include "corio/spatial/body_coriolis.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Sums over the bodies of a subtree, with inertia I, velocity V and virtual motion U of each:
///   momentum I U,   moment 2 B(V, I)^T U,   coriolis B(U, I).
template <class S>
struct VirtualSums {
  Force<S> momentum;
  Couple<S> moment;
  BodyCoriolis<S> coriolis;

  static VirtualSums zero() { return {Force<S>::zero(), Couple<S>::zero(), BodyCoriolis<S>::zero()}; }
  static VirtualSums of(const Inertia<S>& I_b, const Motion<S>& V, const Motion<S>& U) {
    return {I_b * U, S(2) * BodyCoriolis<S>::from(V, I_b).transpose_times(U), BodyCoriolis<S>::from(U, I_b)};
  }
  friend VirtualSums about(const VirtualSums& x, const Vector3<S>& c) {
    return {about(x.momentum, c), x.moment, about(x.coriolis, c)};
  }
  VirtualSums& operator+=(const VirtualSums& b) {
    momentum += b.momentum, moment += b.moment, coriolis += b.coriolis;
    return *this;
  }
};

}}}  // namespace corio::detail
