#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "corio/io/mjcf/part.hpp"
#include "corio/model/builder.hpp"

/// The part of actuators and tendons in the mass matrix: their armatures, and rotors in their place.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// Adds the armature of an actuator, gear^2 armature, to the hinge or slide that it drives. Any other armature of an
/// actuator couples several degrees of freedom, and is noted.
inline void reflect_actuators(const std::vector<Element>& actuators, Parts& parts,
                              std::vector<BodySpec<double>>& bodies, Notes& notes) {
  for (const Element& given : actuators) {
    const Element e = parts.with_defaults(given, Defaults::actuator);
    const double armature = e.nonnegative("armature", 0);
    if (armature == 0.0) continue;
    const std::string joint = e.get("joint", e.get("jointinparent"));
    const auto body = std::ranges::find(bodies, joint, &BodySpec<double>::joint_name);
    const std::string value = corio::detail::number(armature);
    if (joint.empty() || body == bodies.end() || body->joint.nv() != 1) {
      notes.add(given, join({"armature ", value, joint.empty() ? "" : " on joint ", joint.empty() ? "" : joint}),
                "it is not in the mass matrix: only hinges and slides can have an armature");
      continue;
    }
    const double gear = e.find("gear") ? e.numbers("gear", 1, 6)[0] : 1.0;
    if (body->armature.empty()) body->armature = {0.0};
    body->armature[0] += gear * gear * armature;
  }
}

/// Adds a note on each tendon with an armature, which couples the joints that it moves.
inline void note_tendons(const std::vector<Element>& tendons, Parts& parts, Notes& notes) {
  for (const Element& given : tendons)
    if (const double armature = parts.with_defaults(given, "tendon").nonnegative("armature", 0); armature != 0.0)
      notes.add(given, join({"armature ", corio::detail::number(armature)}),
                "it is not in the mass matrix: only joints can have an armature");
}

/// Replaces armatures of joints with an actuator by rotors.
/// @param axes  Options::rotor_axes
inline void add_rotors(const std::vector<Element>& actuators, Parts& parts, Rotors rotors,
                       const std::map<std::string, Vector3<double>>& axes, ModelBuilder<double>& builder,
                       Notes& notes) {
  if (rotors == Rotors::reflected) {
    if (!axes.empty()) throw ModelError("Options::rotor_axes needs Options::rotors = Rotors::geared");
    return;
  }
  std::map<std::string, std::vector<Element>> driving;
  for (const Element& e : actuators)  // jointinparent differs from joint for balls and free bodies only
    if (const std::string joint = e.get("joint", e.get("jointinparent")); !joint.empty())
      driving[joint].push_back(parts.with_defaults(e, Defaults::actuator));
  for (const auto& [joint, axis] : axes)
    if (!driving.contains(joint))
      throw ModelError(join({"Options::rotor_axes names joint ", xml::excerpt(joint), ", which has no actuator"}));
  for (const auto& [joint, all] : driving) {
    const auto found = std::ranges::find(builder.bodies(), joint, &BodySpec<double>::joint_name);
    if (found == builder.bodies().end()) all[0].fail({"joint=", xml::excerpt(joint), " is not a joint"});
    if (found->armature.empty()) continue;
    const double gear = all[0].find("gear") ? all[0].numbers("gear", 1, 6)[0] : 1.0;
    if (all.size() > 1 || found->joint.nv() != 1 || gear == 0.0) {
      notes.add(all.back(), "its joint has several actuators, several degrees of freedom, or gear 0",
                "the armature stays reflected");
      continue;
    }
    Rotor<double> rotor{.joint = joint, .inertia = found->armature[0] / (gear * gear), .ratio = gear};
    if (const auto axis = axes.find(joint); axis != axes.end()) rotor.axis = axis->second;
    builder.set_armature(joint, {});
    builder.add_rotor(rotor);
  }
}

}}}}  // namespace corio::mjcf::detail
