#include "corio/algorithms/dynamics/energy.hpp"

#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "kinetic_energy is the sum over point masses of m |x'|^2 / 2", "[algorithms][energy]") {
  CHECK(relative_error(kinetic_energy(s.model, s.data, s.q, s.v), s.oracle.kinetic_energy(s.v)) < tolerance<double>());
}

TEST_EACH(Sample& s, "potential_energy is minus the sum over moving point masses of m g.x", "[algorithms][energy]") {
  // A body welded to the ground does not count: none of its points moves.
  double ground = 0;
  for (const BodyPlan& body : s.oracle.plan().bodies)
    if (body.parent < 0 && body.joint.factors.empty())
      for (const auto& [mass, r] : body.points) ground -= mass * s.model.gravity().dot(body.placement.point(r));
  CHECK(relative_error(potential_energy(s.model, s.data, s.q) + ground, s.oracle.potential_energy()) <
        tolerance<double>());
}
