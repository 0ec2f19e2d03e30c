#include "corio/algorithms/derivatives/detail/external_force_derivatives.hpp"

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks dtau_dq under external forces: as q changes, the given components stay constant in the axes they are given in.

namespace {

Matrixd dtau_dq(Sample& s, const std::vector<Wrench>& wrenches) {
  return inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, forces_on(s.model, wrenches)).dtau_dq;
}
double error(Sample& s, const std::vector<Wrench>& wrenches) {
  const Matrixd expected = ComplexSteps(s.model).rnea_along_q(s.q, s.v, s.a, wrenches);
  return relative_error(dtau_dq(s, wrenches), expected);
}

/// Makes wrenches ten times as large as the bodies' weights, so that their part of dtau_dq does not drown in the rest.
Wrench random_wrench(Sample& s, int body, ReferenceFrame reference, double couple, double force) {
  const Force<double> F = s.random.force();
  return {body_name(body), {couple * F.moment, force * F.force}, reference, s.random.vector()};
}

/// Builds an arm with two bodies, and with welded bodies and named frames on both and on the ground.
Model<double> arm_with_tools() {
  Random<double> random(6);
  ModelBuilder<double> builder("arm with tools");
  const auto inertia = [&] { return InertialParameters<double>(random.inertia()); };
  builder.add_body({.name = "pedestal", .joint = joint::Fixed{}, .placement = random.pose(), .inertia = inertia()});
  builder.add_body({.name = "upper",
                    .parent = "pedestal",
                    .joint = joint::Spherical{},
                    .placement = random.pose(),
                    .inertia = inertia()});
  builder.add_body({.name = "lower",
                    .parent = "upper",
                    .joint = joint::Universal(),
                    .placement = random.pose(),
                    .inertia = inertia()});
  builder.add_body(
      {.name = "hand", .parent = "lower", .joint = joint::Fixed{}, .placement = random.pose(), .inertia = inertia()});
  builder.add_frame("finger", "hand", random.pose());
  builder.add_frame("elbow", "upper", random.pose());
  builder.add_frame("bolt", "pedestal", random.pose());
  return builder.build();
}

}  // namespace

TEST_EACH(Sample& s, "dtau_dq under one force on one body, in every reference",
          "[algorithms][external_force_derivatives]") {
  for (int b = 0; b < s.bodies(); ++b)
    for (const auto reference : all_references) {
      CAPTURE(b, static_cast<int>(reference));
      CHECK(error(s, {random_wrench(s, b, reference, 50, 50)}) < tolerance<double>());
    }
}

TEST_EACH(Sample& s, "dtau_dq under forces of every reference on every body at once",
          "[algorithms][external_force_derivatives]") {
  std::vector<Wrench> all = mixed_wrenches(s);
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const auto reference : all_references) all.push_back(random_wrench(s, s.bodies() / 2, reference, 20, 20));
  CHECK(error(s, all) < tolerance<double>());
}

TEST_EACH(Sample& s, "external forces add up in dtau_dq, and leave dtau_dv and M as they are",
          "[algorithms][external_force_derivatives]") {
  const InverseDynamicsDerivativesResult<double> without = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a);
  const std::vector<Wrench> all = mixed_wrenches(s);
  Matrixd sum = without.dtau_dq;
  for (const Wrench& w : all) sum += dtau_dq(s, {w}) - without.dtau_dq;
  CHECK(relative_error(dtau_dq(s, all), sum) < tolerance<double>() * static_cast<double>(all.size()));
  const auto& with = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, forces_on(s.model, all));
  CHECK(with.dtau_dv == without.dtau_dv);
  CHECK(with.M == without.M);
}

TEST_CASE("forces on the ground change no derivative", "[algorithms][external_force_derivatives]") {
  Sample s(PlanMaker("welded to the ground", 5).chain(-1, {Kind::fixed, Kind::revolute, Kind::spherical}).plan(), 5);
  REQUIRE(s.frame(0).node() == -1);
  const Matrixd without = dtau_dq(s, {});
  for (const auto reference : all_references) {
    const Wrench on_ground = random_wrench(s, 0, reference, 50, 50), on_body = random_wrench(s, 2, reference, 50, 50);
    CAPTURE(static_cast<int>(reference));
    CHECK(dtau_dq(s, {on_ground}) == without);
    CHECK(dtau_dq(s, {on_ground, on_body}) == dtau_dq(s, {on_body}));
    CHECK(dtau_dq(s, {on_body}) != without);
  }
}

TEST_CASE("dtau_dq under forces on welded bodies and named frames", "[algorithms][external_force_derivatives]") {
  const Model<double> model = arm_with_tools();
  Data<double> data(model);
  Random<double> random(2);
  std::mt19937 generator(2);
  const Vectord q = random_configuration(model, generator), v = random_vector(random, 5), a = random_vector(random, 5);
  ComplexSteps steps(model);
  std::vector<Wrench> all;
  for (const char* frame : {"pedestal", "upper", "lower", "hand", "finger", "elbow", "bolt"})
    for (const auto reference : all_references) {
      CAPTURE(frame, static_cast<int>(reference));
      const Force<double> F = random.force();
      all.push_back({frame, F, reference, random.vector()});
      const auto external = forces_on(model, {all.back()});
      CHECK(relative_error(inverse_dynamics_derivatives(model, data, q, v, a, external).dtau_dq,
                           steps.rnea_along_q(q, v, a, {all.back()})) < tolerance<double>());
    }
  CHECK(relative_error(inverse_dynamics_derivatives(model, data, q, v, a, forces_on(model, all)).dtau_dq,
                       steps.rnea_along_q(q, v, a, all)) < tolerance<double>());
}

TEST_CASE("forces at points of the world go along with a base 10 km away", "[algorithms][external_force_derivatives]") {
  // Only the differences between coordinates of the base and of the points, 1e4 m each, are rounded: to 1e-12.
  Sample s(PlanMaker("floating", 7).chain(-1, {Kind::free_flyer, Kind::spherical, Kind::revolute}).plan(), 7);
  std::vector<Wrench> wrenches = mixed_wrenches(s);
  const Matrixd near = dtau_dq(s, wrenches);
  const Vector3<double> away(8e3, -5e3, 3e3);
  s.q.head<3>() += away;
  for (Wrench& w : wrenches)
    if (w.reference == ReferenceFrame::world) w.point += s.oracle.plan().bodies[0].placement.rotation * away;
  CHECK(relative_error(dtau_dq(s, wrenches), near) < 1e-10);
}
