#pragma once

#include <corio/io/mjcf.hpp>
#include <corio/io/urdf.hpp>
#include <corio/model/edit.hpp>
#include <stdexcept>

namespace support {

/// The robot of a URDF or, by its extension .xml, an MJCF file, with these joints locked at their neutral positions,
/// and with the gravity x, y, z in axes of its base, m/s^2, unless this is empty.
inline corio::Model<double> load_robot(const std::string& path, const std::vector<std::string>& locked,
                                       const std::vector<double>& gravity) {
  if (path.ends_with(".xacro"))
    throw std::runtime_error(path + " must be expanded first: xacro " + path + " > robot.urdf (package xacro of ROS)");
  auto model = path.ends_with(".xml") ? corio::mjcf::load(path) : corio::urdf::load(path);
  if (!gravity.empty() && gravity.size() != 3) throw std::invalid_argument("--gravity needs three numbers, X,Y,Z");
  if (!gravity.empty()) model.set_gravity(corio::Vector3<double>(gravity.data()));
  return locked.empty() ? model : corio::lock_joints(model, locked, corio::neutral(model));
}

}  // namespace support
