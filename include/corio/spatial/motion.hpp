#pragma once

#include "corio/core/vector3.hpp"

/// Spatial vectors. Component order is angular before linear, moment before force (Featherstone). A vector is given
/// in some axes and about some point, its reference point. Only a Pose (pose.hpp) changes the axes.
namespace corio { inline namespace CORIO_ABI {

/// Motion vector V = [w; v] (twist, acceleration, column of a motion subspace). v belongs to the body-fixed point that
/// coincides with the reference point. SI units: rad/s and m/s for a twist.
template <class S>
struct Motion {
  VectorOf<S> angular;
  VectorOf<S> linear;

  static Motion zero() { return {zero3<S>(), zero3<S>()}; }
  static Motion from(const Vector6<S>& x) { return {vector3(x.data()), vector3(x.data() + 3)}; }
  Vector6<S> vector() const {
    Vector6<S> x;
    for (int i = 0; i < 3; ++i) x[i] = angular[i], x[i + 3] = linear[i];
    return x;
  }
  template <class T>
  Motion<T> cast() const {
    return {angular.template cast<T>(), linear.template cast<T>()};
  }

  CORIO_INLINE Motion& operator+=(const Motion& b) {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
  CORIO_INLINE friend Motion operator+(const Motion& a, const Motion& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
  CORIO_INLINE friend Motion operator-(const Motion& a, const Motion& b) {
    return {a.angular - b.angular, a.linear - b.linear};
  }
  CORIO_INLINE friend Motion operator-(const Motion& a) { return {-a.angular, -a.linear}; }
  CORIO_INLINE friend Motion operator*(const Motion& a, const S& s) { return {a.angular * s, a.linear * s}; }
  CORIO_INLINE friend Motion operator*(const S& s, const Motion& a) { return a * s; }

  /// Returns this motion about the point c, given relative to the present reference point: [w; v + w x c]. about(x, c)
  /// does this for every spatial quantity: motions, forces, inertias, operators.
  CORIO_INLINE friend Motion about(const Motion& V, const VectorOf<S>& c) {
    return {V.angular, V.linear + cross(V.angular, c)};
  }
};

}}  // namespace corio
