#pragma once

#include "corio/simd/register_scalar.hpp"
#include "corio/spatial/articulated_inertia.hpp"
#include "corio/spatial/cross.hpp"
#include "corio/spatial/pose.hpp"

/// Spatial quantities in registers: Motion<RegisterScalar<S>> and so on. Matrices are stored by diagonals, so that
/// products are element-wise products and sums; load and store convert from and to the quantities in memory.
namespace corio { inline namespace CORIO_ABI {

/// Any 3 x 3 matrix A, stored as its diagonal and the entries A(i, i + 1) and A(i, i - 1), indices modulo three.
template <class S>
struct QuadMatrix {
  PaddedVector3<S> diagonal, next, previous;

  CORIO_INLINE QuadMatrix& operator+=(const QuadMatrix& b) { return *this = *this + b; }
  CORIO_INLINE QuadMatrix& operator-=(const QuadMatrix& b) { return *this = *this - b; }
  CORIO_INLINE friend QuadMatrix operator+(const QuadMatrix& a, const QuadMatrix& b) {
    return {a.diagonal + b.diagonal, a.next + b.next, a.previous + b.previous};
  }
  CORIO_INLINE friend QuadMatrix operator-(const QuadMatrix& a, const QuadMatrix& b) {
    return {a.diagonal - b.diagonal, a.next - b.next, a.previous - b.previous};
  }
  CORIO_INLINE friend PaddedVector3<S> operator*(const QuadMatrix& A, const PaddedVector3<S>& x) {
    return A.diagonal * x + A.next * yzx(x) + A.previous * zxy(x);
  }
  CORIO_INLINE friend PaddedVector3<S> transpose_times(const QuadMatrix& A, const PaddedVector3<S>& x) {
    return A.diagonal * x + yzx(A.previous) * yzx(x) + zxy(A.next) * zxy(x);
  }
};
template <class S>
CORIO_INLINE QuadMatrix<S> outer(const PaddedVector3<S>& a, const PaddedVector3<S>& b) {
  return {a * b, a * yzx(b), a * zxy(b)};
}
template <class S>
CORIO_INLINE QuadMatrix<S> skew(const PaddedVector3<S>& a) {
  return {PaddedVector3<S>::all(S(0)), -zxy(a), yzx(a)};
}
template <class S>
CORIO_INLINE QuadMatrix<S> times_skew(const QuadMatrix<S>& A, const PaddedVector3<S>& c) {
  const PaddedVector3<S> c1 = yzx(c), c2 = zxy(c);
  return {A.next * c2 - A.previous * c1, A.previous * c - A.diagonal * c2, A.diagonal * c1 - A.next * c};
}

/// A rotation, stored as its columns: the axes of the body.
template <class S>
struct RegisterRotation {
  PaddedVector3<S> x, y, z;

  CORIO_INLINE PaddedVector3<S> rotated(const RegisterScalar<S>& a, const RegisterScalar<S>& b,
                                        const RegisterScalar<S>& c) const {
    return x * a + y * b + z * c;
  }
  CORIO_INLINE friend PaddedVector3<S> operator*(const RegisterRotation& R, const Vector3<S>& a) {
    return R.rotated(a.data()[0], a.data()[1], a.data()[2]);
  }
  CORIO_INLINE friend RegisterRotation operator*(const RegisterRotation& R, const Matrix3<S>& A) {
    const S* a = A.data();
    return {R.rotated(a[0], a[1], a[2]), R.rotated(a[3], a[4], a[5]), R.rotated(a[6], a[7], a[8])};
  }
  CORIO_INLINE friend PaddedVector3<S> column(const RegisterRotation& R, int j) {
    return j == 0 ? R.x : j == 1 ? R.y : R.z;
  }
};
template <class S>
CORIO_INLINE RegisterRotation<S> from_columns(const PaddedVector3<S>& x, const PaddedVector3<S>& y,
                                              const PaddedVector3<S>& z) {
  return {x, y, z};
}

/// The vector, matrix and rotation types in Motion<RegisterScalar<S>> and the like.
template <class S>
struct VectorTypes<RegisterScalar<S>> {
  using Vector = PaddedVector3<S>;
  using Matrix = QuadMatrix<S>;
  using Rotation = RegisterRotation<S>;
  CORIO_INLINE static Vector zero() { return Vector::all(S(0)); }
};

/// A symmetric matrix, stored as its diagonal (xx, yy, zz) and the other entries (xy, yz, zx).
template <class S>
struct Symmetric3<RegisterScalar<S>> {
  using N = RegisterScalar<S>;
  using Vector = PaddedVector3<S>;
  Vector diagonal, rest;

  CORIO_INLINE static Symmetric3 multiple_of_identity(const N& s) { return {s.lanes, Vector::all(S(0))}; }
  CORIO_INLINE static Symmetric3 from(const QuadMatrix<S>& A) { return {A.diagonal, A.next}; }
  CORIO_INLINE Symmetric3& operator+=(const Symmetric3& b) {
    diagonal += b.diagonal, rest += b.rest;
    return *this;
  }
  CORIO_INLINE Symmetric3& operator-=(const Symmetric3& b) {
    diagonal -= b.diagonal, rest -= b.rest;
    return *this;
  }
  CORIO_INLINE friend Vector operator*(const Symmetric3& A, const Vector& x) {
    return A.diagonal * x + A.rest * yzx(x) + zxy(A.rest) * zxy(x);
  }
  CORIO_INLINE friend Symmetric3 trace_complement(const Symmetric3& A) {
    return {yzx(A.diagonal) + zxy(A.diagonal), -A.rest};
  }
  CORIO_INLINE friend QuadMatrix<S> skew_times(const Vector& w, const Symmetric3& A) {
    const Vector &d = A.diagonal, &r = A.rest, w1 = yzx(w), w2 = zxy(w), r1 = yzx(r);
    return {w1 * zxy(r) - w2 * r, w1 * r1 - w2 * yzx(d), w1 * zxy(d) - w2 * r1};
  }
};

/// Returns A + A^T.
template <class S>
CORIO_INLINE Symmetric3<RegisterScalar<S>> plus_transpose(const QuadMatrix<S>& A) {
  return {A.diagonal + A.diagonal, A.next + yzx(A.previous)};
}

/// Returns V . F with one sum over lanes; the fourth numbers of V must be zero.
template <class S>
CORIO_INLINE RegisterScalar<S> dot(const Motion<RegisterScalar<S>>& V, const Force<RegisterScalar<S>>& F) {
  return sum_of(F.moment * V.angular + F.force * V.linear);
}

/// Returns X B for X in registers, B in memory.
template <class S>
CORIO_INLINE Pose<RegisterScalar<S>> operator*(const Pose<RegisterScalar<S>>& X, const Pose<S>& B) {
  return {X.rotation * B.rotation, X.translation + X.rotation * B.translation};
}

/// Returns R A R^T, whose entry ij is the sum of (R A)_ik R_jk over k: element-wise products for the diagonal, i = j,
/// and for the other entries, j = i + 1.
template <class S>
CORIO_INLINE Symmetric3<RegisterScalar<S>> rotated(const RegisterRotation<S>& R, const Symmetric3<S>& A) {
  const PaddedVector3<S> x = R.rotated(A.xx, A.xy, A.xz), y = R.rotated(A.xy, A.yy, A.yz),
                         z = R.rotated(A.xz, A.yz, A.zz);
  return {x * R.x + y * R.y + z * R.z, x * yzx(R.x) + y * yzx(R.y) + z * yzx(R.z)};
}
template <class S>
CORIO_INLINE Inertia<RegisterScalar<S>> rotated(const RegisterRotation<S>& R, const Inertia<S>& I_b) {
  return {I_b.mass, R * I_b.h, rotated(R, I_b.sigma)};
}

namespace detail {

/// Returns (x, y, z) with x from a, y from b, z from c.
template <class S>
CORIO_INLINE PaddedVector3<S> pick(const PaddedVector3<S>& a, const PaddedVector3<S>& b, const PaddedVector3<S>& c) {
  return a.template shuffle<0, 5, 2, 3>(b).template shuffle<0, 1, 6, 3>(c);
}

/// Loads a spatial quantity into registers. Returns x itself if its scalar has no registers, or if x is in registers.
template <class T>
CORIO_INLINE const T& load(const T& x) {
  return x;
}
template <class S>
requires has_registers<S> CORIO_INLINE PaddedVector3<S> load(const Vector3<S>& x) {
  return PaddedVector3<S>::load_last(x.data());
}
/// The fourth numbers of both parts are zero.
template <class S>
requires has_registers<S> CORIO_INLINE Motion<RegisterScalar<S>> load(const Motion<S>& V) {
  return {PaddedVector3<S>::load(V.angular.data()).template shuffle<0, 1, 2, 7>(PaddedVector3<S>::all(S(0))),
          load(V.linear)};
}
template <class S>
requires has_registers<S> CORIO_INLINE Force<RegisterScalar<S>> load(const Force<S>& F) {
  return {PaddedVector3<S>::load(F.moment.data()), load(F.force)};
}
template <class S>
requires has_registers<S> CORIO_INLINE Pose<RegisterScalar<S>> load(const Pose<S>& X) {
  const S* R = X.rotation.data();
  return {{PaddedVector3<S>::load(R), PaddedVector3<S>::load(R + 3), PaddedVector3<S>::load(R + 6)},
          load(X.translation)};
}
template <class S>
requires has_registers<S> CORIO_INLINE Inertia<RegisterScalar<S>> load(const Inertia<S>& I_b) {
  return {I_b.mass,
          PaddedVector3<S>::load(I_b.h.data()),
          {PaddedVector3<S>::load(&I_b.sigma.xx), xzy(PaddedVector3<S>::load_last(&I_b.sigma.xy))}};
}
template <class S>
requires has_registers<S> CORIO_INLINE BodyCoriolis<RegisterScalar<S>> load(const BodyCoriolis<S>& B) {
  const S* P = B.P.data();
  const PaddedVector3<S> x = PaddedVector3<S>::load(P), y = PaddedVector3<S>::load(P + 3),
                         z = PaddedVector3<S>::load(P + 6);
  return {{pick(x, y, z), pick(y, z, x), pick(z, x, y)}, load(B.f)};
}
/// Stores a quantity, member by member: GCC 12 splits a copy of the whole object into pieces, and the next load stalls.
template <class T>
CORIO_INLINE void store(const T& x, T& to) {
  to = x;
}
template <class S>
CORIO_INLINE void store(const Motion<RegisterScalar<S>>& V, Motion<S>& to) {
  V.angular.store(to.angular.data());
  V.linear.store_last(to.linear.data());
}
template <class S>
CORIO_INLINE void store(const Force<RegisterScalar<S>>& F, Force<S>& to) {
  F.moment.store(to.moment.data());
  F.force.store_last(to.force.data());
}
template <class S>
CORIO_INLINE void store(const Pose<RegisterScalar<S>>& X, Pose<S>& to) {
  S* R = to.rotation.data();
  X.rotation.x.store(R), X.rotation.y.store(R + 3), X.rotation.z.store(R + 6);
  X.translation.store_last(to.translation.data());
}
template <class S>
CORIO_INLINE void store(const Inertia<RegisterScalar<S>>& I_b, Inertia<S>& to) {
  to.mass = S(I_b.mass);
  I_b.h.store(to.h.data());
  I_b.sigma.diagonal.store(&to.sigma.xx);
  xzy(I_b.sigma.rest).store_last(&to.sigma.xy);
}
template <class S>
CORIO_INLINE void store(const BodyCoriolis<RegisterScalar<S>>& B, BodyCoriolis<S>& to) {
  S* P = to.P.data();
  const QuadMatrix<S>& A = B.P;
  pick(A.diagonal, A.previous, A.next).store(P);
  pick(A.next, A.diagonal, A.previous).store(P + 3);
  pick(A.previous, A.next, A.diagonal).store(P + 6);
  B.f.store_last(to.f.data());
}

/// Loads an inertia given in the axes of a body into registers, in the axes of the body's pose.
template <class S>
CORIO_INLINE auto rotated(const Pose<S>& X, const Inertia<S>& I_b) {
  return rotated(load(X).rotation, I_b);
}

}  // namespace detail
}}  // namespace corio
