#pragma once

#include <cmath>

#include "corio/cartesian/maximal.hpp"
#include "corio/solvers/least_squares.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of generalized_velocities and least_squares_velocities.
template <class S>
struct GeneralizedVelocitiesResult {
  VectorX<S> v;          ///< nv
  Matrix6X<S> residual;  ///< V - J v, in the axes and at the points of V: the part that the joints do not allow
  S angular = S(0);      ///< the largest norm of an angular part of the residual, rad/s
  S linear = S(0);       ///< the largest norm of a linear part of the residual, m/s
  /// Rank of the (weighted) least-squares problem: nv unless some joint is in a singular configuration (gimbal lock).
  /// Then v is the solution of least norm.
  int rank = 0;
  int singular_joint = -1;  ///< index into model.joints() of a singular joint, -1 if there is none
};

namespace algorithm {

template <class S>
struct GeneralizedVelocities;

}  // namespace algorithm

/// Computes the generalized velocities from given velocities of the bodies, joint by joint: with the columns S_k of a
/// joint and the relative twist of its body, in axes at the joint,
///   v_k = S_k^+ (V_k - V_parent(k)).
/// Velocities of rotational joints depend on angular velocities alone. Motions that the joints allow are recovered
/// exactly. Otherwise each v_k fits the two bodies of its joint; for the v whose J v is nearest to V use
/// least_squares_velocities. (Eq. 66 equates the two. This holds only for V that the joints allow, since taking
/// differences between bodies is not an orthogonal map.)
///
/// @param V  6 x bodies, see maximal_velocities
/// @returns v and the residual of V, valid until the next call
/// @throws SizeError, ModelError for a joint of more than six speeds. O(n). Source: Liu and Jain, eqs. 62-66, for
/// joints of every type.
template <std::floating_point S>
const GeneralizedVelocitiesResult<S>& generalized_velocities(const Model<S>& model, Data<S>& data, MatrixIn<S> V,
                                                             BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_of_bodies<S>("V", V, model, "generalized_velocities");
  return data.template run<algorithm::GeneralizedVelocities<S>>(model, V, point).result;
}
template <std::floating_point S>
const GeneralizedVelocitiesResult<S>& generalized_velocities(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                             MatrixIn<S> V,
                                                             BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_of_bodies<S>("V", V, model, "generalized_velocities");
  return generalized_velocities<S>(model, forward_kinematics(model, data, q, __func__), V, point);
}

namespace detail {

/// A matrix of one joint, at most 6 x 6.
template <class S>
using JointMatrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

/// S, 6 x nv: the columns of the body's joint in the axes and about the origin of X.
/// @throws ModelError for a joint of more than six speeds, which the motion of one body does not determine
template <class S>
JointMatrix<S> joint_columns(const Model<S>& model, const Data<S>& data, const Body<S>& body, const Pose<S>& X) {
  const Joint& joint = model.joint_of_node(body.node());
  if (joint.nv() > joint::max_nv)
    throw ModelError(join({"joint '", joint.name(), "' has ", std::to_string(joint.nv()),
                           " degrees of freedom, which the motion of its body does not determine"}));
  JointMatrix<S> columns(6, joint.nv());
  for (int k = 0; k < joint.nv(); ++k) columns.col(k) = X.act_inverse(data.phi[joint.v_index() + k]).vector();
  return columns;
}

/// Computes the residual and the norms in `result` from the v in it.
template <class S>
void measure_velocities(const Model<S>& model, const Data<S>& data, MatrixIn<S> V, BodyPoint point,
                        PerBody<Motion<S>>& twist, GeneralizedVelocitiesResult<S>& result) {
  result.angular = result.linear = S(0);
  for (const Body<S>& body : model.bodies()) {
    const int i = body.index();
    const Joint& joint = model.joint_of_node(body.node());
    twist[i] = body.parent() < 0 ? Motion<S>::zero() : twist[body.parent()];
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k) twist[i] += data.phi[k] * result.v[k];
    result.residual.col(i) = V.col(i) - axes_at(model, data, body, point).act_inverse(twist[i]).vector();
    result.angular = (std::max)(result.angular, result.residual.col(i).template head<3>().norm());
    result.linear = (std::max)(result.linear, result.residual.col(i).template tail<3>().norm());
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
struct GeneralizedVelocities {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "generalized_velocities"};
  GeneralizedVelocitiesResult<S> result;
  PerBody<Motion<S>> twist;
  detail::LeastSquares<S, detail::JointMatrix<S>> solver;
  detail::JointMatrix<S> relative, v;

  explicit GeneralizedVelocities(const Model<S>& m)
      : result{zeros<S>(m.nv()), detail::zero_for_bodies(m)}, twist(static_cast<int>(detail::num_bodies(m))) {}
  void run(const Model<S>& model, const Data<S>& data, MatrixIn<S> V, BodyPoint point);
};
template <class S>
void GeneralizedVelocities<S>::run(const Model<S>& model, const Data<S>& data, MatrixIn<S> V, BodyPoint point) {
  result.rank = 0, result.singular_joint = -1;
  for (const Body<S>& body : model.bodies()) {
    const Joint& joint = model.joint_of_node(body.node());
    const Pose<S> at_joint = detail::axes_at_joint(data, body);
    Motion<S>& W = twist[body.index()];
    W = detail::axes_at(model, data, body, point).act(Motion<S>::from(V.col(body.index())));
    relative = at_joint.act_inverse(body.parent() < 0 ? W : W - twist[body.parent()]).vector();
    solver.compute(detail::joint_columns(model, data, body, at_joint));
    solver.solve(relative, v);
    result.v.segment(joint.v_index(), joint.nv()) = v.col(0);
    result.rank += static_cast<int>(solver.rank());
    if (solver.rank() < joint.nv() && result.singular_joint < 0) result.singular_joint = body.joint();
  }
  detail::measure_velocities<S>(model, data, V, point, twist, result);
}

}  // namespace algorithm

}}  // namespace corio
