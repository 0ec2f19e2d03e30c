#pragma once

#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The axes and the point of a spatial vector of a frame:
///   world          world axes, about the world's origin
///   body           the frame's own axes, about its own origin
///   world_aligned  world axes, about the frame's origin
enum class ReferenceFrame { world, body, world_aligned };

/// A body or frame, the reference frame in which its motion is expressed, and a point fixed to it, in its own
/// coordinates, that replaces its origin (for ReferenceFrame::world the point does not matter). A body or frame
/// converts to a FramePoint; in full: {model.frame("tool0"), ReferenceFrame::world_aligned, {0, 0, 0.1}}.
template <class S>
class FramePoint {
 public:
  FramePoint(const Frame<S>& frame,  // NOLINT(google-explicit-constructor)
             ReferenceFrame reference = ReferenceFrame::body,
             const Vector3<std::type_identity_t<S>>& point = zero3<std::type_identity_t<S>>())
      : topology_id_(frame.topology_id()),
        node_(frame.node()),
        placement_{frame.placement().rotation, frame.placement().point(point)},
        reference_(reference) {}

  /// Returns Model::topology_id() of the frame's model.
  std::uint64_t topology_id() const { return topology_id_; }
  /// Returns the node that carries the frame, -1 for the ground; below, the frame and the point in the node's axes.
  int node() const { return node_; }
  const Pose<S>& placement() const { return placement_; }
  ReferenceFrame reference() const { return reference_; }

 private:
  std::uint64_t topology_id_;
  int node_;
  Pose<S> placement_;
  ReferenceFrame reference_;
};

namespace detail {

/// @throws ModelError for a body or frame of another model
template <class S>
void check_owns(const Model<S>& model, const FramePoint<S>& where, const char* function) {
  if (where.topology_id() != model.topology_id())
    throw ModelError(join({function, ": a body or frame of another model than '", model.name(), "'"}));
}
/// Checks that the model owns the frame, and calls Data::require for its node.
template <class S, template <class> class Robot>
void require(const Robot<S>& robot, const DataOf<Robot<S>>& data, Pass pass, const FramePoint<S>& where,
             const char* function) {
  check_owns(robot.tree(), where, function);
  data.require(robot, pass, function, where.node());
}

/// The reference frame in which motions are expressed: its axes and point and, up to level `pass`, its own velocity and
/// acceleration, in world axes about the origin of the tree.
template <class S>
class FrameView {
 public:
  FrameView(const Data<S>& data, const FramePoint<S>& where, Pass pass = Pass::position)
      : reference_(where.reference()), velocity_(Motion<S>::zero()), acceleration_(Motion<S>::zero()) {
    const int b = where.node();
    if (b < 0) {
      axes_ = {reference_ == ReferenceFrame::body ? where.placement().rotation : identity3<S>(),
               reference_ == ReferenceFrame::world ? zero3<S>() : where.placement().translation};
      return;
    }
    if (reference_ == ReferenceFrame::world)
      axes_ = {identity3<S>(), -data.origin[b]};
    else if (reference_ == ReferenceFrame::body)
      axes_ = data.pose[b] * where.placement();
    else
      axes_ = {identity3<S>(), data.pose[b].point(where.placement().translation)};
    if (pass >= Pass::velocity) velocity_ = motion(data.velocity[b]);
    if (pass >= Pass::acceleration) {
      acceleration_ = motion(data.acceleration[b]);
      if (reference_ == ReferenceFrame::world_aligned)
        acceleration_.linear += cross(data.velocity[b].angular, velocity_.linear);
    }
  }

  /// Returns a view for motions over another scalar, without a velocity of its own.
  static FrameView at_rest(ReferenceFrame reference, const Pose<S>& axes) {
    FrameView view;
    view.reference_ = reference, view.axes_ = axes, view.velocity_ = view.acceleration_ = Motion<S>::zero();
    return view;
  }
  const Pose<S>& axes() const { return axes_; }
  /// Returns this view for motions about the origin of another tree; `to_own` leads from that origin to the origin of
  /// the view's own tree.
  FrameView for_other_tree(const Vector3<S>& to_own) const {
    FrameView view = *this;
    view.axes_.translation += to_own;
    view.velocity_ = about(velocity_, -to_own), view.acceleration_ = about(acceleration_, -to_own);
    return view;
  }

  /// Expresses a motion x in the reference frame; see_rate and see_second_rate return the time derivatives of that
  /// expression.
  CORIO_INLINE Motion<S> see(const Motion<S>& x) const {
    if (reference_ == ReferenceFrame::body) return axes_.act_inverse(x);
    return {x.angular, x.linear - cross(axes_.translation, x.angular)};
  }
  Force<S> see(const Force<S>& F) const { return axes_.act_inverse(F); }
  Motion<S> see_rate(const Motion<S>& x, const Motion<S>& x_dot) const { return see(x_dot - cross(velocity_, x)); }
  /// Returns the derivative of the components of x there as the body moves with phi and x changes by phi x x + rest.
  Motion<S> see_change(const Motion<S>& phi, const Motion<S>& x, const Motion<S>& rest) const {
    return see(reference_ == ReferenceFrame::body ? rest : cross(phi - motion(phi), x) + rest);
  }
  Motion<S> see_second_rate(const Motion<S>& x, const Motion<S>& x_dot, const Motion<S>& x_ddot) const {
    return see(x_ddot - cross(acceleration_, x) - cross(velocity_, x_dot + x_dot - cross(velocity_, x)));
  }

 private:
  FrameView() = default;
  /// Returns the twist of the reference frame when the body has twist V: zero for `world`, V for `body`, the velocity
  /// of the point without rotation for `world_aligned`.
  Motion<S> motion(const Motion<S>& V) const {
    if (reference_ == ReferenceFrame::world) return Motion<S>::zero();
    if (reference_ == ReferenceFrame::body) return V;
    return {zero3<S>(), V.linear + cross(V.angular, axes_.translation)};
  }

  ReferenceFrame reference_;
  Pose<S> axes_;
  Motion<S> velocity_, acceleration_;
};

/// Returns the origin of the tree of a node; for the ground, -1, the world's origin.
template <class S>
Vector3<S> origin_of(const Data<S>& data, int b) {
  return b < 0 ? zero3<S>() : data.origin[b];
}
/// Calls f(j, side) once for each degree of freedom j that moves one of two nodes (-1 is the ground) and not the other:
/// side is 0 for the first node, 1 for the second.
template <class S, class F>
void for_each_between(const Model<S>& model, int first, int second, F&& f) {
  const auto last_dof = [&](int b) { return b < 0 ? -1 : model.node(b).v_end - 1; };
  int last[2] = {last_dof(first), last_dof(second)};
  while (last[0] != last[1]) {
    const int side = last[0] > last[1] ? 0 : 1;  // one call of f, so that it can be inlined
    f(last[side], side);
    last[side] = model.parent_dof(last[side]);
  }
}

}  // namespace detail

/// Moves only one body or frame and the bodies that carry it. Functions of one of these bodies, such as body_pose and
/// body_jacobian, may use the state; all others throw StateError until the next forward_kinematics. In a Mechanism all
/// bodies move, because their positions depend on each other.
///
/// @param where     a body or frame; its point and axes do not matter
/// @param function  the function that errors name; your own, if it calls this one
/// @returns data
/// @throws ModelError for a frame of another model; otherwise as forward_kinematics. O(d), plus copying q, v and a.
template <class S>
Data<S>& body_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                         const FramePoint<std::type_identity_t<S>>& where, const char* function = "body_kinematics") {
  detail::check_owns<S>(model, where, function);
  return detail::find_state<S>(model, data, Pass::position, where.node(), q, q, q, function);
}
template <class S>
Data<S>& body_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                         const FramePoint<std::type_identity_t<S>>& where, const char* function = "body_kinematics") {
  detail::check_owns<S>(model, where, function);
  return detail::find_state<S>(model, data, Pass::velocity, where.node(), q, v, v, function);
}
template <class S>
Data<S>& body_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                         const FramePoint<std::type_identity_t<S>>& where, const char* function = "body_kinematics") {
  detail::check_owns<S>(model, where, function);
  return detail::find_state<S>(model, data, Pass::acceleration, where.node(), q, v, a, function);
}

/// Returns the pose of a body or frame in the world. O(1).
/// @param frame  model.body("forearm") or model.frame("tool0")
/// @throws StateError before forward_kinematics(model, data, q), ModelError for a frame of another model
template <class S, template <class> class Robot>
Pose<S> body_pose(const Robot<S>& robot, const DataOf<Robot<S>>& data, const Frame<S>& frame) {
  robot.tree().check_owns(frame);
  data.require(robot, Pass::position, "body_pose", frame.node());
  if (frame.node() < 0) return frame.placement();
  const int b = frame.node();
  Pose<S> X = data.of_tree().pose[b] * frame.placement();
  X.translation += data.of_tree().origin[b];
  return X;
}

/// Returns the twist of a body or frame, [angular; linear]: the linear part is the velocity of the point that `where`
/// names, or for `world` of the body-fixed point at the world's origin. O(1).
/// @throws StateError before forward_kinematics(model, data, q, v), ModelError for a frame of another model
template <class S, template <class> class Robot>
Motion<S> body_velocity(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                        const FramePoint<std::type_identity_t<S>>& where) {
  detail::require(robot, data, Pass::velocity, where, "body_velocity");
  if (where.node() < 0) return Motion<S>::zero();
  return detail::FrameView<S>(data.of_tree(), where).see(data.of_tree().velocity[where.node()]);
}
template <class S, template <class> class Robot>
Motion<S> body_velocity(const Robot<S>& robot, const DataOf<Robot<S>>& data, const Frame<S>& frame,
                        ReferenceFrame reference = ReferenceFrame::body) {
  return body_velocity(robot, data, FramePoint<S>(frame, reference));
}

/// Returns the spatial acceleration dV/dt of a body or frame, without gravity. Its linear part is not the acceleration
/// of the frame's origin; body_classical_acceleration returns that. O(1).
/// @throws StateError before forward_kinematics(model, data, q, v, a), ModelError for a frame of another model
template <class S, template <class> class Robot>
Motion<S> body_acceleration(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                            const FramePoint<std::type_identity_t<S>>& where) {
  detail::require(robot, data, Pass::acceleration, where, "body_acceleration");
  if (where.node() < 0) return Motion<S>::zero();
  return detail::FrameView<S>(data.of_tree(), where).see(data.of_tree().acceleration[where.node()]);
}
template <class S, template <class> class Robot>
Motion<S> body_acceleration(const Robot<S>& robot, const DataOf<Robot<S>>& data, const Frame<S>& frame,
                            ReferenceFrame reference = ReferenceFrame::body) {
  return body_acceleration(robot, data, FramePoint<S>(frame, reference));
}

/// Returns the classical acceleration [angular acceleration; acceleration of the point], without gravity. The linear
/// part is the linear part of the spatial acceleration plus w x v, for `world_aligned` the second derivative of the
/// point's position. For `world` it is the body-fixed point at the world's origin. An accelerometer at the point shows
/// the acceleration minus gravity, in body axes. O(1).
/// @throws StateError before forward_kinematics(model, data, q, v, a), ModelError for a frame of another model
template <class S, template <class> class Robot>
Motion<S> body_classical_acceleration(const Robot<S>& robot, const DataOf<Robot<S>>& data,
                                      const FramePoint<std::type_identity_t<S>>& where) {
  detail::require(robot, data, Pass::acceleration, where, "body_classical_acceleration");
  if (where.node() < 0) return Motion<S>::zero();
  const int b = where.node();
  const Data<S>& state = data.of_tree();
  const detail::FrameView<S> observer(state, where);
  const Motion<S> V = observer.see(state.velocity[b]);
  Motion<S> a = observer.see(state.acceleration[b]);
  a.linear += cross(V.angular, V.linear);
  return a;
}

}}  // namespace corio
