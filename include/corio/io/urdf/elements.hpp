#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "corio/io/urdf/schema.hpp"
#include "corio/io/xml.hpp"
#include "corio/model/note.hpp"
#include "corio/spatial/lie.hpp"

namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

using xml::brief;
using xml::ElementView;
using xml::excerpt;
using xml::join;

/// The notes made while a file is read.
struct Notes {
  std::vector<Note> all;

  void add(const std::string& owner, const ElementView& where, const std::string& found, const std::string& advice) {
    all.push_back({owner, where.line(), found, advice});
  }
};

/// An attribute "x y z" as a vector.
inline Vector3<double> vector(const ElementView& e, const char* key, const std::string& owner) {
  const auto x = e.numbers(key, owner, 3, 3);
  return {x[0], x[1], x[2]};
}

/// The rotation in an <origin>: roll, pitch and yaw, or from version 1.1 on a quaternion.
inline Matrix3<double> rotation(const ElementView& origin, const std::string& owner, Notes& notes) {
  if (!origin.attribute("quat_xyzw")) {
    if (!origin.attribute("rpy")) return identity3<double>();
    const Vector3<double> rpy = vector(origin, "rpy", owner);
    return rotation_rpy(rpy[0], rpy[1], rpy[2]);
  }
  if (origin.attribute("rpy")) origin.fail({owner, ": its <origin> has both rpy and quat_xyzw, expected one of them"});
  const auto x = origin.numbers("quat_xyzw", owner, 4, 4);
  const double length = std::hypot(std::hypot(x[0], x[1], x[2]), x[3]);
  if (!(length > 0.0)) origin.fail({owner, ": its quat_xyzw is zero, expected a quaternion of length 1"});
  if (std::abs(length - 1.0) > 1e-3)
    notes.add(owner, origin, join({"its quat_xyzw has the length ", corio::detail::number(length)}),
              "it is scaled to length 1");
  const std::string version = origin.root().attribute("version").value_or("1.0");
  if (version == "1" || version == "1.0")
    notes.add(owner, origin, "quat_xyzw in a robot of version 1.0", "it is read; other readers need version=\"1.1\"");
  return rotation_from_quaternion(Quaternion<double>(x[0], x[1], x[2], x[3]));
}
/// The pose in the <origin> of an element.
inline Pose<double> pose(const ElementView& of, const std::string& owner, Notes& notes) {
  const auto origin = of.child("origin");
  if (!origin) return Pose<double>::identity();
  return {rotation(*origin, owner, notes), origin->attribute("xyz") ? vector(*origin, "xyz", owner) : zero3<double>()};
}

}}}}  // namespace corio::urdf::detail
