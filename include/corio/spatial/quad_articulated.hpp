#pragma once

#include "corio/spatial/articulated_inertia.hpp"
#include "corio/spatial/quads.hpp"

namespace corio::detail {

/// Articulated inertia in quads, as the six columns of its matrix: moments and forces.
template <class S>
struct QuadArticulated {
  Quad<S> moment[6], force[6];

  CORIO_INLINE static QuadArticulated from(const Inertia<S>& I) {
    using Q = Quad<S>;
    const Symmetric3<S> R = trace_complement(I.sigma);
    const Vector3<S>& h = I.h;
    const S o(0), m = I.mass;
    return {{Q::of(R.xx, R.xy, R.xz), Q::of(R.xy, R.yy, R.yz), Q::of(R.xz, R.yz, R.zz), Q::of(o, h[2], -h[1]),
             Q::of(-h[2], o, h[0]), Q::of(h[1], -h[0], o)},
            {Q::of(o, -h[2], h[1]), Q::of(h[2], o, -h[0]), Q::of(-h[1], h[0], o), Q::of(m, o, o), Q::of(o, m, o),
             Q::of(o, o, m)}};
  }

  CORIO_INLINE QuadArticulated& operator+=(const QuadArticulated& b) {
    repeat<6>([&](auto j)
                  CORIO_INLINE_LAMBDA { moment[j] = moment[j] + b.moment[j], force[j] = force[j] + b.force[j]; });
    return *this;
  }

  /// About the point c: the forces of motions about it, [1, 0; [c]x, 1] V, and these about it.
  CORIO_INLINE friend QuadArticulated about(const QuadArticulated& I, const Quad<S>& c) {
    const Quad<S> x = c.template spread<0>(), y = c.template spread<1>(), z = c.template spread<2>();
    const auto turned = [&](const Quad<S>* u) CORIO_INLINE_LAMBDA {
      return QuadArticulated{{}, {u[0] + u[4] * z - u[5] * y, u[1] + u[5] * x - u[3] * z, u[2] + u[3] * y - u[4] * x,
                                  u[3], u[4], u[5]}};
    };
    QuadArticulated out = turned(I.force);
    const QuadArticulated moments = turned(I.moment);
    repeat<6>([&](auto j) CORIO_INLINE_LAMBDA {
      out.moment[j] = moments.force[j] - yzx(cross_zxy(c, out.force[j]));
    });
    return out;
  }

  /// For a Motion or QuadMotion.
  template <class M>
  CORIO_INLINE friend QuadForce<S> operator*(const QuadArticulated& I, const M& V) {
    const auto &w = V.angular, &v = V.linear;
    return {(I.moment[0] * w[0] + I.moment[1] * w[1] + I.moment[2] * w[2]) +
                (I.moment[3] * v[0] + I.moment[4] * v[1] + I.moment[5] * v[2]),
            (I.force[0] * w[0] + I.force[1] * w[1] + I.force[2] * w[2]) +
                (I.force[3] * v[0] + I.force[4] * v[1] + I.force[5] * v[2])};
  }

  /// As for ArticulatedInertia, 1 / d in all lanes.
  CORIO_INLINE Quad<S> eliminate(const QuadMotion<S>& phi, const S& armature, QuadForce<S>& G) {
    const QuadForce<S> U = *this * phi;
    const Quad<S> r = Quad<S>::all(S(1)) / add_dot(armature, phi, U);
    G.moment = U.moment * r, G.force = U.force * r;
    repeat<6>([&](auto j) CORIO_INLINE_LAMBDA {
      const Quad<S> u = (j < 3 ? U.moment : U.force).template spread<j % 3>();
      moment[j] = moment[j] - (U.moment * u) * r;
      force[j] = force[j] - (U.force * u) * r;
    });
    return r;
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

}  // namespace corio::detail
