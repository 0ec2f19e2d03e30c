#pragma once

#include "corio/io/xml.hpp"
#include "corio/model/closure.hpp"

namespace corio::urdf::detail {

/// What a <loop> of URDF+ says by its type.
inline closure::Conditions loop_conditions(const xml::Element& loop, const Vector3<double>& axis,
                                           const std::string& who) {
  const std::string type = loop.required("type", who);
  if ((type == "revolute" || type == "continuous" || type == "prismatic") && !(dot(axis, axis) > 0.0))
    loop.fail({who, ": its axis is zero, expected a direction"});
  if (type == "revolute" || type == "continuous") return closure::Revolute{axis}.conditions();
  if (type == "prismatic") return closure::Prismatic{axis}.conditions();
  if (type == "spherical") return closure::Spherical{}.conditions();
  if (type == "fixed") return closure::Weld{}.conditions();
  loop.fail(
      {who, ": type \"", xml::brief(type), "\" is not known; it must be revolute, prismatic, spherical or fixed"});
}

}  // namespace corio::urdf::detail
