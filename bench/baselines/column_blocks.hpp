#pragma once

#include "baselines/columns.hpp"
#include "corio/kinematics/data.hpp"
#include "corio/spatial/cross.hpp"

/// Spatial vectors of as many columns as a vector register has lanes, so that the baselines use the processor as well
/// as corio does.
namespace corio::baseline {

using Pack = corio::detail::Lanes<double>;

using corio::detail::Count;
// The operators below would hide corio's.
using corio::cross;
using corio::dot;
using corio::transpose_times;
using corio::operator*;

struct Vectors {
  Pack x, y, z;
  CORIO_INLINE friend Vectors operator+(const Vectors& a, const Vectors& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  CORIO_INLINE friend Vectors operator-(const Vectors& a, const Vectors& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  CORIO_INLINE friend Vectors operator*(const Pack& s, const Vectors& a) { return {s * a.x, s * a.y, s * a.z}; }
  CORIO_INLINE friend Vectors operator*(double s, const Vectors& a) { return {s * a.x, s * a.y, s * a.z}; }
};

/// Returns a s for each lane s.
CORIO_INLINE Vectors times(const Vector3<double>& a, const Pack& s) { return {a[0] * s, a[1] * s, a[2] * s}; }
CORIO_INLINE Pack dot(const Vectors& a, const Vectors& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CORIO_INLINE Pack dot(const Vector3<double>& a, const Vectors& b) { return a[0] * b.x + a[1] * b.y + a[2] * b.z; }
CORIO_INLINE Vectors cross(const Vector3<double>& a, const Vectors& b) {
  return {a[1] * b.z - a[2] * b.y, a[2] * b.x - a[0] * b.z, a[0] * b.y - a[1] * b.x};
}
CORIO_INLINE Vectors operator*(const Matrix3<double>& A, const Vectors& b) {
  return {A(0, 0) * b.x + A(0, 1) * b.y + A(0, 2) * b.z, A(1, 0) * b.x + A(1, 1) * b.y + A(1, 2) * b.z,
          A(2, 0) * b.x + A(2, 1) * b.y + A(2, 2) * b.z};
}
CORIO_INLINE Vectors transpose_times(const Matrix3<double>& A, const Vectors& b) {
  return {A(0, 0) * b.x + A(1, 0) * b.y + A(2, 0) * b.z, A(0, 1) * b.x + A(1, 1) * b.y + A(2, 1) * b.z,
          A(0, 2) * b.x + A(1, 2) * b.y + A(2, 2) * b.z};
}
CORIO_INLINE Vectors operator*(const Symmetric3<double>& A, const Vectors& b) {
  return {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
          A.xz * b.x + A.yz * b.y + A.zz * b.z};
}

template <int rows>
CORIO_INLINE Vectors load3(const Columns<double, rows>& from, int first, int k) {
  return {Pack::load(from.at(first, k)), Pack::load(from.at(first + 1, k)), Pack::load(from.at(first + 2, k))};
}
/// Writes the first n lanes.
template <int rows, int n>
CORIO_INLINE void store3(Columns<double, rows>& to, int first, int k, Count<n> count, const Vectors& a) {
  a.x.store(to.at(first, k), count);
  a.y.store(to.at(first + 1, k), count);
  a.z.store(to.at(first + 2, k), count);
}

inline constexpr Count<Pack::width> whole{};

/// Motions: angular and linear parts.
struct Motions {
  Vectors angular, linear;
  CORIO_INLINE static Motions load(const Columns<double, 6>& from, int k) {
    return {load3(from, 0, k), load3(from, 3, k)};
  }
  CORIO_INLINE void store(Columns<double, 6>& to, int k) const {
    store3(to, 0, k, whole, angular);
    store3(to, 3, k, whole, linear);
  }
  /// Writes lane l to column k[l], unless k[l] is negative.
  CORIO_INLINE void add_to(Columns<double, 6>& to, const int* k) const {
    const Pack* const x[] = {&angular.x, &angular.y, &angular.z, &linear.x, &linear.y, &linear.z};
    for (int l = 0; l < Pack::width; ++l)
      for (int r = 0; r < 6 && k[l] >= 0; ++r) *to.at(r, k[l]) += (*x[r])[l];
  }
  CORIO_INLINE friend Motions operator+(const Motions& a, const Motions& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
};
CORIO_INLINE Motions operator*(const Motion<double>& a, const Pack& s) {
  return {times(a.angular, s), times(a.linear, s)};
}

/// Forces: moments and forces.
struct Forces {
  Vectors moment, force;
  CORIO_INLINE static Forces load(const Columns<double, 6>& from, int k) {
    return {load3(from, 0, k), load3(from, 3, k)};
  }
  template <int n = Pack::width>
  CORIO_INLINE void store(Columns<double, 6>& to, int k, Count<n> count = {}) const {
    store3(to, 0, k, count, moment);
    store3(to, 3, k, count, force);
  }
  CORIO_INLINE friend Forces operator+(const Forces& a, const Forces& b) {
    return {a.moment + b.moment, a.force + b.force};
  }
};

CORIO_INLINE Forces operator*(const Force<double>& a, const Pack& s) { return {times(a.moment, s), times(a.force, s)}; }
CORIO_INLINE Forces operator*(double s, const Forces& a) { return {s * a.moment, s * a.force}; }
CORIO_INLINE Pack dot(const Motion<double>& a, const Forces& b) {
  return dot(a.angular, b.moment) + dot(a.linear, b.force);
}
CORIO_INLINE Pack dot(const Force<double>& a, const Motions& b) {
  return dot(a.moment, b.angular) + dot(a.force, b.linear);
}
CORIO_INLINE Motions cross(const Motion<double>& a, const Motions& b) {
  return {cross(a.angular, b.angular), cross(a.angular, b.linear) + cross(a.linear, b.angular)};
}
/// Returns b x a.
CORIO_INLINE Motions minus_cross(const Motion<double>& a, const Motions& b) {
  return {-1.0 * cross(a.angular, b.angular), -1.0 * (cross(a.angular, b.linear) + cross(a.linear, b.angular))};
}
CORIO_INLINE Motions act_inverse(const Pose<double>& X, const Motions& V) {
  return {transpose_times(X.rotation, V.angular),
          transpose_times(X.rotation, V.linear - cross(X.translation, V.angular))};
}
CORIO_INLINE Forces act(const Pose<double>& X, const Forces& F) {
  const Vectors f = X.rotation * F.force;
  return {X.rotation * F.moment + cross(X.translation, f), f};
}
CORIO_INLINE Forces operator*(const Inertia<double>& I, const Motions& V) {
  return {trace_complement(I.sigma) * V.angular + cross(I.h, V.linear), I.mass * V.linear - cross(I.h, V.angular)};
}
/// The operator's force does not depend on the linear part.
CORIO_INLINE Forces operator*(const BodyCoriolis<double>& B, const Motions& V) {
  const double t = trace(B.P);
  return {t * V.angular - B.P * V.angular, -1.0 * cross(B.f, V.angular)};
}

/// Loads and stores single columns.
inline void set(Columns<double, 6>& to, int k, const Motion<double>& V) {
  to.set(k, V.angular);
  to.set(k, V.linear, 3);
}
inline void add(Columns<double, 6>& to, int k, const Motion<double>& V) {
  for (int r = 0; r < 3; ++r) *to.at(r, k) += V.angular[r], *to.at(3 + r, k) += V.linear[r];
}
inline Force<double> force(const Columns<double, 6>& from, int k) {
  return {{*from.at(0, k), *from.at(1, k), *from.at(2, k)}, {*from.at(3, k), *from.at(4, k), *from.at(5, k)}};
}

/// Transforms forces of a body to the axes of its parent, in place.
inline void carry(const Pose<double>& X, Columns<double, 6>& F, int begin, int end) {
  for_each_pack<double>(begin, end,
                        [&](int k, auto count) CORIO_INLINE_LAMBDA { act(X, Forces::load(F, k)).store(F, k, count); });
}

}  // namespace corio::baseline
