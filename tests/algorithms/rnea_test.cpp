#include "corio/algorithms/dynamics/rnea.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

// Bounds: tolerance<double>() of support/compare.hpp. Library and oracle each lose some tens of roundings.

TEST_EACH(Sample& s, "rnea is Newton's law for every point mass", "[algorithms][rnea]") {
  CHECK(relative_error(rnea(s.model, s.data, s.q, s.v, s.a), s.oracle.inverse_dynamics(s.v, s.a)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "rnea is M a + C v + g", "[algorithms][rnea]") {
  const auto [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v);
  const Vectord expected = M * s.a + C * s.v + generalized_gravity(s.model, s.data);
  CHECK(relative_error(rnea(s.model, s.data, s.q, s.v, s.a), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "nonlinear_effects are what holds the point masses at zero generalized acceleration",
          "[algorithms][rnea]") {
  const Vectord zero = Vectord::Zero(s.model.nv());
  CHECK(relative_error(nonlinear_effects(s.model, s.data, s.q, s.v), s.oracle.inverse_dynamics(s.v, zero)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "generalized_gravity is what holds the point masses at rest", "[algorithms][rnea]") {
  const Vectord zero = Vectord::Zero(s.model.nv());
  CHECK(relative_error(generalized_gravity(s.model, s.data, s.q), s.oracle.inverse_dynamics(zero, zero)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "generalized_gravity is the gradient of the potential energy along the degrees of freedom",
          "[algorithms][rnea]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  Vectord gradient(s.model.nv());
  for (int k = 0; k < s.model.nv(); ++k)
    gradient[k] = potential_energy(model, data, step(model, s.q, Vectord::Unit(s.model.nv(), k))).imag() / complex_step;
  CHECK(relative_error(generalized_gravity(s.model, s.data, s.q), gradient) < tolerance<double>());
}

TEST_EACH(Sample& s, "generalized_gravity vanishes without gravity", "[algorithms][rnea]") {
  s.model.set_gravity(Vector3<double>::Zero());
  CHECK(max_magnitude(generalized_gravity(s.model, s.data, s.q)) == 0);
}

TEST_CASE("rnea counts the armature as a force armature times acceleration", "[algorithms][rnea]") {
  Plan plan = random_plan(6);
  Sample with(plan, 6);
  for (BodyPlan& body : plan.bodies) body.armature.clear();
  Sample without(plan, 6);
  REQUIRE(with.model.armature().minCoeff() > 0);
  const Vectord rotors = with.model.armature().cwiseProduct(with.a);
  const Vectord expected = rnea(without.model, without.data, with.q, with.v, with.a) + rotors;
  CHECK(relative_error(rnea(with.model, with.data, with.q, with.v, with.a), expected) < tolerance<double>());
}
