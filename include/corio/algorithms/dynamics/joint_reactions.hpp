#pragma once

#include <span>
#include <vector>

#include "corio/algorithms/dynamics/rnea.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct JointReactions;

}  // namespace algorithm

/// Computes the wrench [moment; force] that each joint transmits from the parent of a body, or the ground, to the body.
/// With this wrench, the opposite wrenches of the joints that the body carries, its weight and the external forces,
/// Newton's and Euler's laws hold for the body. Along the joint's columns the wrench is tau - armature a of rnea, the
/// sum of drive, springs and friction; its other components act on bearings and structure. Bodies welded together by
/// fixed joints have the reaction of the joint that carries them all. For the reaction of a fixed joint, model it as a
/// revolute joint held at rest.
///
/// For a Mechanism (mechanism/quantities.hpp) the forces of the loops act on the bodies as well: the forces for
/// drives in the independent joints, or for the drives given. Forces of couplings and relations act along the joints
/// that they couple.
/// Forces of idle conditions, which no motion determines, are zero.
///
/// @param external  wrenches on bodies, each with its axes and point
/// @param places    bodies or frames, whose body's joint is meant, with the axes and the point of each wrench: a
///                  std::vector or array of FramePoint. By default all bodies, each in its own frame
/// @returns 6 x places, or 6 x bodies: column i belongs to model.bodies()[i]. N m, N. Zero on the ground. Valid until
/// the next joint_reactions
/// @throws SizeError; ModelError for a place of another model. O(n). Allocates when the number of places changes.
/// Source: Liu and Jain, eqs. 72-73.
template <class S, template <class> class Robot>
const Matrix6X<S>& joint_reactions(const Robot<S>& robot, DataOf<Robot<S>>& data, ExternalForces<S> external = {},
                                   std::span<const FramePoint<std::type_identity_t<S>>> places = {}) {
  return data.template run<algorithm::JointReactions<S>>(robot, external, places).wrenches;
}
template <class S, template <class> class Robot>
const Matrix6X<S>& joint_reactions(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                   VectorIn<S> a, ExternalForces<S> external = {},
                                   std::span<const FramePoint<std::type_identity_t<S>>> places = {}) {
  return joint_reactions(robot, forward_kinematics(robot, data, q, v, a, __func__), external, places);
}

/// The centre of pressure of a wrench on a plane: the point about which its moment is normal to the plane,
///   point + n x M / (n . f)   with the moment M about the given point.
/// For contact forces this point lies within the support. For the wrench that joint_reactions gives for a floating
/// base, at a place in ReferenceFrame::world, it is the zero moment point (ZMP).
///
/// @param F       [moment; force] in world axes, about the world's origin
/// @param point   a point of the plane, in the world
/// @param normal  to the plane, of any length
/// @returns a point of the plane, in the world; not finite for a force along the plane. O(1).
/// Source: Vukobratovic and Borovac (2004).
template <class S>
Vector3<S> center_of_pressure(const Force<S>& F, const Vector3<std::type_identity_t<S>>& point = zero3<S>(),
                              const Vector3<std::type_identity_t<S>>& normal = unit3<S>(2)) {
  return point + cross(normal, about(F, point).moment) * (S(1) / dot(normal, F.force));
}
/// Returns the centre of pressure of a sum of wrenches on bodies, such as contact wrenches.
/// @throws StateError before forward_kinematics(robot, data, q); ModelError for a wrench on a body of another model
template <class S, template <class> class Robot>
Vector3<S> center_of_pressure(const Robot<S>& robot, const DataOf<Robot<S>>& data, ExternalForces<S> wrenches,
                              const Vector3<std::type_identity_t<S>>& point = zero3<S>(),
                              const Vector3<std::type_identity_t<S>>& normal = unit3<S>(2)) {
  data.require(robot, Pass::position, "center_of_pressure");
  detail::check_external(robot.tree(), wrenches);
  Force<S> sum = Force<S>::zero();  // moments about the point
  for (const auto& e : wrenches)
    if (e.node() >= 0) sum += about(e.in_world(data.of_tree()), Vector3<S>(point - data.of_tree().origin[e.node()]));
  return point + center_of_pressure(sum, zero3<S>(), normal);
}

namespace algorithm {

template <class S>
struct JointReactions {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "joint_reactions"};
  using Places = std::span<const FramePoint<S>>;
  Matrix6X<S> wrenches;
  PerNode<Force<S>> force;
  std::vector<FramePoint<S>> bodies;  // the frames of all bodies

  explicit JointReactions(const Model<S>& m)
      : wrenches(6, std::ssize(m.bodies())), force(m.num_nodes()), bodies(m.bodies().begin(), m.bodies().end()) {}
  void run(const Model<S>& model, const Data<S>& data, ExternalForces<S> external, Places places) {
    begin(model, data, external, places);
    end(model, data, places);
  }
  /// Computes the forces that give each body its acceleration, minus the external forces.
  void begin(const Model<S>& model, const Data<S>& data, ExternalForces<S> external, Places places) {
    for (const FramePoint<S>& place : places) detail::check_owns(model, place, needs.name);
    detail::body_forces(model, data, data.acceleration, external, force);
  }
  void end(const Model<S>& model, const Data<S>& data, Places places) {
    detail::sum_inward(model, force);
    if (places.empty()) places = bodies;
    wrenches.resize(6, std::ssize(places));
    for (Eigen::Index i = 0; const FramePoint<S>& place : places) {
      const int b = place.node();
      wrenches.col(i++) = (b < 0 ? Force<S>::zero() : detail::FrameView<S>(data, place).see(force[b])).vector();
    }
  }
};

}  // namespace algorithm

}}  // namespace corio
