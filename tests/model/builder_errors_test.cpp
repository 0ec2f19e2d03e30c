#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Tests every error that ModelBuilder::build documents: it is a ModelError, and its message names the cause.

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Returns a valid body "arm" with joint "elbow".
BodySpec<double> arm() {
  return {.name = "arm", .joint = joint::Revolute::z(), .inertia = ball(), .joint_name = "elbow"};
}

/// Returns the message that rejects a model "robot" with these bodies, by the strict rule.
std::string rejection(const std::vector<BodySpec<double>>& specs) {
  ModelBuilder<double> builder("robot");
  builder.set_inertias(Inertias::strict);
  for (const auto& spec : specs) builder.add_body(spec);
  return message_of<ModelError>([&] { builder.build(); });
}
/// Returns the message for "arm" after a change to it.
template <class Change>
std::string rejection_of_arm(Change change) {
  auto spec = arm();
  change(spec);
  return rejection({spec});
}

}  // namespace

TEST_CASE("a model without bodies and frames is rejected", "[model][builder][errors]") {
  CHECK(mentions(rejection({}), {"robot", "no bodies"}));
}

TEST_CASE("a body without a name is rejected by its number", "[model][builder][errors]") {
  auto nameless = arm();
  nameless.name = "";
  nameless.joint_name = "other";
  CHECK(mentions(rejection({arm(), nameless}), {"robot", "body number 1", "no name"}));
}

TEST_CASE("two bodies of one name are rejected", "[model][builder][errors]") {
  auto twin = arm();
  twin.joint_name = "other";
  CHECK(mentions(rejection({arm(), twin}), {"robot", "two bodies", "'arm'"}));
}

TEST_CASE("two joints of one name are rejected with their bodies", "[model][builder][errors]") {
  auto twin = arm();
  twin.name = "hand";
  CHECK(mentions(rejection({arm(), twin}), {"'elbow'", "'arm'", "'hand'"}));
}

TEST_CASE("a parent that does not exist is rejected with its child", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.parent = "shoulder"; }), {"'arm'", "'shoulder'"}));
}

TEST_CASE("a handle of another builder is rejected, also one in range", "[model][builder][errors]") {
  const std::vector<std::string> parts{"'arm'", "handle", "of another builder"};
  CHECK(mentions(rejection_of_arm([](auto& s) { s.parent = BodyHandle{5}; }), parts));
  CHECK(mentions(rejection_of_arm([](auto& s) { s.parent = BodyHandle{}; }), parts));
  ModelBuilder<double> other("other");
  const BodyHandle foreign = other.add_body({.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = ball()});
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.parent = foreign; }), parts));
}

TEST_CASE("a copy of a builder accepts the handles that it was copied with, and no later ones of the original",
          "[model][builder][errors]") {
  ModelBuilder<double> original("robot");
  const BodyHandle trunk = original.add_body({.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = ball()});
  ModelBuilder<double> copy = original;
  const BodyHandle later = original.add_body({.name = "head", .parent = trunk, .inertia = ball()});
  auto on_trunk = arm();
  on_trunk.parent = trunk;
  copy.add_body(on_trunk);
  CHECK(copy.build().body("arm").parent() == 0);
  CHECK(ModelBuilder<double>(std::move(copy)).build().body("arm").parent() == 0);

  ModelBuilder<double> sibling("robot");
  sibling.add_body({.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = ball()});
  sibling = original;
  auto on_head = arm();
  on_head.parent = later;
  sibling.add_body(on_head);
  CHECK(sibling.build().body("arm").parent() == 0);  // on a body that is welded to the trunk
  copy = ModelBuilder<double>("robot");
  copy.add_body({.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = ball()});
  copy.add_body({.name = "other", .parent = "trunk", .inertia = ball()});
  copy.add_body(on_head);
  CHECK(mentions(message_of<ModelError>([&] { copy.build(); }), {"'arm'", "handle"}));
}

TEST_CASE("a null pointer is no parent", "[model][builder][errors]") {
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Parent, std::nullptr_t>);
  const char* no_name = nullptr;
  CHECK(mentions(message_of<ModelError>([&] { Parent parent(no_name); }), {"parent", "null pointer"}));
}

TEST_CASE("a cycle of parents is rejected with its bodies and without others", "[model][builder][errors]") {
  const auto message = rejection({arm(),
                                  {.name = "a", .parent = "c", .joint = joint::Revolute::x(), .inertia = ball()},
                                  {.name = "b", .parent = "a", .joint = joint::Revolute::x(), .inertia = ball()},
                                  {.name = "c", .parent = "b", .joint = joint::Revolute::x(), .inertia = ball()}});
  CHECK(mentions(message, {"'a'", "'b'", "'c'", "form a cycle"}));
  CHECK_FALSE(mentions(message, {"'arm'"}));
}

TEST_CASE("a body that is its own parent is rejected", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.parent = "arm"; }), {"'arm'", "form a cycle"}));
}

TEST_CASE("a placement that is not finite is rejected with its body", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.placement.translation[1] = no_number; }), {"'arm'", "finite"}));
  CHECK(mentions(rejection_of_arm([](auto& s) { s.placement.rotation(0, 2) = infinite; }), {"'arm'", "finite"}));
}

TEST_CASE("a placement whose matrix is not orthogonal is rejected with its body", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.placement.rotation *= 1.001; }), {"'arm'", "orthogonal"}));
}

TEST_CASE("a placement that reflects is rejected with its body", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.placement.rotation *= -1; }), {"'arm'", "determinant"}));
}

TEST_CASE("inertia that is not finite is rejected with its body", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.mass = no_number; }), {"'arm'", "finite"}));
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.com[2] = infinite; }), {"'arm'", "finite"}));
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.inertia(1, 1) = no_number; }), {"'arm'", "finite"}));
}

TEST_CASE("a negative mass is rejected with its value", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.mass = -2.5; }), {"'arm'", "mass", "-2.5"}));
}

TEST_CASE("an inertia that is not symmetric is rejected with its body", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.inertia(0, 1) = 0.01; }), {"'arm'", "symmetric"}));
}

TEST_CASE("a negative principal moment is rejected with its body", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.inertia(0, 0) = -0.01; }), {"'arm'", "-0.01", "principal"}));
}

TEST_CASE("a negative principal moment that keeps the triangle inequality is rejected, one of rounding is not",
          "[model][builder][errors]") {
  const auto answer = [](double smallest) {
    const Matrix3<double> R = Random<double>(1).rotation();
    const Matrix3<double> I = R * Vector3<double>(smallest, 2, 2).asDiagonal() * R.transpose();
    return rejection_of_arm([&](auto& s) { s.inertia.inertia = I; });
  };
  CHECK(mentions(answer(-0.05), {"'arm'", "-0.05", "principal"}));
  CHECK(mentions(answer(-1e-5), {"'arm'", "-1e-05", "principal"}));
  CHECK(answer(-1e-7) == "no exception");
}

TEST_CASE("an inertia all of whose moments are negative is not called unsymmetric", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.inertia *= -1; }), {"'arm'", "-0.1", "principal"}));
}

TEST_CASE("numbers whose products overflow are rejected with their body", "[model][builder][errors]") {
  const std::vector<std::string> parts{"'arm'", "cube is finite"};
  for (const double huge : {1e200, 1e155, 1e103}) {
    CAPTURE(huge);
    CHECK(mentions(rejection_of_arm([&](auto& s) { s.inertia.inertia *= huge / 0.1; }), parts));
    CHECK(mentions(rejection_of_arm([&](auto& s) { s.inertia.mass = huge; }), parts));
    CHECK(mentions(rejection_of_arm([&](auto& s) { s.inertia.com[1] = huge; }), parts));
    CHECK(mentions(rejection_of_arm([&](auto& s) { s.placement.translation[0] = huge; }), parts));
  }
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.mass = 1e308, s.inertia.com = {1, 1, 1}; }), parts));
  CHECK(mentions(rejection_of_arm([](auto& s) { s.inertia.mass = 1e60, s.inertia.com = {1e60, 0, 0}; }), parts));
  CHECK(mentions(rejection_of_arm([](auto& s) { s.armature = {1e200}; }), {"'elbow'", "armature", "cube is finite"}));
  ModelBuilder<float> narrow;
  narrow.add_body({.name = "arm", .joint = joint::Revolute::z(), .inertia = ball<float>(1e20)});
  CHECK(mentions(message_of<ModelError>([&] { narrow.build(); }), parts));
}

TEST_CASE("set_inertia rejects what overflows, too", "[model][inertia][errors]") {
  ModelBuilder<double> builder;
  builder.add_body(arm());
  auto model = builder.build();
  const auto stamp = model.state_id();
  CHECK(mentions(message_of<ModelError>([&] {
                   model.set_inertia("arm", {1, zero3<double>(), Matrix3<double>::Identity() * 1e200});
                 }),
                 {"'arm'", "cube is finite"}));
  CHECK(model.state_id() == stamp);
}

TEST_CASE("bodies of stars and of grains of dust are accepted", "[model][builder]") {
  for (const double size : {1e30, 1e-30, 1e-60, 1e-90}) {
    CAPTURE(size);
    CHECK(rejection_of_arm([&](auto& s) { s.inertia = ball(size); }) == "no exception");
    // The principal axes are not those of the matrix: the moments are found from products of its entries.
    const Matrix3<double> R = Random<double>(1).rotation();
    const Matrix3<double> I = size * (R * Vector3<double>(1, 2, 2.5).asDiagonal() * R.transpose());
    CHECK(rejection_of_arm([&](auto& s) { s.inertia.inertia = I; }) == "no exception");
    const Matrix3<double> wrong = size * (R * Vector3<double>(1, 1, 2.5).asDiagonal() * R.transpose());
    CHECK(mentions(rejection_of_arm([&](auto& s) { s.inertia.inertia = wrong; }), {"'arm'", "triangle"}));
  }
}

TEST_CASE("principal moments against the triangle inequality are rejected in any axes", "[model][builder][errors]") {
  const Matrix3<double> R = Random<double>(1).rotation();
  const Matrix3<double> turned = R * Vector3<double>(0.1, 0.1, 0.21).asDiagonal() * R.transpose();
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.inertia.inertia = turned; }), {"'arm'", "0.21", "triangle"}));
}

TEST_CASE("a flat body, at the edge of the triangle inequality, is accepted", "[model][builder]") {
  const Matrix3<double> R = Random<double>(1).rotation();
  const Matrix3<double> turned = R * Vector3<double>(0.1, 0.1, 0.2).asDiagonal() * R.transpose();
  CHECK(rejection_of_arm([&](auto& s) { s.inertia.inertia = turned; }) == "no exception");
}

TEST_CASE("armature of the wrong size is rejected with its joint and both sizes", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) {
                   s.armature = {0.1, 0.2};
                 }),
                 {"'elbow'", "2 values of armature", "expected 1"}));
}

TEST_CASE("armature that is negative or not finite is rejected with its joint", "[model][builder][errors]") {
  for (const double wrong : {-0.1, no_number, infinite})
    CHECK(mentions(rejection_of_arm([&](auto& s) { s.armature = {wrong}; }), {"'elbow'", "armature"}));
}

TEST_CASE("limits of the wrong size are rejected with their joint", "[model][builder][errors]") {
  const std::vector<double> two{0, 1};
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.limits.lower = two; }), {"'elbow'", "lower limit"}));
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.limits.upper = two; }), {"'elbow'", "upper limit"}));
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.limits.velocity = two; }), {"'elbow'", "velocity limit"}));
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.limits.effort = two; }), {"'elbow'", "effort limit"}));
}

TEST_CASE("limits that are not numbers are rejected with their joint", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.limits.velocity = {no_number}; }), {"'elbow'", "velocity limit"}));
}

TEST_CASE("a lower limit above the upper limit is rejected with its joint", "[model][builder][errors]") {
  CHECK(mentions(rejection_of_arm([](auto& s) { s.limits.lower = {1.0}, s.limits.upper = {-1.0}; }),
                 {"'elbow'", "exceeds"}));
}

TEST_CASE("a frame needs a name that no body or frame has", "[model][builder][errors]") {
  const auto name = GENERATE(as<std::string>(), "", "arm", "tip");
  CAPTURE(name);
  ModelBuilder<double> builder("robot");
  builder.add_body(arm());
  builder.add_frame("tip", "arm");
  builder.add_frame(name, "arm");
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"'" + name + "'", "distinct"}));
}

TEST_CASE("a frame on a body that does not exist is rejected", "[model][builder][errors]") {
  ModelBuilder<double> builder("robot");
  builder.add_body(arm());
  builder.add_frame("tip", "hand");
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"'tip'", "'hand'"}));
}

TEST_CASE("a frame with an improper placement is rejected with its name", "[model][builder][errors]") {
  ModelBuilder<double> builder("robot");
  builder.add_body(arm());
  builder.add_frame("tip", "arm", {2.0 * Matrix3<double>::Identity(), Vector3<double>::Zero()});
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"'tip'", "orthogonal"}));
}

TEST_CASE("a massless leaf is rejected with its joint and body", "[model][builder][errors]") {
  BodySpec<double> hand{.name = "hand", .parent = "arm", .joint = joint::Revolute::x(), .joint_name = "wrist"};
  CHECK(mentions(rejection({arm(), hand}), {"'wrist'", "'hand'", "no inertia"}));
}

TEST_CASE("a massless leaf on a universal joint is rejected with its joint", "[model][builder][errors]") {
  BodySpec<double> hand{.name = "hand", .parent = "arm", .joint = joint::Universal{}, .joint_name = "wrist"};
  CHECK(mentions(rejection({arm(), hand}), {"'wrist'", "'hand'", "no inertia"}));
}

TEST_CASE("a point mass on the axis of its joint is rejected", "[model][builder][errors]") {
  const Vector3<double> axis(1, -2, 0.5), on_axis = 0.7 * axis;
  const InertialParameters<double> point(2.0, on_axis, Matrix3<double>::Zero());
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.joint = joint::Revolute(axis), s.inertia = point; }),
                 {"'elbow'", "'arm'", "no inertia"}));
}

TEST_CASE("a point mass off the axis of its joint is accepted", "[model][builder]") {
  const InertialParameters<double> point(2.0, {0.1, 0.0, 5.0}, Matrix3<double>::Zero());
  CHECK(rejection_of_arm([&](auto& s) { s.inertia = point; }) == "no exception");
}

TEST_CASE("a body with rotational inertia but no mass cannot slide", "[model][builder][errors]") {
  const InertialParameters<double> spin(0.0, Vector3<double>::Zero(), Matrix3<double>::Identity());
  CHECK(mentions(rejection_of_arm([&](auto& s) { s.joint = joint::Prismatic::x(), s.inertia = spin; }),
                 {"'elbow'", "no inertia"}));
}

TEST_CASE("gravity that is not finite is rejected", "[model][builder][errors]") {
  ModelBuilder<double> builder;
  builder.set_gravity({0, no_number, 0});
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"gravity"}));
}

TEST_CASE("a builder whose build failed can be completed and built", "[model][builder][errors]") {
  ModelBuilder<double> builder("robot");
  builder.add_body({.name = "hand", .parent = "arm", .joint = joint::Revolute::x(), .inertia = ball()});
  CHECK(message_of<ModelError>([&] { builder.build(); }) != "no exception");
  builder.add_body(arm());
  CHECK(builder.build().body("hand").index() == 1);
}

TEST_CASE("a joint some of whose motions meet no inertia is rejected, whatever hides it", "[model][builder][errors]") {
  const Vector3<double> off_centre(0.1, 0.2, -1.0);
  const InertialParameters<double> point(1.0, off_centre, Matrix3<double>::Zero());
  const InertialParameters<double> solid(1.0, off_centre, Matrix3<double>::Identity());
  const auto message = [](const std::vector<BodySpec<double>>& bodies) {
    ModelBuilder<double> builder;
    builder.set_inertias(Inertias::strict);
    for (const auto& body : bodies) builder.add_body(body);
    return message_of<ModelError>([&] { builder.build(); });
  };
  const std::vector<std::string> culprit{"'weak_joint'", "no inertia"};
  CHECK(mentions(message({{.name = "weak", .joint = joint::Spherical{}, .inertia = point}}), culprit));
  CHECK(mentions(message({{.name = "weak", .joint = joint::FreeFlyer{}, .inertia = point}}), culprit));
  CHECK(mentions(message({{.name = "weak", .joint = joint::Universal(off_centre, off_centre), .inertia = solid}}),
                 culprit));
  CHECK(mentions(message({{.name = "weak", .joint = joint::Revolute::z()},
                          {.name = "next", .parent = "weak", .joint = joint::Revolute::z(), .inertia = solid}}),
                 culprit));
}

TEST_CASE("a rigid body must be physical as a whole, and a dummy welded to it may not matter",
          "[model][builder][errors]") {
  const auto body = [](double largest) {
    return InertialParameters<double>(1.0, zero3<double>(), Vector3<double>(0.01, 0.01, largest).asDiagonal());
  };
  const InertialParameters<double> heavy(100.0, zero3<double>(), Matrix3<double>::Identity() * 50.0);
  const auto build = [&](const InertialParameters<double>& dummy) {
    ModelBuilder<double> builder;
    builder.set_inertias(Inertias::strict);
    builder.add_body({.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = heavy});
    builder.add_body({.name = "dummy", .parent = "trunk", .inertia = dummy});
    return builder.build().nv();
  };
  CHECK(build(body(0.022)) == 6);
  CHECK(mentions(message_of<ModelError>([&] { build(body(1.4)); }), {"'dummy'", "triangle"}));
}
