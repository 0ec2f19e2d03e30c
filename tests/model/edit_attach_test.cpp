#include "corio/model/edit.hpp"

#include "corio/loops/constraint_jacobian.hpp"
#include "corio/model/edit_maps.hpp"
#include "model/edit_support.hpp"
#include "support/catch.hpp"

// Compares edited models with the mechanism that they describe: the original with constrained motions, or one that
// ModelBuilder made at once. Tolerances allow some ten spatial operations; poses, inertias and axes go through about as
// many products in the builder.

namespace edit_test {

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
    return remap(b, y, remap(a, x, VectorXd::Zero(std::ssize(a)).eval()));
  };
  const State joined{both(maps.q, at.q, tool_maps.q, tool_at.q), both(maps.v, at.v, tool_maps.v, tool_at.v),
                     both(maps.v, at.a, tool_maps.v, tool_at.a)};
  const IndexMaps order = index_maps(attached, expected);
  const State there{joined.q(order.q), joined.v(order.v), joined.a(order.v)};
  CHECK(difference(at_indices(dynamics(attached, joined), order.v), dynamics(expected, there)) < bound);
  CHECK(frame_difference(attached, joined.q, expected, there.q) < bound);
  CHECK(attached.frames().size() == model.frames().size() + tool.frames().size());
  CHECK(relative_error(attached.ground_inertia().vector(), expected.ground_inertia().vector()) < bound);
  CHECK(attached.effort_limit()(attached.v_indices({"my_finger_joint"})) == Eigen::Vector2d(30, 31));
  CHECK(attached.safety().position_gain(attached.v_indices({"my_finger_joint"})) == Eigen::Vector2d(50, 51));
  CHECK(attached.name() == model.name());
  CHECK(attached.gravity() == model.gravity());
  CHECK(frame_difference(attached, joined.q, tool, tool_at.q,
                         frame_pose(attached, joined.q, attached.frame("flange")).inverse(), "my_") < bound);
  if (on_ground) {
    // No joint couples the two, so M has two blocks.
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

TEST_CASE("a wall without bodies is a model to which robots are attached", "[model][edit]") {
  Random<double> random(12);
  const Pose<double> mount = random.pose();
  ModelBuilder<double> wall("wall");
  wall.add_frame("mount", "", mount);
  const auto cell = wall.build();
  CHECK(cell.nv() == 0);
  Data<double> still(cell);
  CHECK(crba(cell, still, VectorXd(0)).size() == 0);
  const auto model = random_model(3, true), hung = attach(cell, "mount", model), moved = with_base(model, mount);
  const State at = random_state(model, 7);
  auto falling = hung;
  falling.set_gravity(model.gravity());  // attach keeps the gravity of the wall
  CHECK(difference(dynamics(falling, at), dynamics(moved, at)) < bound);
  CHECK(frame_difference(moved, at.q, hung, at.q) < bound);
  CHECK(hung.has_frame("mount"));
}

TEST_CASE("a model with another base moves as the old one with gravity turned", "[model][edit]") {
  const bool floating = GENERATE(false, true);
  CAPTURE(floating);
  Random<double> random(13);
  const Pose<double> base = random.pose();
  auto old = to_builder(random_model(5, floating));
  old.add_frame("socket", "", random.pose());
  old.set_ground_inertia(ball());
  const auto model = old.build(), moved = with_base(model, base);
  auto turned = model;
  turned.set_gravity(transpose(base.rotation) * model.gravity());
  const State at = random_state(model, 2);
  CHECK(difference(dynamics(moved, at), dynamics(turned, at)) < bound);
  CHECK(frame_difference(moved, at.q, model, at.q, base.inverse()) < bound);
  CHECK(moved.gravity() == model.gravity());
  CHECK(moved.name() == model.name());
  CHECK(relative_error(moved.ground_inertia().vector(),
                       InertialParameters<double>(base.act(Inertia<double>(model.ground_inertia()))).vector()) < bound);
  CHECK(difference(dynamics(with_base(moved, base.inverse()), at), dynamics(model, at)) < bound);
  // Without the turn of gravity the test would not detect the base: the old robot has other torques.
  CHECK(relative_error(dynamics(moved, at).tau, dynamics(model, at).tau) > 1e-3);
  auto bent = base;
  bent.rotation(0) = 2;
  CHECK_THROWS_AS(with_base(model, bent), ModelError);
}

TEST_CASE("loops on the ground move with the base", "[model][edit]") {
  Random<double> random(14);
  auto chain = to_builder(zoo::serial_chain(3));
  chain.add_frame("anchor", "", random.pose());
  chain.add_frame("tip", "link3", random.pose());
  chain.close_loop("pin", "tip", "anchor", closure::Point{});
  const auto model = chain.build(), moved = with_base(model, random.pose());
  const Loops<double> loops(model), same(moved);
  const VectorXd q = random_q(model, 3);
  Data<double> data(model), there(moved);
  VectorXd open(3), open_there(3);
  constraint_residual<double>(model, forward_kinematics(model, data, q), loops, open);
  constraint_residual<double>(moved, forward_kinematics(moved, there, q), same, open_there);
  // The point's offset is in axes of the anchor, which turn with the base.
  CHECK(open.norm() > 0.1);
  CHECK(relative_error(open_there, open) < bound);
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
  CHECK(remap(std::vector<int>{2, -1, 0, 0}, x, missing) == Eigen::Vector4d(3, 9, 1, 1));
  CHECK(mentions(message_of<SizeError>([&] { remap(std::vector<int>{2}, x, missing); }), {"missing", "expected 1"}));
  CHECK_THROWS_AS(remap(std::vector<int>{3, 0, 0, 0}, x, missing), SizeError);
  // A joint of the same name with another number of coordinates is another joint.
  auto builder = to_builder(gripper());
  builder.body("thumb").joint = joint::Spherical();
  builder.body("thumb").limits = {}, builder.body("thumb").safety = {}, builder.body("thumb").armature = {},
  builder.body("thumb").passive = {};
  CHECK(index_maps(gripper(), builder.build()).v == std::vector<int>{0, 1, -1, -1, -1});
  CHECK(mentions(message_of<ModelError>([&] { builder.body("toe"); }), {"'toe'"}));
}

TEST_CASE("models over other scalars are edited, too", "[model][edit]") {
  const auto model = random_model(2).cast<float>();
  const VectorX<float> q = random_q(model, 1), v = random_vector<float>(model.nv(), 1);
  const auto again = attach(to_builder(model).build(), "body3", model, "x_");
  const auto attached = submodel(again, "x_body0");
  const auto part = lock_joints(again, names(attached.joints()), random_q(again, 3));
  Data<float> data(model), part_data(part);
  // The other finger is locked as a whole: it adds inertia and changes no pose.
  forward_kinematics(model, data, q);
  forward_kinematics(part, part_data, q);
  for (const auto& body : model.bodies())
    CHECK(relative_error(body_pose(part, part_data, part.frame(body.name())), body_pose(model, data, body)) < 1e-4);
}

}  // namespace edit_test
