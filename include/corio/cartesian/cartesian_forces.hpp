#pragma once

#include "corio/cartesian/generalized_forces.hpp"
#include "corio/cartesian/generalized_velocities.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of cartesian_forces and minimum_norm_forces.
template <class S>
struct CartesianForcesResult {
  Matrix6X<S> F;        ///< 6 x bodies, see generalized_forces
  VectorX<S> residual;  ///< Q - J^T F: zero unless a joint is in a singular configuration
  int rank = 0;         ///< number of independent directions of generalized force, nv unless some joint is singular
};

namespace algorithm {

template <class S>
struct CartesianForces;

}  // namespace algorithm

/// Computes wrenches on the bodies that are equivalent to given generalized forces, J^T F = Q, and act between bodies
/// as motors do: with the columns S_k of a joint in axes at the joint,
///   F_k = (S_k^T)^+ Q_k   on the body that it carries, and -F_k on the parent.
/// A rotational joint exerts a pure moment. The moments on all bodies of a robot on the ground add up to the moment of
/// its first joint.
///
/// @param Q  nv (N m, N)
/// @returns the wrenches, valid until the next call
/// @throws SizeError, ModelError for a joint of more than six speeds. O(n). Source: Liu and Jain, eqs. 68 and 71, for
/// joints of every type.
template <std::floating_point S>
const CartesianForcesResult<S>& cartesian_forces(const Model<S>& model, Data<S>& data, VectorIn<S> Q,
                                                 BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_speeds("Q", Q, model, "cartesian_forces");
  return data.template run<algorithm::CartesianForces<S>>(model, Q, point).result;
}

namespace algorithm {

template <class S>
struct CartesianForces {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "cartesian_forces"};
  CartesianForcesResult<S> result;
  Matrix6X<S> joints;
  BodyWrenches<S> bodies;
  detail::LeastSquares<S, detail::JointMatrix<S>> solver;
  detail::JointMatrix<S> Q_k, F_k;

  explicit CartesianForces(const Model<S>& m)
      : result{detail::zero_for_bodies(m), zeros<S>(m.nv())}, joints(result.F), bodies(m) {}
  void run(const Model<S>& model, const Data<S>& data, VectorIn<S> Q, BodyPoint point);
};
template <class S>
void CartesianForces<S>::run(const Model<S>& model, const Data<S>& data, VectorIn<S> Q, BodyPoint point) {
  result.rank = 0;
  for (const Body<S>& body : model.bodies()) {
    const Joint& joint = model.joint_of_node(body.node());
    const detail::JointMatrix<S> columns = detail::joint_columns(model, data, body, detail::axes_at_joint(data, body));
    solver.compute(columns.transpose());
    Q_k = Q.segment(joint.v_index(), joint.nv());
    solver.solve(Q_k, F_k);
    const Matrix3<S> to_parent = transpose(detail::axes_of_parent(model, data, body));
    joints.col(body.index()) = detail::rotated(to_parent, Force<S>::from(Vector6<S>(F_k.col(0)))).vector();
    auto residual = result.residual.segment(joint.v_index(), joint.nv());
    residual = Q.segment(joint.v_index(), joint.nv());
    residual.noalias() -= columns.transpose().lazyProduct(F_k.col(0));
    result.rank += static_cast<int>(solver.rank());
  }
  bodies.run(model, data, joints, point);
  result.F = bodies.F;
}

}  // namespace algorithm

}}  // namespace corio
