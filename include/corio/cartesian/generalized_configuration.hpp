#pragma once

#include "corio/cartesian/generalized_velocities.hpp"
#include "corio/spatial/lie.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of generalized_configuration.
template <class S>
struct GeneralizedConfigurationResult {
  VectorX<S> q;          ///< nq
  S angular = S(0);      ///< residual: the largest angle between a joint's pose and the given one, rad
  S linear = S(0);       ///< residual: the largest distance between the two poses, m
  int worst_joint = -1;  ///< index into model.joints(): the joint with the larger of both numbers
  int iterations = 0;    ///< steps taken
};

namespace algorithm {

template <class S>
struct GeneralizedConfiguration;

}  // namespace algorithm

/// Computes the configuration in which the bodies have given poses, joint by joint, by Gauss-Newton steps on the
/// configuration manifold towards the relative pose of the two bodies of each joint,
///   q_k <- q_k (+) S_k^+ log(T_k(q)^-1 T_parent(k)^-1 T_k),
/// with the columns S_k in axes at the joint. One step is enough for joints whose columns are constant in the body
/// (revolute, prismatic, spherical, floating, ..), a few for other joints. Poses that the joints do not allow, such as
/// the poses of a physics engine with compliant constraints, are fitted joint by joint, and the residual is returned.
/// Afterwards data holds the state of forward_kinematics at the result, which generalized_velocities needs.
///
/// @param poses  poses of the frames of model.bodies() in the world, see maximal_poses
/// @param q      initial guess; angles are found to within half a turn of it
/// @returns q and the residual, valid until the next call
/// @throws SizeError, ModelError for a joint of more than six speeds. O(n) for each step; 50 steps at most.
template <std::floating_point S>
const GeneralizedConfigurationResult<S>& generalized_configuration(const Model<S>& model, Data<S>& data,
                                                                   const PerBody<Pose<S>>& poses, VectorIn<S> q) {
  data.check_fits(model);
  detail::check_size("poses", poses.size(), detail::num_bodies(model), "generalized_configuration");
  detail::check_coordinates("q", q, model, "generalized_configuration");
  auto& own = data.template of<algorithm::GeneralizedConfiguration<S>>(model);
  own.run(model, data, poses, q);
  return own.result;
}

namespace algorithm {

template <class S>
struct GeneralizedConfiguration {
  static constexpr int most_iterations = 50;
  GeneralizedConfigurationResult<S> result;
  VectorX<S> step;
  PerBody<Pose<S>> given;  // given poses of the bodies' nodes
  detail::LeastSquares<S, detail::JointMatrix<S>> solver;
  detail::JointMatrix<S> error, dq;

  explicit GeneralizedConfiguration(const Model<S>& m)
      : result{zeros<S>(m.nq())},
        step(zeros<S>(m.nv())),
        given(static_cast<int>(detail::num_bodies(m)), Pose<S>::identity()) {}
  void run(const Model<S>& model, Data<S>& data, const PerBody<Pose<S>>& poses, VectorIn<S> q);

 private:
  void find_step(const Model<S>& model, const Data<S>& data);
};
template <class S>
void GeneralizedConfiguration<S>::run(const Model<S>& model, Data<S>& data, const PerBody<Pose<S>>& poses,
                                      VectorIn<S> q) {
  for (const Body<S>& body : model.bodies()) given[body.index()] = poses[body.index()] * body.placement().inverse();
  result.q = q;
  bool found = false;
  for (result.iterations = 0;; ++result.iterations) {
    find_step(model, forward_kinematics<S>(model, data, result.q));
    if (found || result.iterations == most_iterations) return;
    // Convergence is quadratic: after a step of about sqrt(eps) the error is a rounding error.
    found = step.size() == 0 || step.cwiseAbs().maxCoeff() < static_cast<S>(detail::rank_tolerance<S>());
    integrate<S>(model, result.q, step, result.q);
  }
}

/// Computes the Gauss-Newton step of each joint towards the relative pose of its bodies, and the remaining error.
template <class S>
void GeneralizedConfiguration<S>::find_step(const Model<S>& model, const Data<S>& data) {
  result.angular = result.linear = S(0), result.worst_joint = -1;
  for (const Body<S>& body : model.bodies()) {
    const Joint& joint = model.joint_of_node(body.node());
    const Pose<S>& at = data.pose[body.node()];
    const Pose<S> ground{identity3<S>(), -data.origin[body.node()]};
    const bool is_root = body.parent() < 0;
    const Pose<S>& parent = is_root ? ground : data.pose[model.bodies().begin()[body.parent()].node()];
    const Pose<S>& given_parent = is_root ? Pose<S>::identity() : given[body.parent()];
    const Motion<S> missing = log((at.inverse() * parent) * (given_parent.inverse() * given[body.index()]));
    error = missing.vector();
    solver.compute(detail::joint_columns(model, data, body, at));
    solver.solve(error, dq);
    step.segment(joint.v_index(), joint.nv()) = dq.col(0);
    const S angle = missing.angular.norm(), distance = missing.linear.norm();
    if (angle > (std::max)(result.angular, result.linear) || distance > (std::max)(result.angular, result.linear))
      result.worst_joint = body.joint();
    result.angular = (std::max)(result.angular, angle), result.linear = (std::max)(result.linear, distance);
  }
}

}  // namespace algorithm

}}  // namespace corio
