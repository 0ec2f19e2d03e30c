#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/loops/mechanism_kinematics.hpp"

/// Motion of bodies, frames and points of mechanisms, and their Jacobians, with V = J y: columns of the tree's Jacobian
/// times those of G. Forms, arguments and errors as for trees; J is 6 x nv of the mechanism.
namespace corio {
namespace detail {

/// J = sum over the degrees of freedom that move the body of column(observer, k, e), for the entries e of G in row k.
template <class S, class F>
void fill_jacobian(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Where<S>& where, Pass pass,
                   const MatrixOut<S>& J, F&& column) {
  fill_zero<S>(J);
  if (where.node() < 0) return;
  const Model<S>& tree = mechanism.tree();
  const FrameView<S> observer(data.tree, where, pass);
  for (int k = tree.node(where.node()).v_end - 1; k >= 0; k = tree.dof_parent(k))
    mechanism.for_each_entry(k, [&](int c, int e) {
      const Motion<S> V = column(observer, k, e);
      for (int i = 0; i < 3; ++i) J(i, c) += V.angular[i], J(i + 3, c) += V.linear[i];
    });
}
template <class S>
void check_jacobian(const Mechanism<S>& mechanism, const Where<S>& where, const MatrixOut<S>& J, const char* function) {
  check_owns(mechanism.tree(), where, function);
  check_shape("J", J.rows(), J.cols(), 6, mechanism.nv(), function);
}

}  // namespace detail

/// @param J  6 x nv, overwritten. O(d), times the number of independent speeds in a cluster, and the zeros
template <class S>
void body_jacobian(const Mechanism<S>& mechanism, const MechanismData<S>& data,
                   const Where<std::type_identity_t<S>>& where, MatrixOut<S> J) {
  data.require(mechanism, Pass::position, "body_jacobian");
  detail::check_jacobian<S>(mechanism, where, J, "body_jacobian");
  detail::fill_jacobian<S>(mechanism, data, where, Pass::position, J, [&](const auto& observer, int k, int e) {
    return observer.see(data.tree.phi[k]) * data.G[e];
  });
}
template <class S>
void body_jacobian(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                   const Where<std::type_identity_t<S>>& where, MatrixOut<S> J) {
  detail::check_jacobian<S>(mechanism, where, J, "body_jacobian");
  body_jacobian(mechanism, forward_kinematics<S>(mechanism, data, q), where, J);
}

/// The rate of the numbers in J, as for trees.
/// @param Jdot  6 x nv, overwritten. O(d), as body_jacobian
template <class S>
void body_jacobian_dot(const Mechanism<S>& mechanism, const MechanismData<S>& data,
                       const Where<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  data.require(mechanism, Pass::velocity, "body_jacobian_dot");
  detail::check_jacobian<S>(mechanism, where, Jdot, "body_jacobian_dot");
  const VectorX<S>& Gdot = data.Gdot(mechanism);
  detail::fill_jacobian<S>(mechanism, data, where, Pass::velocity, Jdot, [&](const auto& observer, int k, int e) {
    const Motion<S>& phi = data.tree.phi[k];
    return observer.see_rate(phi, data.tree.phi_dot[k]) * data.G[e] + observer.see(phi) * Gdot[e];
  });
}
template <class S>
void body_jacobian_dot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                       const Where<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  detail::check_jacobian<S>(mechanism, where, Jdot, "body_jacobian_dot");
  body_jacobian_dot(mechanism, forward_kinematics<S>(mechanism, data, q, y), where, Jdot);
}

/// Pose, twist and accelerations of a body or frame, as for trees (kinematics/frames.hpp). O(1).
template <class S>
Pose<S> body_pose(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Frame<S>& frame) {
  data.require(mechanism, Pass::position, "body_pose");
  return body_pose(mechanism.tree(), data.tree, frame);
}
template <class S>
Motion<S> body_velocity(const Mechanism<S>& mechanism, const MechanismData<S>& data,
                        const Where<std::type_identity_t<S>>& where) {
  data.require(mechanism, Pass::velocity, "body_velocity");
  return body_velocity(mechanism.tree(), data.tree, where);
}
template <class S>
Motion<S> body_velocity(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Frame<S>& frame,
                        ReferenceFrame reference = ReferenceFrame::body) {
  data.require(mechanism, Pass::velocity, "body_velocity");
  return body_velocity(mechanism.tree(), data.tree, frame, reference);
}
template <class S>
Motion<S> body_acceleration(const Mechanism<S>& mechanism, const MechanismData<S>& data,
                            const Where<std::type_identity_t<S>>& where) {
  data.require(mechanism, Pass::acceleration, "body_acceleration");
  return body_acceleration(mechanism.tree(), data.tree, where);
}
template <class S>
Motion<S> body_acceleration(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Frame<S>& frame,
                            ReferenceFrame reference = ReferenceFrame::body) {
  data.require(mechanism, Pass::acceleration, "body_acceleration");
  return body_acceleration(mechanism.tree(), data.tree, frame, reference);
}
template <class S>
Motion<S> body_classical_acceleration(const Mechanism<S>& mechanism, const MechanismData<S>& data,
                                      const Where<std::type_identity_t<S>>& where) {
  data.require(mechanism, Pass::acceleration, "body_classical_acceleration");
  return body_classical_acceleration(mechanism.tree(), data.tree, where);
}

}  // namespace corio
