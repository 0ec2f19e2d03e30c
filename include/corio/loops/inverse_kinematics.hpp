#pragma once

#include <optional>
#include <random>

#include "corio/core/compiled.hpp"
#include "corio/loops/detail/closing_steps.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Options of inverse_kinematics.
template <class S>
struct InverseKinematicsOptions {
  /// Resolves redundancy: the result is the configuration nearest to the posture among those that reach the targets.
  /// Without a posture, the result is near the start.
  std::optional<VectorX<S>> posture{};
  /// Whether the limits of hinges and sliders are kept.
  bool limits = true;
  /// The number of further starts, at random configurations, while the targets are not reached.
  int restarts = 0;
  std::uint32_t seed = 1;
  /// The largest permitted error, m or rad. For positions farther than 1 m from the origin, and for loops as in
  /// assemble, it is relative to the coordinates.
  double tolerance = 1e3 * std::numeric_limits<S>::epsilon();
  /// The desired position of the centre of mass of all moving bodies, in world axes: one more target.
  std::optional<Vector3<S>> center_of_mass{};
};

/// The result of inverse_kinematics.
template <class S>
struct InverseKinematics {
  VectorX<S> q;                         // the best configuration found
  bool reached = false;                 // whether all errors are below the tolerance
  int iterations = 0;                   // sum over all starts
  S residual = S(0);                    // the largest error of the targets and loops, m or rad
  std::string worst{};                  // the frame or loop with this error, or "centre of mass"
  std::vector<std::string> at_limit{};  // joints that are at a limit
};

namespace detail {

template <class S>
void check_targets(const Model<S>& model, const std::vector<PoseTarget<S>>& targets) {
  for (const auto& target : targets) {
    const std::string name = join({"inverse_kinematics: the target of '", target.frame.name(), "'"});
    check_owns<S>(model, target.frame, "inverse_kinematics");
    if (target.frame.node() < 0)
      throw ModelError(join({name, " is for a frame that no joint moves; choose a frame of a moving body"}));
    const Matrix3<S>& R = target.pose.rotation;
    if (!all_finite(R) || !all_finite(target.pose.translation)) throw Error(join({name, " is not finite"}));
    if (!((R * transpose(R)).isIdentity(S(1e-4)) && dot(cross<S>(R.col(0), R.col(1)), Vector3<S>(R.col(2))) > S(0)))
      throw Error(join(
          {name, " has axes that are no rotation matrix; make its columns perpendicular unit vectors, right-handed"}));
  }
}

}  // namespace detail

/// Inverse kinematics: a configuration in which bodies, frames and, by an option, the centre of mass have given places.
/// All targets are met together, and with them the loops of the model.
///
///   const auto found = inverse_kinematics<double>(model, data, {{model.frame("tool0"), pose}}, q);
///   if (!found.reached) std::cerr << found.worst << " is off by " << found.residual << '\n';
///
/// Levenberg-Marquardt steps of least length on the configuration manifold, q <- q (+) -K^T (K K^T + mu)^-1 k, for the
/// errors k of the targets: the vector of the rotation (rad) and the difference of the positions (m), in world axes. A
/// joint that would pass a limit stops there and takes no further part until a step leads it back. With a posture, the
/// reached configuration then moves towards the posture in the null space of K, x = (1 - K^+ K) difference(q, posture),
/// and back onto the targets, until no such step leads nearer.
///
/// If the targets are not reached, the result is a local minimum of the sum of squares of the errors. Another start may
/// find a smaller one (`restarts`), or the targets are out of reach.
///
/// @param q  the start; with limits, its joints are first moved within them
/// @throws SizeError; ModelError for frames of another model, or that no joint moves; Error for numbers that are not
/// finite, axes that are no rotation or a negative tolerance. Allocates; some ten iterations of O(n d + m^2 (n + m))
/// for m errors, more with a posture. Source: Levenberg (1944) and Marquardt (1963); Liegeois (1977) for the null
/// space.
template <std::floating_point S>
InverseKinematics<S> inverse_kinematics(const Model<S>& model, Data<S>& data, const std::vector<PoseTarget<S>>& targets,
                                        VectorIn<S> q, const InverseKinematicsOptions<S>& options = {}) {
  detail::check_tolerance("options.tolerance", options.tolerance);
  detail::check_on_manifold<S>("q", q, model, 1e-3);
  if (options.posture) detail::check_on_manifold<S>("options.posture", *options.posture, model, 1e-3);
  detail::check_targets(model, targets);
  if (options.center_of_mass) detail::require_finite("center_of_mass", *options.center_of_mass, "inverse_kinematics");
  const detail::TargetsAndLoops<S> conditions(model, data, Loops<S>(model), targets, options.center_of_mass);
  detail::ClosingSteps<S> steps(conditions, options.limits);
  const S tolerance = static_cast<S>(options.tolerance);
  InverseKinematics<S> result;
  result.q = q;
  S least = steps.reach(result.q, options.tolerance);
  std::mt19937 generator(options.seed);
  for (int i = 0; i < options.restarts && least > tolerance; ++i) {
    VectorX<S> other = random_configuration<S>(model, generator);
    const S residual = steps.reach(other, options.tolerance);
    if (residual < least) result.q.swap(other), least = residual;
  }
  result.reached = least <= tolerance;

  // Move towards the posture as long as steps of some length lead nearer. Many steps are needed, because on curved sets
  // of solutions each one covers only a share of the way.
  S step = S(1);
  for (int i = 0; options.posture && result.reached && i < detail::ClosingSteps<S>::most && step > S(1e-3); ++i) {
    const VectorX<S> way = difference<S>(model, result.q, *options.posture);
    const VectorX<S> x = steps.step_along_conditions(result.q, way);
    if (!(x.norm() > std::sqrt(std::numeric_limits<S>::epsilon()))) break;
    VectorX<S> moved = integrate<S>(model, result.q, VectorX<S>(step * x));
    const S residual = steps.reach(moved, options.tolerance);
    if (residual <= tolerance && difference<S>(model, moved, *options.posture).norm() < way.norm()) {
      result.q.swap(moved);
      step = (std::min)(S(1), S(2) * step);
    } else {
      step /= S(2);
    }
  }

  steps.evaluate(result.q);
  steps.report(result);
  detail::for_each_limited(model, [&](const Node<S>& node, S lower, S upper) {
    const S x = result.q[node.q_begin], play = S(1e-9) + S(10) * std::numeric_limits<S>::epsilon();
    if (x <= lower + play || x >= upper - play)
      result.at_limit.push_back(model.joints().begin()[model.bodies().begin()[node.body].joint()].name());
  });
  return result;
}

#define CORIO_COMPILED_INVERSE_KINEMATICS(EXTERN, S)       \
  EXTERN template InverseKinematics<S> inverse_kinematics( \
      const Model<S>&, Data<S>&, const std::vector<PoseTarget<S>>&, VectorIn<S>, const InverseKinematicsOptions<S>&);
CORIO_DECLARE_COMPILED(INVERSE_KINEMATICS)

}}  // namespace corio
