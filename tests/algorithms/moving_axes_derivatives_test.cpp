#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks derivatives for users' joints, whose columns move in the body, against the complex step.

TEST_CASE("moving axes: derivatives of tau are those of the complex step", "[algorithms][moving_axes_derivatives]") {
  const Twins t = twins(GENERATE(range(0, all_twins)));
  INFO(t.name);
  Data<double> data(t.real);
  test::State s(t.real);
  const auto wrenches = wrenches_on(t.real, s.random);
  ComplexSteps steps(t.complex);
  const InverseDynamicsDerivativesResult<double> x = inverse_dynamics_derivatives(t.real, data, s.q, s.v, s.a);
  CHECK(relative_error(x.dtau_dq, steps.rnea_along_q(s.q, s.v, s.a)) < tolerance<double>());
  CHECK(relative_error(x.dtau_dv, steps.rnea_along_v(s.q, s.v, s.a)) < tolerance<double>());
  CHECK(relative_error(x.M, crba(t.real, data)) < tolerance<double>());
  const auto& pushed = inverse_dynamics_derivatives(t.real, data, forces_on(t.real, wrenches));
  CHECK(relative_error(pushed.dtau_dq, steps.rnea_along_q(s.q, s.v, s.a, wrenches)) < tolerance<double>());
  CHECK(pushed.dtau_dv == x.dtau_dv);
}

TEST_CASE("moving axes: derivatives of a are those of the complex step", "[algorithms][moving_axes_derivatives]") {
  const Twins t = twins(GENERATE(range(0, all_twins)));
  const auto route = GENERATE(DerivativeRoute::dense, DerivativeRoute::articulated);
  INFO(t.name);
  Data<double> data(t.real);
  test::State s(t.real);
  const auto wrenches = wrenches_on(t.real, s.random);
  ComplexSteps steps(t.complex);
  const Vectord& tau = s.a;
  const double bound = 1e-13 * std::max(10.0, condition(crba(t.real, data, s.q)));
  const auto external = forces_on(t.real, wrenches);
  const auto& [da_dq, da_dv, da_dtau] = forward_dynamics_derivatives(t.real, data, s.q, s.v, tau, external, route);
  CHECK(relative_error(da_dq, steps.aba_along_q(s.q, s.v, tau, wrenches)) < bound);
  CHECK(relative_error(da_dv, steps.aba_along_v(s.q, s.v, tau, wrenches)) < bound);
  CHECK(relative_error(da_dtau, steps.aba_along_tau(s.q, s.v, tau)) < bound);
}

TEST_CASE("derivatives reject moving axes that cannot be derived", "[algorithms][derivatives][custom][errors]") {
  const Model<double> model = tree_on<double>(CamOfDoubles());
  Data<double> data(model);
  const Vectord q = neutral(model), v = Vectord::Ones(model.nv());
  const std::string message = message_of<ModelError>([&] { inverse_dynamics_derivatives(model, data, q, v, v); });
  CHECK(mentions(message, {"inverse_dynamics_derivatives", "middle", "template", "Dual"}));
  CHECK_NOTHROW(rnea(model, data, q, v, v));
}
