#pragma once

#include "corio/core/detail/inline.hpp"
#include "corio/core/scalar.hpp"

/// Plain arithmetic of 3-vectors and 3 x 3 matrices. Inside namespace corio these operators are chosen over Eigen's:
/// the many expression types of Eigen cost half of the compile time (measured), leave temporaries in memory, and
/// conjugate complex numbers in dot and cross products. Values do not change. Numbers are read by data(), because each
/// a[i] and A(i, j) of Eigen is a chain of half a dozen functions to inline.
namespace corio { inline namespace CORIO_ABI {

/// The types of 3-vectors, 3 x 3 matrices and rotations in spatial quantities over numbers N: Eigen's, except for
/// RegisterScalar (spatial/register_types.hpp).
template <class N>
struct VectorTypes {
  static_assert(detail::Accepted<N>::value);
  using Vector = Vector3<N>;
  using Matrix = Matrix3<N>;
  using Rotation = Matrix3<N>;
  CORIO_INLINE static Vector zero() { return {N(0), N(0), N(0)}; }
};
template <class N>
using VectorOf = typename VectorTypes<N>::Vector;
template <class N>
using MatrixOf = typename VectorTypes<N>::Matrix;

/// Sums, differences and multiples.
template <class S>
CORIO_INLINE Vector3<S> operator+(const Vector3<S>& a, const Vector3<S>& b) {
  const S *x = a.data(), *y = b.data();
  return {x[0] + y[0], x[1] + y[1], x[2] + y[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator-(const Vector3<S>& a, const Vector3<S>& b) {
  const S *x = a.data(), *y = b.data();
  return {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator-(const Vector3<S>& a) {
  const S* x = a.data();
  return {-x[0], -x[1], -x[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator*(const S& s, const Vector3<S>& a) {
  const S* x = a.data();
  return {s * x[0], s * x[1], s * x[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator*(const Vector3<S>& a, const S& s) {
  const S* x = a.data();
  return {x[0] * s, x[1] * s, x[2] * s};
}
template <class S>
CORIO_INLINE Vector3<S>& operator+=(Vector3<S>& a, const Vector3<S>& b) {
  S* x = a.data();
  const S* y = b.data();
  x[0] += y[0], x[1] += y[1], x[2] += y[2];
  return a;
}
template <class S>
CORIO_INLINE Vector3<S>& operator-=(Vector3<S>& a, const Vector3<S>& b) {
  S* x = a.data();
  const S* y = b.data();
  x[0] -= y[0], x[1] -= y[1], x[2] -= y[2];
  return a;
}

/// Returns the sum of a_i b_i, without conjugation.
template <class S>
CORIO_INLINE S dot(const Vector3<S>& a, const Vector3<S>& b) {
  const S *x = a.data(), *y = b.data();
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}
/// Returns a x b.
template <class S>
CORIO_INLINE Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  const S *x = a.data(), *y = b.data();
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

/// Returns the vector of three zeros.
template <class S>
CORIO_INLINE VectorOf<S> zero3() {
  return VectorTypes<S>::zero();
}
/// Returns whether x is exactly zero. Eigen's == would be one more type of expression to compile.
template <class S>
CORIO_INLINE bool is_zero(const Vector3<S>& x) {
  return x[0] == S(0) && x[1] == S(0) && x[2] == S(0);
}
/// Returns the unit vector of coordinate axis i.
template <class S>
CORIO_INLINE Vector3<S> unit3(int i) {
  return {S(i == 0 ? 1 : 0), S(i == 1 ? 1 : 0), S(i == 2 ? 1 : 0)};
}
/// Returns three consecutive numbers as a vector.
template <class S>
CORIO_INLINE Vector3<S> vector3(const S* x) {
  return {x[0], x[1], x[2]};
}

/// Returns the matrix of these rows.
template <class S>
CORIO_INLINE Matrix3<S> matrix3(const S& xx, const S& xy, const S& xz, const S& yx, const S& yy, const S& yz,
                                const S& zx, const S& zy, const S& zz) {
  Matrix3<S> A;
  S* a = A.data();
  a[0] = xx, a[3] = xy, a[6] = xz;
  a[1] = yx, a[4] = yy, a[7] = yz;
  a[2] = zx, a[5] = zy, a[8] = zz;
  return A;
}
template <class S>
CORIO_INLINE Matrix3<S> diagonal3(const S& x) {
  const S o(0);
  return matrix3<S>(x, o, o, o, x, o, o, o, x);
}
template <class S>
CORIO_INLINE Matrix3<S> identity3() {
  return diagonal3(S(1));
}
/// Returns [a]x, the matrix of b -> a x b.
template <class S>
CORIO_INLINE Matrix3<S> skew(const Vector3<S>& a) {
  const S o(0), *x = a.data();
  return matrix3<S>(o, -x[2], x[1], x[2], o, -x[0], -x[1], x[0], o);
}
template <class S>
CORIO_INLINE Vector3<S> column(const Matrix3<S>& A, int j) {
  return vector3(A.data() + 3 * j);
}
template <class S>
CORIO_INLINE Matrix3<S> from_columns(const Vector3<S>& a, const Vector3<S>& b, const Vector3<S>& c) {
  const S *x = a.data(), *y = b.data(), *z = c.data();
  return matrix3<S>(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]);
}
template <class S>
CORIO_INLINE S trace(const Matrix3<S>& A) {
  const S* a = A.data();
  return a[0] + a[4] + a[8];
}
template <class S>
CORIO_INLINE Matrix3<S> transpose(const Matrix3<S>& A) {
  const S* a = A.data();
  return matrix3<S>(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
}
template <class S>
CORIO_INLINE Vector3<S> operator*(const Matrix3<S>& A, const Vector3<S>& b) {
  const S *a = A.data(), *x = b.data();
  return {a[0] * x[0] + a[3] * x[1] + a[6] * x[2], a[1] * x[0] + a[4] * x[1] + a[7] * x[2],
          a[2] * x[0] + a[5] * x[1] + a[8] * x[2]};
}
/// Returns A^T b.
template <class S>
CORIO_INLINE Vector3<S> transpose_times(const Matrix3<S>& A, const Vector3<S>& b) {
  const S *a = A.data(), *x = b.data();
  return {a[0] * x[0] + a[1] * x[1] + a[2] * x[2], a[3] * x[0] + a[4] * x[1] + a[5] * x[2],
          a[6] * x[0] + a[7] * x[1] + a[8] * x[2]};
}
template <class S>
CORIO_INLINE Matrix3<S> operator*(const Matrix3<S>& A, const Matrix3<S>& B) {
  return from_columns<S>(A * column(B, 0), A * column(B, 1), A * column(B, 2));
}
template <class S>
CORIO_INLINE Matrix3<S>& operator+=(Matrix3<S>& A, const Matrix3<S>& B) {
  S* a = A.data();
  const S* b = B.data();
  detail::repeat<9>([&](int i) CORIO_INLINE_LAMBDA { a[i] += b[i]; });
  return A;
}
template <class S>
CORIO_INLINE Matrix3<S>& operator-=(Matrix3<S>& A, const Matrix3<S>& B) {
  S* a = A.data();
  const S* b = B.data();
  detail::repeat<9>([&](int i) CORIO_INLINE_LAMBDA { a[i] -= b[i]; });
  return A;
}
template <class S>
CORIO_INLINE Matrix3<S> operator+(Matrix3<S> A, const Matrix3<S>& B) {
  return A += B;
}
template <class S>
CORIO_INLINE Matrix3<S> operator-(Matrix3<S> A, const Matrix3<S>& B) {
  return A -= B;
}
/// Returns a b^T.
template <class S>
CORIO_INLINE Matrix3<S> outer(const Vector3<S>& a, const Vector3<S>& b) {
  const S* y = b.data();
  return from_columns<S>(a * y[0], a * y[1], a * y[2]);
}

/// Returns [A, B; C, D].
template <class S>
Matrix6<S> matrix6(const Matrix3<S>& A, const Matrix3<S>& B, const Matrix3<S>& C, const Matrix3<S>& D) {
  Matrix6<S> X;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      X(i, j) = A(i, j), X(i, j + 3) = B(i, j), X(i + 3, j) = C(i, j), X(i + 3, j + 3) = D(i, j);
  return X;
}

}}  // namespace corio
