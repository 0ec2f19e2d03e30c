#pragma once

#include <span>

#include "corio/kinematics/frames.hpp"

namespace corio {

/// A wrench [moment; force] that the surroundings apply to a body or frame, with the axes it is given in and the point
/// it is about (and acts at):
///   world          world axes, `point` in world coordinates
///   body           the frame's axes, `point` in the frame's coordinates: both move with the body
///   world_aligned  world axes, `point` in the frame's coordinates: a weight hung on a hook
/// The point defaults to the origin of the world, of the frame, and of the frame.
template <class S>
class ExternalForce {
 public:
  ExternalForce(const Frame<S>& frame, const Force<S>& wrench, ReferenceFrame reference,
                const Vector3<S>& point = zero3<S>())
      : node_(frame.node()), placement_(frame.placement()), wrench_(wrench), reference_(reference), point_(point) {}

  int node() const { return node_; }

  /// The wrench in world axes about the origin of the body's tree; the body is not the ground.
  Force<S> in_world(const Data<S>& data) const {
    const auto b = static_cast<std::size_t>(node_);
    if (reference_ == ReferenceFrame::world) return Pose<S>{identity3<S>(), point_ - data.origin[b]}.act(wrench_);
    Pose<S> X = data.pose[b] * placement_;
    X.translation = X.point(point_);
    if (reference_ == ReferenceFrame::world_aligned) X.rotation = identity3<S>();
    return X.act(wrench_);
  }

 private:
  int node_;
  Pose<S> placement_;
  Force<S> wrench_;
  ReferenceFrame reference_;
  Vector3<S> point_;
};

/// Any contiguous range of external forces; several may act on one body.
template <class S>
using ExternalForces = std::span<const ExternalForce<std::type_identity_t<S>>>;

namespace detail {

/// force[b] -= external forces on b. Those on the ground do nothing.
template <class S>
void subtract_external(const Model<S>& model, Data<S>& data, ExternalForces<S> external) {
  for (const auto& e : external) {
    if (e.node() >= model.num_nodes()) throw ModelError("external force on a body of another model");
    if (e.node() >= 0) data.work.force[static_cast<std::size_t>(e.node())] -= e.in_world(data);
  }
}

}  // namespace detail
}  // namespace corio
