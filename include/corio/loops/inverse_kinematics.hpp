#pragma once

#include <optional>
#include <random>

#include "corio/algorithms/dynamics/com_jacobian.hpp"
#include "corio/core/compiled.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/loops/pose_targets.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Options of inverse_kinematics.
template <class S>
struct InverseKinematicsOptions {
  /// Resolves redundancy: the result is the configuration nearest to this one among those that reach the targets.
  /// Without it, the result is near the start.
  std::optional<VectorX<S>> posture{};
  /// Whether the limits of hinges and sliders are kept.
  bool limits = true;
  /// Further starts, at random configurations, as long as the targets are not reached.
  int restarts = 0;
  std::uint32_t seed = 1;
  /// Bound of the largest error, m or rad; it is relative to the coordinates for positions farther than 1 m, and as in
  /// assemble for loops.
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

template <std::floating_point S>
class TargetsAndLoops;

}  // namespace detail

/// Inverse kinematics: a configuration in which bodies, frames and, by an option, the centre of mass have given
/// places. All targets are met together, and with them the loops of the model.
///
///   const auto found = inverse_kinematics<double>(model, data, {{model.frame("tool0"), pose}}, q);
///   if (!found.reached) std::cerr << found.worst << " is off by " << found.residual << '\n';
///
/// Levenberg-Marquardt steps of least length on the configuration manifold, q <- q (+) -K^T (K K^T + mu)^-1 k, for the
/// errors k of the targets: the vector of the rotation (rad) and the difference of the positions (m), in world axes. A
/// joint that would pass a limit stops there and takes no further part until it leads back. With a posture, the
/// reached configuration then moves towards it in the null space of K, x = (1 - K^+ K) difference(q, posture), and back
/// onto the targets, until no such step leads nearer.
///
/// If the targets are not reached, the result is a local minimum of the sum of squares of the errors. Another start may
/// find a smaller one (`restarts`), or the targets are out of reach.
///
/// @param q  where to start; with limits it is first moved within them
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
  detail::TargetsAndLoops<S> conditions(model, data, targets, options.center_of_mass);
  detail::ClosingSteps<S> steps(model, conditions.rows());
  const S good = static_cast<S>(1e-2 * options.tolerance), tolerance = static_cast<S>(options.tolerance);
  const auto residual_at = [&](const VectorX<S>& at, VectorX<S>& k) { conditions.residual(at, k); };
  const auto jacobian = [&] { conditions.jacobian(steps.k, steps.K); };
  const auto bound = [&](const VectorX<S>& at) {
    if (!options.limits) return;
    detail::for_each_limited(model, [&](const Node<S>& node, S lower, S upper) {
      steps.lower[node.v_begin] = lower - at[node.q_begin];
      steps.upper[node.v_begin] = upper - at[node.q_begin];
    });
  };
  const auto within_limits = [&](VectorX<S>& at) {
    if (!options.limits) return;
    detail::for_each_limited(model, [&](const Node<S>& node, S lower, S upper) {
      at[node.q_begin] = std::clamp(at[node.q_begin], lower, upper);
    });
  };
  InverseKinematics<S> result;
  // Returns the largest residual, relative to sizes, near which q, within the limits, ends.
  const auto reach = [&](VectorX<S>& at) {
    within_limits(at);
    residual_at(at, steps.k);
    conditions.sizes(steps.size);
    result.iterations += steps.run(at, good, residual_at, jacobian, bound);
    within_limits(at);  // Rounding may have left q slightly outside.
    residual_at(at, steps.k);
    conditions.sizes(steps.size);
    return steps.largest();
  };

  result.q = q;
  S least = reach(result.q);
  std::mt19937 generator(options.seed);
  for (int i = 0; i < options.restarts && least > tolerance; ++i) {
    VectorX<S> other = random_configuration<S>(model, generator);
    const S residual = reach(other);
    if (residual < least) result.q.swap(other), least = residual;
  }
  result.reached = least <= tolerance;

  // Move towards the posture as long as steps of some length lead nearer. Many steps are needed, because on curved sets
  // of solutions each one covers only a share of the way.
  S step = S(1);
  for (int i = 0; options.posture && result.reached && i < detail::ClosingSteps<S>::most && step > S(1e-3); ++i) {
    const VectorX<S> way = difference<S>(model, result.q, *options.posture);
    residual_at(result.q, steps.k);
    jacobian();
    bound(result.q);
    const VectorX<S> x = steps.bounded(std::numeric_limits<S>::epsilon(), way, VectorX<S>::Zero(conditions.rows()));
    if (!(x.norm() > std::sqrt(std::numeric_limits<S>::epsilon()))) break;
    VectorX<S> moved = integrate<S>(model, result.q, VectorX<S>(step * x));
    const S residual = reach(moved);
    if (residual <= tolerance && difference<S>(model, moved, *options.posture).norm() < way.norm()) {
      result.q.swap(moved);
      step = (std::min)(S(1), S(2) * step);
    } else {
      step /= S(2);
    }
  }

  residual_at(result.q, steps.k);
  Eigen::Index row = 0;
  if (steps.k.size() > 0) {
    result.residual = steps.k.cwiseAbs().maxCoeff(&row);
    result.worst = conditions.name_of(row);
  }
  detail::for_each_limited(model, [&](const Node<S>& node, S lower, S upper) {
    const S x = result.q[node.q_begin], play = S(1e-9) + S(10) * std::numeric_limits<S>::epsilon();
    if (x <= lower + play || x >= upper - play)
      result.at_limit.push_back(model.joints().begin()[model.bodies().begin()[node.body].joint()].name());
  });
  return result;
}

namespace detail {

/// The errors of targets and of the model's loops as one vector k(q), for ClosingSteps.
template <std::floating_point S>
class TargetsAndLoops {
 public:
  /// @param com  the desired position of the centre of mass
  TargetsAndLoops(const Model<S>& model, Data<S>& data, const std::vector<PoseTarget<S>>& targets,
                  const std::optional<Vector3<S>>& com)
      : model_(model), data_(data), targets_(targets), com_(com), loops_(Loops<S>(model).with_senses()) {
    for (const auto& target : targets) of_targets_ += target.rows();
  }

  Eigen::Index rows() const { return of_targets_ + of_com() + loops_.rows(); }
  void residual(const VectorX<S>& q, VectorX<S>& k) const {
    forward_kinematics<S>(model_, data_, q);
    target_errors<S>(model_, data_, targets_, k.head(of_targets_));
    if (com_) k.template segment<3>(of_targets_) = center_of_mass(model_, data_) - *com_;
    constraint_residual<S>(model_, data_, loops_, k.tail(loops_.rows()));
  }
  /// Sets the sizes at the q that residual() got last: see ClosingSteps::size.
  void sizes(VectorX<S>& size) const {
    target_sizes<S>(data_, targets_, size.head(of_targets_));
    if (com_)
      size.template segment<3>(of_targets_)
          .setConstant((std::max)({S(1), largest_coordinate(data_, true), S(com_->cwiseAbs().maxCoeff())}));
    find_sizes<S>(model_, data_, loops_, size.tail(loops_.rows()));
  }
  /// Computes K at the q that residual() got last, from that residual.
  void jacobian(const VectorX<S>& k, MatrixX<S>& K) const {
    target_jacobian<S>(model_, data_, targets_, k.head(of_targets_), K.topRows(of_targets_));
    if (com_) K.template middleRows<3>(of_targets_) = com_jacobian(model_, data_);
    constraint_jacobian<S>(model_, data_, loops_, K.bottomRows(loops_.rows()));
  }
  /// Returns the name of what a row belongs to: a frame, the centre of mass, or a loop.
  std::string name_of(Eigen::Index row) const {
    for (const auto& target : targets_) {
      if (row < target.rows()) return target.frame.name();
      row -= target.rows();
    }
    if (row < of_com()) return "centre of mass";
    return loops_.of_row(static_cast<int>(row - of_com())).name;
  }

 private:
  Eigen::Index of_com() const { return com_ ? 3 : 0; }

  const Model<S>& model_;
  Data<S>& data_;
  const std::vector<PoseTarget<S>>& targets_;
  const std::optional<Vector3<S>>& com_;
  const Loops<S> loops_;
  Eigen::Index of_targets_ = 0;
};

}  // namespace detail

#define CORIO_COMPILED_INVERSE_KINEMATICS(EXTERN, S)       \
  EXTERN template InverseKinematics<S> inverse_kinematics( \
      const Model<S>&, Data<S>&, const std::vector<PoseTarget<S>>&, VectorIn<S>, const InverseKinematicsOptions<S>&);
CORIO_DECLARE_COMPILED(INVERSE_KINEMATICS)

}}  // namespace corio
