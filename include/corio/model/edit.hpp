#pragma once

#include <functional>
#include <set>

#include "corio/model/builder.hpp"
#include "corio/model/detail/check_vectors.hpp"
#include "corio/model/joint_geometry.hpp"

/// Edited copies of models. The topology of a Model is constant, so each function returns a new model, with everything
/// that the old model has: armature, limits, passive terms, gravity, inertias as set later, frames, loops, and the
/// notes on elements that remain. A Body, Joint or Frame of the old model is not valid for the new model: look it up
/// there by name. index_maps (edit_maps.hpp) converts q and v. Each function costs as much as ModelBuilder::build, and
/// leaves its arguments unchanged if it throws.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S>
FrameSpec<S> frame_spec(const Model<S>& model, const Frame<S>& frame);
template <class S>
FrameSpec<S> frame_spec(const Model<S>& model, const std::string& name);
template <class S, class F = std::identity>
ModelBuilder<S> to_builder_without_notes(const Model<S>& model, const F& changed = {});
template <class S>
InertialParameters<S> combined(const InertialParameters<S>& a, const InertialParameters<S>& b);
template <class S>
void add_notes(ModelBuilder<S>& builder, const Model<S>& model, const std::string& prefix = "");
template <class S>
void mount(ModelBuilder<S>& builder, const FrameSpec<S>& at, const Model<S>& model, const std::string& prefix = "");
template <class S>
void lock_loops(ModelBuilder<S>& builder, const Model<S>& model, const std::set<std::string>& locked, VectorIn<S> q);

}  // namespace detail

/// A builder whose build() returns the same model, up to rounding: for edits that none of the functions below makes.
///
///   auto builder = corio::to_builder(model);
///   builder.body("forearm").joint = corio::joint::Universal();
///   const auto changed = builder.build();
///
/// Welded bodies are part of the bodies that carry them, and build() checks the sum of their inertias; they are frames
/// of the builder, like frames added by name.
template <class S>
ModelBuilder<S> to_builder(const Model<S>& model) {
  auto builder = detail::to_builder_without_notes(model);
  detail::add_notes(builder, model);
  return builder;
}

/// The model with some joints fixed at their configuration in q. Their bodies are merged into the bodies that carry
/// them and stay as frames. The equations of motion are the rows of the old equations that belong to the other joints,
/// with v = a = 0 at the locked joints. The armature, limits and passive terms of locked joints are dropped; couplings
/// keep their remaining joints. Loops all of whose joints are locked are left out, with a note if they are open at q.
/// If a locked joint was a loop's dependent joint, another joint of that loop becomes dependent instead.
/// @param names  names of joints, in any order
/// @param q      nq; only the coordinates of these joints are read
/// @throws SizeError; ModelError for an unknown joint, or if a coordinate of these joints is not finite
template <class S>
Model<S> lock_joints(const Model<S>& model, const std::vector<std::string>& names, VectorIn<S> q) {
  detail::check_nq("q", q.size(), model);
  for (const std::string& name : names) {
    const Joint& joint = model.joint(name);
    if (!detail::all_finite(q.segment(joint.q_index(), joint.nq())))
      throw ModelError(detail::join(
          {"model '", model.name(), "': joint '", name, "' cannot be locked at a configuration that is not finite"}));
  }
  const std::set<std::string> locked(names.begin(), names.end());
  auto builder = detail::to_builder_without_notes(model, [&](BodySpec<S> spec) -> BodySpec<S> {
    if (!locked.contains(spec.joint_name)) return spec;
    return {.name = spec.name,
            .parent = spec.parent,
            .placement = detail::pose_in_parent(model, model.body(spec.name), q.data()),
            .inertia = spec.inertia,
            .joint_name = spec.joint_name};
  });
  detail::lock_loops(builder, model, locked, q);
  detail::add_notes(builder, model);
  return builder.build();
}

/// The model with one joint replaced by another. The name and frame of the joint (joint_placement) stay, and so do all
/// bodies and loops; the axes of the new joint are given in that frame. Numbers of the old joint (armature, limits,
/// passive terms, ...) stay if the new joint takes as many, and are dropped otherwise, with a note. For instance, a rod
/// along z between two ball joints no longer spins about its axis after
///
///   const auto still = corio::replace_joint(model, "ball", corio::joint::Universal({1, 0, 0}, {0, 1, 0}));
///
/// @param name  name of the joint
/// @throws ModelError for an unknown joint; for a fixed new joint (use lock_joints); if a coupling names the joint and
/// the new joint does not have exactly one coordinate
template <class S>
Model<S> replace_joint(const Model<S>& model, const std::string& name,
                       const joint::JointSpec<std::type_identity_t<S>>& joint) {
  const Body<S>& body = detail::carried_body(model, model.joint(name));
  if (joint.chain.empty())
    throw ModelError(detail::join({"model '", model.name(), "': joint '", name,
                                   "' cannot be replaced by a joint that does not move: fix it with lock_joints"}));
  auto builder = to_builder(model);
  BodySpec<S>& spec = builder.body(body.name());
  // A rest configuration of springs at neutral becomes the neutral configuration of the new joint.
  for_each_term(
      [&](const JointTerm& term, auto& numbers) {
        if (std::isnan(term.none) && !detail::has_term(term, spec.joint, numbers)) numbers.clear();
      },
      spec);
  spec.joint = joint;
  return builder.build();
}

/// The subtree of a body, with the joint of the body, as a model. The body's parent frame becomes the world. The
/// numbers of gravity stay as they are: call set_gravity unless the axes of that frame were parallel to the world's.
/// Bodies and frames on the ground are left out, as are loops with a part outside of the subtree.
/// @throws ModelError for a name that no moving body has
template <class S>
Model<S> submodel(const Model<S>& model, const std::string& body) {
  const auto all = detail::to_builder_without_notes(model);
  const auto [begin, end] = model.subtree(model.body(body));
  ModelBuilder<S> builder(model.name());
  builder.set_gravity(model.gravity());
  std::set<std::string> carried;
  for (const Body<S>& one : model.bodies())
    if (const int k = model.joints().begin()[one.joint()].v_index(); begin <= k && k < end) {
      BodySpec<S> spec = all.bodies()[one.index()];
      if (spec.name == body) spec.parent = Parent();
      carried.insert(spec.name);
      builder.add_body(std::move(spec));
    }
  for (const FrameSpec<S>& frame : all.frames())
    if (carried.contains(frame.parent.name)) builder.add_frame(frame);
  const Model<S> part = builder.build();
  const auto has_joint = [&](const std::string& joint) { return part.has_joint(joint); };
  for (LoopSpec loop : all.loops())
    if (loop.is_coupling() ? std::ranges::all_of(loop.terms, has_joint, &CouplingTerm::joint)
                           : part.has_frame(loop.first) && part.has_frame(loop.second)) {
      std::erase_if(loop.dependent, [&](auto& joint) { return !has_joint(joint); });
      builder.add_loop(std::move(loop));
    }
  detail::add_notes(builder, model);
  return builder.build();
}

/// `model` with `other` attached: the ground of `other`, with everything fixed to it, is fixed to a body or frame of
/// `model`, and its ground inertia is added to that body. Name and gravity are taken from `model`.
/// @param frame   name of a body or frame, empty for the ground; with_base places a model in the world
/// @param prefix  set before the names of all bodies, joints and frames of `other`
/// @throws ModelError for an unknown frame, or a name that both have
template <class S>
Model<S> attach(const Model<S>& model, const std::string& frame, const Model<S>& other,
                const std::string& prefix = "") {
  const auto refuse = [&](const char* what, const std::string& name) {
    throw ModelError(detail::join({"'", other.name(), "' cannot be attached to model '", model.name(),
                                   "': both have a ", what, " '", name, "'; give it a prefix"}));
  };
  for (const Joint& joint : other.joints())
    if (model.has_joint(prefix + joint.name())) refuse("joint", prefix + joint.name());
  for (const Frame<S>& x : other.frames())
    if (model.has_frame(prefix + x.name())) refuse("body or frame", prefix + x.name());

  auto builder = to_builder(model);
  detail::mount(builder, detail::frame_spec(model, frame), other, prefix);
  return builder.build();
}

/// The model with its base at another pose: all that is fixed to the ground, frames and loops too, is moved there.
/// Names, coordinates and gravity stay, so that an arm on a wall, a ceiling or a slope falls as it should:
///
///   const auto on_wall = corio::with_base(model, {corio::rotation_rpy(0.0, 1.57, 0.0), {0, 0, 1.2}});
///
/// In axes of the base the same is Model::set_gravity(R^T g), with the rotation R of the pose.
/// @param pose  pose of the old world in the new world; q of a floating base is relative to the old world
/// @throws ModelError for an invalid pose
template <class S>
Model<S> with_base(const Model<S>& model, const Pose<std::type_identity_t<S>>& pose) {
  ModelBuilder<S> builder(model.name());
  builder.set_gravity(model.gravity());
  detail::mount(builder, {{}, {}, pose}, model);
  return builder.build();
}

/// The model with a frame added, such as the tool centre point (TCP) of a gripper.
/// @param body       name of the body or frame that carries it, empty for the ground
/// @param placement  its pose there
/// @throws ModelError for an unknown body, a name that is taken, an invalid placement
template <class S>
Model<S> add_frame(const Model<S>& model, const std::string& name, const std::string& body,
                   const Pose<std::type_identity_t<S>>& placement) {
  const FrameSpec<S> at = detail::frame_spec(model, body);
  auto builder = to_builder(model);
  builder.add_frame(name, at.parent, at.placement * placement);
  return builder.build();
}

/// The model with a payload fixed to a body or frame, a copy changed by Model::set_inertia: bodies, frames and Data of
/// the old model can be used with the new model.
/// @param frame    name of a body or frame that moves
/// @param payload  its inertia in that frame; the negative of a payload removes it again
/// @throws ModelError for an unknown frame or one on the ground, and the errors of Model::set_inertia
template <class S>
Model<S> with_payload(const Model<S>& model, const std::string& frame,
                      const InertialParameters<std::type_identity_t<S>>& payload) {
  const FrameSpec<S> at = detail::frame_spec(model, model.frame(frame));
  if (at.parent.name.empty())
    throw ModelError(detail::join(
        {"model '", model.name(), "': '", frame, "' is fixed to the ground, where a payload has no effect"}));
  const InertialParameters<S> there(at.placement.act(Inertia<S>(payload)));
  Model<S> result = model;
  result.set_inertia(at.parent.name, detail::combined(model.inertia(at.parent.name), there));
  return result;
}

namespace detail {

/// The BodySpec of a body of a model, with its joint.
template <class S>
BodySpec<S> body_spec(const Model<S>& model, const Body<S>& body) {
  const Joint& joint = model.joints().data()[body.joint()];
  const Pose<S> placement = joint_placement(model, joint);
  std::vector<typename joint::JointSpec<S>::Link> chain;
  Matrix3<S> axes = transpose(placement.rotation) * parent_inverse(model, body).rotation;
  for (int b = first_node(model, body); b <= body.node(); ++b) {
    axes = axes * model.node(b).placement.rotation;
    chain.push_back({values(axes), model.node(b).joint});
    axes = identity3<S>();
  }
  const Pose<S> turn{body.placement().rotation, zero3<S>()};
  BodySpec<S> spec{.name = body.name(),
                   .joint = {joint.type(), std::move(chain), values(turn.rotation)},
                   .placement = placement,
                   .body_placement = {identity3<S>(), turn.point_inverse(body.placement().translation)},
                   .inertia = model.inertia(body),
                   .joint_name = joint.name()};
  for_each_term(
      [&](const JointTerm& term, auto& numbers, const auto& all) {
        const auto* begin = all.data() + (term.per_coordinate ? joint.q_index() : joint.v_index());
        numbers.assign(begin, begin + size(term, spec.joint));
      },
      spec, model.terms());
  if (body.parent() >= 0) spec.parent = model.bodies().begin()[body.parent()].name();
  return spec;
}

/// The FrameSpec of a frame of a model.
template <class S>
FrameSpec<S> frame_spec(const Model<S>& model, const Frame<S>& frame) {
  if (frame.node() < 0) return {frame.name(), {}, frame.placement()};
  const Body<S>& body = model.bodies().data()[model.node(frame.node()).body];
  return {frame.name(), body.name(), body.placement().inverse() * frame.placement()};
}
/// The FrameSpec of the body or frame of that name; an empty name means the ground.
template <class S>
FrameSpec<S> frame_spec(const Model<S>& model, const std::string& name) {
  return name.empty() ? FrameSpec<S>() : frame_spec(model, model.frame(name));
}

/// A builder of the whole model without its notes.
/// @param changed  maps each body to the body that is added instead
template <class S, class F>
ModelBuilder<S> to_builder_without_notes(const Model<S>& model, const F& changed) {
  ModelBuilder<S> builder(model.name());
  builder.set_gravity(model.gravity());
  builder.set_ground_inertia(model.ground_inertia());
  for (const Body<S>& body : model.bodies()) builder.add_body(changed(body_spec(model, body)));
  const auto& frames = model.frames();
  for (auto frame = frames.begin() + std::ssize(model.bodies()); frame != frames.end(); ++frame)
    builder.add_frame(frame_spec(model, *frame));
  for (const LoopSpec& loop : model.loops()) builder.add_loop(loop);
  return builder;
}

template <class S>
InertialParameters<S> combined(const InertialParameters<S>& a, const InertialParameters<S>& b) {
  return InertialParameters<S>(Inertia<S>(a) + Inertia<S>(b));
}

/// Adds all of a model to a builder, except its name and gravity, with its ground at a frame of the builder.
template <class S>
void mount(ModelBuilder<S>& builder, const FrameSpec<S>& at, const Model<S>& model, const std::string& prefix) {
  const auto added = to_builder_without_notes(model);
  const auto moved = [&](auto spec) {
    const bool on_ground = spec.parent.name.empty();
    if (on_ground) spec.placement = at.placement * spec.placement;
    spec.parent = on_ground ? at.parent : Parent(prefix + spec.parent.name);
    spec.name = prefix + spec.name;
    return spec;
  };
  for (const BodySpec<S>& body : added.bodies()) {
    BodySpec<S> spec = moved(body);
    spec.joint_name = prefix + spec.joint_name;
    builder.add_body(std::move(spec));
  }
  for (const FrameSpec<S>& frame : added.frames()) builder.add_frame(moved(frame));
  for (LoopSpec loop : added.loops()) {
    for (std::string* name : {&loop.name, &loop.first, &loop.second}) name->insert(0, prefix);
    for (auto& term : loop.terms) term.joint.insert(0, prefix);
    for (auto& joint : loop.dependent) joint.insert(0, prefix);
    if (!loop.terms.empty()) loop.first.clear(), loop.second.clear();
    builder.add_loop(std::move(loop));
  }
  const InertialParameters<S> fixed(at.placement.act(Inertia<S>(model.ground_inertia())));
  if (at.parent.name.empty())
    builder.set_ground_inertia(combined(builder.ground_inertia(), fixed));
  else
    builder.body(at.parent.name).inertia = combined(builder.body(at.parent.name).inertia, fixed);
  add_notes(builder, model, prefix);
}

/// Adds the notes of a model, except notes on joints, bodies and frames whose name, after the prefix, the builder does
/// not have.
template <class S>
void add_notes(ModelBuilder<S>& builder, const Model<S>& model, const std::string& prefix) {
  std::set<std::string> joints, frames;
  for (const BodySpec<S>& spec : builder.bodies()) {
    frames.insert(spec.name);
    if (!spec.joint.chain.empty()) joints.insert(spec.joint_name);
  }
  for (const FrameSpec<S>& spec : builder.frames()) frames.insert(spec.name);
  for (Note note : model.notes()) {
    // Elements are called "joint 'elbow'".
    const auto begin = note.element.find('\'') + 1, end = note.element.rfind('\'');
    if (begin > 0 && begin <= end) {
      const std::string name = note.element.substr(begin, end - begin);
      if (note.element.starts_with("joint ") ? model.has_joint(name) && !joints.contains(prefix + name)
                                             : model.has_frame(name) && !frames.contains(prefix + name))
        continue;
      note.element.insert(begin, prefix);
    }
    builder.add_note(std::move(note));
  }
}

/// The joints of a loop: the joints of a coupling in its order, or the joints on the path between the frames of a
/// closure.
template <class S>
std::vector<Joint> joints_of(const Model<S>& model, const LoopSpec& loop) {
  std::vector<Joint> joints;
  if (loop.is_coupling()) {
    for (const auto& term : loop.terms) joints.push_back(model.joint(term.joint));
    return joints;
  }
  // Nodes have greater numbers than their ancestors.
  for (int a = model.frame(loop.first).node(), b = model.frame(loop.second).node(); a != b;) {
    int& lower = a > b ? a : b;
    if (model.node(lower).parent < 0 || model.node(model.node(lower).parent).body != model.node(lower).body)
      joints.push_back(model.joint_of_node(lower));
    lower = model.node(lower).parent;
  }
  return joints;
}

/// Changes the loops of a model, some of whose joints are locked at q.
template <class S>
void lock_loops(ModelBuilder<S>& builder, const Model<S>& model, const std::set<std::string>& locked, VectorIn<S> q) {
  const auto is_locked = [&](const std::string& joint) { return locked.contains(joint); };
  std::set<std::string> dependent;
  std::vector<LoopSpec> loops = builder.loops();
  for (const LoopSpec& loop : loops) dependent.insert(loop.dependent.begin(), loop.dependent.end());
  for (LoopSpec& loop : loops) {
    int lacking = 0;
    for (const std::string& joint : loop.dependent) lacking += is_locked(joint) ? model.joint(joint).nv() : 0;
    std::erase_if(loop.dependent, is_locked);
    for (const Joint& joint : joints_of(model, loop))
      if (joint.nv() <= lacking && !is_locked(joint.name()) && dependent.insert(joint.name()).second) {
        loop.dependent.push_back(joint.name());
        lacking -= joint.nv();
      }
    double size = std::abs(loop.offset);
    for (const auto& term : loop.terms)
      if (is_locked(term.joint)) {
        const double part = term.factor * known_value(q[model.joint(term.joint).q_index()]);
        loop.offset -= part, size += std::abs(part);
      }
    std::erase_if(loop.terms, [&](const auto& term) { return is_locked(term.joint); });
    if (loop.is_coupling() && loop.terms.empty() && std::abs(loop.offset) > 1e-6 * size)
      builder.add_note({join({"loop '", loop.name, "'"}), loop.line,
                        join({"all its joints are locked, although it is open by ", number(std::abs(loop.offset))}),
                        "it was left out"});
  }
  std::erase_if(loops, [](const LoopSpec& loop) { return loop.is_coupling() && loop.terms.empty(); });
  builder.set_loops(std::move(loops));
}

}  // namespace detail

}}  // namespace corio
