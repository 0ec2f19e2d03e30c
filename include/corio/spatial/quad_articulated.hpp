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

  CORIO_INLINE friend Force<S> operator*(const QuadArticulated& I, const Motion<S>& V) {
    Force<S> F;
    I.times(V, F);
    return F;
  }

  /// As for ArticulatedInertia.
  CORIO_INLINE S eliminate(const Motion<S>& phi, const S& armature, Force<S>& U) {
    const auto [n, f] = times(phi, U);
    const auto [w, v] = QuadMotion<S>::load(phi);
    const S r = S(1) / (sum_of(n * w + f * v) + armature);  // n and f end with zeros
    const Quad<S> rn = n * r, rf = f * r;
    repeat<6>([&](auto j) CORIO_INLINE_LAMBDA {
      const S u = j < 3 ? U.moment[j.value % 3] : U.force[j.value % 3];
      moment[j] = moment[j] - rn * u;
      force[j] = force[j] - rf * u;
    });
    return r;
  }

 private:
  struct Halves {
    Quad<S> moment, force;
  };
  CORIO_INLINE Halves times(const Motion<S>& V, Force<S>& F) const {
    const Vector3<S>&w = V.angular, &v = V.linear;
    const Quad<S> n = (moment[0] * w[0] + moment[1] * w[1] + moment[2] * w[2]) +
                      (moment[3] * v[0] + moment[4] * v[1] + moment[5] * v[2]);
    const Quad<S> f =
        (force[0] * w[0] + force[1] * w[1] + force[2] * w[2]) + (force[3] * v[0] + force[4] * v[1] + force[5] * v[2]);
    n.store(F.moment.data());
    f.store_last(F.force.data());
    return {n, f};
  }
};

template <class S>
using Articulated = std::conditional_t<has_quads<S>, QuadArticulated<S>, ArticulatedInertia<S>>;

}  // namespace corio::detail
