#pragma once

#include "corio/spatial/body_coriolis.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Pose (R, p) of a frame B in a frame A: a point with coordinates r in B has coordinates R r + p in A. The pose also
/// transforms motions, forces, inertias and Coriolis operators from B to A (act) and back (act_inverse).
template <class S>
struct Pose {
  typename VectorTypes<S>::Rotation rotation;
  VectorOf<S> translation;

  static Pose identity() { return {identity3<S>(), zero3<S>()}; }
  /// Conversion from and to Eigen::Isometry3 and the like (include <Eigen/Geometry>): `Pose<double>::from(X)`,
  /// `pose.to<Eigen::Isometry3d>()`.
  template <class Transform>
  requires requires(const Transform& X) { X.linear(), X.translation(); }
  static Pose from(const Transform& X) { return {X.linear(), X.translation()}; }
  template <class Transform>
  Transform to() const {
    Transform X;
    X.makeAffine();
    X.linear() = rotation;
    X.translation() = translation;
    return X;
  }
  template <class T>
  Pose<T> cast() const {
    return {rotation.template cast<T>(), translation.template cast<T>()};
  }

  Pose inverse() const { return {transpose(rotation), -transpose_times(rotation, translation)}; }
  CORIO_INLINE friend Pose operator*(const Pose& A, const Pose& B) {
    return {A.rotation * B.rotation, A.point(B.translation)};
  }

  /// Return R r + p, and its inverse R^T (r - p).
  CORIO_INLINE Vector3<S> point(const Vector3<S>& r) const { return rotation * r + translation; }
  Vector3<S> point_inverse(const Vector3<S>& r) const { return transpose_times<S>(rotation, r - translation); }

  /// Returns [ R w; R v + p x R w ].
  Motion<S> act(const Motion<S>& V) const {
    const Vector3<S> w = rotation * V.angular;
    return {w, rotation * V.linear + cross(translation, w)};
  }
  Motion<S> act_inverse(const Motion<S>& V) const {
    return {transpose_times(rotation, V.angular),
            transpose_times<S>(rotation, V.linear - cross(translation, V.angular))};
  }

  /// Returns [ R n + p x R f; R f ].
  Force<S> act(const Force<S>& F) const {
    const Vector3<S> f = rotation * F.force;
    return {rotation * F.moment + cross(translation, f), f};
  }
  Force<S> act_inverse(const Force<S>& F) const {
    return {transpose_times<S>(rotation, F.moment - cross(translation, F.force)), transpose_times(rotation, F.force)};
  }

  /// Computes J' = T J T^T for the pseudo-inertia J: rotated, then moved to the point -p. 69m 57a.
  Inertia<S> act(const Inertia<S>& I_b) const { return about(rotated(rotation, I_b), -translation); }
  Inertia<S> act_inverse(const Inertia<S>& I_b) const { return inverse().act(I_b); }

  /// Computes P' = R P R^T + (R f) p^T,  f' = R f.
  BodyCoriolis<S> act(const BodyCoriolis<S>& B) const {
    return about(BodyCoriolis<S>{rotation * B.P * transpose(rotation), rotation * B.f}, -translation);
  }
  BodyCoriolis<S> act_inverse(const BodyCoriolis<S>& B) const { return inverse().act(B); }

  /// Return the 6 x 6 matrices of act on motions and on forces; each is the inverse transpose of the other.
  Matrix6<S> motion_matrix() const {
    return matrix6<S>(rotation, diagonal3(S(0)), skew(translation) * rotation, rotation);
  }
  Matrix6<S> force_matrix() const {
    return matrix6<S>(rotation, skew(translation) * rotation, diagonal3(S(0)), rotation);
  }
};

}}  // namespace corio
