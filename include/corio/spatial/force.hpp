#pragma once

#include "corio/spatial/motion.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Force vector F = [n; f] (wrench, momentum): n is the moment about the reference point. N m and N for a wrench.
template <class S>
struct Force {
  VectorOf<S> moment;
  VectorOf<S> force;

  static Force zero() { return {zero3<S>(), zero3<S>()}; }
  static Force from(const Vector6<S>& x) { return {vector3(x.data()), vector3(x.data() + 3)}; }
  Vector6<S> vector() const {
    Vector6<S> x;
    for (int i = 0; i < 3; ++i) x[i] = moment[i], x[i + 3] = force[i];
    return x;
  }
  template <class T>
  Force<T> cast() const {
    return {moment.template cast<T>(), force.template cast<T>()};
  }

  CORIO_INLINE Force& operator+=(const Force& b) {
    moment += b.moment;
    force += b.force;
    return *this;
  }
  CORIO_INLINE Force& operator-=(const Force& b) {
    moment -= b.moment;
    force -= b.force;
    return *this;
  }
  CORIO_INLINE friend Force operator+(const Force& a, const Force& b) {
    return {a.moment + b.moment, a.force + b.force};
  }
  CORIO_INLINE friend Force operator-(const Force& a, const Force& b) {
    return {a.moment - b.moment, a.force - b.force};
  }
  CORIO_INLINE friend Force operator-(const Force& a) { return {-a.moment, -a.force}; }
  CORIO_INLINE friend Force operator*(const Force& a, const S& s) { return {a.moment * s, a.force * s}; }
  CORIO_INLINE friend Force operator*(const S& s, const Force& a) { return a * s; }

  /// Moves the force to the point c: [n - c x f; f].
  CORIO_INLINE friend Force about(const Force& F, const VectorOf<S>& c) {
    return {F.moment - cross(c, F.force), F.force};
  }
};

/// A couple [n; 0], a force vector whose force is zero, independent of the point. N m.
template <class S>
struct Couple {
  VectorOf<S> moment;

  static Couple zero() { return {zero3<S>()}; }
  CORIO_INLINE operator Force<S>() const { return {moment, zero3<S>()}; }  // NOLINT(google-explicit-constructor)
  CORIO_INLINE Couple& operator+=(const Couple& b) {
    moment += b.moment;
    return *this;
  }
  CORIO_INLINE friend Couple operator+(const Couple& a, const Couple& b) { return {a.moment + b.moment}; }
  CORIO_INLINE friend Couple operator-(const Couple& a, const Couple& b) { return {a.moment - b.moment}; }
  CORIO_INLINE friend Couple operator-(const Couple& a) { return {-a.moment}; }
  CORIO_INLINE friend Couple operator*(const Couple& a, const S& s) { return {a.moment * s}; }
  CORIO_INLINE friend Couple operator*(const S& s, const Couple& a) { return a * s; }
  CORIO_INLINE friend Couple about(const Couple& F, const VectorOf<S>&) { return F; }
  CORIO_INLINE friend Force<S> operator+(const Force<S>& F, const Couple& a) { return {F.moment + a.moment, F.force}; }
  CORIO_INLINE friend Force<S> operator+(const Couple& a, const Force<S>& F) { return F + a; }
  CORIO_INLINE friend Force<S> operator-(const Force<S>& F, const Couple& a) { return {F.moment - a.moment, F.force}; }
};

/// Returns the power V . F of a wrench on a twist.
template <class S>
CORIO_INLINE S dot(const Motion<S>& V, const Couple<S>& F) {
  return dot(V.angular, F.moment);
}
template <class S>
CORIO_INLINE S dot(const Motion<S>& V, const Force<S>& F) {
  return dot(V.angular, F.moment) + dot(V.linear, F.force);
}
template <class S>
CORIO_INLINE S dot(const Force<S>& F, const Motion<S>& V) {
  return dot(V, F);
}

}}  // namespace corio
