#pragma once

#include "corio/core/detail/input.hpp"
#include "corio/kinematics/robot.hpp"

/// Checks of controllers and observers, in addition to core/detail/input.hpp. Every update checks all arguments before
/// it changes anything; after an error the caller may hold the last torque and call again with the next sample.
///
/// Control laws other than AdaptiveSlotineLi do not compensate dampers, friction and springs of joints: if a model has
/// any, subtract passive_forces(model, data) from the torques after update.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The longest time between two ticks, s. Motion between ticks is interpolated, which is invalid if the robot moves
/// far; after a pause call reset.
inline constexpr double longest_tick = 0.1;

/// @throws SizeError unless there is a gain for each speed; Error, naming the joint, unless each is finite and positive
/// (or zero, if zero_allowed)
template <class S, template <class> class Robot>
void check_gain(const Robot<S>& robot, const char* controller, const char* what, const VectorX<S>& gain,
                bool zero_allowed = false) {
  const auto is_sound = [&](const auto& x) {
    using std::isfinite;
    const std::decay_t<decltype(x)> zero(0);
    return isfinite(x) && (zero_allowed ? x >= zero : x > zero);
  };
  check_each_speed(what, gain, robot, zero_allowed ? "zero or positive and finite" : "positive and finite", is_sound,
                   controller);
}

/// Swaps tau with `next`, the torque just computed, if `next` is finite: the caller's reference to tau always refers to
/// a finite torque.
/// @throws Error, naming the degree of freedom, for a torque that is not finite
template <class S>
const VectorX<S>& accept_torque(const char* controller, VectorX<S>& tau, VectorX<S>& next) {
  require_finite("tau", next, controller, ": gains, tracking errors or the desired motion are too large");
  tau.swap(next);
  return tau;
}

/// @throws Error unless the time since the last tick is positive and at most longest_tick
inline void check_tick(const char* controller, double dt) {
  if (dt > 0.0 && dt <= longest_tick) return;
  throw Error(join({controller, ": dt is ", number(dt), " s, must be positive and at most ", number(longest_tick),
                    " s; after a longer pause call reset"}));
}

}}}  // namespace corio::detail
