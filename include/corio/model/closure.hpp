#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "corio/spatial/pose.hpp"

/// Closures: the joints that close loops, as lists of scalar conditions on the pose of a second frame in a first frame.
/// Users can write their own as types with a member conditions().
namespace corio { inline namespace CORIO_ABI { namespace closure {

/// One scalar condition, with a fixed in the first frame, b fixed in the second one, and the pose (R, p) of the second
/// frame in the first:
///   offset     a . p = 0                      (m)
///   direction  a . R b = 0                    (rad, if it is small)
///   distance   (p . p - l^2) / (2 l) = 0      (m)
///   sense      a . R b = |a| |b|              (if other conditions make a and R b parallel: excludes antiparallel)
/// Senses have no force and no row in K; only assemble uses them. Without them it could close a loop with the second
/// frame turned by 180 deg, or by 120 deg, when each axis is also perpendicular to another axis.
struct Condition {
  enum class Form { offset, direction, distance, sense } form;
  Vector3<double> a = zero3<double>(), b = zero3<double>();
  double length = 0.0;

  /// The left-hand side (for senses, minus the right-hand side) for the second frame at X = (R, p) in the first one.
  double value(const Pose<double>& X) const {
    if (form == Form::offset) return dot(X.translation, a);
    if (form == Form::distance) return (dot(X.translation, X.translation) / length - length) / 2.0;
    const double cosine = dot(a, X.rotation * b);
    return form == Form::direction ? cosine : cosine - std::sqrt(dot(a, a) * dot(b, b));
  }
};
/// All conditions of one closure.
using Conditions = std::vector<Condition>;

/// A right-handed frame whose first axis is along x. Its entries are NaN or zero if x is zero or not finite, which
/// Loops rejects.
inline Matrix3<double> frame_along(const Vector3<double>& x) {
  const Vector3<double> n = x * (1.0 / std::sqrt(dot(x, x)));
  const Vector3<double> other = std::abs(n[0]) < 0.6 ? Vector3<double>(1, 0, 0) : Vector3<double>(0, 1, 0);
  Vector3<double> t = cross(n, other);
  t = t * (1.0 / std::sqrt(dot(t, t)));
  return from_columns(n, t, cross(n, t));
}

namespace detail {

inline void add_offsets(Conditions& all, std::initializer_list<Vector3<double>> directions) {
  for (const auto& a : directions) all.push_back({Condition::Form::offset, a});
}
inline Conditions point() {
  Conditions all;
  add_offsets(all, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  return all;
}
/// A closure by a given list of conditions.
struct Given {
  Conditions given;
  const Conditions& conditions() const { return given; }
};

/// Conditions that all axes are parallel: each is perpendicular to the next one of the other frame, and has the same
/// sense.
inline void add_axes(Conditions& all) {
  for (int i = 0; i < 3; ++i) all.push_back({Condition::Form::direction, unit3<double>(i), unit3<double>((i + 1) % 3)});
  for (int i = 0; i < 3; ++i) all.push_back({Condition::Form::sense, unit3<double>(i), unit3<double>(i)});
}

}  // namespace detail

/// The origins coincide: 3 conditions. A ball joint, or a hinge of a planar mechanism whose other joints keep it in its
/// plane.
struct Point {
  Conditions conditions() const { return detail::point(); }
};
using Spherical = Point;

/// A hinge about an axis that has the same coordinates in both frames: 5 conditions. They also hold with the axis
/// reversed.
struct Revolute {
  Vector3<double> axis{0, 0, 1};
  Conditions conditions() const {
    const Matrix3<double> axes = frame_along(axis);
    Conditions all = detail::point();
    for (int i = 1; i < 3; ++i) all.push_back({Condition::Form::direction, column(axes, i), column(axes, 0)});
    return all;
  }
};

/// A cardan joint: an axis in the first frame stays perpendicular to an axis in the second one: 4 conditions.
struct Universal {
  Vector3<double> first{1, 0, 0}, second{0, 1, 0};
  Conditions conditions() const {
    Conditions all = detail::point();
    all.push_back({Condition::Form::direction, column(frame_along(first), 0), column(frame_along(second), 0)});
    return all;
  }
};

/// A slider along an axis of the first frame, all axes parallel: 5 conditions.
struct Prismatic {
  Vector3<double> axis{0, 0, 1};
  Conditions conditions() const {
    const Matrix3<double> axes = frame_along(axis);
    Conditions all;
    detail::add_offsets(all, {column(axes, 1), column(axes, 2)});
    detail::add_axes(all);
    return all;
  }
};

/// The frames coincide: 6 conditions.
struct Weld {
  Conditions conditions() const {
    Conditions all = detail::point();
    detail::add_axes(all);
    return all;
  }
};

/// A rod of a given length, m, with ball joints at both origins: 1 condition.
struct Distance {
  double length;
  Conditions conditions() const { return {{Condition::Form::distance, zero3<double>(), zero3<double>(), length}}; }
};

}}}  // namespace corio::closure

namespace corio { inline namespace CORIO_ABI {

/// A joint of one coordinate and its factor in a coupling.
struct CouplingTerm {
  std::string joint;
  double factor;
};

/// A loop of a tree, by names: either conditions on two frames, or a coupling of coordinates, sum factor_i q_i =
/// offset. `dependent` names joints whose motion the loop determines, such as the joint of a gear's rotor; a Mechanism
/// takes the other joints as independent unless told otherwise. `line` is the line of the file that messages name, 0 if
/// there is no file.
struct LoopSpec {
  std::string name, first{}, second{};
  closure::Conditions conditions{};
  std::vector<CouplingTerm> terms{};
  double offset = 0.0;
  std::vector<std::string> dependent{};
  int line = 0;

  bool is_coupling() const { return first.empty() && second.empty() && conditions.empty(); }
};

}}  // namespace corio
