#pragma once

#include <map>
#include <string_view>
#include <vector>

namespace corio::urdf::detail {

struct Known {
  std::vector<std::string_view> attributes, children;
};
/// What URDF says of the elements that are read. Below elements that stand here only as a child (geometry, plugins of
/// simulators) anything may stand.
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

}  // namespace corio::urdf::detail
