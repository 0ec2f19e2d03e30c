#pragma once

#include "corio/simd/vec4.hpp"
#include "corio/spatial/pose.hpp"

/// Poses, motions, inertias and Coriolis operators of Vec4: loaded from and stored to the packed types of the same
/// name, with the operations of the kinematics pass and of composites.hpp.
namespace corio::detail {

template <class S>
struct Vec4Motion {
  Vec4<S> angular, linear;

  /// The fourth number of each half is zero.
  static Vec4Motion load(const Motion<S>& m) {
    return {Vec4<S>::load(m.angular.data()).template shuffle<0, 1, 2, 7>(Vec4<S>::all(S(0))),
            Vec4<S>::load_last(m.linear.data())};
  }
  CORIO_INLINE void store(Motion<S>& to) const {
    angular.store(to.angular.data());
    linear.store_last(to.linear.data());
  }
  CORIO_INLINE friend Vec4Motion operator+(const Vec4Motion& a, const Vec4Motion& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
  CORIO_INLINE Vec4Motion& operator+=(const Vec4Motion& b) {
    angular = angular + b.angular, linear = linear + b.linear;
    return *this;
  }
  CORIO_INLINE friend Vec4Motion operator*(const Vec4Motion& a, const S& s) { return {a.angular * s, a.linear * s}; }
  CORIO_INLINE friend Vec4Motion operator*(const Vec4Motion& a, const Vec4<S>& s) {
    return {a.angular * s, a.linear * s};
  }
  CORIO_INLINE friend Vec4Motion about(const Vec4Motion& V, const Vec4<S>& c) {
    return {V.angular, V.linear + yzx(cross_zxy(V.angular, c))};
  }
  CORIO_INLINE friend Vec4Motion cross(const Vec4Motion& a, const Vec4Motion& b) {
    return {yzx(cross_zxy(a.angular, b.angular)), yzx(cross_zxy(a.angular, b.linear) + cross_zxy(a.linear, b.angular))};
  }
};

template <class S>
struct Vec4Force {
  Vec4<S> moment, force;

  CORIO_INLINE static Vec4Force load(const Force<S>& F) {
    return {Vec4<S>::load(F.moment.data()), Vec4<S>::load_last(F.force.data())};
  }
  CORIO_INLINE Vec4Force& operator+=(const Vec4Force& F) {
    moment = moment + F.moment, force = force + F.force;
    return *this;
  }
  CORIO_INLINE void store(Force<S>& to) const {
    moment.store(to.moment.data());
    force.store_last(to.force.data());
  }
  CORIO_INLINE friend Vec4Force about(const Vec4Force& F, const Vec4<S>& c) {
    return {F.moment - yzx(cross_zxy(c, F.force)), F.force};
  }
  CORIO_INLINE friend Vec4Force operator*(const Vec4Force& F, const Vec4<S>& s) { return {F.moment * s, F.force * s}; }
  CORIO_INLINE friend Vec4Force cross(const Vec4Motion<S>& V, const Vec4Force& F) {
    return {yzx(cross_zxy(V.angular, F.moment) + cross_zxy(V.linear, F.force)), yzx(cross_zxy(V.angular, F.force))};
  }
  /// V . F in all lanes, for motions whose fourth numbers are zero.
  CORIO_INLINE friend Vec4<S> dot(const Vec4Motion<S>& V, const Vec4Force& F) {
    return sum_of(F.moment * V.angular + F.force * V.linear);
  }
};

/// x - V . F in all lanes.
template <class S>
CORIO_INLINE Vec4<S> subtract_dot(const S& x, const Vec4Motion<S>& V, const Vec4Force<S>& F) {
  return Vec4<S>::all(x) - dot(V, F);
}

/// Axes x, y, z and position p.
template <class S>
struct Vec4Pose {
  Vec4<S> x, y, z, p;

  CORIO_INLINE static Vec4Pose load(const Pose<S>& X) {
    const S* R = X.rotation.data();
    return {Vec4<S>::load(R), Vec4<S>::load(R + 3), Vec4<S>::load(R + 6), Vec4<S>::load_last(X.translation.data())};
  }
  CORIO_INLINE void store(Pose<S>& to) const {
    S* R = to.rotation.data();
    x.store(R), y.store(R + 3), z.store(R + 6);
    p.store_last(to.translation.data());
  }

  /// R (a, b, c).
  CORIO_INLINE Vec4<S> turn(const S& a, const S& b, const S& c) const { return x * a + y * b + z * c; }
  CORIO_INLINE friend Vec4Pose operator*(const Vec4Pose& A, const Pose<S>& B) {
    const Matrix3<S>& R = B.rotation;
    const Vector3<S>& t = B.translation;
    return {A.turn(R(0, 0), R(1, 0), R(2, 0)), A.turn(R(0, 1), R(1, 1), R(2, 1)), A.turn(R(0, 2), R(1, 2), R(2, 2)),
            A.p + A.turn(t[0], t[1], t[2])};
  }
};

/// Symmetric 3 x 3 matrix as its diagonal (xx, yy, zz) and the rest in the order (xy, yz, zx); any 3 x 3 matrix A as
/// its diagonal and the entries A(i, i + 1) and A(i, i - 1), indices modulo three. So products are sums lane by lane.
template <class S>
struct Vec4Symmetric {
  Vec4<S> diagonal, rest;

  CORIO_INLINE Vec4Symmetric& operator+=(const Vec4Symmetric& b) {
    diagonal = diagonal + b.diagonal, rest = rest + b.rest;
    return *this;
  }
  /// tr(A) 1 - A.
  CORIO_INLINE Vec4Symmetric trace_complement() const { return {yzx(diagonal) + zxy(diagonal), -rest}; }
  CORIO_INLINE friend Vec4<S> operator*(const Vec4Symmetric& A, const Vec4<S>& x) {
    return A.diagonal * x + A.rest * yzx(x) + zxy(A.rest) * zxy(x);
  }
};
template <class S>
struct Vec4Matrix {
  Vec4<S> diagonal, next, previous;

  CORIO_INLINE Vec4Matrix& operator+=(const Vec4Matrix& b) { return *this = *this + b; }
  CORIO_INLINE friend Vec4Matrix operator+(const Vec4Matrix& a, const Vec4Matrix& b) {
    return {a.diagonal + b.diagonal, a.next + b.next, a.previous + b.previous};
  }
  CORIO_INLINE friend Vec4Matrix operator-(const Vec4Matrix& a, const Vec4Matrix& b) {
    return {a.diagonal - b.diagonal, a.next - b.next, a.previous - b.previous};
  }
  CORIO_INLINE friend Vec4<S> operator*(const Vec4Matrix& A, const Vec4<S>& x) {
    return A.diagonal * x + A.next * yzx(x) + A.previous * zxy(x);
  }
  CORIO_INLINE friend Vec4<S> transpose_times(const Vec4Matrix& A, const Vec4<S>& x) {
    return A.diagonal * x + yzx(A.previous) * yzx(x) + zxy(A.next) * zxy(x);
  }
};
/// a b^T.
template <class S>
CORIO_INLINE Vec4Matrix<S> outer(const Vec4<S>& a, const Vec4<S>& b) {
  return {a * b, a * yzx(b), a * zxy(b)};
}
/// [w]x A.
template <class S>
CORIO_INLINE Vec4Matrix<S> cross_product(const Vec4<S>& w, const Vec4Symmetric<S>& A) {
  const Vec4<S>&d = A.diagonal, &r = A.rest;
  const Vec4<S> w1 = yzx(w), w2 = zxy(w), r1 = yzx(r);
  return {w1 * zxy(r) - w2 * r, w1 * r1 - w2 * yzx(d), w1 * zxy(d) - w2 * r1};
}

template <class S>
struct Vec4Inertia {
  S mass;
  Vec4<S> h;
  Vec4Symmetric<S> sigma;

  /// In world axes, about the same point: R Sigma R^T from A = R Sigma column by column. Entry ij is the sum of A_ik
  /// R_jk over k, so for i = j, and for j next to i, a sum of products lane by lane.
  CORIO_INLINE static Vec4Inertia turned(const Vec4Pose<S>& R, const Inertia<S>& I) {
    const Symmetric3<S>& s = I.sigma;
    const Vec4<S> x = R.turn(s.xx, s.xy, s.xz), y = R.turn(s.xy, s.yy, s.yz), z = R.turn(s.xz, s.yz, s.zz);
    return {I.mass,
            R.turn(I.h[0], I.h[1], I.h[2]),
            {x * R.x + y * R.y + z * R.z, x * yzx(R.x) + y * yzx(R.y) + z * yzx(R.z)}};
  }
  /// About the point c: with g = h - (m/2) c, Sigma' = Sigma - c g^T - g c^T.
  CORIO_INLINE friend Vec4Inertia about(const Vec4Inertia& I, const Vec4<S>& c) {
    const Vec4<S> mc = c * I.mass, g = I.h - mc * S(0.5), cg = c * g;
    return {I.mass, I.h - mc, {I.sigma.diagonal - (cg + cg), I.sigma.rest - (c * yzx(g) + g * yzx(c))}};
  }
  /// I V = [(tr(Sigma) 1 - Sigma) w + h x v; m v + w x h].
  CORIO_INLINE friend Vec4Force<S> operator*(const Vec4Inertia& I, const Vec4Motion<S>& V) {
    const Vec4<S>&w = V.angular, &v = V.linear;
    return {I.sigma.trace_complement() * w + yzx(cross_zxy(I.h, v)), v * I.mass + yzx(cross_zxy(w, I.h))};
  }
  static Vec4Inertia load(const Inertia<S>& I) {
    return {I.mass, Vec4<S>::load(I.h.data()), {Vec4<S>::load(&I.sigma.xx), xzy(Vec4<S>::load_last(&I.sigma.xy))}};
  }
  CORIO_INLINE void store(Inertia<S>& to) const {
    to.mass = mass;
    h.store(to.h.data());
    sigma.diagonal.store(&to.sigma.xx);
    xzy(sigma.rest).store_last(&to.sigma.xy);
  }
  CORIO_INLINE Vec4Inertia& operator+=(const Vec4Inertia& b) {
    mass += b.mass, h = h + b.h, sigma += b.sigma;
    return *this;
  }
};

template <class S>
struct Vec4Coriolis {
  Vec4Matrix<S> P;
  Vec4<S> f;

  CORIO_INLINE static Vec4Coriolis from(const Vec4Motion<S>& V, const Vec4Inertia<S>& I) {
    const Vec4<S>&w = V.angular, &v = V.linear;
    return {outer(v, I.h) + cross_product(w, I.sigma), v * I.mass + yzx(cross_zxy(w, I.h))};
  }
  /// About the point c: P' = P - f c^T.
  CORIO_INLINE friend Vec4Coriolis about(const Vec4Coriolis& B, const Vec4<S>& c) { return {B.P - outer(B.f, c), B.f}; }
  /// B + B^T as an inertia.
  CORIO_INLINE Vec4Inertia<S> inertia_rate() const {
    return {S(0), f, {P.diagonal + P.diagonal, P.next + yzx(P.previous)}};
  }
  CORIO_INLINE void store(BodyCoriolis<S>& to) const {
    S* numbers = to.P.data();
    pick(P.diagonal, P.previous, P.next).store(numbers);
    pick(P.next, P.diagonal, P.previous).store(numbers + 3);
    pick(P.previous, P.next, P.diagonal).store(numbers + 6);
    f.store_last(to.f.data());
  }
  CORIO_INLINE friend Vec4Coriolis operator+(const Vec4Coriolis& a, const Vec4Coriolis& b) {
    return {a.P + b.P, a.f + b.f};
  }
  CORIO_INLINE Vec4Coriolis& operator+=(const Vec4Coriolis& b) { return *this = *this + b; }

 private:
  /// (x, y, z) with x from a, y from b, z from c.
  CORIO_INLINE static Vec4<S> pick(const Vec4<S>& a, const Vec4<S>& b, const Vec4<S>& c) {
    return a.template shuffle<0, 5, 2, 3>(b).template shuffle<0, 1, 6, 3>(c);
  }
};

/// What the outward pass hands from a node to its children, and what the inward sweeps have summed over the children of
/// a node so far. Both are stored a second time, beside the numbers in Data, since a load of four numbers that spans
/// two recent stores of three has to wait until both are in the cache.
template <class S>
struct Vec4State {
  Vec4Pose<S> pose;
  Vec4Motion<S> velocity, acceleration;

  static Vec4State at_rest() {
    const Vec4Motion<S> none = Vec4Motion<S>::load(Motion<S>::zero());
    return {Vec4Pose<S>::load(Pose<S>::identity()), none, none};
  }
};
template <class S>
struct Vec4Sums {
  Vec4Inertia<S> inertia;
  Vec4Coriolis<S> coriolis;
};

}  // namespace corio::detail
