#pragma once

#include <array>

#include "corio/spatial/inertia.hpp"
#include "corio/spatial/register_types.hpp"

/// Momentum and forces of one body by its mass, centre of mass and inertia about that, for the pose X of its frame. V,
/// a and the results are about the origin of X's axes.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// I V.
template <class S>
Force<S> body_momentum(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V) {
  const Vector3<S> c = X.point(body.com);
  const Vector3<S> p = body.mass * (V.linear + cross(V.angular, c));
  return {X.rotation * (body.inertia * transpose_times(X.rotation, V.angular)) + cross(c, p), p};
}

/// A dw + w x A w for the rotational inertia A in the axes R, computed in these axes; in registers, in which a product
/// with R^T takes as long as rotating A, computed in the axes of w.
template <class S>
CORIO_INLINE Vector3<S> euler_moment(const Matrix3<S>& R, const Symmetric3<S>& A, const Vector3<S>& w,
                                     const Vector3<S>& dw) {
  const Vector3<S> own_w = transpose_times(R, w);
  return R * (A * transpose_times(R, dw) + cross<S>(own_w, A * own_w));
}
template <class S>
CORIO_INLINE PaddedVector3<S> euler_moment(const RegisterRotation<S>& R, const Symmetric3<S>& A,
                                           const PaddedVector3<S>& w, const PaddedVector3<S>& dw) {
  const auto rotated_A = rotated(R, A);
  return rotated_A * dw + cross(w, rotated_A * w);
}
/// I a + V x* I V, by Newton's law for the centre of mass and Euler's about it.
template <class N, class S>
CORIO_INLINE Force<N> newton_euler(const Pose<N>& X, const InertialParameters<S>& body, const Motion<N>& V,
                                   const Motion<N>& a) {
  const VectorOf<N>&w = V.angular, &dw = a.angular, c = X.rotation * body.com + X.translation;
  const VectorOf<N> v_com = V.linear + cross(w, c);
  const VectorOf<N> f = N(body.mass) * (a.linear + (cross(dw, c) + cross(w, v_com)));
  return {euler_moment(X.rotation, Symmetric3<S>::from(body.inertia), w, dw) + cross(c, f), f};
}

/// F as above and its rates F', .., in registers, along a motion with the rates a, j and, for order 2, s of V. From the
/// rates of the centre of mass c, f = m (c'' - gravity), and of the angular momentum p = I w with its rate n about c.
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

/// The weight, in registers.
template <class S, class N = InRegisters<S>>
CORIO_INLINE Force<N> body_weight(const Pose<S>& pose, const InertialParameters<S>& body, const Vector3<S>& gravity) {
  const Pose<N> X = load(pose);
  const VectorOf<N> f = load(gravity) * N(body.mass);
  return {cross(X.rotation * body.com + X.translation, f), f};
}

}}}  // namespace corio::detail
