#include "support/catch.hpp"
#include "support/scalar_support.hpp"

using namespace corio;
using namespace corio::test;

// The same model and state over other scalars.

namespace {

constexpr int seeds = 6;

}  // namespace

TEST_CASE("results over long double are those over double", "[identities][scalars]") {
  RandomRobot r(GENERATE(range(0, seeds)));
  CHECK(relative_error(Over<double>(r).dynamics(), Over<long double>(r).dynamics()) < tolerance<double>());
}

TEST_CASE("aba over long double is that over double, to 1e-13 cond(M)", "[identities][scalars]") {
  RandomRobot r(GENERATE(range(0, seeds)));
  const double c = condition(crba(r.model, r.data, r.q));
  CHECK(relative_error(Over<double>(r).acceleration(), Over<long double>(r).acceleration()) <
        1e-13 * std::max(10.0, c));
}

TEST_CASE("results over float are those over double to the accuracy of float", "[identities][scalars]") {
  // Trees are some ten metres deep and quantities are about the root: squares of distances cost two or three
  // digits, and the bound for float is 1e-4.
  RandomRobot r(GENERATE(range(0, seeds)));
  CHECK(relative_error(Over<float>(r).dynamics(), Over<double>(r).dynamics()) < 1e-4);
}

TEST_CASE("results over complex numbers with real values are those over double", "[identities][scalars]") {
  RandomRobot r(GENERATE(range(0, seeds)));
  CHECK(relative_error(Over<Complex>(r).dynamics(), Over<double>(r).dynamics()) < tolerance<double>());
}

TEST_CASE("Jacobians and centroidal quantities over other scalars are those over double", "[identities][scalars]") {
  RandomRobot r(GENERATE(range(0, seeds)));
  const Vectord reference = Over<double>(r).jacobians();
  CHECK(relative_error(Over<float>(r).jacobians(), reference) < 1e-4);
  CHECK(relative_error(Over<long double>(r).jacobians(), reference) < tolerance<double>());
  CHECK(relative_error(Over<Complex>(r).jacobians(), reference) < tolerance<double>());
}

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
