#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks second derivatives for users' joints, whose columns move in the body, against complex steps of the first ones
// (moving_axes_derivatives_test.cpp), against differences of aba, and against each other.

namespace {

/// A state of such a model, with multipliers and with wrenches of every kind on every body.
struct MovingSample {
  explicit MovingSample(int i)
      : twins(moving_models(i)),
        model(twins.real),
        data(model),
        s(model),
        lambda(random_vector<double>(model.nv(), 5)),
        wrenches(wrenches_on(model, s.random)),
        external(forces_on(model, wrenches)) {}
  static int count() { return all_moving_models; }
  const std::string& name() const { return twins.name; }
  Hessian inverse() { return Hessian(inverse_dynamics_hessian(model, data, s.q, s.v, s.a, lambda, external)); }
  Hessian forward() { return Hessian(forward_dynamics_hessian(model, data, s.q, s.v, s.a, lambda, external)); }
  InverseDynamicsSecondDerivativesResult<double> tensors() {
    InverseDynamicsSecondDerivativesResult<double> out(model);
    inverse_dynamics_second_derivatives(model, data, s.q, s.v, s.a, out, external);
    return out;
  }

  Twins twins;
  const Model<double>& model;
  Data<double> data;
  test::State s;
  Vectord lambda;
  std::vector<Wrench> wrenches;
  std::vector<ExternalForce<double>> external;
};

/// The rounding errors of M^-1 enter twice, once in lambda and once in the derivatives.
double limit_of_forward(MovingSample& x) { return 1e-13 * std::max(10.0, condition(crba(x.model, x.data, x.s.q))); }

}  // namespace

TEST_EACH(MovingSample& x, "moving axes: second derivatives of tau are complex steps of the first ones",
          "[algorithms][second_derivatives][hessian][custom]") {
  const Tensors expected = second_derivatives(x.model, x.s.q, x.s.v, x.s.a, x.wrenches);
  const auto found = x.tensors();
  CHECK(relative_error(numbers(found.d2tau_dqdq), numbers(expected.qq)) < tolerance<double>());
  CHECK(relative_error(numbers(found.d2tau_dvdq), numbers(expected.vq)) < tolerance<double>());
  CHECK(relative_error(numbers(found.d2tau_dvdv), numbers(expected.vv)) < tolerance<double>());
  CHECK(relative_error(numbers(found.dM_dq), numbers(expected.M)) < tolerance<double>());
  CHECK(relative_error(x.inverse(), expected.summed(x.lambda)) < tolerance<double>());
}

TEST_EACH(MovingSample& x, "moving axes: the Hessian of lambda^T a is made of the tensors at that a",
          "[algorithms][hessian][custom]") {
  const Hessian H = x.forward();
  const Vectord a = aba(x.model, x.data, x.s.q, x.s.v, x.s.a, x.external);
  const auto& first = inverse_dynamics_derivatives(x.model, x.data, x.s.q, x.s.v, a, x.external);
  const Hessian expected = forward_hessian(second_derivatives(x.model, x.s.q, x.s.v, a, x.wrenches), first, x.lambda);
  CHECK(relative_error(H, expected) < limit_of_forward(x));
}

TEST_EACH(MovingSample& x, "moving axes: second derivatives over float are those over double",
          "[algorithms][second_derivatives][hessian][custom]") {
  const auto model = x.model.cast<float>();
  Data<float> data(model);
  const Eigen::VectorXf q = x.s.q.cast<float>(), v = x.s.v.cast<float>(), a = x.s.a.cast<float>();
  const Eigen::VectorXf lambda = x.lambda.cast<float>();
  const Hessian H(inverse_dynamics_hessian(model, data, q, v, a, lambda, forces_on(model, x.wrenches)));
  CHECK(relative_error(H, x.inverse()) < tolerance<float>());
}

TEST_CASE("second derivatives reject moving axes without a dual form, by name",
          "[algorithms][second_derivatives][hessian][custom][errors]") {
  const Model<double> model = tree_on<double>(CamOfDoubles());
  Data<double> data(model);
  InverseDynamicsSecondDerivativesResult<double> out(model);
  const Vectord q = neutral(model), x = Vectord::Ones(model.nv());
  const auto inverse = [&] { inverse_dynamics_hessian(model, data, q, x, x, x); };
  const auto forward = [&] { forward_dynamics_hessian(model, data, q, x, x, x); };
  const auto tensors = [&] { inverse_dynamics_second_derivatives(model, data, q, x, x, out); };
  CHECK(mentions(message_of<ModelError>(inverse), {"inverse_dynamics_hessian", "middle", "template", "Dual"}));
  CHECK(mentions(message_of<ModelError>(forward), {"forward_dynamics_hessian", "middle", "template", "Dual"}));
  CHECK(mentions(message_of<ModelError>(tensors), {"inverse_dynamics_second_derivatives", "middle", "template"}));
  CHECK(max_magnitude(out.d2tau_dqdq) == 0);
  CHECK_NOTHROW(rnea(model, data, q, x, x));
}
