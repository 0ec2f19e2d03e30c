#include "corio/model/edit.hpp"

#include "model/edit_support.hpp"
#include "support/catch.hpp"

// Compares edited models with the mechanism that they describe: the original with constrained motions, or one that
// ModelBuilder made at once. Tolerances allow some ten spatial operations; poses, inertias and axes go through about as
// many products in the builder.

namespace edit_test {

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
  CHECK(again.safety().lower == model.safety().lower);
  CHECK(again.safety().upper == model.safety().upper);
  CHECK(again.safety().position_gain == model.safety().position_gain);
  CHECK(again.safety().velocity_gain == model.safety().velocity_gain);
  CHECK(relative_error(again.ground_inertia().vector(), model.ground_inertia().vector()) < bound);
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
    CHECK(relative_error(again.inertia(body.name()).vector(), model.inertia(body).vector()) < bound);
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
  const std::vector<joint::JointSpec<double>> with_axis{joint::Revolute(axis), joint::Prismatic(axis),
                                                        joint::Helical(axis, 0.3), joint::Cylindrical(axis),
                                                        joint::Planar(axis)};
  const std::vector<joint::JointSpec<double>> without{joint::Spherical(), joint::Translation(), joint::FreeFlyer(),
                                                      Cam(), joint::Universal()};
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
      const auto again = to_builder(model);
      const auto& spec = again.bodies()[1];
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
  CHECK(relative_error(a.inertia("b").vector(), inertia.vector()) < bound);
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
                         jacobian(model, at.q, model.frame(frame.name()))(Eigen::seqN(0, 6), k)) < bound);

  const IndexMaps maps = index_maps(model, edited);
  CHECK(maps.q == i);
  CHECK(maps.v == k);
  CHECK(remap(maps.v, at.v, VectorXd::Zero(edited.nv()).eval()) == own.v);
  CHECK(remap(maps.q, at.q, neutral(edited)) == own.q);
  // In the other direction, locked coordinates have no counterpart.
  const VectorXd missing = VectorXd::Constant(model.nv(), 7.0);
  const VectorXd back = remap(index_maps(edited, model).v, own.v, missing);
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

}  // namespace edit_test
