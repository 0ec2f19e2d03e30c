#include "corio/model/detail/regularity.hpp"

#include <limits>

#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks which models the builder rejects because a joint moves no inertia, and that this depends on neither units nor
// size.

namespace {

/// Returns a body with the mass m at the point c and moments of inertia about c along the axes.
InertialParameters<double> body(double m, const Vector3<double>& c, const Vector3<double>& moments) {
  return {m, c, moments.asDiagonal()};
}
InertialParameters<double> point_mass(double m, const Vector3<double>& c) { return body(m, c, {0, 0, 0}); }

/// Returns a body on a joint, without name and parent.
BodySpec<double> link(const joint::JointSpec<double>& joint, const InertialParameters<double>& inertia = {},
                      const Pose<double>& placement = Pose<double>::identity()) {
  BodySpec<double> spec;
  spec.joint = joint, spec.inertia = inertia, spec.placement = placement;
  return spec;
}

/// Returns the builder's message for a chain of these bodies, named "0", "1" and so on.
std::string answer_to(std::vector<BodySpec<double>> chain) {
  ModelBuilder<double> builder;
  builder.set_inertias(Inertias::strict);
  Parent parent;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].name = std::to_string(i);
    chain[i].parent = parent;
    parent = builder.add_body(chain[i]);
  }
  return message_of<ModelError>([&] { builder.build(); });
}

const std::string accepted = "no exception";
Pose<double> at(const Vector3<double>& p) { return {identity3<double>(), p}; }

}  // namespace

TEST_CASE("a slider on a joint that moves freely along it is rejected in every orientation", "[model][regularity]") {
  const int seed = GENERATE(range(1, 201));
  CAPTURE(seed);
  Random<double> random(seed);
  const Vector3<double> axis = random.direction();
  const Pose<double> placement = random.pose(), next = random.pose();
  const auto inertia = InertialParameters<double>(random.inertia());
  const std::vector<std::string> culprit{"'0_joint'", "no inertia"};
  CHECK(mentions(answer_to({link(joint::Prismatic(axis), {}, placement), link(joint::Translation{}, inertia, next)}),
                 culprit));
  CHECK(mentions(answer_to({link(joint::Revolute(axis), {}, placement), link(joint::FreeFlyer{}, inertia, next)}),
                 culprit));
  CHECK(mentions(
      answer_to({link(joint::Revolute(axis), {}, placement), link(joint::Spherical{}, inertia, at({0, 0, 0}))}),
      culprit));

  ModelBuilder<float> narrow;
  narrow.set_inertias(Inertias::strict);
  narrow.add_body({.name = "0", .joint = joint::Prismatic(axis), .placement = placement.cast<float>()});
  narrow.add_body({.name = "1",
                   .parent = "0",
                   .joint = joint::Translation{},
                   .placement = next.cast<float>(),
                   .inertia = inertia.cast<float>()});
  CHECK(mentions(message_of<ModelError>([&] { narrow.build(); }), culprit));
}

TEST_CASE("a point mass on the axis of a hinge is rejected in every orientation", "[model][regularity]") {
  const int seed = GENERATE(range(1, 201));
  CAPTURE(seed);
  Random<double> random(seed);
  const Vector3<double> axis = random.direction();
  const double distance = 3 * random.real();
  CHECK(mentions(answer_to({link(joint::Revolute(axis), point_mass(2.0, distance * axis), random.pose())}),
                 {"'0_joint'", "no inertia"}));
}

TEST_CASE("little inertia is enough, where it is more than rounding", "[model][regularity]") {
  // The limit is 1e-8, relative to the inertia of all that the joint carries, about any axis.
  const auto hinge = joint::Revolute::z();
  CHECK(answer_to({link(hinge, body(1, {0, 0, 0}, {1, 1, 2e-8}))}) == accepted);
  CHECK(answer_to({link(hinge, body(1, {1e-4, 0, 1}, {0, 0, 0}))}) == accepted);
  CHECK(answer_to({link(hinge), link(hinge, ball(), at({1e-4, 0, 0}))}) == accepted);
  CHECK(answer_to({link(joint::Prismatic::x(), ball(1e-8)), link(joint::Translation{}, ball())}) == accepted);
}

TEST_CASE("robots of any size are accepted, down to grippers of a micrometre", "[model][regularity]") {
  const double length = GENERATE(1e-6, 1e-3, 1.0, 1e4), mass = GENERATE(1e-12, 1.0, 1e6);
  CAPTURE(length, mass);
  const auto hinge = joint::Revolute::z();
  const double moment = mass * length * length;
  const auto small = body(mass, {0.1 * length, 0, 0}, {0.1 * moment, 0.1 * moment, 0.1 * moment});
  for (const Vector3<double>& axis : {Vector3<double>(0, 0, 1), Vector3<double>(0.6, 0.0, 0.8)}) {
    CHECK(answer_to({link(hinge, small),
                     link(joint::Prismatic(axis), body(mass, {0, 0, 0}, {1e-3 * moment, 1e-3 * moment, 1e-3 * moment}),
                          at({length, 0, length}))}) == accepted);
    CHECK(answer_to({link(hinge, small), link(joint::Cylindrical(axis), small), link(joint::Planar(axis), small),
                     link(joint::Translation{}, small)}) == accepted);
  }
  // In polar coordinates the hinge has inertia only if the slider is away from zero.
  CHECK(answer_to({link(hinge), link(joint::Prismatic::x(), point_mass(mass, {0, 0, 0}))}) == accepted);
}

TEST_CASE("long chains are accepted", "[model][regularity]") {
  const joint::JointSpec<double> sliders[] = {joint::Prismatic::x(), joint::Prismatic::y(), joint::Prismatic::z()};
  std::vector<BodySpec<double>> hinged, sliding, mixed;
  for (int i = 0; i < 6000; ++i) {
    hinged.push_back(link(joint::Revolute::y(), ball(), at({0.3, 0, 0})));
    sliding.push_back(link(sliders[i % 3], ball(), at({0.3, 0, 0})));
    mixed.push_back(i % 2 == 0 ? hinged.back() : sliding.back());
  }
  CHECK(answer_to(hinged) == accepted);
  CHECK(answer_to(sliding) == accepted);
  CHECK(answer_to(mixed) == accepted);
}

TEST_CASE("1e-13 kg m^2 are enough for a hinge that carries a slider of one kilogram", "[model][regularity]") {
  const auto spindle = body(0.1, {0, 0, 0}, {1e-13, 1e-13, 1e-13});
  const auto hinge = joint::Revolute::z();
  const auto slider = joint::Prismatic::z();
  CHECK(answer_to({link(hinge, spindle), link(slider, point_mass(1, {0, 0, 0}))}) == accepted);
  CHECK(answer_to({link(hinge, spindle), link(slider, spindle, at({0, 0, 1e-6}))}) == accepted);
  CHECK(answer_to({link(slider, ball()), link(hinge, spindle)}) == accepted);
}

TEST_CASE("a joint whose columns are not numbers is rejected with its name", "[model][regularity][errors]") {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  // With asserts enabled the joint is checked alone, before it has a name.
  std::string answer;
  try {
    answer = answer_to({link(Cam(not_a_number), ball())});
  } catch (const ModelError& error) {
    answer = error.what();
  }
  CHECK((mentions(answer, {"'0_joint'", "columns are not finite"}) || mentions(answer, {"'cam'", "nan"})));
}

TEST_CASE("an axis may be of any length", "[model][regularity][axes]") {
  const Vector3<double> direction = Vector3<double>(0.3, -0.5, 0.8).normalized();
  const double length = GENERATE(1e-308, 1e-161, 1e-100, 1.0, 1e100, 1e200, 1e308);
  CAPTURE(length);
  const Vector3<double> axis = length * direction;
  CHECK(relative_error(joint::Revolute(axis).axes().col(2), direction) < tolerance<double>());
  CHECK(answer_to({link(joint::Revolute(axis), ball())}) == accepted);
  CHECK(answer_to({link(joint::Universal(axis, {1, 0, 0}), ball())}) == accepted);
}
