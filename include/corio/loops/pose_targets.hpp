#pragma once

#include <string>
#include <vector>

#include "corio/kinematics/frames.hpp"
#include "corio/loops/detail/closing_steps.hpp"

/// Targets of inverse_kinematics and their errors.
namespace corio { inline namespace CORIO_ABI {

/// A target: the desired pose of a body or frame in the world.
template <class S>
struct PoseTarget {
  enum class Of { pose, position, orientation };

  Frame<S> frame;
  Pose<std::type_identity_t<S>> pose;
  Of of = Of::pose;  // the part of the pose that is prescribed

  int rows() const { return of == Of::pose ? 6 : 3; }
};

namespace detail {

/// Computes the errors k: for an orientation log(R R_target^T), for a position p - p_target, in world axes, one target
/// after the other.
template <std::floating_point S>
void target_errors(const Model<S>& model, const Data<S>& data, const std::vector<PoseTarget<S>>& targets,
                   Eigen::Ref<VectorX<S>> k) {
  Eigen::Index row = 0;
  for (const auto& target : targets) {
    const Pose<S> at = body_pose<S>(model, data, target.frame);
    if (target.of != PoseTarget<S>::Of::position) {
      k.template segment<3>(row) = log_rotation<S>(at.rotation * transpose(target.pose.rotation));
      row += 3;
    }
    if (target.of != PoseTarget<S>::Of::orientation) {
      k.template segment<3>(row) = at.translation - target.pose.translation;
      row += 3;
    }
  }
}

/// Computes K of these errors k, with dk/dt = K v.
template <std::floating_point S>
void target_jacobian(const Model<S>& model, const Data<S>& data, const std::vector<PoseTarget<S>>& targets,
                     const Eigen::Ref<const VectorX<S>>& k, Eigen::Ref<MatrixX<S>> K) {
  K.setZero();
  Eigen::Index row = 0;
  for (const auto& target : targets) {
    const int b = target.frame.node();
    const Vector3<S> p = (data.pose[b] * target.frame.placement()).translation;
    const bool turns = target.of != PoseTarget<S>::Of::position, moves = target.of != PoseTarget<S>::Of::orientation;
    const Matrix3<S> L = left_jacobian_inverse<S>(turns ? Vector3<S>(k.template segment<3>(row)) : zero3<S>());
    for (int j = model.node(b).v_end - 1; j >= 0; j = model.parent_dof(j)) {
      const Motion<S> phi = about(data.phi[j], p);
      if (turns) K.col(j).template segment<3>(row) = L * phi.angular;
      if (moves) K.col(j).template segment<3>(row + (turns ? 3 : 0)) = phi.linear;
    }
    row += target.rows();
  }
}

/// Computes the sizes of these errors, see ClosingSteps::size.
template <std::floating_point S>
void target_sizes(const Data<S>& data, const std::vector<PoseTarget<S>>& targets, Eigen::Ref<VectorX<S>> size) {
  size.setOnes();
  const S largest = largest_coordinate(data, true);
  for (Eigen::Index row = 0; const auto& target : targets) {
    row += target.rows();
    if (target.of != PoseTarget<S>::Of::orientation)
      size.segment(row - 3, 3)
          .setConstant((std::max)({S(1), largest, S(target.pose.translation.cwiseAbs().maxCoeff())}));
  }
}

/// Calls f(node, lower, upper) once for each hinge and slider that has limits.
template <class S, class F>
void for_each_limited(const Model<S>& model, F&& f) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    const int q_end = b + 1 < model.num_nodes() ? model.node(b + 1).q_begin : model.nq();
    if (q_end != node.q_begin + 1 || node.v_end != node.v_begin + 1) continue;
    const double lower = model.lower_limit()[node.q_begin], upper = model.upper_limit()[node.q_begin];
    if (lower <= upper && (std::isfinite(lower) || std::isfinite(upper))) f(node, S(lower), S(upper));
  }
}

template <class S>
void check_targets(const Model<S>& model, const std::vector<PoseTarget<S>>& targets) {
  for (const auto& target : targets) {
    const std::string name = join({"inverse_kinematics: the target of '", target.frame.name(), "'"});
    check_owns<S>(model, target.frame, "inverse_kinematics");
    if (target.frame.node() < 0) throw ModelError(join({name, " is for a frame that no joint moves"}));
    const Matrix3<S>& R = target.pose.rotation;
    if (!all_finite(R) || !all_finite(target.pose.translation)) throw Error(join({name, " is not finite"}));
    if (!((R * transpose(R)).isIdentity(S(1e-4)) && dot(cross<S>(R.col(0), R.col(1)), Vector3<S>(R.col(2))) > S(0)))
      throw Error(join({name, " has axes that are no rotation matrix"}));
  }
}

}  // namespace detail
}}  // namespace corio
