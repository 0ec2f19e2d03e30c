#pragma once

#include <string>

#include "corio/io/urdf/elements.hpp"
#include "corio/joints/joint_spec.hpp"

/// The joint of each type that URDF and its dialects have.
namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

inline Vector3<double> axis_of(const ElementView& e, const std::string& owner) {
  const auto axis = e.child("axis");
  const Vector3<double> n = axis ? vector(*axis, "xyz", owner) : Vector3<double>(1, 0, 0);
  if (is_zero(n)) axis->fail({owner, ": its axis is zero, expected a direction"});
  return n;
}

/// @param type  the attribute of <joint>
inline joint::JointSpec<double> joint_of_type(const ElementView& e, const std::string& type, const std::string& owner,
                                              Notes& notes) {
  if (type == "fixed") return joint::Fixed{};
  if (type == "floating") return joint::FreeFlyer{};
  if (type == "spherical") {
    notes.add(owner, e, "is of type spherical, which URDF does not have", "it is a ball joint, q = [x, y, z, w]");
    return joint::Spherical{};
  }
  const Vector3<double> n = axis_of(e, owner);
  if (type == "planar" && !e.child("axis"))
    notes.add(owner, e, "is of type planar and has no <axis>", "it moves in its y-z plane: the normal is x by default");
  if (type == "revolute" || type == "continuous") return joint::Revolute(n);
  if (type == "prismatic") return joint::Prismatic(n);
  if (type == "planar") return joint::Planar(n);
  e.fail({owner, ": type \"", brief(type),
          "\" is not known; it must be revolute, continuous, prismatic, fixed, planar or floating"});
}

/// The types of joints that Drake adds to URDF.
inline joint::JointSpec<double> drake_joint(const ElementView& e, const std::string& type, const std::string& owner) {
  if (type == "ball") return joint::Spherical{};
  if (type == "universal") return joint::Universal{};  // about x, then y
  if (type == "planar") return joint::Planar(axis_of(e, owner));
  if (type == "screw")  // metres in each revolution
    return joint::Helical(
        axis_of(e, owner),
        e.required_child("drake:screw_thread_pitch", owner).number("value", owner) / (2 * corio::detail::pi<double>));
  e.fail({owner, ": type \"", brief(type),
          "\" of <drake:joint> is not known; it must be ball, universal, planar or screw"});
}

}}}}  // namespace corio::urdf::detail
