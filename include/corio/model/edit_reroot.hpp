#pragma once

#include "corio/model/edit.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S>
bool is_reversible(const joint::PrimitiveJoint<S>& joint);
template <class S>
BodySpec<S> reversed(const BodySpec<S>& child, const BodySpec<S>& parent);
template <class S>
void check_floats(const Model<S>& model, const Body<S>& base);

}  // namespace detail

/// The same robot with another body as its floating base: a free flyer with the name of the old free flyer carries that
/// body, and the joints between it and the old base are reversed. Frames of bodies, and q and v of all joints except
/// the base, keep their values: revolute, prismatic, helical and cylindrical joints, and chains of these such as
/// Universal, get the opposite axis in their new parents; joints of Euler angles, whose order is reversed, become
/// composites. index_maps converts indices. The state of the new base, with the old model's Data after
/// forward_kinematics, is
///
///   q  joint::FreeFlyer::configuration(body_pose(old, data, old.body(base)))
///   v  body_velocity(old, data, old.body(base)).vector()          in the axes of the body
///   a  body_acceleration(old, data, old.body(base)).vector()      in the axes of the body
///
/// The limits and placements of the old free flyer are dropped: the new free flyer carries the frame of its body.
/// @param base  name of the body that becomes the base
/// @throws ModelError for a name that no moving body has; if the old base does not float, or its free flyer has an
/// armature, passive terms or gains of a safety controller; for a joint on the path of a type that is not listed above
template <class S>
Model<S> reroot(const Model<S>& model, const std::string& base) {
  // The bodies on the path from the new base to the old base.
  std::vector<int> path{model.body(base).index()};
  for (int up; (up = model.bodies().begin()[path.back()].parent()) >= 0;) path.push_back(up);
  const Body<S>& old_base = model.bodies().data()[path.back()];
  detail::check_floats(model, old_base);

  const auto old = detail::to_builder_without_notes(model);
  ModelBuilder<S> builder(model.name());
  builder.set_gravity(model.gravity());
  builder.set_ground_inertia(model.ground_inertia());
  builder.add_body({.name = base,
                    .joint = joint::FreeFlyer{},
                    .inertia = old.bodies()[path.front()].inertia,
                    .joint_name = model.joints().begin()[old_base.joint()].name()});
  PerBody<char> added(old.bodies().size(), false);
  added[path.front()] = true;
  for (auto child = path.begin(); child + 1 != path.end(); ++child) {
    const BodySpec<S>& spec = old.bodies()[*child];
    for (const auto& link : spec.joint.chain)
      if (!detail::is_reversible(link.joint))
        throw ModelError(detail::join(
            {"model '", model.name(), "' cannot be rerooted at '", base, "': joint '", spec.joint_name, "' (",
             spec.joint.type,
             ") would be reversed, which keeps the coordinates of revolute, prismatic, helical and cylindrical joints "
             "and of chains of these only"}));
    builder.add_body(detail::reversed(spec, old.bodies()[child[1]]));
    added[child[1]] = true;
  }
  for (int i = 0; i < added.size(); ++i)
    if (!added[i]) builder.add_body(old.bodies()[i]);
  for (const FrameSpec<S>& frame : old.frames()) builder.add_frame(frame);
  for (const LoopSpec& loop : old.loops()) builder.add_loop(loop);
  detail::add_notes(builder, model);
  return builder.build();
}

namespace detail {

/// Returns whether the inverse of a joint's motion is the same motion about the opposite axis.
template <class S>
bool is_reversible(const joint::PrimitiveJoint<S>& joint) {
  return joint.visit([]<class J>(const J&) {
    return std::is_base_of_v<joint::Revolute, J> || std::is_same_v<J, joint::Prismatic> ||
           std::is_same_v<J, joint::Helical> || std::is_same_v<J, joint::Cylindrical>;
  });
}

/// The numbers of a joint in the reverse order of its primitive joints, for which nq = nv.
template <class T, class S>
std::vector<T> reversed(const std::vector<T>& x, const joint::JointSpec<S>& joint) {
  std::vector<T> result;
  auto end = x.end();
  for (auto link = joint.chain.rbegin(); link != joint.chain.rend(); end -= link->joint.nv(), ++link)
    result.insert(result.end(), end - link->joint.nv(), end);
  return result;
}

/// The joint of `child` reversed, so that it carries the body `parent`. With the primitive joints Z_i after rotations
/// A_i, the pose X of the joint frame and the pose Y of the child's frame, and the half turn F about x, for which Z^-1
/// = F Z F,
///   (X A_1 Z_1 A_2 Z_2 .. Y)^-1 = Y^-1 F .. Z_2 (F A_2^T F) Z_1 (F A_1^T) X^-1.
template <class S>
BodySpec<S> reversed(const BodySpec<S>& child, const BodySpec<S>& parent) {
  const Matrix3<double> F = matrix3<double>(1, 0, 0, 0, -1, 0, 0, 0, -1);
  const auto& chain = child.joint.chain;
  std::vector<typename joint::JointSpec<S>::Link> links;
  Matrix3<double> axes = F;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    links.push_back({axes, link->joint});
    axes = F * transpose(link->axes) * F;
  }
  const Pose<S> turn{child.joint.tail.template cast<S>(), zero3<S>()};
  BodySpec<S> spec = child;
  spec.name = parent.name;
  spec.parent = child.name;
  spec.inertia = parent.inertia;
  spec.placement = (turn * child.body_placement).inverse();
  // A reversed sequence of Euler angles is not the one in the name of the type.
  const bool is_sequence = child.joint.type.find("_euler") != std::string::npos;
  spec.joint = {is_sequence ? "composite" : child.joint.type, std::move(links), axes * F};
  spec.body_placement = child.placement.inverse();
  for_each_term([&](const JointTerm&, auto& x) { x = reversed(x, child.joint); }, spec);
  return spec;
}

/// Throws unless the base floats without forces on its joint, which would have no equivalent at another base.
template <class S>
void check_floats(const Model<S>& model, const Body<S>& base) {
  const Joint& joint = model.joints().data()[base.joint()];
  const auto fail = [&](std::string_view why) {
    throw ModelError(detail::join({"model '", model.name(), "' cannot be rerooted: joint '", joint.name(), "' (",
                                   joint.type(), "), which carries its base '", base.name(), "', ", why}));
  };
  const bool floats =
      model.node(base.node()).joint.visit([]<class J>(const J&) { return std::is_same_v<J, joint::FreeFlyer>; });
  if (!floats) fail("is not a free flyer");
  const BodySpec<S> spec = body_spec(model, base);
  std::string all;
  bool any = false;
  for_each_term(
      [&](const JointTerm& term, const auto& numbers) {
        if (term.none != 0.0) return;
        all += join({all.empty() ? "" : ", ", term.name});
        any = any || has_term(term, spec.joint, numbers);
      },
      spec);
  if (any) fail(join({"has numbers that the new base cannot have; set them to zero first: ", all}));
}

}  // namespace detail

}}  // namespace corio
