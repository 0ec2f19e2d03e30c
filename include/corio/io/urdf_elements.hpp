#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corio/io/xml.hpp"
#include "corio/spatial/lie.hpp"

namespace corio::inline CORIO_ABI::urdf::detail {

using xml::brief;
using xml::Element;
using xml::excerpt;
using xml::join;

struct Known {
  std::vector<std::string_view> attributes, children;
};
/// The attributes and children that URDF defines for the elements that are read. Elements that appear here only as a
/// child (geometry, plugins of simulators) may have any contents.
inline const Known* known(std::string_view element) {
  static const std::map<std::string_view, Known> all = {
      {"robot",
       {{"name", "version"},
        {"link", "joint", "transmission", "loop", "coupling", "material", "gazebo", "sensor", "ros2_control",
         "model_state"}}},
      {"link", {{"name", "type"}, {"inertial", "visual", "collision", "contact", "sensor", "gazebo", "material"}}},
      {"inertial", {{}, {"origin", "mass", "inertia"}}},
      {"mass", {{"value"}, {}}},
      {"inertia", {{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}}},
      {"joint",
       {{"name", "type", "independent"},
        {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"}}},
      {"origin", {{"xyz", "rpy"}, {}}},
      {"parent", {{"link"}, {}}},
      {"child", {{"link"}, {}}},
      {"axis", {{"xyz"}, {}}},
      {"limit", {{"lower", "upper", "velocity", "effort"}, {}}},
      {"dynamics", {{"damping", "friction"}, {}}},
      {"mimic", {{"joint", "multiplier", "offset"}, {}}},
      {"loop", {{"name", "type"}, {"predecessor", "successor", "axis"}}},
      {"coupling", {{"name"}, {"predecessor", "successor", "ratio"}}},
      {"predecessor", {{"link"}, {"origin"}}},
      {"successor", {{"link"}, {"origin"}}},
      {"ratio", {{"value"}, {}}}};
  const auto found = all.find(element);
  return found == all.end() ? nullptr : &found->second;
}

/// The numbers x y z of an attribute; the pose in the <origin> of an element.
inline Vector3<double> vector(const Element& e, const char* key, const std::string& who) {
  const auto x = e.numbers(key, who, 3, 3);
  return {x[0], x[1], x[2]};
}
inline Pose<double> pose(const Element& of, const std::string& who) {
  const auto origin = of.child("origin", who);
  const auto three = [&](const char* key) {
    if (!origin || !origin->attribute(key)) return zero3<double>();
    return vector(*origin, key, who);
  };
  const Vector3<double> rpy = three("rpy");
  return {rotation_rpy(rpy[0], rpy[1], rpy[2]), three("xyz")};
}

}  // namespace corio::urdf::detail
