#include "corio/model/edit_maps.hpp"
#include "model/edit_support.hpp"
#include "support/catch.hpp"

// Compares a model in which one joint was replaced with the model that was built with the new joint, and by motions
// that do not depend on which joint it is.

namespace edit_test {

namespace {

using AnyJoint = joint::JointSpec<double>;

/// Returns one joint for each pair of sizes, and others with the same sizes.
std::vector<AnyJoint> joints() {
  const Vector3<double> axis(0.4, -1.1, 0.7), other(1, 2, -0.5);
  return {joint::Revolute(axis),   joint::Prismatic(other), Cam(0.3),           joint::Universal(axis, other),
          joint::Spherical(),      joint::Planar(axis),     joint::FreeFlyer(), joint::SphericalEuler<'z', 'y', 'x'>(),
          joint::Cylindrical(axis)};
}

template <class T>
std::vector<T> numbers(int count, double first) {
  std::vector<T> x;
  for (int i = 0; i < count; ++i) x.push_back(first + i);
  return x;
}

/// Puts the second of three bodies on the joint, with the terms of a joint of these sizes if they fit.
Model<double> arm(const AnyJoint& joint, int nq, int nv) {
  Random<double> random(3);
  ModelBuilder<double> builder("arm");
  builder.set_gravity({1, -2, 3});
  const auto body = [&](const char* name, const Parent& parent, const AnyJoint& on) {
    const Pose<double> placement = random.pose(), moved = random.pose();
    BodySpec<double> spec{.name = name,
                          .parent = parent,
                          .joint = on,
                          .placement = placement,
                          .body_placement = {identity3<double>(), moved.translation},
                          .inertia = InertialParameters<double>(random.inertia())};
    return spec;
  };
  builder.add_body(body("upper", Parent(), joint::Revolute({1, 2, 3})));
  BodySpec<double> spec = body("middle", "upper", joint);
  if (nv == joint.nv()) {
    spec.armature = numbers<double>(nv, 0.1);
    spec.limits.velocity = numbers<double>(nv, 3), spec.limits.effort = numbers<double>(nv, 30);
    spec.safety.velocity_gain = numbers<double>(nv, 60);
    spec.passive.damping = numbers<double>(nv, 1), spec.passive.stiffness = numbers<double>(nv, 5);
  }
  if (nq == joint.nq()) {
    spec.limits.lower = numbers<double>(nq, -9), spec.limits.upper = numbers<double>(nq, 2);
    spec.safety.lower = numbers<double>(nq, -8);
  }
  builder.add_body(std::move(spec));
  builder.add_body(body("last", "middle", joint::Revolute({0, 1, 0})));
  builder.add_frame("tip", "last", random.pose());
  builder.add_frame("anchor", Parent(), random.pose());
  builder.close_loop("loop", "tip", "anchor", closure::Point{}, {"middle_joint"});
  builder.couple("gear", {{"upper_joint", 1.0}, {"last_joint", -2.0}}, 0.0, {"last_joint"});
  return builder.build();
}

}  // namespace

TEST_CASE("a model with a replaced joint is the one that was built with it", "[model][edit]") {
  for (const AnyJoint& from : joints())
    for (const AnyJoint& to : joints()) {
      CAPTURE(from.type, to.type);
      const auto old = arm(from, from.nq(), from.nv()), expected = arm(to, from.nq(), from.nv());
      const auto model = replace_joint(old, "middle_joint", to);
      CHECK(names(model.joints()) == names(old.joints()));
      CHECK(names(model.bodies()) == names(old.bodies()));
      CHECK(names(model.frames()) == names(old.frames()));
      CHECK(model.joint("middle_joint").type() == to.type);
      REQUIRE(model.nv() == expected.nv());
      const State at = random_state(expected, 5);
      CHECK(difference(dynamics(model, at), dynamics(expected, at)) < bound);
      CHECK(frame_difference(model, at.q, expected, at.q) < bound);
      // Terms stay if their sizes fit.
      for_each_term([](const JointTerm& term, const auto& x, const auto& y) { CHECK((term.name && x == y)); },
                    model.terms(), expected.terms());
      const bool fits_q = from.nq() == to.nq(), fits_v = from.nv() == to.nv();
      REQUIRE(model.notes().size() == (fits_q && fits_v ? 0 : 1));
      if (!fits_v) CHECK(mentions(to_string(model.notes()[0]), {"'middle_joint'", "armature", "dropped", from.type}));
      if (!fits_q) CHECK(mentions(to_string(model.notes()[0]), {"'middle_joint'", "lower limit", "dropped", to.type}));
      // Loops stay too, and so do the indices of all other joints.
      REQUIRE(model.loops().size() == 2);
      CHECK(model.loops()[0].dependent == std::vector<std::string>{"middle_joint"});
      CHECK(model.loops()[1].terms.size() == 2);
      const auto maps = index_maps(old, model);
      CHECK(maps.v.front() == 0);
      CHECK(maps.v.back() == old.nv() - 1);
      if (!fits_q || !fits_v)
        for (int k = 1; k < model.nv() - 1; ++k) CHECK(maps.v[static_cast<std::size_t>(k)] == -1);
    }
}

TEST_CASE("at rest at its neutral configuration a joint does not tell which one it is", "[model][edit]") {
  const int seed = GENERATE(range(0, 6));
  const auto model = seed == 5 ? gripper() : random_model(seed, seed % 2 == 1);
  for (const Joint& joint : model.joints()) {
    CAPTURE(seed, joint.name());
    const auto all = joints();
    const auto edited = replace_joint(model, joint.name(), all[static_cast<std::size_t>(joint.v_index()) % all.size()]);
    State at = random_state(model, seed);
    at.q.segment(joint.q_index(), joint.nq()) = neutral(model).segment(joint.q_index(), joint.nq());
    at.v.segment(joint.v_index(), joint.nv()).setZero(), at.a.segment(joint.v_index(), joint.nv()).setZero();
    // The terms of all other joints, in the order of one model and in that of the other.
    std::vector<std::string> others;
    for (const std::string& name : names(model.joints()))
      if (name != joint.name()) others.push_back(name);
    const auto k = model.v_indices(others), i = edited.v_indices(others);
    State same{neutral(edited), VectorXd::Zero(edited.nv()), VectorXd::Zero(edited.nv())};
    same.q(edited.q_indices(others)) = at.q(model.q_indices(others));
    same.v(i) = at.v(k), same.a(i) = at.a(k);
    CHECK(difference(at_indices(dynamics(edited, same), i), at_indices(dynamics(model, at), k)) < bound);
    CHECK(frame_difference(edited, same.q, model, at.q) < bound);
  }
}

TEST_CASE("joints are replaced by such as loops can have, and that move", "[model][edit][errors]") {
  const auto model = arm(joint::Spherical(), 4, 3);
  CHECK(mentions(message_of<ModelError>([&] { replace_joint(model, "knee", joint::Universal()); }),
                 {"'arm'", "no joint 'knee'", "'middle_joint'"}));
  CHECK(mentions(message_of<ModelError>([&] { replace_joint(model, "middle_joint", joint::Fixed()); }),
                 {"'arm'", "'middle_joint'", "lock_joints"}));
  CHECK(mentions(message_of<ModelError>([&] { replace_joint(model, "last_joint", joint::Universal()); }),
                 {"loop 'gear'", "'last_joint' (universal)", "one coordinate"}));
  CHECK_NOTHROW(replace_joint(model, "last_joint", joint::Prismatic({0, 0, 1})));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(mentions(message_of<ModelError>([&] {
                   replace_joint(model, "last_joint", joint::Revolute({nan, 0, 0}));
                 }),
                 {"'last_joint'", "axis"}));
}

}  // namespace edit_test
