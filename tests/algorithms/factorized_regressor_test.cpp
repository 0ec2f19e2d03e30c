#include "corio/algorithms/regressors/factorized_regressor.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/regressors/body_parameter_derivatives.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Matrixd factorized_regressor(Sample& s, const Vectord& v_r, const Vectord& a_r, const auto& B,
                             const BodySelection& bodies = {}) {
  Matrixd Y = Matrixd::Constant(s.model.nv(), bodies.num_parameters(s.model), 1e3);
  slotine_li_regressor(s.model, s.data, s.q, s.v, v_r, a_r, Y, bodies, B);
  return Y;
}

}  // namespace

TEST_CASE("the regressor of a factorization times pi is M a_r + C v_r + g", "[algorithms][factorized_regressor]") {
  Sample s(random_plan(GENERATE(range(0, 4))), 1);
  INFO(s.name());
  const Vectord v_r = random_vector(s.random, s.model.nv()), pi = inertial_parameters(s.model);
  Matrixd christoffel(s.model.nv(), pi.size()), inverse = christoffel;
  slotine_li_regressor(s.model, s.data, s.q, s.v, v_r, s.a, christoffel);
  inverse_dynamics_regressor(s.model, s.data, s.q, s.v, s.a, inverse);
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Matrixd Y = factorized_regressor(s, v_r, s.a, B);
    // Computes the expected values from dense sums over the bodies.
    const Matrixd M = mass_sum_over_bodies(s) - Matrixd(s.model.armature().asDiagonal());
    const Vectord g = generalized_gravity(s.model, s.data, s.q);
    CHECK(relative_error(Vectord(Y * pi), Vectord(M * s.a + sum_over_bodies(s, B) * v_r + g)) < tolerance<double>());
    // The factorizations are valid: for v_r = v all regressors are the same.
    CHECK(relative_error(factorized_regressor(s, s.v, s.a, B), inverse) < tolerance<double>());
  });
  CHECK(relative_error(factorized_regressor(s, v_r, s.a, dense_christoffel()), christoffel) < tolerance<double>());
  CHECK(relative_error(factorized_regressor(s, v_r, s.a, factorization::Plain{}), christoffel) > 1e-3);
}

TEST_CASE("the regressor of a factorization has the columns of the bodies selected",
          "[algorithms][factorized_regressor]") {
  Sample s(random_plan(2), 2);
  const Vectord v_r = random_vector(s.random, s.model.nv());
  const Matrixd all = factorized_regressor(s, v_r, s.a, factorization::Plain{});
  const auto& bodies = s.model.bodies();
  const BodySelection two(s.model, {bodies[3].name(), bodies[1].name()});
  const Matrixd selected = factorized_regressor(s, v_r, s.a, factorization::Plain{}, two);
  CHECK(Matrixd(selected.leftCols(10)) == Matrixd(all.middleCols(30, 10)));
  CHECK(Matrixd(selected.rightCols(10)) == Matrixd(all.middleCols(10, 10)));
  Matrixd Y(s.model.nv(), 10);
  CHECK_THROWS_AS(slotine_li_regressor(s.model, s.data, v_r, s.a, Y, two, factorization::Plain{}), SizeError);
  Data<double> data(s.model);
  Matrixd right = selected;
  CHECK_THROWS_AS(slotine_li_regressor(s.model, data, v_r, s.a, right, two, factorization::Plain{}), StateError);
}

TEST_CASE("all parameter derivatives of all bodies times pi are M, C and g", "[algorithms][factorized_regressor]") {
  Sample s(random_plan(GENERATE(range(0, 3))), 1);
  INFO(s.name());
  const int n = s.model.nv();
  BodyParameterDerivatives<double> D(s.model);
  const auto check = [&](const auto& B) {
    Matrixd M = s.model.armature().asDiagonal(), C = Matrixd::Zero(n, n);
    Vectord g = Vectord::Zero(n);
    for (const auto& body : s.model.bodies()) {
      body_parameter_derivatives(s.model, s.data, s.q, s.v, body, D, B);
      const Vector10<double> pi = s.model.inertia(body).vector();
      for (std::size_t h = 0; h < 10; ++h) {
        M += D.dM[h] * pi[static_cast<int>(h)], C += D.dC[h] * pi[static_cast<int>(h)];
        // Only one parameter differs from zero.
        Matrixd dC(n, n);
        coriolis_parameter_derivative(s.model, s.data, body, static_cast<InertialParameter>(h), dC, B);
        CHECK(dC == D.dC[h]);
      }
      g += D.dg * pi;
    }
    CHECK(relative_error(M, s.oracle.mass_matrix()) < tolerance<double>());
    CHECK(relative_error(C, sum_over_bodies(s, B)) < tolerance<double>());
    CHECK(relative_error(g, Vectord(generalized_gravity(s.model, s.data, s.q))) < tolerance<double>());
  };
  check(factorization::Christoffel{}), check(factorization::Plain{}), check(twisted(0.7, -0.4));
}

TEST_CASE("parameter derivatives of another model are rejected", "[algorithms][factorized_regressor][errors]") {
  Sample s(random_plan(1), 1), other(random_plan(2), 2);
  BodyParameterDerivatives<double> D(s.model), of_other(other.model);
  CHECK_THROWS_AS(body_parameter_derivatives(s.model, s.data, s.q, s.v, other.model.bodies()[0], D), ModelError);
  REQUIRE(other.model.nv() != s.model.nv());
  CHECK_THROWS_AS(body_parameter_derivatives(s.model, s.data, s.q, s.v, s.model.bodies()[0], of_other), SizeError);
}
