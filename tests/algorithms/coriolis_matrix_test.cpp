#include "corio/algorithms/coriolis/coriolis_matrix.hpp"

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "C is the sum over point masses of m (E_i x).(E_k E_j x) v_k", "[algorithms][coriolis_matrix]") {
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C, s.oracle.coriolis_matrix(s.v)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "C is the sum over bodies of J^T (B J + I Jdot)", "[algorithms][coriolis_matrix]") {
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C, sum_over_bodies(s, dense_christoffel())) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "C v is nonlinear_effects minus generalized_gravity", "[algorithms][coriolis_matrix]") {
  const Vectord expected = nonlinear_effects(s.model, s.data, s.q, s.v) - generalized_gravity(s.model, s.data, s.q);
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C * s.v, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "the M of coriolis_matrix is that of crba", "[algorithms][coriolis_matrix]") {
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).M, crba(s.model, s.data, s.q)) < tolerance<double>());
}

TEST_EACH(Sample& s, "Mdot is the derivative of crba along integrate(q, v t)", "[algorithms][coriolis_matrix]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const Matrixd expected = crba(model, data, step(model, s.q, s.v)).imag() / complex_step;
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).Mdot, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "Mdot - 2 C is skew-symmetric for the derivative of crba", "[algorithms][coriolis_matrix]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const Matrixd Mdot = crba(model, data, step(model, s.q, s.v)).imag() / complex_step;
  const Matrixd& C = coriolis_matrix(s.model, s.data, s.q, s.v).C;
  const Matrixd N = Mdot - 2 * C;
  CHECK(max_magnitude(N + N.transpose()) < tolerance<double>() * std::max(1.0, max_magnitude(C)));
}

TEST_EACH(Sample& s, "C is linear in v", "[algorithms][coriolis_matrix]") {
  const Matrixd one = coriolis_matrix(s.model, s.data, s.q, s.v).C;
  const Matrixd other = coriolis_matrix(s.model, s.data, s.q, s.a).C;
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v - 3 * s.a).C, one - 3 * other) < tolerance<double>());
}

TEST_CASE("C(v) w is C(w) v where all joint motions commute", "[algorithms][coriolis_matrix]") {
  // No joint has several degrees of freedom that do not commute, so the symbols are symmetric in j, k.
  Sample s(PlanMaker("commuting", 4)
               .chain(-1, {Kind::revolute, Kind::universal, Kind::prismatic, Kind::helical, Kind::cylindrical})
               .chain(1, {Kind::translation, Kind::revolute})
               .plan(),
           4);
  const Vectord Cv_w = coriolis_matrix(s.model, s.data, s.q, s.v).C * s.a;
  const Vectord Cw_v = coriolis_matrix(s.model, s.data, s.q, s.a).C * s.v;
  CHECK(relative_error(Cv_w, Cw_v) < tolerance<double>());
}

TEST_CASE("armature does not enter C", "[algorithms][coriolis_matrix]") {
  Plan plan = random_plan(6);
  Sample with(plan, 6);
  for (BodyPlan& body : plan.bodies) body.armature.clear();
  Sample without(plan, 6);
  REQUIRE(with.model.armature().minCoeff() > 0);
  CHECK(coriolis_matrix(with.model, with.data, with.q, with.v).C ==
        coriolis_matrix(without.model, without.data, with.q, with.v).C);
}

TEST_EACH(Sample& s, "M and Mdot have both triangles with the same numbers, and Mdot is C + C^T",
          "[algorithms][coriolis_matrix]") {
  const auto [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v);
  // Inside a joint M(i, j) and M(j, i) are separate sums, equal up to rounding.
  CHECK(relative_error(M, M.transpose()) < tolerance<double>());
  CHECK(relative_error(Mdot, C + C.transpose()) < tolerance<double>());
  CHECK(M.diagonal().minCoeff() > 0);
}
