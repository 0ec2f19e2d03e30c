#pragma once

#include <type_traits>

#include "corio/model/model.hpp"

/// Positions and axes of the joints of a model, relative to the frames of its bodies.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// The nodes of a body's joint are first_node(model, body) .. body.node().
template <class S>
int first_node(const Model<S>& model, const Body<S>& body) {
  int b = body.node();
  while (b > 0 && model.node(b - 1).body == body.index()) --b;
  return b;
}

/// The inverse of the pose of a parent's frame in the axes of its node; identity for the ground.
template <class S>
Pose<S> parent_inverse(const Model<S>& model, const Body<S>& body) {
  return body.parent() < 0 ? Pose<S>::identity() : model.bodies().begin()[body.parent()].placement().inverse();
}

/// The pose of a body's frame in its parent's frame at q, or at the neutral configuration if q is null.
template <class S>
Pose<S> pose_in_parent(const Model<S>& model, const Body<S>& body, const S* q) {
  Pose<S> X = parent_inverse(model, body);
  for (int b = first_node(model, body); b <= body.node(); ++b) {
    const Node<S>& node = model.node(b);
    X = X * node.placement;
    if (q) X = node.joint.compose(X, q + node.q_begin);
  }
  return X * body.placement();
}

/// The body that the joint of that name carries.
template <class S>
const Body<S>& carried_body(const Model<S>& model, const Joint& joint) {
  return model.bodies().begin()[&model.joint(joint.name()) - model.joints().data()];
}

/// The unit axes of the primitive joints of a joint, in the joint frame, at the neutral configuration; primitive joints
/// without an axis are skipped.
template <class S>
std::vector<Vector3<S>> joint_axes(const Model<S>& model, const Body<S>& body) {
  std::vector<Vector3<S>> axes;
  Matrix3<S> to_body = transpose(body.placement().rotation);
  for (int b = body.node(); b >= first_node(model, body); --b) {
    const Node<S>& node = model.node(b);
    node.joint.visit([&]<class J>(const J&) {
      if constexpr (std::is_base_of_v<joint::AlongAxis, J>) axes.insert(axes.begin(), corio::column(to_body, 2));
    });
    to_body = to_body * transpose(node.placement.rotation);
  }
  return axes;
}

}  // namespace detail

/// Pose of the joint frame in the frame of the parent body, or in the world for a joint on the ground. At the neutral
/// configuration the joint frame is parallel to the child body; its origin lies on the joint's axes. It is
/// BodySpec::placement of a joint given to ModelBuilder, and <origin> in URDF. O(1).
/// @param joint  a joint of this model, such as model.joint("elbow")
/// @throws ModelError for a name that the model does not have
template <class S>
Pose<S> joint_placement(const Model<S>& model, const Joint& joint) {
  const Body<S>& body = detail::carried_body(model, joint);
  const Pose<S> first = detail::parent_inverse(model, body) * model.node(detail::first_node(model, body)).placement;
  return {detail::pose_in_parent<S>(model, body, nullptr).rotation, first.translation};
}

/// The unit vector along the axis of a joint, for a planar joint the normal of its plane, in the joint frame (see
/// joint_placement). O(1).
/// @throws ModelError for a joint without an axis (spherical, translation, free flyer, a user's joint), or with two
template <class S>
Vector3<S> joint_axis(const Model<S>& model, const Joint& joint) {
  const auto axes = detail::joint_axes(model, detail::carried_body(model, joint));
  if (axes.size() != 1)
    throw ModelError(detail::join({"model '", model.name(), "': joint '", joint.name(), "' (", joint.type(), ") has ",
                                   axes.empty() ? "no axis" : "more than one axis"}));
  return axes.front();
}

}}  // namespace corio
