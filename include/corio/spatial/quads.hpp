#pragma once

#include "corio/simd/quad.hpp"
#include "corio/spatial/pose.hpp"

/// Poses, motions, inertias and Coriolis operators in quads: loaded from and stored to the packed types of the same
/// name, with the operations of the kinematics pass and of composites.hpp.
namespace corio::detail {

template <class S>
struct QuadMotion {
  Quad<S> angular, linear;

  static QuadMotion load(const Motion<S>& m) {
    return {Quad<S>::load(m.angular.data()), Quad<S>::load_last(m.linear.data())};
  }
  CORIO_INLINE void store(Motion<S>& to) const {
    angular.store(to.angular.data());
    linear.store_last(to.linear.data());
  }
  CORIO_INLINE friend QuadMotion operator+(const QuadMotion& a, const QuadMotion& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
  CORIO_INLINE QuadMotion& operator+=(const QuadMotion& b) {
    angular = angular + b.angular, linear = linear + b.linear;
    return *this;
  }
  CORIO_INLINE friend QuadMotion operator*(const QuadMotion& a, const S& s) { return {a.angular * s, a.linear * s}; }
  CORIO_INLINE friend QuadMotion operator*(const QuadMotion& a, const Quad<S>& s) {
    return {a.angular * s, a.linear * s};
  }
  CORIO_INLINE friend QuadMotion about(const QuadMotion& V, const Quad<S>& c) {
    return {V.angular, V.linear + yzx(cross_zxy(V.angular, c))};
  }
  CORIO_INLINE friend QuadMotion cross(const QuadMotion& a, const QuadMotion& b) {
    return {yzx(cross_zxy(a.angular, b.angular)), yzx(cross_zxy(a.angular, b.linear) + cross_zxy(a.linear, b.angular))};
  }
};

/// The fourth number of each half is zero.
template <class S>
struct QuadForce {
  Quad<S> moment, force;

  CORIO_INLINE static QuadForce of(const Force<S>& F) {
    const Vector3<S>&n = F.moment, &f = F.force;
    return {Quad<S>::of(n[0], n[1], n[2]), Quad<S>::of(f[0], f[1], f[2])};
  }
  CORIO_INLINE QuadForce& operator+=(const QuadForce& F) {
    moment = moment + F.moment, force = force + F.force;
    return *this;
  }
  CORIO_INLINE void store(Force<S>& to) const {
    moment.store(to.moment.data());
    force.store_last(to.force.data());
  }
  CORIO_INLINE friend QuadForce about(const QuadForce& F, const Quad<S>& c) {
    return {F.moment - yzx(cross_zxy(c, F.force)), F.force};
  }
  CORIO_INLINE friend QuadForce operator*(const QuadForce& F, const Quad<S>& s) { return {F.moment * s, F.force * s}; }
  CORIO_INLINE friend QuadForce cross(const QuadMotion<S>& V, const QuadForce& F) {
    return {yzx(cross_zxy(V.angular, F.moment) + cross_zxy(V.linear, F.force)), yzx(cross_zxy(V.angular, F.force))};
  }
};

/// x + V . F and x - V . F, in all lanes.
template <class S>
CORIO_INLINE Quad<S> add_dot(const S& x, const QuadMotion<S>& V, const QuadForce<S>& F) {
  return sum_of(Quad<S>::of(x, S(0), S(0)) + F.moment * V.angular + F.force * V.linear);
}
template <class S>
CORIO_INLINE Quad<S> subtract_dot(const S& x, const QuadMotion<S>& V, const QuadForce<S>& F) {
  return sum_of(Quad<S>::of(x, S(0), S(0)) - F.moment * V.angular - F.force * V.linear);
}

/// Axes x, y, z and position p.
template <class S>
struct QuadPose {
  Quad<S> x, y, z, p;

  CORIO_INLINE static QuadPose load(const Pose<S>& X) {
    const S* R = X.rotation.data();
    return {Quad<S>::load(R), Quad<S>::load(R + 3), Quad<S>::load(R + 6), Quad<S>::load_last(X.translation.data())};
  }
  CORIO_INLINE void store(Pose<S>& to) const {
    S* R = to.rotation.data();
    x.store(R), y.store(R + 3), z.store(R + 6);
    p.store_last(to.translation.data());
  }

  /// R (a, b, c).
  CORIO_INLINE Quad<S> turn(const S& a, const S& b, const S& c) const { return x * a + y * b + z * c; }
  CORIO_INLINE friend QuadPose operator*(const QuadPose& A, const Pose<S>& B) {
    const Matrix3<S>& R = B.rotation;
    const Vector3<S>& t = B.translation;
    return {A.turn(R(0, 0), R(1, 0), R(2, 0)), A.turn(R(0, 1), R(1, 1), R(2, 1)), A.turn(R(0, 2), R(1, 2), R(2, 2)),
            A.p + A.turn(t[0], t[1], t[2])};
  }
};

/// Inertia with Sigma as its diagonal (xx, yy, zz) and the rest in the order (xy, yz, zx).
template <class S>
struct QuadInertia {
  S mass;
  Quad<S> h, diagonal, rest;

  /// In world axes, about the same point: R Sigma R^T from A = R Sigma column by column. Entry ij is the sum of A_ik
  /// R_jk over k, so for i = j, and for j next to i, a sum of products lane by lane.
  CORIO_INLINE static QuadInertia turned(const QuadPose<S>& R, const Inertia<S>& I) {
    const Symmetric3<S>& s = I.sigma;
    const Quad<S> x = R.turn(s.xx, s.xy, s.xz), y = R.turn(s.xy, s.yy, s.yz), z = R.turn(s.xz, s.yz, s.zz);
    return {I.mass, R.turn(I.h[0], I.h[1], I.h[2]), x * R.x + y * R.y + z * R.z,
            x * yzx(R.x) + y * yzx(R.y) + z * yzx(R.z)};
  }
  /// About the point c: with g = h - (m/2) c, Sigma' = Sigma - c g^T - g c^T.
  CORIO_INLINE friend QuadInertia about(const QuadInertia& I, const Quad<S>& c) {
    const Quad<S> mc = c * I.mass, g = I.h - mc * S(0.5), cg = c * g;
    return {I.mass, I.h - mc, I.diagonal - (cg + cg), I.rest - (c * yzx(g) + g * yzx(c))};
  }
  static QuadInertia load(const Inertia<S>& I) {
    return {I.mass, Quad<S>::load(I.h.data()), Quad<S>::load(&I.sigma.xx), xzy(Quad<S>::load_last(&I.sigma.xy))};
  }
  CORIO_INLINE void store(Inertia<S>& to) const {
    to.mass = mass;
    h.store(to.h.data());
    diagonal.store(&to.sigma.xx);
    xzy(rest).store_last(&to.sigma.xy);
  }
  CORIO_INLINE QuadInertia& operator+=(const QuadInertia& b) {
    mass += b.mass, h = h + b.h, diagonal = diagonal + b.diagonal, rest = rest + b.rest;
    return *this;
  }
};

/// Coriolis operator with P as its diagonal and the entries P(i, i + 1) and P(i, i - 1), indices modulo three. Written
/// like this P = v h^T + [w]x Sigma is a sum of products lane by lane.
template <class S>
struct QuadCoriolis {
  Quad<S> diagonal, next, previous, f;

  CORIO_INLINE static QuadCoriolis from(const QuadMotion<S>& V, const QuadInertia<S>& I) {
    const Quad<S>&w = V.angular, &v = V.linear;
    const Quad<S>&h = I.h, &d = I.diagonal, &r = I.rest;
    const Quad<S> w1 = yzx(w), w2 = zxy(w), h1 = yzx(h), h2 = zxy(h), r1 = yzx(r);
    return {v * h + w1 * zxy(r) - w2 * r, v * h1 + w1 * r1 - w2 * yzx(d), v * h2 + w1 * zxy(d) - w2 * r1,
            v * I.mass + w1 * h2 - w2 * h1};
  }
  /// About the point c: P' = P - f c^T.
  CORIO_INLINE friend QuadCoriolis about(const QuadCoriolis& B, const Quad<S>& c) {
    return {B.diagonal - B.f * c, B.next - B.f * yzx(c), B.previous - B.f * zxy(c), B.f};
  }
  /// B + B^T as an inertia.
  CORIO_INLINE QuadInertia<S> inertia_rate() const { return {S(0), f, diagonal + diagonal, next + yzx(previous)}; }
  CORIO_INLINE void store(BodyCoriolis<S>& to) const {
    S* P = to.P.data();
    pick(diagonal, previous, next).store(P);
    pick(next, diagonal, previous).store(P + 3);
    pick(previous, next, diagonal).store(P + 6);
    f.store_last(to.f.data());
  }
  CORIO_INLINE friend QuadCoriolis operator+(const QuadCoriolis& a, const QuadCoriolis& b) {
    QuadCoriolis sum = a;
    return sum += b;
  }
  CORIO_INLINE QuadCoriolis& operator+=(const QuadCoriolis& b) {
    diagonal = diagonal + b.diagonal, next = next + b.next, previous = previous + b.previous, f = f + b.f;
    return *this;
  }

 private:
  /// (x, y, z) with x from a, y from b, z from c.
  CORIO_INLINE static Quad<S> pick(const Quad<S>& a, const Quad<S>& b, const Quad<S>& c) {
    return a.template shuffle<0, 5, 2, 3>(b).template shuffle<0, 1, 6, 3>(c);
  }
};

/// What the children of a node need of it in the outward pass, and the sum over those of them that the inward sweeps
/// have seen. Kept apart from Data's packed numbers because a load that spans two recent stores waits until both are in
/// the cache. Empty for scalars without quads.
template <class S>
struct QuadState {
  static QuadState at_rest() { return {}; }
};
template <class S>
struct QuadSums {};

template <class S>
requires has_registers<S>
struct QuadState<S> {
  QuadPose<S> pose;
  QuadMotion<S> velocity, acceleration;

  static QuadState at_rest() {
    QuadState state{};
    state.pose = QuadPose<S>::load(Pose<S>::identity());
    return state;
  }
};
template <class S>
requires has_registers<S>
struct QuadSums<S> {
  QuadInertia<S> inertia;
  QuadCoriolis<S> coriolis;
};

}  // namespace corio::detail
