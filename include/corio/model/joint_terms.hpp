#pragma once

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "corio/joints/joint_spec.hpp"
#include "corio/model/detail/inertia_check.hpp"

/// Per-joint numbers, one per coordinate or one per degree of freedom. In a BodySpec they are vectors of one joint,
/// empty if not given; in a Model, vectors of all joints.
namespace corio { inline namespace CORIO_ABI {

/// Limits of position (per coordinate), and of velocity, effort, acceleration, deceleration and jerk (per degree of
/// freedom); infinite if there is no limit.
template <class Numbers>
struct JointLimitsAs {
  Numbers lower{}, upper{}, velocity{}, effort{}, acceleration{}, deceleration{}, jerk{};
};
using JointLimits = JointLimitsAs<std::vector<double>>;

/// The <safety_controller> of a URDF joint: soft position limits (per coordinate), and gains (per degree of freedom;
/// zero if there is no gain). The controller limits the velocity to position_gain times the distance from a soft limit,
/// and the effort to velocity_gain times the distance from that velocity. corio only stores them.
template <class Numbers>
struct JointSafetyAs {
  Numbers lower{}, upper{}, position_gain{}, velocity_gain{};
};
using JointSafety = JointSafetyAs<std::vector<double>>;
using SafetyLimits = JointSafetyAs<VectorX<double>>;

/// The coefficients of passive_forces, one value per degree of freedom, and the rest configuration of the springs, by
/// default neutral. Units as in Model.
template <class Numbers>
struct PassiveTermsAs {
  Numbers damping{}, friction{}, stiffness{}, rest{};
};
template <class S>
using PassiveTerms = PassiveTermsAs<std::vector<S>>;

/// One kind of per-joint numbers.
struct JointTerm {
  const char* name;
  bool per_coordinate;
  double none;  // the value if nothing is given; NaN stands for the joint's neutral configuration
  bool may_be_negative = false;
};

/// The kinds that Model has setters for.
namespace detail::joint_term {

inline constexpr JointTerm armature{"armature", false, 0.0}, damping{"damping", false, 0.0},
    friction{"friction", false, 0.0}, stiffness{"stiffness", false, 0.0},
    rest{"configuration at rest", true, std::numeric_limits<double>::quiet_NaN(), true};

}  // namespace detail::joint_term

/// The list of all kinds: calls f(kind, x...) for each of them, with the numbers x of every owner, such as a BodySpec
/// and Model::terms(). A new kind is a member of one of the structs above, or of both BodySpec and Model::Terms, and a
/// line here; builders, checks, copies, edits and notes use this list.
template <class F, class... Owner>
void for_each_term(F&& f, Owner&&... owner) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  f(detail::joint_term::armature, owner.armature...);
  f(detail::joint_term::damping, owner.passive.damping...);
  f(detail::joint_term::friction, owner.passive.friction...);
  f(detail::joint_term::stiffness, owner.passive.stiffness...);
  f(detail::joint_term::rest, owner.passive.rest...);
  f(JointTerm{"lower limit", true, -inf, true}, owner.limits.lower...);
  f(JointTerm{"upper limit", true, inf, true}, owner.limits.upper...);
  f(JointTerm{"velocity limit", false, inf}, owner.limits.velocity...);
  f(JointTerm{"effort limit", false, inf}, owner.limits.effort...);
  f(JointTerm{"acceleration limit", false, inf}, owner.limits.acceleration...);
  f(JointTerm{"deceleration limit", false, inf}, owner.limits.deceleration...);
  f(JointTerm{"jerk limit", false, inf}, owner.limits.jerk...);
  f(JointTerm{"lower limit of the safety controller", true, -inf, true}, owner.safety.lower...);
  f(JointTerm{"upper limit of the safety controller", true, inf, true}, owner.safety.upper...);
  f(JointTerm{"position gain", false, 0.0}, owner.safety.position_gain...);
  f(JointTerm{"velocity gain", false, 0.0}, owner.safety.velocity_gain...);
}

namespace detail {

/// Returns whether x is allowed for that kind: finite, or the kind's `none`, and not negative unless it may be.
template <class T>
bool is_allowed(const JointTerm& term, const T& x) {
  const double value = value_of(x);
  if (!term.may_be_negative && !(value >= 0.0)) return false;
  return std::isinf(term.none) ? std::isfinite(value) || value == term.none : in_range(x);
}
/// The rule of is_allowed in words, for messages.
inline std::string rule(const JointTerm& term) {
  return join({term.may_be_negative ? "" : "must not be negative, and ",
               std::isinf(term.none) ? join({"must be finite, or ", number(term.none), " for none"}) : range_rule});
}

/// Calls x.resize(n), as a function, so that the call is compiled once for all kinds.
template <class T>
CORIO_NOINLINE void resize(VectorX<T>& x, Eigen::Index n) {
  x.resize(n);
}

/// The number of values of that kind for a joint.
template <class S>
int size(const JointTerm& term, const joint::JointSpec<S>& joint) {
  return term.per_coordinate ? joint.nq() : joint.nv();
}
/// The default values of that kind for a joint.
template <class T, class S>
std::vector<T> without(const JointTerm& term, const joint::JointSpec<S>& joint) {
  std::vector<T> x(static_cast<std::size_t>(size(term, joint)), static_cast<T>(term.none));
  if constexpr (std::is_same_v<T, S>)
    if (std::isnan(term.none))
      for (T* at = x.data(); const auto& link : joint.chain) {
        link.joint.visit([at](const auto& primitive) { primitive.neutral(at); });
        at += link.joint.nq();
      }
  return x;
}
/// Returns whether any of the given values differs from the default.
template <class T, class S>
bool has_term(const JointTerm& term, const joint::JointSpec<S>& joint, const std::vector<T>& given) {
  const std::vector<T> none = without<T>(term, joint);
  bool any = !given.empty() && given.size() != none.size();
  for (std::size_t i = 0; i < given.size() && !any; ++i)
    any = in_any_state(real_value(given[i]) != real_value(none[i]));
  return any;
}

}  // namespace detail
}}  // namespace corio
