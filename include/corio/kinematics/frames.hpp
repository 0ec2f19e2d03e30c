#pragma once

#include "corio/model/data.hpp"

namespace corio {

/// In which axes, and about which point, a spatial vector of a frame is given:
///   world          world axes, about the world's origin
///   body           the frame's own axes, about its own origin
///   world_aligned  world axes, about the frame's origin
enum class ReferenceFrame { world, body, world_aligned };

namespace detail {

/// A motion vector of a moving frame, in world axes about the origin of its tree, seen in a reference frame.
template <class S>
Motion<S> in_reference(const Data<S>& data, const Frame<S>& frame, const Motion<S>& V, ReferenceFrame reference) {
  const auto b = static_cast<std::size_t>(frame.node());
  if (reference == ReferenceFrame::world) return {V.angular, V.linear + cross(data.origin[b], V.angular)};
  const Pose<S> X = data.pose[b] * frame.placement();
  if (reference == ReferenceFrame::body) return X.act_inverse(V);
  return {V.angular, V.linear - cross(X.translation, V.angular)};
}

}  // namespace detail

/// Pose of a body or frame in the world, in the user's own axes of it. O(1).
/// @param frame  model.body("forearm") or model.frame("tool0")
/// @throws StateError before forward_kinematics(model, data, q), ModelError for a frame of another model
template <class S>
Pose<S> body_pose(const Model<S>& model, const Data<S>& data, const Frame<S>& frame) {
  data.require(model, Pass::position, "body_pose");
  model.check_owns(frame);
  if (frame.node() < 0) return frame.placement();
  const auto b = static_cast<std::size_t>(frame.node());
  Pose<S> X = data.pose[b] * frame.placement();
  X.translation += data.origin[b];
  return X;
}

/// Twist of a body or frame, [angular; linear]. O(1).
/// @throws StateError before forward_kinematics(model, data, q, v)
template <class S>
Motion<S> body_velocity(const Model<S>& model, const Data<S>& data, const Frame<S>& frame,
                        ReferenceFrame reference = ReferenceFrame::body) {
  data.require(model, Pass::velocity, "body_velocity");
  model.check_owns(frame);
  if (frame.node() < 0) return Motion<S>::zero();
  return detail::in_reference(data, frame, data.velocity[static_cast<std::size_t>(frame.node())], reference);
}

/// Spatial acceleration dV/dt of a body or frame, without gravity. Its linear part is not the acceleration of the
/// frame's origin, which is linear + w x v with the twist in the same reference frame (body or world_aligned). O(1).
/// @throws StateError before forward_kinematics(model, data, q, v, a)
template <class S>
Motion<S> body_acceleration(const Model<S>& model, const Data<S>& data, const Frame<S>& frame,
                            ReferenceFrame reference = ReferenceFrame::body) {
  data.require(model, Pass::acceleration, "body_acceleration");
  model.check_owns(frame);
  if (frame.node() < 0) return Motion<S>::zero();
  return detail::in_reference(data, frame, data.acceleration[static_cast<std::size_t>(frame.node())], reference);
}

}  // namespace corio
