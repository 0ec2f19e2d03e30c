#pragma once

#include "baselines/column_blocks.hpp"
#include "corio/spatial/articulated_inertia.hpp"

namespace corio::baseline {

/// Symmetric 3 x 3 matrices, one per lane.
struct Symmetrics {
  Pack xx, yy, zz, xy, xz, yz;
  CORIO_INLINE Vectors operator*(const Vector3<double>& a) const {
    return {xx * a[0] + xy * a[1] + xz * a[2], xy * a[0] + yy * a[1] + yz * a[2], xz * a[0] + yz * a[1] + zz * a[2]};
  }
  CORIO_INLINE Vectors operator*(const Vectors& a) const {
    return {xx * a.x + xy * a.y + xz * a.z, xy * a.x + yy * a.y + yz * a.z, xz * a.x + yz * a.y + zz * a.z};
  }
  /// Subtracts a b^T + b a^T.
  CORIO_INLINE void subtract(const Vectors& a, const Vector3<double>& b) {
    xx -= 2.0 * b[0] * a.x, yy -= 2.0 * b[1] * a.y, zz -= 2.0 * b[2] * a.z;
    xy -= b[1] * a.x + b[0] * a.y, xz -= b[2] * a.x + b[0] * a.z, yz -= b[2] * a.y + b[1] * a.z;
  }
};

/// Derivatives [A, B; B^T, D] of articulated inertias, one per lane; B by its columns.
struct ArticulatedInertias {
  static constexpr int rows = 21;
  Symmetrics A, D;
  Vectors B[3];

  CORIO_INLINE static ArticulatedInertias load(const Columns<double, rows>& from, int k) {
    const auto x = [&](int r) CORIO_INLINE_LAMBDA { return Pack::load(from.at(r, k)); };
    return {{x(0), x(1), x(2), x(3), x(4), x(5)},
            {x(6), x(7), x(8), x(9), x(10), x(11)},
            {load3(from, 12, k), load3(from, 15, k), load3(from, 18, k)}};
  }
  /// Copies a number to all lanes, and reads the first lane.
  CORIO_INLINE static ArticulatedInertias all(const ArticulatedInertia<double>& I) {
    const auto x = [](double y) CORIO_INLINE_LAMBDA { return Pack::all(y); };
    const auto symmetric = [&](const Symmetric3<double>& s) CORIO_INLINE_LAMBDA {
      return Symmetrics{x(s.xx), x(s.yy), x(s.zz), x(s.xy), x(s.xz), x(s.yz)};
    };
    ArticulatedInertias J{symmetric(I.A), symmetric(I.D), {}};
    for (int j = 0; j < 3; ++j) J.B[j] = {x(I.B(0, j)), x(I.B(1, j)), x(I.B(2, j))};
    return J;
  }
  ArticulatedInertia<double> first() const {
    const auto x = [](const Pack& y) { return y[0]; };
    const auto symmetric = [&](const Symmetrics& s) {
      return Symmetric3<double>{x(s.xx), x(s.yy), x(s.zz), x(s.xy), x(s.xz), x(s.yz)};
    };
    ArticulatedInertia<double> I{symmetric(A), {}, symmetric(D)};
    for (int j = 0; j < 3; ++j) I.B(0, j) = x(B[j].x), I.B(1, j) = x(B[j].y), I.B(2, j) = x(B[j].z);
    return I;
  }
  template <int n>
  CORIO_INLINE void store(Columns<double, rows>& to, int k, Count<n> count) const {
    int r = 0;
    for (const Symmetrics* s : {&A, &D})
      for (const Pack* x : {&s->xx, &s->yy, &s->zz, &s->xy, &s->xz, &s->yz}) x->store(to.at(r++, k), count);
    for (int j = 0; j < 3; ++j) store3(to, 12 + 3 * j, k, count, B[j]);
  }

  CORIO_INLINE Forces operator*(const Motions& V) const {
    return {A * V.angular + V.linear.x * B[0] + V.linear.y * B[1] + V.linear.z * B[2],
            D * V.linear + Vectors{dot(V.angular, B[0]), dot(V.angular, B[1]), dot(V.angular, B[2])}};
  }
  CORIO_INLINE Forces operator*(const Motion<double>& V) const {
    const Vector3<double>&w = V.angular, &v = V.linear;
    const Vectors n = A * w, f = D * v;
    return {n + v[0] * B[0] + v[1] * B[1] + v[2] * B[2], f + Vectors{dot(w, B[0]), dot(w, B[1]), dot(w, B[2])}};
  }
  /// Subtracts F G^T + G F^T.
  CORIO_INLINE void subtract(const Forces& F, const Force<double>& G) {
    A.subtract(F.moment, G.moment);
    D.subtract(F.force, G.force);
    for (int j = 0; j < 3; ++j) {
      const Pack f = j == 0 ? F.force.x : j == 1 ? F.force.y : F.force.z;
      B[j].x -= F.moment.x * G.force[j] + G.moment[0] * f;
      B[j].y -= F.moment.y * G.force[j] + G.moment[1] * f;
      B[j].z -= F.moment.z * G.force[j] + G.moment[2] * f;
    }
  }
};

CORIO_INLINE Symmetrics turned(const Matrix3<double>& R, const Symmetrics& s) {
  const Vectors rows[] = {R * Vectors{s.xx, s.xy, s.xz}, R * Vectors{s.xy, s.yy, s.yz}, R * Vectors{s.xz, s.yz, s.zz}};
  // rows[j] is column j of R s.
  const auto entry = [&](const Pack& x, const Pack& y, const Pack& z, int j)
                         CORIO_INLINE_LAMBDA -> Pack { return R(j, 0) * x + R(j, 1) * y + R(j, 2) * z; };
  return {entry(rows[0].x, rows[1].x, rows[2].x, 0), entry(rows[0].y, rows[1].y, rows[2].y, 1),
          entry(rows[0].z, rows[1].z, rows[2].z, 2), entry(rows[0].x, rows[1].x, rows[2].x, 1),
          entry(rows[0].x, rows[1].x, rows[2].x, 2), entry(rows[0].y, rows[1].y, rows[2].y, 2)};
}

/// Returns X* I X^-1: the blocks are rotated, then with S = S(p): B' = B + S D, A' = A - B S + S B^T - S D S = A - B S
/// + S B'^T.
CORIO_INLINE ArticulatedInertias act(const Pose<double>& X, const ArticulatedInertias& I) {
  const Matrix3<double>& R = X.rotation;
  const Vector3<double>& p = X.translation;
  ArticulatedInertias J{turned(R, I.A), turned(R, I.D), {}};
  const Vectors c[] = {R * I.B[0], R * I.B[1], R * I.B[2]};
  Vectors B[3];  // R B R^T
  for (int j = 0; j < 3; ++j) B[j] = R(j, 0) * c[0] + R(j, 1) * c[1] + R(j, 2) * c[2];
  J.B[0] = B[0] + cross(p, Vectors{J.D.xx, J.D.xy, J.D.xz});
  J.B[1] = B[1] + cross(p, Vectors{J.D.xy, J.D.yy, J.D.yz});
  J.B[2] = B[2] + cross(p, Vectors{J.D.xz, J.D.yz, J.D.zz});
  // The columns B (p x e_j) of B S, and the products of p x with the rows of B'.
  const Vectors BS[] = {p[2] * B[1] - p[1] * B[2], p[0] * B[2] - p[2] * B[0], p[1] * B[0] - p[0] * B[1]};
  const Vectors SB[] = {cross(p, Vectors{J.B[0].x, J.B[1].x, J.B[2].x}),
                        cross(p, Vectors{J.B[0].y, J.B[1].y, J.B[2].y}),
                        cross(p, Vectors{J.B[0].z, J.B[1].z, J.B[2].z})};
  J.A.xx += SB[0].x - BS[0].x, J.A.yy += SB[1].y - BS[1].y, J.A.zz += SB[2].z - BS[2].z;
  J.A.xy += SB[1].x - BS[1].x, J.A.xz += SB[2].x - BS[2].x, J.A.yz += SB[2].y - BS[2].y;
  return J;
}

/// Column k is (S x*) I - I (S x), the rate of I as it moves with S.
inline void set_turned(Columns<double, ArticulatedInertias::rows>& to, int k, const Motion<double>& S,
                       const ArticulatedInertia<double>& I) {
  const Matrix3<double> w = skew(S.angular), v = skew(S.linear);
  const Matrix3<double> A = I.A.matrix() * w, Bv = I.B * v, D = I.D.matrix() * w, wB = w * I.B, Bw = I.B * w,
                        vD = v * I.D.matrix();
  const auto put = [&](int first, const Matrix3<double>& P) {  // -(P + P^T)
    const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    for (int r = 0; r < 6; ++r) *to.at(first + r, k) = -P(row[r], column[r]) - P(column[r], row[r]);
  };
  put(0, A + Bv);
  put(6, D);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) *to.at(12 + 3 * j + i, k) = wB(i, j) - Bw(i, j) + vD(i, j);
}

}  // namespace corio::baseline
