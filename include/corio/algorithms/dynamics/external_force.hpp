#pragma once

#include <initializer_list>
#include <vector>

#include "corio/kinematics/frames.hpp"

namespace corio { inline namespace CORIO_ABI {

/// An external wrench [moment; force] on a body or frame, at a FramePoint, such as a push or the thrust of a propeller:
///
///   ExternalForce<double> load{{model.frame("tool0"), ReferenceFrame::world_aligned, {0, 0, 0.1}}, {moment, force}};
///
/// The wrench is given in the axes and about the point of the FramePoint (see ReferenceFrame), and acts at that point.
/// With `body`, axes and point move with the body; with `world_aligned` only the point does, like a weight on a hook.
template <class S>
class ExternalForce {
 public:
  ExternalForce(const FramePoint<S>& place, const Force<std::type_identity_t<S>>& wrench)
      : topology_id_(place.topology_id()),
        node_(place.node()),
        placement_(place.placement()),
        wrench_(wrench),
        reference_(place.reference()),
        point_(zero3<S>()) {}
  /// A wrench about a point; for `world` the point is in world coordinates.
  ExternalForce(const Frame<S>& frame, const Force<std::type_identity_t<S>>& wrench, ReferenceFrame reference,
                const Vector3<std::type_identity_t<S>>& point = zero3<S>())
      : topology_id_(frame.topology_id()),
        node_(frame.node()),
        placement_(frame.placement()),
        wrench_(wrench),
        reference_(reference),
        point_(point) {}

  int node() const { return node_; }
  std::uint64_t topology_id() const { return topology_id_; }
  ReferenceFrame reference() const { return reference_; }
  const Force<S>& wrench() const { return wrench_; }

  /// Returns the wrench in world axes about the origin of the body's tree; the body is not the ground.
  Force<S> in_world(const Data<S>& data) const {
    const bool turns = reference_ == ReferenceFrame::body;
    const Matrix3<S> R = turns ? (data.pose[node_] * placement_).rotation : identity3<S>();
    return Pose<S>{R, point_in_world(data)}.act(wrench_);
  }
  /// Returns the reference point of the wrench, relative to the origin of the body's tree.
  Vector3<S> point_in_world(const Data<S>& data) const {
    return reference_ == ReferenceFrame::world ? point_ - data.origin[node_]
                                               : (data.pose[node_] * placement_).point(point_);
  }

 private:
  std::uint64_t topology_id_;
  int node_;
  Pose<S> placement_;
  Force<S> wrench_;
  ReferenceFrame reference_;
  Vector3<S> point_;
};

/// Deduces the scalar from the frame.
template <class S>
ExternalForce(const Frame<S>&, const Force<S>&) -> ExternalForce<S>;

/// External forces as an argument: one, several in braces, or any contiguous range; several may act on one body. This
/// is a view, for use as an argument only.
template <class S>
class ExternalForceList {
 public:
  ExternalForceList() = default;
  ExternalForceList(const ExternalForce<S>& force) : begin_(&force), size_(1) {}  // NOLINT(google-explicit-constructor)
  ExternalForceList(std::initializer_list<ExternalForce<S>> forces) : begin_(std::data(forces)), size_(forces.size()) {}
  template <class Range>
  requires(std::convertible_to<decltype(std::data(std::declval<const Range&>())), const ExternalForce<S>*>)
      ExternalForceList(const Range& forces)  // NOLINT(google-explicit-constructor)
      : begin_(std::data(forces)), size_(std::size(forces)) {}
  bool empty() const { return size_ == 0; }
  const ExternalForce<S>* begin() const { return begin_; }
  const ExternalForce<S>* end() const { return begin_ + size_; }

 private:
  const ExternalForce<S>* begin_ = nullptr;
  std::size_t size_ = 0;
};
template <class S>
using ExternalForces = ExternalForceList<std::type_identity_t<S>>;

namespace detail {

/// @throws ModelError for a force on a body of another model
template <class S>
void check_external(const Model<S>& model, ExternalForces<S> external) {
  for (const auto& e : external)
    if (e.topology_id() != model.topology_id())
      throw ModelError(join({"an external force acts on a body of another model than '", model.name(), "'"}));
}

/// Subtracts the external forces on each body b from force[b]. Forces on the ground have no effect.
template <class S>
void subtract_external(const Model<S>& model, const Data<S>& data, ExternalForces<S> external,
                       PerNode<Force<S>>& force) {
  check_external(model, external);
  for (const auto& e : external)
    if (e.node() >= 0) force[e.node()] -= e.in_world(data);
}

}  // namespace detail
}}  // namespace corio
