#include "corio/algorithms/geometry/structure_constants.hpp"
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
        lambda(random_vector<double>(model.nv(), 5)) {
    for (const auto& body : model.bodies())
      for (const auto reference : all_references) {
        const Force<double> F = s.random.force();
        wrenches.push_back({body.name(), F, reference, s.random.vector()});
      }
    external = forces_on(model, wrenches);
  }
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

TEST_EACH(MovingSample& x, "moving axes: the Hessian of lambda^T a is the central difference of complex steps of aba",
          "[algorithms][hessian][custom]") {
  const Hessian H = x.forward();
  ComplexSteps steps(x.twins.complex);
  // h^2 and eps / h are 1e-10 and 1e-11, times fourth derivatives, which are ten times as large.
  constexpr double h = 1e-5;
  const int n = x.model.nv();
  const auto& [q, v, tau] = std::tie(x.s.q, x.s.v, x.s.a);
  Hessian expected(n);
  for (int l = 0; l < n; ++l) {
    const Vectord e = h * Vectord::Unit(n, l), back = -e;
    const Vectord q1 = integrate(x.model, q, e), q0 = integrate(x.model, q, back);
    const auto difference = [&](const Matrixd& after, const Matrixd& before) -> Vectord {
      return (after - before).transpose() * x.lambda / (2 * h);
    };
    expected.qq.col(l) =
        difference(steps.aba_along_q(q1, v, tau, x.wrenches), steps.aba_along_q(q0, v, tau, x.wrenches));
    expected.vq.col(l) =
        difference(steps.aba_along_v(q1, v, tau, x.wrenches), steps.aba_along_v(q0, v, tau, x.wrenches));
    expected.xq.col(l) = difference(steps.aba_along_tau(q1, v, tau), steps.aba_along_tau(q0, v, tau));
    expected.vv.col(l) =
        difference(steps.aba_along_v(q, v + e, tau, x.wrenches), steps.aba_along_v(q, v - e, tau, x.wrenches));
  }
  CHECK(relative_error(H, expected) < 1e-9 * std::max(10.0, condition(crba(x.model, x.data, x.s.q))));
}

TEST_EACH(MovingSample& x, "moving axes: the order of derivatives along q matters by the bracket",
          "[algorithms][hessian][custom]") {
  const int n = x.model.nv();
  const Matrixd qq = x.inverse().qq;
  const Vectord first = inverse_dynamics_derivatives(x.model, x.data, x.external).dtau_dq.transpose() * x.lambda;
  Tensor3<double> c;
  structure_constants(x.model, x.data, c);
  Matrixd of_bracket(n, n);
  for (int j = 0; j < n; ++j)
    for (int l = 0; l < n; ++l) of_bracket(j, l) = bracket(c, Vectord::Unit(n, l), Vectord::Unit(n, j)).dot(first);
  CHECK(relative_error(qq - qq.transpose(), of_bracket, max_magnitude(qq)) < tolerance<double>());
}

TEST_CASE("moving axes: coordinates have symmetric second derivatives",
          "[algorithms][second_derivatives][hessian][custom]") {
  MovingSample x(GENERATE(0, 1));  // a cam and Euler angles
  INFO(x.twins.name);
  const auto found = x.tensors();
  for (int i = 0; i < x.model.nv(); ++i) {
    const Matrixd qq = found.d2tau_dqdq.page(i), vv = found.d2tau_dvdv.page(i);
    CHECK(relative_error(qq, qq.transpose()) < tolerance<double>());
    CHECK(relative_error(vv, vv.transpose()) < tolerance<double>());
  }
  for (const Matrixd& qq : {x.inverse().qq, x.forward().qq})
    CHECK(relative_error(qq, qq.transpose()) < limit_of_forward(x));
}

TEST_EACH(MovingSample& x,
          "moving axes: dM_dq makes the Hessian by a, and the one by v twice makes the Coriolis forces",
          "[algorithms][second_derivatives][hessian][custom]") {
  // tau is linear in a and of second degree in v: D_l M = dM_dq, and v^T vv v is twice lambda^T C v.
  const int n = x.model.nv();
  const Hessian H = x.inverse();
  Matrixd products(n, n);
  const auto found = x.tensors();
  for (int l = 0; l < n; ++l) {
    const Matrixd D = found.dM_dq.along(l);
    CHECK(relative_error(D, D.transpose()) < tolerance<double>());
    products.col(l) = D * x.lambda;
  }
  CHECK(relative_error(H.xq, products) < tolerance<double>());
  const Vectord zero = Vectord::Zero(n);
  Vectord c = rnea(x.model, x.data, x.s.q, x.s.v, zero);
  c -= rnea(x.model, x.data, x.s.q, zero, zero);
  CHECK(relative_error(x.s.v.dot(H.vv * x.s.v), 2 * x.lambda.dot(c)) < tolerance<double>());
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

TEST_CASE("second derivatives refuse moving axes without a dual form, by name",
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
