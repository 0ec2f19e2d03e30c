#pragma once

#include "corio/core/inline.hpp"
#include "corio/core/scalar.hpp"

/// Plain arithmetic of 3-vectors and 3 x 3 matrices. Inside namespace corio these operators are chosen over Eigen's,
/// whose every distinct expression type costs the user compile time (half of it, measured), leaves temporaries in
/// memory, and conjugates complex numbers in dot and cross products. Values are the same.
namespace corio {

template <class S>
CORIO_INLINE Vector3<S> operator+(const Vector3<S>& a, const Vector3<S>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator-(const Vector3<S>& a, const Vector3<S>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator-(const Vector3<S>& a) {
  return {-a[0], -a[1], -a[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator*(const S& s, const Vector3<S>& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
template <class S>
CORIO_INLINE Vector3<S> operator*(const Vector3<S>& a, const S& s) {
  return {a[0] * s, a[1] * s, a[2] * s};
}
template <class S>
CORIO_INLINE Vector3<S>& operator+=(Vector3<S>& a, const Vector3<S>& b) {
  for (int i = 0; i < 3; ++i) a[i] += b[i];
  return a;
}
template <class S>
CORIO_INLINE Vector3<S>& operator-=(Vector3<S>& a, const Vector3<S>& b) {
  for (int i = 0; i < 3; ++i) a[i] -= b[i];
  return a;
}

/// Sum of a_i b_i, without conjugation.
template <class S>
CORIO_INLINE S dot(const Vector3<S>& a, const Vector3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// a x b.
template <class S>
CORIO_INLINE Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class S>
CORIO_INLINE Vector3<S> zero3() {
  return {S(0), S(0), S(0)};
}
/// Coordinate axis i.
template <class S>
CORIO_INLINE Vector3<S> unit3(int i) {
  return {S(i == 0 ? 1 : 0), S(i == 1 ? 1 : 0), S(i == 2 ? 1 : 0)};
}
/// Three consecutive numbers as a vector.
template <class S>
CORIO_INLINE Vector3<S> vector3(const S* x) {
  return {x[0], x[1], x[2]};
}

/// From the rows of the matrix.
template <class S>
CORIO_INLINE Matrix3<S> matrix3(const S& xx, const S& xy, const S& xz, const S& yx, const S& yy, const S& yz,
                                const S& zx, const S& zy, const S& zz) {
  Matrix3<S> A;
  A(0, 0) = xx, A(0, 1) = xy, A(0, 2) = xz;
  A(1, 0) = yx, A(1, 1) = yy, A(1, 2) = yz;
  A(2, 0) = zx, A(2, 1) = zy, A(2, 2) = zz;
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
/// S(a), the matrix of b -> a x b.
template <class S>
CORIO_INLINE Matrix3<S> skew(const Vector3<S>& a) {
  const S o(0);
  return matrix3<S>(o, -a[2], a[1], a[2], o, -a[0], -a[1], a[0], o);
}
template <class S>
CORIO_INLINE Vector3<S> column(const Matrix3<S>& A, int j) {
  return {A(0, j), A(1, j), A(2, j)};
}
template <class S>
CORIO_INLINE Matrix3<S> from_columns(const Vector3<S>& x, const Vector3<S>& y, const Vector3<S>& z) {
  return matrix3<S>(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]);
}
template <class S>
CORIO_INLINE S trace(const Matrix3<S>& A) {
  return A(0, 0) + A(1, 1) + A(2, 2);
}
template <class S>
CORIO_INLINE Matrix3<S> transpose(const Matrix3<S>& A) {
  return matrix3<S>(A(0, 0), A(1, 0), A(2, 0), A(0, 1), A(1, 1), A(2, 1), A(0, 2), A(1, 2), A(2, 2));
}
template <class S>
CORIO_INLINE Vector3<S> operator*(const Matrix3<S>& A, const Vector3<S>& x) {
  return {A(0, 0) * x[0] + A(0, 1) * x[1] + A(0, 2) * x[2], A(1, 0) * x[0] + A(1, 1) * x[1] + A(1, 2) * x[2],
          A(2, 0) * x[0] + A(2, 1) * x[1] + A(2, 2) * x[2]};
}
/// A^T x.
template <class S>
CORIO_INLINE Vector3<S> transpose_times(const Matrix3<S>& A, const Vector3<S>& x) {
  return {A(0, 0) * x[0] + A(1, 0) * x[1] + A(2, 0) * x[2], A(0, 1) * x[0] + A(1, 1) * x[1] + A(2, 1) * x[2],
          A(0, 2) * x[0] + A(1, 2) * x[1] + A(2, 2) * x[2]};
}
template <class S>
CORIO_INLINE Matrix3<S> operator*(const Matrix3<S>& A, const Matrix3<S>& B) {
  return from_columns<S>(A * column(B, 0), A * column(B, 1), A * column(B, 2));
}
template <class S>
CORIO_INLINE Matrix3<S>& operator+=(Matrix3<S>& A, const Matrix3<S>& B) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) A(i, j) += B(i, j);
  return A;
}

/// [A, B; C, D].
template <class S>
Matrix6<S> matrix6(const Matrix3<S>& A, const Matrix3<S>& B, const Matrix3<S>& C, const Matrix3<S>& D) {
  Matrix6<S> X;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      X(i, j) = A(i, j), X(i, j + 3) = B(i, j), X(i + 3, j) = C(i, j), X(i + 3, j + 3) = D(i, j);
  return X;
}

}  // namespace corio
