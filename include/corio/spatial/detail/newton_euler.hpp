#pragma once

#include <array>

#include "corio/spatial/inertia.hpp"
#include "corio/spatial/register_types.hpp"

/// Momentum and forces of one body from its mass, centre of mass and inertia about the centre of mass, for the pose X
/// of its frame. V, a and the results are about the origin of X's axes.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns I V.
template <class S>
Force<S> body_momentum(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V) {
  const Vector3<S> c = X.point(body.com);
  const Vector3<S> p = body.mass * (V.linear + cross(V.angular, c));
  return {X.rotation * (body.inertia * transpose_times(X.rotation, V.angular)) + cross(c, p), p};
}

/// Returns A dw + w x A w for the rotational inertia A in the axes R, computed in these axes.
template <class S>
CORIO_INLINE Vector3<S> euler_moment(const Matrix3<S>& R, const Symmetric3<S>& A, const Vector3<S>& w,
                                     const Vector3<S>& dw) {
  const Vector3<S> own_w = transpose_times(R, w);
  return R * (A * transpose_times(R, dw) + cross<S>(own_w, A * own_w));
}
/// Returns I a + V x* I V, by Newton's law for the centre of mass and Euler's law about the centre of mass.
template <class S>
CORIO_INLINE Force<S> newton_euler(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V,
                                   const Motion<S>& a) {
  const Vector3<S>&w = V.angular, &dw = a.angular, c = X.point(body.com);
  const Vector3<S> f = body.mass * (a.linear + (cross(dw, c) + cross<S>(w, V.linear + cross(w, c))));
  return {euler_moment(X.rotation, Symmetric3<S>::from(body.inertia), w, dw) + cross(c, f), f};
}
/// Computes the same force in registers. Nested cross products wait for one another, so the acceleration of c is
/// computed as K c, with K = w w^T - w^2 1 + [dw]x, and w x A w as a sum of products of an entry of A and two of w. A
/// is rotated to the axes of w, which takes as long as a product with R^T.
template <class S, class N = RegisterScalar<S>>
CORIO_INLINE Force<N> newton_euler(const Pose<RegisterScalar<S>>& X, const InertialParameters<S>& body,
                                   const Motion<RegisterScalar<S>>& V, const Motion<RegisterScalar<S>>& a) {
  using Vector = PaddedVector3<S>;
  const Vector &w = V.angular, &dw = a.angular, w1 = yzx(w), w2 = zxy(w), dw1 = yzx(dw), dw2 = zxy(dw);
  const Vector s1 = w1 * w1, s2 = w2 * w2;
  const Vector c = X.rotation * body.com + X.translation, c1 = yzx(c), c2 = zxy(c);
  const Vector f = N(body.mass) * (a.linear + w1 * zxy(V.linear) - w2 * yzx(V.linear) - (s1 + s2) * c +
                                   (w * w1 - dw2) * c1 + (w * w2 + dw1) * c2);
  const auto A = rotated(X.rotation, Symmetric3<S>::from(body.inertia));
  const Vector &d = A.diagonal, &r = A.rest;
  const Vector moment =
      d * dw + (zxy(d) - yzx(d)) * (w1 * w2) + r * (dw1 - w * w2) + zxy(r) * (dw2 + w * w1) + yzx(r) * (s1 - s2);
  return {moment + (c1 * zxy(f) - c2 * yzx(f)), f};
}

/// Computes the force F of newton_euler and its rates F', .. in registers, along a motion whose twist V has the rates
/// a, j and, for order 2, s. They follow from the rates of the centre of mass c, with f = m (c'' - gravity), and from
/// the rates of the angular momentum p = I w about c, the first of which is n.
template <int order, class N, class S>
CORIO_INLINE std::array<Force<N>, order + 1> newton_euler_rates(const Pose<S>& pose, const InertialParameters<S>& body,
                                                                const Motion<N>& V, const Motion<N>& a,
                                                                const Motion<N>& j, const Motion<N>& s,
                                                                const Vector3<S>& gravity) {
  const Pose<N> X = load(pose);
  const VectorOf<N>&w = V.angular, &w1 = a.angular, &w2 = j.angular;
  const VectorOf<N> c = X.rotation * body.com + X.translation, c1 = V.linear + cross(w, c),
                    c2 = a.linear + cross(w1, c) + cross(w, c1),
                    c3 = j.linear + cross(w2, c) + cross(N(S(2)) * w1, c1) + cross(w, c2);
  const N m(body.mass);
  const VectorOf<N> f = m * (c2 - load(gravity)), f1 = m * c3;
  const auto I_com = rotated(X.rotation, Symmetric3<S>::from(body.inertia));
  const VectorOf<N> z = w2 - cross(w, w1), p = I_com * w, r = I_com * w1, Iz = I_com * z, r1 = cross(w, r) + Iz,
                    n = cross(w, p) + r, n1 = cross(w1, p) + cross(w, n) + r1;
  const Force<N> F{cross(c, f) + n, f}, F1{cross(c1, f) + cross(c, f1) + n1, f1};
  if constexpr (order == 1) {
    return {F, F1};
  } else {
    const VectorOf<N> f2 =
        m * (s.linear + cross(s.angular, c) + (cross(N(S(3)) * w2, c1) + cross(N(S(3)) * w1, c2)) + cross(w, c3));
    const VectorOf<N> r2 = cross(w1, r) + cross(w, r1 + Iz) + I_com * (s.angular - cross(w, w2 + z));
    const VectorOf<N> n2 = cross(w2, p) + cross(N(S(2)) * w1, n) + cross(w, n1) + r2;
    return {F, F1, Force<N>{cross(c2, f) + cross(N(S(2)) * c1, f1) + cross(c, f2) + n2, f2}};
  }
}

/// Returns the weight, in registers.
template <class S, class N = InRegisters<S>>
CORIO_INLINE Force<N> body_weight(const Pose<S>& pose, const InertialParameters<S>& body, const Vector3<S>& gravity) {
  const Pose<N> X = load(pose);
  const VectorOf<N> f = load(gravity) * N(body.mass);
  return {cross(X.rotation * body.com + X.translation, f), f};
}

}}}  // namespace corio::detail
