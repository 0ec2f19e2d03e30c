#include "corio/algorithms/derivatives/gravity_derivatives.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"
#include "support/rates_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "gdot is the derivative of g along integrate(q, v t)", "[algorithms][gravity_derivatives]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const Vectord expected = generalized_gravity(model, data, step(model, s.q, s.v)).imag() / complex_step;
  const double scale = max_magnitude(generalized_gravity(s.model, s.data, s.q));
  CHECK(relative_error(gravity_dot(s.model, s.data, s.q, s.v), expected, scale) < tolerance<double>());
}

TEST_EACH(Sample& s, "dg/dq is the derivative of g along every degree of freedom",
          "[algorithms][gravity_derivatives]") {
  ComplexSteps steps(s.model);
  CHECK(relative_error(gravity_derivatives(s.model, s.data, s.q), steps.gravity_along_q(s.q)) < tolerance<double>());
}

TEST_CASE("dg/dq and gdot of joints with moving axes are those of the complex step",
          "[algorithms][gravity_derivatives]") {
  const auto check = [](const Model<double>& model, const Model<Complex>& complex) {
    Data<double> data(model);
    const test::State s(model);
    ComplexSteps steps(complex);
    const Matrixd expected = steps.gravity_along_q(s.q);
    CHECK(relative_error(gravity_derivatives(model, data, s.q), expected) < tolerance<double>());
    CHECK(relative_error(gravity_dot(model, data, s.q, s.v), expected * s.v) < tolerance<double>());
  };
  check(tree_on<double>(Cam(0.4)), tree_on<Complex>(Cam(0.4)));
  check(tree_on<double>(EulerZyx()), tree_on<Complex>(EulerZyx()));
  check(tree_on<double>(ParentBall()), tree_on<Complex>(ParentBall()));
}
