#pragma once

#include "corio/spatial/inertia.hpp"
#include "corio/spatial/register_types.hpp"

/// Momentum and forces of one body by its mass, centre of mass and inertia about that, for the pose X of its frame. V,
/// a and the results are about the origin of X's axes.
namespace corio::inline CORIO_ABI::detail {

/// I V.
template <class S>
Force<S> body_momentum(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V) {
  const Vector3<S> c = X.point(body.com);
  const Vector3<S> p = body.mass * (V.linear + cross(V.angular, c));
  return {X.rotation * (body.inertia * transpose_times(X.rotation, V.angular)) + cross(c, p), p};
}

/// I a + V x* I V, by Newton's law for the centre of mass and Euler's about it.
template <class N, class S>
CORIO_INLINE Force<N> newton_euler(const Pose<N>& X, const InertialParameters<S>& body, const Motion<N>& V,
                                   const Motion<N>& a) {
  const VectorOf<N>&w = V.angular, &dw = a.angular, c = X.rotation * body.com + X.translation;
  const VectorOf<N> v_com = V.linear + cross(w, c);
  const VectorOf<N> f = N(body.mass) * (a.linear + (cross(dw, c) + cross(w, v_com)));
  const Symmetric3<N> I_com = rotated(X.rotation, Symmetric3<S>::from(body.inertia));
  return {I_com * dw + (cross(w, I_com * w) + cross(c, f)), f};
}
/// The same minus the weight, in registers.
template <class S>
CORIO_INLINE auto newton_euler(const Pose<S>& X, const InertialParameters<S>& body, const Motion<S>& V,
                               const Motion<S>& acceleration, const Vector3<S>& gravity) {
  auto a = load(acceleration);
  a.linear -= load(gravity);
  return newton_euler(load(X), body, load(V), a);
}

/// The weight, in registers.
template <class S, class N = InRegisters<S>>
CORIO_INLINE Force<N> body_weight(const Pose<S>& pose, const InertialParameters<S>& body, const Vector3<S>& gravity) {
  const Pose<N> X = load(pose);
  const VectorOf<N> f = load(gravity) * N(body.mass);
  return {cross(X.rotation * body.com + X.translation, f), f};
}

}  // namespace corio::detail
