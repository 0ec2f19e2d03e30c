#pragma once

#include "corio/io/mjcf/inertia.hpp"

/// Joints of MJCF.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// The range of a joint; nothing if it has none.
inline std::optional<std::vector<double>> range(const Element& e, const std::string& key, const std::string& limited,
                                                const Compiler& compiler) {
  const std::string says = e.choice(limited, "auto", {"false", "true", "auto"});
  const auto given = e.find(key) ? e.numbers(key, 2, 2) : std::vector<double>{0, 0};
  const bool empty = given[0] == 0.0 && given[1] == 0.0;
  if (says == "false" || (says == "auto" && empty)) return std::nullopt;
  if (says == "auto" && !compiler.auto_limits)
    e.fail({key, "=", xml::excerpt(e.get(key)), " without ", limited, "; say ", limited,
            "=\"true\" or \"false\", or "
            "<compiler autolimits=\"true\"/>"});
  return given;
}

/// The texts of notes on parts of free joints that a flag may disable.
inline constexpr const char* friction_of_free_joint = "frictionloss of a free joint";
inline constexpr const char* spring_of_free_joint = "a spring between a free body and the world";

/// Converts a joint, with defaults applied, to a BodySpec with its type, placement, limits and passive terms. The
/// caller adds the data of the body; springdamper needs all bodies (io/mjcf/springs.hpp).
/// @param frame        pose of the <frame> elements around it, in the body
/// @param from_parent  pose of the body, as moved by the joints before, in the parent of the joint
/// @param qpos0        MuJoCo's numbers of the reference configuration are appended to it
inline BodySpec<double> joint_spec(const Element& e, const Pose<double>& frame, const Pose<double>& from_parent,
                                   const Compiler& compiler, std::vector<double>& qpos0, Notes& notes) {
  const bool is_freejoint = e.name == "freejoint";
  if (e.find("springyield")) notes.add(e, "springyield", "it is ignored: the spring is linear at any distance");
  const std::string type = is_freejoint ? "free" : e.choice("type", "hinge", {"free", "ball", "slide", "hinge"});
  BodySpec<double> spec;
  double rest = 0;
  if (type == "free") {
    // In MuJoCo the position and quaternion of a free joint are the body's pose in the world.
    spec.joint = joint::FreeFlyer{};
    const auto turn = quaternion_from_rotation(from_parent.rotation);
    const Vector3<double>& at = from_parent.translation;
    qpos0.insert(qpos0.end(), {at[0], at[1], at[2], turn[3], turn[0], turn[1], turn[2]});
  } else {
    const Vector3<double> at = frame.point(e.vector("pos", zero3<double>()));
    const Vector3<double> axis =
        type == "ball" ? unit3<double>(2) : frame.rotation * unit(e.vector("axis", unit3<double>(2)), e, "axis");
    const double scale = type == "hinge" ? compiler.angle : 1.0;
    const double ref = type == "ball" ? 0.0 : scale * e.number("ref", 0);
    // At ref the body is at its pose in the file, so that q is MuJoCo's qpos.
    Pose<double> to_reference = Pose<double>::identity();
    if (type == "ball") {
      spec.joint = joint::Spherical{};
      qpos0.insert(qpos0.end(), {1, 0, 0, 0});
    } else if (type == "slide") {
      spec.joint = joint::Prismatic(axis);
      to_reference.translation = -ref * axis;
    } else {
      spec.joint = joint::Revolute(axis);
      to_reference.rotation = exp_rotation<double>(-ref * axis);
    }
    spec.placement = from_parent * Pose<double>{identity3<double>(), at} * to_reference;
    spec.body_placement.translation = -at;
    const auto limits = range(e, "range", "limited", compiler);
    // The names of MuJoCo before 2.3.7, and of later versions.
    const bool old = e.find("actuatorforcerange") || e.find("actuatorforcelimited");
    const std::string force_range = old ? "actuatorforcerange" : "actuatorfrcrange";
    const auto force = range(e, force_range, old ? "actuatorforcelimited" : "actuatorfrclimited", compiler);
    if (type == "ball") {
      if (limits)
        notes.add(e, "the range of a ball joint is an angle", "it is ignored: limits are those of coordinates");
    } else {
      qpos0.push_back(ref);
      rest = scale * e.number("springref", 0);
      for (const auto* given : {&limits, &force})
        if (*given && (**given)[0] >= (**given)[1])
          e.fail({given == &limits ? "range" : force_range, " must grow from its first to its second number"});
      if (limits) spec.limits.lower = {scale * (*limits)[0]}, spec.limits.upper = {scale * (*limits)[1]};
      if (force && (*force)[0] == -(*force)[1])
        spec.limits.effort = {(*force)[1]};
      else if (force)
        notes.add(e, join({force_range, " is not symmetric"}),
                  "it is ignored: the model has one limit for both directions");
    }
  }
  const std::size_t nv = type == "free" ? 6 : type == "ball" ? 3 : 1;
  const auto term = [&](const char* key) {
    const double x = e.nonnegative(key, 0);
    return x == 0.0 ? std::vector<double>{} : std::vector<double>(nv, x);
  };
  spec.armature = term("armature");
  spec.passive.friction = term("frictionloss");
  // Since MuJoCo 3.7 the attributes are the coefficients a, b, c of a polynomial.
  const auto linear_term = [&](const char* key, const char* polynomial) {
    const auto abc = e.find(key) ? e.numbers(key, 1, 3) : std::vector<double>{0.0};
    if (abc[0] < 0.0) e.fail({key, "=", xml::excerpt(e.get(key)), " must not be negative"});
    if (std::any_of(abc.begin() + 1, abc.end(), [](double x) { return x != 0.0; }))
      notes.add(e, join({key, "=", xml::excerpt(e.get(key)), " gives the force ", polynomial}),
                "the model has only the linear term a");
    return abc[0] == 0.0 ? std::vector<double>{} : std::vector<double>(nv, abc[0]);
  };
  spec.passive.damping = linear_term("damping", "-(a v + b v |v| + c v^3)");
  spec.passive.stiffness = linear_term("stiffness", "-(a x + b x^2 + c x^3)");
  if (nv == 1 && rest != 0.0) spec.passive.rest = {rest};
  if (type == "free" && !spec.passive.stiffness.empty()) {
    spec.passive.stiffness.clear();
    notes.add(e, spring_of_free_joint, "it is ignored");
  }
  // Damping needs no note: isotropic and linear, it does not depend on the axes.
  if (type == "free" && !spec.passive.friction.empty())
    notes.add(
        e, friction_of_free_joint,
        "its linear part acts along the axes of the body, in MuJoCo along those of the world; the angular part is "
        "the same");
  if (type == "free" && !spec.armature.empty())
    notes.add(
        e, "armature of a free joint",
        "it acts on the velocity in body axes, in MuJoCo on that in world axes; M is the same, the force differs by "
        "armature times w x v");
  return spec;
}

}}}}  // namespace corio::mjcf::detail
