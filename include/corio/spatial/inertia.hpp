#pragma once

#include "corio/spatial/force.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Symmetric 3 x 3 matrix, stored as its six numbers xx, yy, zz, xy, xz, yz.
template <class S>
struct Symmetric3 {
  S xx, yy, zz, xy, xz, yz;

  static Symmetric3 zero() { return multiple_of_identity(S(0)); }
  CORIO_INLINE static Symmetric3 multiple_of_identity(const S& s) { return {s, s, s, S(0), S(0), S(0)}; }
  /// Reads the upper triangle of A.
  CORIO_INLINE static Symmetric3 from(const Matrix3<S>& A) {
    return {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)};
  }
  Matrix3<S> matrix() const { return matrix3<S>(xx, xy, xz, xy, yy, yz, xz, yz, zz); }
  CORIO_INLINE S trace() const { return xx + yy + zz; }

  CORIO_INLINE Symmetric3& operator+=(const Symmetric3& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  CORIO_INLINE Symmetric3& operator-=(const Symmetric3& b) {
    xx -= b.xx, yy -= b.yy, zz -= b.zz, xy -= b.xy, xz -= b.xz, yz -= b.yz;
    return *this;
  }
  CORIO_INLINE friend Vector3<S> operator*(const Symmetric3& A, const Vector3<S>& x) {
    return {A.xx * x[0] + A.xy * x[1] + A.xz * x[2], A.xy * x[0] + A.yy * x[1] + A.yz * x[2],
            A.xz * x[0] + A.yz * x[1] + A.zz * x[2]};
  }
};

/// Returns A + A^T.
template <class S>
CORIO_INLINE Symmetric3<S> plus_transpose(const Matrix3<S>& A) {
  const S* a = A.data();
  return {a[0] + a[0], a[4] + a[4], a[8] + a[8], a[3] + a[1], a[6] + a[2], a[7] + a[5]};
}
/// Returns A + s x x^T.
template <class S>
Symmetric3<S> add_outer(const Symmetric3<S>& A, const S& s, const Vector3<S>& x) {
  const S sx = s * x[0], sy = s * x[1], sz = s * x[2];
  return {A.xx + sx * x[0], A.yy + sy * x[1], A.zz + sz * x[2], A.xy + sx * x[1], A.xz + sx * x[2], A.yz + sy * x[2]};
}

/// Returns tr(A)/2 1 - A, the inverse of trace_complement.
template <class S>
Symmetric3<S> half_trace_complement(const Symmetric3<S>& A) {
  const S half = A.trace() / S(2);
  return {half - A.xx, half - A.yy, half - A.zz, -A.xy, -A.xz, -A.yz};
}

/// Returns tr(A) 1 - A, which converts second moments to rotational inertia.
template <class S>
CORIO_INLINE Symmetric3<S> trace_complement(const Symmetric3<S>& A) {
  return {A.yy + A.zz, A.xx + A.zz, A.xx + A.yy, -A.xy, -A.xz, -A.yz};
}

/// Return A [c]x, and [c]x A.
template <class S>
CORIO_INLINE Matrix3<S> times_skew(const Matrix3<S>& A, const Vector3<S>& c) {
  const S *a = A.data(), *x = c.data();
  return matrix3<S>(a[3] * x[2] - a[6] * x[1], a[6] * x[0] - a[0] * x[2], a[0] * x[1] - a[3] * x[0],
                    a[4] * x[2] - a[7] * x[1], a[7] * x[0] - a[1] * x[2], a[1] * x[1] - a[4] * x[0],
                    a[5] * x[2] - a[8] * x[1], a[8] * x[0] - a[2] * x[2], a[2] * x[1] - a[5] * x[0]);
}
template <class S>
CORIO_INLINE Matrix3<S> skew_times(const Vector3<S>& c, const Symmetric3<S>& A) {
  return from_columns<S>(cross<S>(c, {A.xx, A.xy, A.xz}), cross<S>(c, {A.xy, A.yy, A.yz}),
                         cross<S>(c, {A.xz, A.yz, A.zz}));
}

/// Rigid-body inertia about the reference point, by mass m, first moment h = m c and second moment
/// Sigma = sum m r r^T: the ten numbers of the 4 x 4 pseudo-inertia J = [Sigma, h; h^T, m]. Sums of bodies are plain
/// sums, and the Coriolis operator of a body is hat(V) J (see BodyCoriolis). kg, kg m, kg m^2.
template <class S>
struct Inertia {
  S mass;
  VectorOf<S> h;
  Symmetric3<S> sigma;

  static Inertia zero() { return {S(0), zero3<S>(), Symmetric3<S>::zero()}; }
  template <class T>
  Inertia<T> cast() const {
    return {
        T(mass), h.template cast<T>(), {T(sigma.xx), T(sigma.yy), T(sigma.zz), T(sigma.xy), T(sigma.xz), T(sigma.yz)}};
  }

  CORIO_INLINE Inertia& operator+=(const Inertia& b) {
    mass += b.mass;
    h += b.h;
    sigma += b.sigma;
    return *this;
  }
  CORIO_INLINE friend Inertia operator+(const Inertia& a, const Inertia& b) {
    Inertia sum = a;  // a is not passed by value: GCC would note that the ABI has changed
    return sum += b;
  }

  /// Moves the inertia to the point c: with g = h - (m/2) c,  h' = h - m c,  Sigma' = Sigma - c g^T - g c^T.
  CORIO_INLINE friend Inertia about(const Inertia& I_b, const VectorOf<S>& c) {
    const VectorOf<S> mc = I_b.mass * c;
    Inertia out{I_b.mass, I_b.h - mc, I_b.sigma};
    out.sigma -= plus_transpose(outer(c, I_b.h - S(0.5) * mc));
    return out;
  }

  /// Returns the momentum (or force) I V = [tr(Sigma) w - Sigma w + h x v; m v + w x h].
  CORIO_INLINE friend Force<S> operator*(const Inertia& I_b, const Motion<S>& V) {
    return {trace_complement(I_b.sigma) * V.angular + cross(I_b.h, V.linear),
            I_b.mass * V.linear + cross(V.angular, I_b.h)};
  }

  /// Returns the rotational inertia about the reference point, tr(Sigma) 1 - Sigma.
  Matrix3<S> rotational() const { return trace_complement(sigma).matrix(); }

  /// Returns [Ibar, [h]x; -[h]x, m 1], 6 x 6.
  Matrix6<S> matrix() const { return matrix6<S>(rotational(), skew(h), skew<S>(-h), diagonal3(mass)); }
};

/// Returns the quantity in other axes, about the same point: R A R^T for a symmetric matrix, and R Sigma R^T, R h for
/// an inertia.
template <class S>
CORIO_INLINE Symmetric3<S> rotated(const Matrix3<S>& R, const Symmetric3<S>& A) {
  // Rows of R A, each a product with the symmetric A.
  const auto row = [&](int i) { return A * Vector3<S>(R(i, 0), R(i, 1), R(i, 2)); };
  const Vector3<S> x = row(0), y = row(1), z = row(2);
  const auto entry = [&R](const Vector3<S>& a, int j) { return a[0] * R(j, 0) + a[1] * R(j, 1) + a[2] * R(j, 2); };
  return {entry(x, 0), entry(y, 1), entry(z, 2), entry(x, 1), entry(x, 2), entry(y, 2)};
}
template <class S>
CORIO_INLINE Inertia<S> rotated(const Matrix3<S>& R, const Inertia<S>& I_b) {
  return {I_b.mass, R * I_b.h, rotated(R, I_b.sigma)};
}

/// An inertia as users give it: mass, centre of mass, and rotational inertia about the centre of mass, in the axes of
/// the body frame; vector() returns the ten parameters in which the equations of motion are linear. kg, m, kg m^2. To
/// add a load to a body of a model call with_payload (model/edit.hpp). For two bodies in the axes of one frame, the sum
/// is InertialParameters(Inertia<S>(a) + Inertia<S>(b)).
template <class S>
struct InertialParameters {
  S mass = S(0);
  Vector3<S> com = zero3<S>();
  Matrix3<S> inertia = diagonal3(S(0));

  /// Converts from pi = [m, m c (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz], with moments of inertia about the body frame's
  /// origin.
  static InertialParameters from_parameters(const Vector10<S>& pi) {
    const Symmetric3<S> Ibar{pi[4], pi[5], pi[6], pi[7], pi[8], pi[9]};
    return InertialParameters(Inertia<S>{pi[0], {pi[1], pi[2], pi[3]}, half_trace_complement(Ibar)});
  }

  InertialParameters() = default;
  InertialParameters(const S& m, const Vector3<S>& c, const Matrix3<S>& I_about_com)
      : mass(m), com(c), inertia(I_about_com) {}
  explicit InertialParameters(const Inertia<S>& I_b) : mass(I_b.mass) {
    // A massless body has no centre of mass; its first moment is zero in every physical model.
    // The reciprocal of a denormal mass is infinite. A recorded mass is not zero.
    if (in_any_state(detail::real_value(mass) != 0.0))
      com = Vector3<S>(I_b.h[0] / mass, I_b.h[1] / mass, I_b.h[2] / mass);
    inertia = trace_complement(add_outer<S>(I_b.sigma, -mass, com)).matrix();
  }

  /// Converts to (m, h, Sigma) about the body frame's origin.
  explicit operator Inertia<S>() const {
    return {mass, mass * com, add_outer(half_trace_complement(Symmetric3<S>::from(inertia)), mass, com)};
  }

  /// Returns pi = [m, m c (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about the body frame's origin.
  Vector10<S> vector() const {
    const Inertia<S> I_b(*this);
    const Symmetric3<S> Ibar = trace_complement(I_b.sigma);
    const S numbers[] = {mass, I_b.h[0], I_b.h[1], I_b.h[2], Ibar.xx, Ibar.yy, Ibar.zz, Ibar.xy, Ibar.xz, Ibar.yz};
    Vector10<S> pi;
    for (int i = 0; i < 10; ++i) pi[i] = numbers[i];
    return pi;
  }

  template <class T>
  InertialParameters<T> cast() const {
    return {T(mass), com.template cast<T>(), inertia.template cast<T>()};
  }
};

}}  // namespace corio
