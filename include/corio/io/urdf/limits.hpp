#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "corio/io/urdf/elements.hpp"
#include "corio/model/joint_terms.hpp"

/// The numbers of a joint with one degree of freedom: <limit>, <safety_controller> and <dynamics>.
namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

inline double not_negative(const ElementView& e, const char* key, const std::string& owner) {
  const double x = e.number(key, owner, 0.0);
  if (x < 0.0) e.fail({owner, ": its ", key, " is ", corio::detail::number(x), ", must not be negative"});
  return x;
}

/// A limit of 1e9 or more means that there is no limit; write_urdf writes it if URDF requires a number.
inline constexpr double unlimited = 1e9;
inline double unlimited_as_infinite(double limit) {
  return std::abs(limit) < unlimited ? limit : std::copysign(std::numeric_limits<double>::infinity(), limit);
}

/// @param bounded  whether lower and upper apply
inline JointLimits limits(const ElementView& joint, bool bounded, const std::string& owner, Notes& notes) {
  const auto limit = joint.child("limit");
  if (!limit) {
    if (bounded) notes.add(owner, joint, "has no <limit>", "its position, velocity and effort are unlimited");
    return {};
  }
  JointLimits result;
  // Position.
  const auto position = [&](const char* key) {
    return limit->attribute(key) ? unlimited_as_infinite(limit->limit(key, owner)) : 0.0;
  };
  if (bounded) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    double lower = position("lower"), upper = position("upper");
    if (lower == upper && std::isinf(lower))
      limit->fail({owner, ": its limits leave no position: lower ", corio::detail::number(lower), ", upper ",
                   corio::detail::number(upper)});
    if (!limit->attribute("lower") && !limit->attribute("upper"))
      notes.add(owner, *limit, "its <limit> has neither lower nor upper",
                "both are 0, URDF's default: inverse_kinematics and random_configuration do not move it");
    else if (lower == 0.0 && upper == 0.0)
      notes.add(owner, *limit, "its limits are lower = upper = 0, as some exporters write for a joint without limits",
                "they are kept: inverse_kinematics and random_configuration do not move it");
    if (lower > upper) {
      notes.add(owner, *limit,
                join({"its lower limit ", corio::detail::number(lower), " exceeds its upper limit ",
                      corio::detail::number(upper)}),
                "its position is treated as unlimited, as PyBullet does");
      lower = -inf, upper = inf;
    }
    result.lower = {lower}, result.upper = {upper};
  }
  // Velocity, effort and the others, which have one number each.
  const auto most = [&](const std::string& name) -> std::vector<double> {
    const std::string key = limit->attribute(name.c_str()) ? name : "drake:" + name;
    if (!limit->attribute(key.c_str())) return {};
    const double x = unlimited_as_infinite(limit->limit(key.c_str(), owner));
    if (x == 0.0)
      notes.add(owner, *limit, join({"its ", name, " limit is 0, as some exporters write for an unknown limit"}),
                "it is kept");
    if (x >= 0.0) return {x};
    notes.add(owner, *limit, join({"its ", name, " limit is ", corio::detail::number(x)}),
              "a negative limit means that there is none, as in SDFormat");
    return {};
  };
  for (const char* key : {"velocity", "effort"})
    if (!limit->attribute(key))
      notes.add(owner, *limit, join({"its <limit> has no attribute ", key}), "it is treated as unlimited");
  result.velocity = most("velocity"), result.effort = most("effort");
  // Attributes of URDF 1.2, all optional.
  result.acceleration = most("acceleration"), result.deceleration = most("deceleration"), result.jerk = most("jerk");
  return result;
}

inline JointSafety safety(const ElementView& joint, bool bounded, const std::string& owner) {
  const auto controller = joint.child("safety_controller");
  if (!controller) return {};
  const auto gain = [&](const char* key) { return not_negative(*controller, key, owner); };
  const auto soft = [&](const char* key) {
    return controller->attribute(key) ? unlimited_as_infinite(controller->limit(key, owner)) : 0.0;
  };
  JointSafety result{.position_gain = {gain("k_position")}, .velocity_gain = {gain("k_velocity")}};
  if (bounded && (controller->attribute("soft_lower_limit") || controller->attribute("soft_upper_limit"))) {
    result.lower = {soft("soft_lower_limit")}, result.upper = {soft("soft_upper_limit")};
    if (result.lower[0] > result.upper[0])
      controller->fail({owner, ": its soft_lower_limit ", corio::detail::number(result.lower[0]),
                        " exceeds its soft_upper_limit ", corio::detail::number(result.upper[0])});
  }
  return result;
}

inline PassiveTerms<double> passive(const ElementView& joint, const std::string& owner) {
  const auto dynamics = joint.child("dynamics");
  if (!dynamics) return {};
  return {.damping = {not_negative(*dynamics, "damping", owner)},
          .friction = {not_negative(*dynamics, "friction", owner)}};
}

}}}}  // namespace corio::urdf::detail
