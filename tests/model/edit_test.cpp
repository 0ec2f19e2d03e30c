#include "corio/model/edit.hpp"

#include "corio/corio.hpp"
#include "corio/model/edit_maps.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;
using Eigen::VectorXd;

// Edited models against the mechanism that they should be: the original with constrained motions, or one that
// ModelBuilder made at once. Tolerances are those of some ten spatial operations; poses, inertias and axes take a way
// of about as many products through the builder.

namespace edit_test {

namespace {

constexpr double bound = 1e-11;

/// Joints of all types with armature and passive terms, and other inertias than it was built with.
Model<double> random_model(int seed, bool floating = false) {
  auto model = zoo::random_tree(static_cast<std::uint64_t>(seed),
                                {.bodies = 20, .floating_base = floating, .armature = true, .passive = true});
  model.set_gravity({0.5, -2, -9});
  const auto& body = model.bodies()[4];
  auto changed = model.inertia(body);
  changed.mass *= 1.5, changed.inertia *= 1.5;
  model.set_inertia(body, changed);
  return model;
}

struct State {
  VectorXd q, v, a;
};
State random_state(const Model<double>& model, int seed) {
  return {random_q(model, seed), random_vector<double>(model.nv(), seed + 1),
          random_vector<double>(model.nv(), seed + 2)};
}

/// tau, C v + g, M, C, passive forces at a state.
struct Dynamics {
  VectorXd tau, g, passive;
  MatrixX<double> M, C;
};
Dynamics dynamics(const Model<double>& model, const State& at) {
  Data<double> data(model);
  const auto& matrices = coriolis_matrix(model, data, at.q, at.v);
  Dynamics result{{}, generalized_gravity(model, data), passive_forces(model, data), matrices.M, matrices.C};
  result.tau = rnea(model, data, at.q, at.v, at.a);
  return result;
}
double difference(const Dynamics& x, const Dynamics& y) {
  return std::max({relative_error(x.tau, y.tau), relative_error(x.g, y.g), relative_error(x.passive, y.passive),
                   relative_error(x.M, y.M), relative_error(x.C, y.C)});
}
MatrixX<double> jacobian(const Model<double>& model, const VectorXd& q, const Frame<double>& frame) {
  Data<double> data(model);
  MatrixX<double> J(6, model.nv());
  body_jacobian(model, data, q, frame, J);
  return J;
}
/// Only some degrees of freedom.
Dynamics at_indices(const Dynamics& x, const std::vector<int>& k) {
  return {x.tau(k), x.g(k), x.passive(k), x.M(k, k), x.C(k, k)};
}

/// The largest difference of a frame's pose in one model and, seen from some pose, in the other one.
double frame_difference(const Model<double>& edited, const VectorXd& q, const Model<double>& model,
                        const VectorXd& q_model, const Pose<double>& seen_from = Pose<double>::identity(),
                        const std::string& prefix = "") {
  double worst = 0;
  for (const auto& frame : edited.frames())
    if (frame.name().starts_with(prefix))
      worst =
          std::max(worst, relative_error(seen_from * frame_pose(edited, q, frame),
                                         frame_pose(model, q_model, model.frame(frame.name().substr(prefix.size())))));
  return worst;
}

/// v and a that are zero but for some degrees of freedom.
State only(State at, const std::vector<int>& moving) {
  State result{at.q, VectorXd::Zero(at.v.size()), VectorXd::Zero(at.v.size())};
  for (const int k : moving) result.v[k] = at.v[k], result.a[k] = at.a[k];
  return result;
}

JointLimits some_limits(int nq, int nv) {
  JointLimits limits;
  for (int i = 0; i < nq; ++i) limits.lower.push_back(-1.0 - i), limits.upper.push_back(2.0 + i);
  for (int k = 0; k < nv; ++k) limits.velocity.push_back(3.0 + k), limits.effort.push_back(30.0 + k);
  return limits;
}

/// Two fingers with everything that a joint can have, at some pose on a parent: an offset joint, a joint of two axes, a
/// user's joint, a welded body, a frame.
void add_gripper(ModelBuilder<double>& builder, const Parent& parent, const Pose<double>& placement,
                 const std::string& prefix = "") {
  Random<double> random(9);
  const auto base = builder.add_body({.name = prefix + "palm",
                                      .parent = parent,
                                      .placement = placement * random.pose(),
                                      .inertia = ball(0.8, {0.1, 0, 0.2}),
                                      .joint_name = prefix + "mount"});
  builder.add_body({.name = prefix + "finger",
                    .parent = base,
                    .joint = joint::Universal({1, 2, 0}, {0, 1, 1}),
                    .placement = random.pose(),
                    .inertia = {0.1, {0, 0, 0.1}, Vector3<double>(0.1, 0.1, 0.5).asDiagonal()},  // that no body has
                    .armature = {0.1, 0.2},
                    .limits = some_limits(2, 2),
                    .passive = {{1, 2}, {3, 4}, {5, 6}, {0.1, 0.2}}});
  builder.add_body({.name = prefix + "thumb",
                    .parent = base,
                    .joint = Cam(0.2),
                    .placement = random.pose(),
                    .body_placement = random.pose(),
                    .inertia = ball(0.2, {0, 0, 0.1}),
                    .limits = some_limits(1, 1)});
  builder.add_body(
      {.name = prefix + "nail", .parent = prefix + "thumb", .placement = random.pose(), .inertia = ball(0.1)});
  builder.add_frame(prefix + "tip", prefix + "nail", random.pose());
  builder.add_frame(prefix + "socket", parent, placement * random.pose());
}
Model<double> gripper() {
  ModelBuilder<double> builder("gripper");
  builder.add_note({"link 'thumb'", 7, "it is green", ""});
  add_gripper(builder, Parent(), Pose<double>::identity());
  return builder.build();
}

std::vector<std::string> names(const auto& all) {
  std::vector<std::string> result;
  for (const auto& x : all) result.push_back(x.name());
  return result;
}
std::vector<std::string> texts(const std::vector<Note>& notes) {
  std::vector<std::string> result;
  for (const Note& note : notes) result.push_back(to_string(note));
  return result;
}

}  // namespace

TEST_CASE("a builder made of a model builds that model", "[model][edit]") {
  const int seed = GENERATE(range(0, 9));
  CAPTURE(seed);
  const auto model = seed == 8 ? gripper() : seed == 7 ? zoo::humanoid() : random_model(seed, seed % 2 == 1);
  const auto again = to_builder(model).build();

  CHECK(again.name() == model.name());
  CHECK(names(again.bodies()) == names(model.bodies()));
  CHECK(names(again.frames()) == names(model.frames()));
  CHECK(names(again.joints()) == names(model.joints()));
  CHECK(texts(again.notes()) == texts(model.notes()));
  CHECK(again.gravity() == model.gravity());
  CHECK(again.armature() == model.armature());
  CHECK(again.damping() == model.damping());
  CHECK(again.friction() == model.friction());
  CHECK(again.stiffness() == model.stiffness());
  CHECK(again.rest_configuration() == model.rest_configuration());
  CHECK(again.lower_limit() == model.lower_limit());
  CHECK(again.upper_limit() == model.upper_limit());
  CHECK(again.velocity_limit() == model.velocity_limit());
  CHECK(again.effort_limit() == model.effort_limit());
  CHECK(relative_error(again.ground_inertia().parameters(), model.ground_inertia().parameters()) < bound);
  for (const auto& joint : model.joints()) {
    const auto& same = again.joint(joint.name());
    CHECK(same.type() == joint.type());
    CHECK(same.q_index() == joint.q_index());
    CHECK(same.v_index() == joint.v_index());
    CHECK(relative_error(joint_placement(again, same), joint_placement(model, joint)) < bound);
  }
  const State at = random_state(model, seed);
  CHECK(difference(dynamics(again, at), dynamics(model, at)) < bound);
  CHECK(frame_difference(again, at.q, model, at.q) < bound);
  for (const auto& body : model.bodies())
    CHECK(relative_error(again.inertia(body.name()).parameters(), model.inertia(body).parameters()) < bound);
}

TEST_CASE("the inertia of what is welded to the ground is kept", "[model][edit]") {
  const auto model = gripper();
  CHECK(model.ground_inertia().mass == Approx(0.8));
  CHECK(to_builder(model).build().ground_inertia().mass == Approx(0.8));
  CHECK(model.cast<float>().ground_inertia().mass == Approx(0.8f));
  ModelBuilder<double> builder = to_builder(model);
  builder.set_ground_inertia({-1.0, Vector3<double>::Zero(), Matrix3<double>::Zero()});
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"ground", "negative"}));
}

TEST_CASE("a point mass far from the origin of its body brings no note by its rounding errors", "[model][edit]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "rod", .joint = joint::Spherical(), .inertia = ball()});
  builder.add_body({.name = "bob",
                    .parent = "rod",
                    .joint = joint::Revolute({1, 1, 1}),
                    .inertia = {1.3, {0.7, -1.1, 0.9}, Matrix3<double>::Zero()}});
  const auto model = builder.build();
  CHECK(model.notes().empty());
  CHECK(to_builder(model).build().notes().empty());
  auto same = model;
  CHECK_NOTHROW(same.set_inertia("bob", model.inertia("bob")));
}

TEST_CASE("joint frames and axes are those given to the builder", "[model][edit]") {
  Random<double> random(3);
  const Vector3<double> axis(0.4, -1.1, 0.7);
  const Pose<double> base = random.pose(), placement = random.pose(), moved = random.pose();
  const std::vector<joint::Any<double>> with_axis{joint::Revolute(axis), joint::Prismatic(axis),
                                                  joint::Helical(axis, 0.3), joint::Cylindrical(axis),
                                                  joint::Planar(axis)};
  const std::vector<joint::Any<double>> without{joint::Spherical(), joint::Translation(), joint::FreeFlyer(), Cam(),
                                                joint::Universal()};
  for (const auto* joints : {&with_axis, &without})
    for (const auto& joint : *joints) {
      CAPTURE(joint.type);
      ModelBuilder<double> builder;
      builder.add_body({.name = "a", .joint = joint::Revolute(axis), .placement = base, .inertia = ball()});
      builder.add_body({.name = "b",
                        .parent = "a",
                        .joint = joint,
                        .placement = placement,
                        .body_placement = {identity3<double>(), moved.translation},
                        .inertia = ball()});
      const auto model = builder.build();
      CHECK(relative_error(joint_placement(model, model.joint("a_joint")), base) < bound);
      CHECK(relative_error(joint_placement(model, model.joint("b_joint")), placement) < bound);
      const VectorXd q = neutral(model);
      CHECK(relative_error(frame_pose(model, q, model.body("b")).translation,
                           (base * placement).point(moved.translation)) < bound);
      if (joints == &with_axis)
        CHECK(relative_error(joint_axis(model, model.joint("b_joint")), axis.normalized()) < bound);
      else
        CHECK(mentions(message_of<ModelError>([&] { joint_axis(model, model.joint("b_joint")); }),
                       {"'b_joint'", "axis"}));
      const auto& spec = to_builder(model).bodies()[1];
      CHECK(relative_error(spec.placement, placement) < bound);
      CHECK(relative_error(spec.body_placement, {identity3<double>(), moved.translation}) < bound);
    }
}

TEST_CASE("a joint off the origin of its body moves it as the same body welded to a massless one does",
          "[model][edit][builder]") {
  Random<double> random(5);
  const Pose<double> placement = random.pose(), off = random.pose();
  const auto inertia = InertialParameters<double>(random.inertia());
  ModelBuilder<double> one, two;
  one.add_body({.name = "b",
                .joint = joint::Helical({1, 2, 3}, 0.2),
                .placement = placement,
                .body_placement = off,
                .inertia = inertia});
  two.add_body({.name = "hinge", .joint = joint::Helical({1, 2, 3}, 0.2), .placement = placement});
  two.add_body({.name = "b", .parent = "hinge", .placement = off, .inertia = inertia});
  const auto a = one.build(), b = two.build();
  const State at = random_state(a, 1);
  CHECK(difference(dynamics(a, at), dynamics(b, at)) < bound);
  CHECK(relative_error(frame_pose(a, at.q, a.frame("b")), frame_pose(b, at.q, b.frame("b"))) < bound);
  CHECK(relative_error(a.inertia("b").parameters(), inertia.parameters()) < bound);
  one.body("b").body_placement.rotation(0, 0) += 0.1;
  CHECK(mentions(message_of<ModelError>([&] { one.build(); }), {"'b'", "orthogonal"}));
}

TEST_CASE("a model with locked joints is the old one with these held at rest", "[model][edit]") {
  const int seed = GENERATE(range(0, 8));
  CAPTURE(seed);
  const auto model = seed == 7 ? gripper() : seed == 6 ? zoo::humanoid() : random_model(seed, seed % 2 == 1);
  const State at = random_state(model, seed);
  std::vector<std::string> locked, free;
  Random<double> random(seed);
  for (const auto& joint : model.joints()) (random.real() < -0.2 ? locked : free).push_back(joint.name());
  if (seed == 2) locked.push_back(free[0]), free.erase(free.begin());
  if (free.empty()) free.push_back(locked.back()), locked.pop_back();
  const auto edited = lock_joints(model, locked, at.q);
  CHECK(names(edited.joints()) == free);

  const auto k = model.v_indices(free), i = model.q_indices(free);
  const State rest = only(at, k), own{at.q(i), at.v(k), at.a(k)};
  CHECK(difference(dynamics(edited, own), at_indices(dynamics(model, rest), k)) < bound);
  CHECK(frame_difference(edited, own.q, model, at.q) < bound);
  CHECK(edited.frames().size() == model.frames().size());
  for (const auto& frame : edited.frames())
    CHECK(relative_error(jacobian(edited, own.q, frame),
                         jacobian(model, at.q, model.frame(frame.name()))(Eigen::all, k)) < bound);

  const IndexMaps maps = index_maps(model, edited);
  CHECK(maps.q == i);
  CHECK(maps.v == k);
  CHECK(carry(maps.v, at.v, VectorXd::Zero(edited.nv()).eval()) == own.v);
  CHECK(carry(maps.q, at.q, neutral(edited)) == own.q);
  // Back again: what is locked has no counterpart.
  const VectorXd missing = VectorXd::Constant(model.nv(), 7.0);
  const VectorXd back = carry(index_maps(edited, model).v, own.v, missing);
  CHECK(back(k) == own.v);
  CHECK(back(model.v_indices(locked)) == missing(model.v_indices(locked)));
  CHECK(edited.armature() == model.armature()(k));
  CHECK(edited.upper_limit() == model.upper_limit()(i));
  CHECK(edited.rest_configuration() == model.rest_configuration()(i));
}

TEST_CASE("all joints can be locked, none, and not unknown ones", "[model][edit]") {
  const auto model = random_model(3);
  const VectorXd q = random_q(model, 1);
  CHECK(lock_joints(model, names(model.joints()), q).nv() == 0);
  CHECK(lock_joints(model, {}, q).nv() == model.nv());
  CHECK(mentions(message_of<ModelError>([&] { lock_joints(model, {"toe"}, q); }), {"'toe'"}));
  CHECK_THROWS_AS(lock_joints(model, {}, q.head(3)), SizeError);
  VectorXd wrong = q;
  wrong[model.joints()[2].q_index()] = std::numeric_limits<double>::infinity();
  const std::string name = model.joints()[2].name();
  CHECK(mentions(message_of<ModelError>([&] { lock_joints(model, {name}, wrong); }), {"'" + name + "'", "finite"}));
  CHECK_NOTHROW(lock_joints(model, {model.joints()[0].name()}, wrong));
}

TEST_CASE("notes follow what they are about", "[model][edit]") {
  ModelBuilder<double> builder("robot");
  builder.add_note({"robot", 1, "it has no mass", ""});
  builder.add_body({.name = "arm", .joint = joint::Revolute::x(), .inertia = ball()});
  builder.add_body({.name = "finger", .parent = "arm", .joint = joint::Revolute::x(), .joint_line = 30});
  builder.add_body({.name = "leg",
                    .joint = joint::Revolute::x(),
                    .inertia = {1.0, {0, 0, 0}, Vector3<double>(0.1, 0.1, 0.5).asDiagonal()},
                    .line = 40});
  const auto model = builder.build();
  REQUIRE(model.notes().size() == 3);
  const auto subjects = [](const Model<double>& m) {
    std::string all;
    for (const Note& note : m.notes()) all += std::to_string(note.line) + " " + note.element + ", ";
    return all;
  };
  CHECK(subjects(to_builder(model).build()) == "1 robot, 40 body 'leg', 30 joint 'finger_joint', ");
  CHECK(subjects(lock_joints(model, {"finger_joint"}, VectorXd::Zero(3))) == "1 robot, 40 body 'leg', ");
  CHECK(subjects(submodel(model, "arm")) == "1 robot, 30 joint 'finger_joint', ");
  CHECK(subjects(attach(zoo::serial_chain(2), "link2", model, "my_")) ==
        "1 robot, 40 body 'my_leg', 30 joint 'my_finger_joint', ");
}

TEST_CASE("a submodel is its subtree while what carries it rests", "[model][edit]") {
  const int seed = GENERATE(range(0, 8));
  CAPTURE(seed);
  const auto model = seed == 7 ? zoo::humanoid() : random_model(seed, seed % 2 == 1);
  const State at = random_state(model, seed);
  for (const int b : {0, 2, 5}) {
    const auto& body = model.bodies()[static_cast<std::size_t>(b)];
    CAPTURE(body.name());
    auto part = submodel(model, body.name());
    CHECK(part.gravity() == model.gravity());
    const Pose<double> ground = body.parent() < 0
                                    ? Pose<double>::identity()
                                    : frame_pose(model, at.q, model.bodies()[static_cast<std::size_t>(body.parent())]);
    part.set_gravity(ground.rotation.transpose() * model.gravity());
    const auto k = model.v_indices(names(part.joints())), i = model.q_indices(names(part.joints()));
    const auto range = model.subtree(body);
    REQUIRE(part.nv() == range.end - range.begin);
    CHECK(k.front() == range.begin);
    const State rest = only(at, k), own{at.q(i), at.v(k), at.a(k)};
    CHECK(difference(dynamics(part, own), at_indices(dynamics(model, rest), k)) < bound);
    CHECK(frame_difference(part, own.q, model, at.q, ground) < bound);
    std::size_t expected = 0;
    for (const auto& frame : model.frames())
      expected += frame.node() >= body.node() && model.node(frame.node()).v_begin < range.end;
    CHECK(part.frames().size() == expected);
    CHECK(index_maps(model, part).v == k);
  }
  CHECK_THROWS_AS(submodel(model, "nobody"), ModelError);
}

TEST_CASE("an attached model is the mechanism built at once", "[model][edit]") {
  const bool on_ground = GENERATE(false, true);
  Random<double> random(2);
  const Pose<double> flange = random.pose();
  auto arm = to_builder(random_model(1, true));
  arm.add_frame("flange", on_ground ? Parent() : Parent("body6"), flange);
  const auto model = arm.build(), tool = gripper();
  auto at_once = arm;
  add_gripper(at_once, on_ground ? Parent() : Parent("body6"), flange, "my_");
  const auto expected = at_once.build(), attached = attach(model, "flange", tool, "my_");

  const State at = random_state(model, 4), tool_at = random_state(tool, 5);
  const IndexMaps maps = index_maps(model, attached), tool_maps = index_maps(tool, attached, "my_");
  const auto both = [](const std::vector<int>& a, const VectorXd& x, const std::vector<int>& b, const VectorXd& y) {
    return carry(b, y, carry(a, x, VectorXd::Zero(std::ssize(a)).eval()));
  };
  const State joined{both(maps.q, at.q, tool_maps.q, tool_at.q), both(maps.v, at.v, tool_maps.v, tool_at.v),
                     both(maps.v, at.a, tool_maps.v, tool_at.a)};
  const IndexMaps order = index_maps(attached, expected);
  const State there{joined.q(order.q), joined.v(order.v), joined.a(order.v)};
  CHECK(difference(at_indices(dynamics(attached, joined), order.v), dynamics(expected, there)) < bound);
  CHECK(frame_difference(attached, joined.q, expected, there.q) < bound);
  CHECK(attached.frames().size() == model.frames().size() + tool.frames().size());
  CHECK(relative_error(attached.ground_inertia().parameters(), expected.ground_inertia().parameters()) < bound);
  CHECK(attached.effort_limit()(attached.v_indices({"my_finger_joint"})) == Eigen::Vector2d(30, 31));
  CHECK(attached.name() == model.name());
  CHECK(attached.gravity() == model.gravity());
  CHECK(frame_difference(attached, joined.q, tool, tool_at.q,
                         frame_pose(attached, joined.q, attached.frame("flange")).inverse(), "my_") < bound);
  if (on_ground) {
    // No coupling: two blocks.
    const auto M = dynamics(attached, joined).M;
    CHECK(M(model.v_indices(names(model.joints())), attached.v_indices({"my_finger_joint"})).isZero(0.0));
  }
}

TEST_CASE("attaching needs a frame of the model and names of its own", "[model][edit]") {
  const auto model = gripper();
  CHECK(mentions(message_of<ModelError>([&] { attach(model, "tip", model); }),
                 {"both have a joint 'finger_joint'", "prefix"}));
  CHECK(mentions(message_of<ModelError>([&] { attach(model, "toe", model, "x"); }), {"'toe'"}));
  auto other = ModelBuilder<double>();
  other.add_body({.name = "tip", .joint = joint::Revolute::x(), .inertia = ball()});
  CHECK(mentions(message_of<ModelError>([&] { attach(model, "tip", other.build()); }), {"body or frame 'tip'"}));
  CHECK(attach(model, "", model, "x_").nv() == 2 * model.nv());
  CHECK(attach(attach(model, "tip", model, "a_"), "a_tip", model, "b_").has_frame("b_tip"));
}

TEST_CASE("a payload is one more body welded to the frame", "[model][edit]") {
  const auto model = random_model(6);
  Random<double> random(1);
  const Pose<double> placement = random.pose();
  const auto payload = InertialParameters<double>(random.inertia());
  const auto marked = add_frame(model, "tool", "body9", placement);
  auto at_once = to_builder(model);
  at_once.add_body({.name = "payload", .parent = "body9", .placement = placement, .inertia = payload});
  const auto loaded = with_payload(marked, "tool", payload);
  const State at = random_state(model, 1);
  CHECK(difference(dynamics(loaded, at), dynamics(at_once.build(), at)) < bound);
  CHECK(difference(
            dynamics(with_payload(model, "body9", InertialParameters<double>(placement.act(Inertia<double>(payload)))),
                     at),
            dynamics(loaded, at)) < bound);
  CHECK_NOTHROW(loaded.check_owns(marked.frame("tool")));
  const InertialParameters<double> taken{-payload.mass, payload.com, -payload.inertia};
  CHECK(difference(dynamics(with_payload(loaded, "tool", taken), at), dynamics(model, at)) < bound);
  CHECK(mentions(message_of<ModelError>([&] {
                   with_payload(marked, "tool", {-99.0, {0, 0, 0}, Matrix3<double>::Zero()});
                 }),
                 {"mass"}));
  CHECK(mentions(message_of<ModelError>([&] { with_payload(gripper(), "socket", ball()); }), {"'socket'", "ground"}));
  CHECK_THROWS_AS(with_payload(model, "toe", ball()), ModelError);
}

TEST_CASE("a frame is added to a body, a frame or the ground", "[model][edit]") {
  const auto model = gripper();
  Random<double> random(8);
  const Pose<double> placement = random.pose();
  const VectorXd q = random_q(model, 2);
  for (const std::string on : {"finger", "thumb", "tip", "socket", ""}) {
    CAPTURE(on);
    const auto more = add_frame(model, "mark", on, placement);
    const Pose<double> there = on.empty() ? Pose<double>::identity() : frame_pose(model, q, model.frame(on));
    CHECK(relative_error(frame_pose(more, q, more.frame("mark")), there * placement) < bound);
    CHECK(more.frames().size() == model.frames().size() + 1);
  }
  CHECK(mentions(message_of<ModelError>([&] { add_frame(model, "tip", "finger", placement); }), {"'tip'"}));
  CHECK(mentions(message_of<ModelError>([&] { add_frame(model, "mark", "toe", placement); }), {"'toe'"}));
}

TEST_CASE("numbers are carried to models that have them", "[model][edit]") {
  const VectorXd x = VectorXd::LinSpaced(3, 1, 3), missing = VectorXd::Constant(4, 9);
  CHECK(carry(std::vector<int>{2, -1, 0, 0}, x, missing) == Eigen::Vector4d(3, 9, 1, 1));
  CHECK_THROWS_AS(carry(std::vector<int>{2}, x, missing), SizeError);
  CHECK_THROWS_AS(carry(std::vector<int>{3, 0, 0, 0}, x, missing), SizeError);
  // A joint of the same name with another number of coordinates is another joint.
  auto builder = to_builder(gripper());
  builder.body("thumb").joint = joint::Spherical();
  builder.body("thumb").limits = {}, builder.body("thumb").armature = {}, builder.body("thumb").passive = {};
  CHECK(index_maps(gripper(), builder.build()).v == std::vector<int>{0, 1, -1, -1, -1});
  CHECK(mentions(message_of<ModelError>([&] { builder.body("toe"); }), {"'toe'"}));
}

TEST_CASE("models over other scalars are edited, too", "[model][edit]") {
  const auto model = random_model(2).cast<float>();
  const VectorX<float> q = random_q(model, 1), v = random_vector<float>(model.nv(), 1);
  const auto again = attach(to_builder(model).build(), "body3", model, "x_");
  const auto part = lock_joints(again, names(submodel(again, "x_body0").joints()), random_q(again, 3));
  Data<float> data(model), part_data(part);
  // The other one is locked as a whole: it adds inertia and changes no pose.
  forward_kinematics(model, data, q);
  forward_kinematics(part, part_data, q);
  for (const auto& body : model.bodies())
    CHECK(relative_error(body_pose(part, part_data, part.frame(body.name())), body_pose(model, data, body)) < 1e-4);
}

}  // namespace edit_test
