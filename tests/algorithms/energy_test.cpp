#include "corio/algorithms/dynamics/energy.hpp"

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "kinetic_energy is the sum over point masses of m |x'|^2 / 2", "[algorithms][energy]") {
  CHECK(relative_error(kinetic_energy(s.model, s.data, s.q, s.v), s.oracle.kinetic_energy(s.v)) < tolerance<double>());
}

TEST_EACH(Sample& s, "kinetic_energy is v^T M v / 2", "[algorithms][energy]") {
  const double expected = s.v.dot(crba(s.model, s.data, s.q) * s.v) / 2;
  CHECK(relative_error(kinetic_energy(s.model, s.data, s.q, s.v), expected) < tolerance<double>());
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

TEST_EACH(Sample& s, "the power tau.v is the rate of kinetic plus potential energy", "[algorithms][energy]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const VectorX<Complex> q = step(model, s.q, s.v);
  const VectorX<Complex> v = s.v.cast<Complex>() + s.a.cast<Complex>() * Complex(0, complex_step);
  const Complex energy = kinetic_energy(model, data, q, v) + potential_energy(model, data, q);
  const Vectord& tau = rnea(s.model, s.data, s.q, s.v, s.a);
  const double size = tau.cwiseAbs().dot(s.v.cwiseAbs());
  CHECK(relative_error(energy.imag() / complex_step, tau.dot(s.v), size) < tolerance<double>());
}
