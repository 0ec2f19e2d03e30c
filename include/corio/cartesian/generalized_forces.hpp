#pragma once

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/cartesian/maximal.hpp"

/// Wrenches on bodies and in joints, and their generalized forces.
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct GeneralizedForces;
template <class S>
struct BodyWrenches;
template <class S>
struct JointWrenches;

}  // namespace algorithm

/// Computes Q = J^T F, the generalized forces of wrenches on the bodies: Q . v = sum F_i . V_i.
/// @param F  6 x bodies, [moment; force] about the point, world axes. A force that acts elsewhere contributes its
/// moment about the point.
/// @returns nv (N m, N), valid until the next generalized_forces
/// @throws SizeError. O(n). Source: Liu and Jain, eqs. 48 and 67.
template <class S>
const VectorX<S>& generalized_forces(const Model<S>& model, Data<S>& data, MatrixIn<S> F,
                                     BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_of_bodies<S>("F", F, model, "generalized_forces");
  return data.template run<algorithm::GeneralizedForces<S>>(model, F, point).Q;
}
template <class S>
const VectorX<S>& generalized_forces(const Model<S>& model, Data<S>& data, VectorIn<S> q, MatrixIn<S> F,
                                     BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_of_bodies<S>("F", F, model, "generalized_forces");
  return generalized_forces<S>(model, forward_kinematics(model, data, q, __func__), F, point);
}

/// Computes Q for forces at any points, and body torques: f_k, r_k and tau'_k of eq. 67 are
/// ExternalForce(body, {tau', f}, ReferenceFrame::world, r).
/// @throws ModelError for a force on a body of another model
template <class S>
const VectorX<S>& generalized_forces(const Model<S>& model, Data<S>& data, ExternalForces<S> forces) {
  return data.template run<algorithm::GeneralizedForces<S>>(model, forces).Q;
}

/// Converts wrenches in joints to wrenches on bodies: the wrench of a joint acts on its child body, and minus the
/// wrench on the parent.
///
/// @param joints  6 x bodies, [moment; force] in the axes of the parent's frame (of the world, for a root), about the
///                origin of the joint as the body carries it. With moments alone they are the joint torques tau^ of the
///                source, and the moments of the result its body torques tau'.
/// @returns F, 6 x bodies, as generalized_forces takes it, valid until the next body_wrenches
/// @throws SizeError. O(n). Source: Liu and Jain, eq. 68, tau' = D^T R tau^.
template <class S>
const Matrix6X<S>& body_wrenches(const Model<S>& model, Data<S>& data, MatrixIn<S> joints,
                                 BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_of_bodies<S>("joints", joints, model, "body_wrenches");
  return data.template run<algorithm::BodyWrenches<S>>(model, joints, point).F;
}

/// The inverse of body_wrenches: computes the wrench that each joint transmits, the sum of the wrenches F over its
/// subtree.
/// @param F  6 x bodies, see generalized_forces
/// @returns 6 x bodies, see body_wrenches, valid until the next joint_wrenches
/// @throws SizeError. O(n). Source: Liu and Jain, eq. 68, tau^ = (D^T R)^-1 tau'.
template <class S>
const Matrix6X<S>& joint_wrenches(const Model<S>& model, Data<S>& data, MatrixIn<S> F,
                                  BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_of_bodies<S>("F", F, model, "joint_wrenches");
  return data.template run<algorithm::JointWrenches<S>>(model, F, point).joints;
}

namespace detail {

/// Returns the axes of the frame of the body's parent, or of the world, in world axes.
template <class S>
Matrix3<S> axes_of_parent(const Model<S>& model, const Data<S>& data, const Body<S>& body) {
  if (body.parent() < 0) return identity3<S>();
  const Body<S>& parent = model.bodies().data()[body.parent()];
  return data.pose[parent.node()].rotation * parent.placement().rotation;
}

/// Expresses a wrench F in other axes about the same point: R F, or R^T F.
template <class S>
Force<S> rotated(const Matrix3<S>& R, const Force<S>& F) {
  return {R * F.moment, R * F.force};
}

}  // namespace detail

namespace algorithm {

template <class S>
struct GeneralizedForces {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "generalized_forces"};
  VectorX<S> Q;
  PerNode<Force<S>> force;

  explicit GeneralizedForces(const Model<S>& m) : Q(zeros<S>(m.nv())), force(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data, MatrixIn<S> F, BodyPoint point) {
    clear();
    for (const Body<S>& body : model.bodies())
      force[body.node()] =
          detail::axes_at(model, data, body, point).act(Force<S>::from(Vector6<S>(F.col(body.index()))));
    detail::sum_inward_and_project(model, data.phi, force, Q);
  }
  void run(const Model<S>& model, const Data<S>& data, ExternalForces<S> forces) {
    clear();
    detail::subtract_external(model, data, forces, force);
    for (Force<S>& F : force) F = -F;
    detail::sum_inward_and_project(model, data.phi, force, Q);
  }
  void clear() {
    Q.setZero();
    std::fill(force.begin(), force.end(), Force<S>::zero());
  }
};

template <class S>
struct BodyWrenches {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "body_wrenches"};
  Matrix6X<S> F;
  PerBody<Force<S>> force;

  explicit BodyWrenches(const Model<S>& m)
      : F{detail::zero_for_bodies(m)}, force(static_cast<int>(detail::num_bodies(m))) {}
  void run(const Model<S>& model, const Data<S>& data, MatrixIn<S> joints, BodyPoint point) {
    for (const Body<S>& body : model.bodies()) {
      const Force<S> given = Force<S>::from(Vector6<S>(joints.col(body.index())));
      force[body.index()] =
          detail::axes_at_joint(data, body).act(detail::rotated(detail::axes_of_parent(model, data, body), given));
      if (body.parent() >= 0) force[body.parent()] -= force[body.index()];
    }
    for (const Body<S>& body : model.bodies())
      F.col(body.index()) = detail::axes_at(model, data, body, point).act_inverse(force[body.index()]).vector();
  }
};

template <class S>
struct JointWrenches {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "joint_wrenches"};
  Matrix6X<S> joints;
  PerBody<Force<S>> force;

  explicit JointWrenches(const Model<S>& m)
      : joints(detail::zero_for_bodies(m)), force(static_cast<int>(detail::num_bodies(m))) {}
  void run(const Model<S>& model, const Data<S>& data, MatrixIn<S> F, BodyPoint point) {
    for (const Body<S>& body : model.bodies())
      force[body.index()] =
          detail::axes_at(model, data, body, point).act(Force<S>::from(Vector6<S>(F.col(body.index()))));
    for (auto body = model.bodies().rbegin(); body != model.bodies().rend(); ++body) {
      const Force<S>& whole = force[body->index()];
      const Matrix3<S> to_parent = transpose(detail::axes_of_parent(model, data, *body));
      joints.col(body->index()) =
          detail::rotated(to_parent, detail::axes_at_joint(data, *body).act_inverse(whole)).vector();
      if (body->parent() >= 0) force[body->parent()] += whole;
    }
  }
};

}  // namespace algorithm

}}  // namespace corio
