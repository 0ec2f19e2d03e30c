#include "corio/algorithms/dynamics/external_force.hpp"

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using External = std::vector<ExternalForce<double>>;

/// Returns the contribution of an external force to tau, -J^T f.
Vectord effect(Sample& s, const External& external) {
  const Vectord without = rnea(s.model, s.data, s.q, s.v, s.a);
  return rnea(s.model, s.data, s.q, s.v, s.a, external) - without;
}

/// Differences of tau lose the digits of tau itself.
double force_bound(Sample& s) {
  return tolerance<double>() * std::max(1.0, max_magnitude(rnea(s.model, s.data, s.q, s.v, s.a)));
}

}  // namespace

TEST_EACH(Sample& s, "a force does the work that its reference frame says", "[algorithms][external_force]") {
  // In body axes it turns and moves with the body; in world axes at a point of the body it moves, but does not turn.
  for (int b = 0; b < s.bodies(); ++b)
    for (const auto reference : all_references) {
      CAPTURE(b, static_cast<int>(reference));
      const Force<double> F = s.random.force();
      const Vector3<double> r = s.random.vector();
      const Matrix4<double>& T = s.oracle.pose(b);
      const Matrix3<double> R =
          reference == ReferenceFrame::body ? Matrix3<double>(T.topLeftCorner<3, 3>()) : identity3<double>();
      const Vector3<double> point = reference == ReferenceFrame::world ? r : Oracle::at_point(T, r);
      const Vectord expected = -s.oracle.generalized_force({b, R * F.moment, R * F.force, point});
      CHECK(relative_error(effect(s, {{s.frame(b), F, reference, r}}), expected) < force_bound(s));
    }
}

TEST_EACH(Sample& s, "a force takes its place as motions do", "[algorithms][external_force]") {
  const int b = s.bodies() - 1;
  const auto& frame = s.frame(b);
  const Force<double> F = s.random.force();
  const Vector3<double> r = s.random.vector();
  for (const auto reference : {ReferenceFrame::body, ReferenceFrame::world_aligned})
    CHECK(relative_error(effect(s, {{{frame, reference, r}, F}}), effect(s, {{frame, F, reference, r}})) <
          force_bound(s));
  // In the world frame the place's point does not matter: the wrench is about the world's origin.
  CHECK(effect(s, {{{frame, ReferenceFrame::world, r}, F}}) == effect(s, {{frame, F, ReferenceFrame::world}}));
  // A wrench given with a body alone is in the body's axes, at its origin.
  CHECK(effect(s, {ExternalForce(frame, F)}) == effect(s, {{frame, F, ReferenceFrame::body}}));
  // J^T F, with the Jacobian of the same place, is the force that the motors need not exert.
  for (const auto reference : all_references) {
    const FramePoint<double> place{frame, reference, r};
    Matrix6X<double> J(6, s.model.nv());
    forward_kinematics<double>(s.model, s.data, s.q);
    body_jacobian<double>(s.model, s.data, place, J);
    CHECK(relative_error(effect(s, {{place, F}}), Vectord(-J.transpose() * F.vector())) < force_bound(s));
  }
}

TEST_EACH(Sample& s, "without a point a force acts at the origin of its reference frame",
          "[algorithms][external_force]") {
  const auto reference = GENERATE(ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned);
  const int b = s.bodies() - 1;
  const Force<double> F = s.random.force();
  const Vectord at_origin = effect(s, {{s.frame(b), F, reference, Vector3<double>::Zero()}});
  CHECK(effect(s, {{s.frame(b), F, reference}}) == at_origin);
}

TEST_EACH(Sample& s, "several forces on one body and on others add up", "[algorithms][external_force]") {
  External all;
  Vectord sum = Vectord::Zero(s.model.nv());
  for (int b = 0; b < s.bodies(); ++b)
    for (const auto reference : all_references) {
      all.emplace_back(s.frame(b), s.random.force(), reference, s.random.vector());
      sum += effect(s, {all.back()});
    }
  // The sum has as many differences of tau as there are forces.
  CHECK(relative_error(effect(s, all), sum) < force_bound(s) * static_cast<double>(all.size()));
}

TEST_CASE("a force on the ground does nothing", "[algorithms][external_force]") {
  Sample s(PlanMaker("welded to the ground", 5).chain(-1, {Kind::fixed, Kind::revolute, Kind::spherical}).plan(), 5);
  const auto reference = GENERATE(ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned);
  REQUIRE(s.frame(0).node() == -1);
  CHECK(max_magnitude(effect(s, {{s.frame(0), s.random.force(), reference, s.random.vector()}})) == 0);
}

TEST_CASE("a force on a named frame is that on its body, given in the frame's axes", "[algorithms][external_force]") {
  Random<double> random(6);
  const Pose<double> tool = random.pose();
  ModelBuilder<double> builder;
  builder.add_body({.name = "upper",
                    .joint = joint::Revolute(random.vector()),
                    .inertia = InertialParameters<double>(random.inertia())});
  builder.add_body({.name = "lower",
                    .parent = "upper",
                    .joint = joint::Universal(),
                    .placement = random.pose(),
                    .inertia = InertialParameters<double>(random.inertia())});
  builder.add_frame("tool", "lower", tool);
  const auto model = builder.build();
  Data<double> data(model);
  const Vectord q = random_vector(random, 3);
  const Force<double> F = random.force();
  const Vector3<double> r = random.vector();
  const External on_frame{{model.frame("tool"), F, ReferenceFrame::body, r}};
  const Force<double> turned{tool.rotation * F.moment, tool.rotation * F.force};
  const External on_body{{model.body("lower"), turned, ReferenceFrame::body, tool.point(r)}};
  const Vectord expected = rnea(model, data, q, q, q, on_body);
  CHECK(relative_error(rnea(model, data, q, q, q, on_frame), expected) < tolerance<double>());
}
