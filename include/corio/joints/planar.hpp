#pragma once

#include <array>
#include <numbers>

#include "corio/joints/joint_model.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Rigid motion in a plane, the group SE(2). q = [x, y, cos, sin]: position in the joint frame's plane and the turn
/// about its normal; nu = [w; vx; vy], the twist in the child body's own axes, columns [n; 0], [0; ex],
/// [0; ey]. Only the direction of (cos, sin) enters the dynamics, not its length, which may be any finite nonzero
/// number. Its axis is the normal of the plane, and x, y of axes() are ex, ey.
class Planar : public AlongAxis {
 public:
  static constexpr int nq = 4, nv = 3;
  static constexpr const char* type = "planar";
  using AlongAxis::AlongAxis;

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    const auto [c, s] = direction(q);
    const Vector3<S> x = column(A.rotation, 0), y = column(A.rotation, 1);
    return {from_columns<S>(x * c + y * s, y * c - x * s, column(A.rotation, 2)), A.translation + x * q[0] + y * q[1]};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
    phi[1] = detail::translation_column(X, 0);
    phi[2] = detail::translation_column(X, 1);
  }

  template <class S>
  void neutral(S* q) const {
    q[0] = q[1] = q[3] = S(0);
    q[2] = S(1);
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    using std::cos, std::sin;
    const Vector3<S> step = exp_translation<S>({{S(0), S(0), dv[0]}, {dv[1], dv[2], S(0)}});
    const auto [c, s] = direction(q);
    const S dc = cos(dv[0]), ds = sin(dv[0]);
    out[0] = q[0] + c * step[0] - s * step[1];
    out[1] = q[1] + s * step[0] + c * step[1];
    out[2] = c * dc - s * ds;
    out[3] = s * dc + c * ds;
  }
  /// Computes dv = log(T(q0)^-1 T(q1)) with |w| <= pi.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const auto [c0, s0] = direction(q0);
    const auto [c1, s1] = direction(q1);
    const S c = c0 * c1 + s0 * s1, s = c0 * s1 - s0 * c1;
    // This is the logarithm of the rotation by (c, s) about z, which covers the whole circle for every scalar.
    const Vector3<S> w = log_rotation(matrix3<S>(c, -s, S(0), s, c, S(0), S(0), S(0), S(1)));
    const S dx = q1[0] - q0[0], dy = q1[1] - q0[1];
    const Vector3<S> v = log_translation<S>(w, {c0 * dx + s0 * dy, c0 * dy - s0 * dx, S(0)});
    dv[0] = w[2], dv[1] = v[0], dv[2] = v[1];
  }
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    q[0] = S(2 * uniform() - 1), q[1] = S(2 * uniform() - 1);
    const double angle = std::numbers::pi * (2 * uniform() - 1);
    q[2] = S(std::cos(angle)), q[3] = S(std::sin(angle));
  }
  template <class S>
  void normalize(S* q) const {
    detail::normalize_vector(q + 2, 2);
  }
  template <class S>
  double violation(const S* q) const {
    return detail::norm_violation(q + 2, 2);
  }

 private:
  template <class S>
  static std::array<S, 2> direction(const S* q) {
    using std::sqrt;
    S x[2] = {q[2], q[3]};
    const S norm = sqrt(corio::detail::rescale(x, 2));
    return {x[0] / norm, x[1] / norm};
  }
};

}}}  // namespace corio::joint
