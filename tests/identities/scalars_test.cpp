#include "support/catch.hpp"
#include "support/scalar_support.hpp"

using namespace corio;
using namespace corio::test;

// Complex steps through the algorithms. That results over any scalar are those over double is in contracts/.

namespace {

constexpr int seeds = 6;

}  // namespace

TEST_CASE("the complex step gives the derivatives of M that central differences give", "[identities][scalars]") {
  // h = 1e-5: h^2 and eps / h are 1e-10 of the largest entries and of third derivatives.
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  constexpr double h = 1e-5;
  for (int k = 0; k < r.model.nv(); ++k) {
    const Vectord unit = Vectord::Unit(r.model.nv(), k);
    const Matrixd after = crba(r.model, r.data, integrate(r.model, r.q, h * unit));
    const Matrixd before = crba(r.model, r.data, integrate(r.model, r.q, -h * unit));
    const Matrixd exact = crba(c.model, c.data, step(c.model, r.q, unit)).imag() / complex_step;
    CAPTURE(k);
    CHECK(relative_error((after - before) / (2 * h), exact) < 1e-8 * std::max(1.0, max_magnitude(after)));
  }
}

TEST_CASE("the derivative of C v along v, by complex step, is twice C v", "[identities][scalars]") {
  // C v is quadratic in v.
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  const VectorX<Complex> v = r.v.cast<Complex>() * Complex(1, complex_step);
  const Vectord slope = nonlinear_effects(c.model, c.data, c.q, v).imag() / complex_step;
  CHECK(relative_error(slope, 2 * (coriolis_matrix(r.model, r.data, r.q, r.v).C * r.v)) < tolerance<double>());
}

TEST_CASE("complex steps of dtau_dq and da_dv are what central differences give", "[identities][scalars]") {
  // Second derivatives, for which the results themselves must be analytic. h = 1e-5: eps / h and h^2 are 1e-10 of the
  // terms and of third derivatives; those of a are larger by some powers of cond(M).
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  const double h = 1e-5;
  const VectorX<Complex> q = step(c.model, r.q, r.v);
  const Vectord after = integrate(r.model, r.q, h * r.v), before = integrate(r.model, r.q, -h * r.v);
  const auto of_tau = [&](const Vectord& x) -> Matrixd {
    return inverse_dynamics_derivatives(r.model, r.data, x, r.v, r.a).dtau_dq;
  };
  const Matrixd exact = inverse_dynamics_derivatives(c.model, c.data, q, c.v, c.a).dtau_dq.imag() / complex_step;
  CHECK(relative_error((of_tau(after) - of_tau(before)) / (2 * h), exact) < 1e-6);
  for (const auto route : {DerivativeRoute::dense, DerivativeRoute::articulated}) {
    CAPTURE(static_cast<int>(route));
    const auto of_a = [&](const Vectord& x) -> Matrixd {
      return forward_dynamics_derivatives(r.model, r.data, x, r.v, r.a, {}, route).da_dv;
    };
    const Matrixd exact_of_a =
        forward_dynamics_derivatives(c.model, c.data, q, c.v, c.a, {}, route).da_dv.imag() / complex_step;
    CHECK(relative_error((of_a(after) - of_a(before)) / (2 * h), exact_of_a) <
          1e-9 * std::max(10.0, condition(crba(r.model, r.data, r.q))));
  }
}
