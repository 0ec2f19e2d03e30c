#include "corio/algorithms/geometry/parallel_transport.hpp"

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Plan without_gravity(Plan plan) {
  plan.gravity.setZero();
  return plan;
}

/// Builds a ball that turns about its centre with the rotational inertia I.
Model<double> turning_ball(const Vector3<double>& I) {
  ModelBuilder<double> builder("ball");
  builder.add_body({.name = "ball",
                    .joint = joint::Spherical{},
                    .inertia = {2.0, zero3<double>(), Matrix3<double>(I.asDiagonal())}});
  return builder.build();
}

}  // namespace

TEST_CASE("the covariant derivative of a factorization has its contorsion", "[algorithms][parallel_transport]") {
  // M (nabla'_v w - nabla_v w) = K(.,w,v). Valid factorizations have the geodesics of free motion; admissible ones keep
  // the metric.
  Sample s(without_gravity(random_plan(GENERATE(1, 2, 3))), 1);
  INFO(s.name());
  const int n = s.model.nv();
  const Vectord w = random_vector(s.random, n), u = random_vector(s.random, n), zero = Vectord::Zero(n);
  const Matrixd M = s.oracle.mass_matrix(), Mdot = mass_matrix_rate(s.model.cast<Complex>(), s.q, s.v);
  const double bound = 1e-14 * std::max(10.0, condition(M));
  const Vectord riemannian = covariant_derivative(s.model, s.data, s.q, s.v, w, s.a);
  const Vectord free = aba(s.model, s.data, s.q, s.v, zero);
  const auto of = [&](const auto& B, const Vectord& x, const Vectord& rate) -> Vectord {
    return covariant_derivative(s.model, s.data, s.q, s.v, x, rate, B);
  };
  const auto check = [&](const auto& B) {
    Tensor3<double> K;
    contorsion(s.model, s.data, s.q, B, K);
    Vectord expected;
    K.contract(s.v, w, expected);
    CHECK(relative_error(Vectord(M * (of(B, w, s.a) - riemannian)), expected) < bound);
    CHECK(max_magnitude(of(B, s.v, free)) < bound * std::max(1.0, max_magnitude(free)));
    return (w.dot(Mdot * u) - of(B, w, zero).dot(M * u) - w.dot(M * of(B, u, zero))) / max_magnitude(M) / n;
  };
  for_each_admissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(std::abs(check(B)) < bound);
  });
  CHECK(std::abs(check(momentum_cross())) > 1e-3);
}

TEST_CASE("a ball carries vectors back by half its angle, by (V x*) I by twice it",
          "[algorithms][parallel_transport]") {
  // With all inertias equal, M = I is a number: half the bracket, C w = I v x w / 2, is free of torsion. B = (V x*) I
  // is I (v x) and the columns' rates add as much, so C w = 2 I v x w.
  const auto model = turning_ball({0.3, 0.3, 0.3});
  Data<double> data(model);
  const test::State s(model, 3);
  const Vector3<double> v = s.v, w = s.a;
  const auto turned = [&](double angle) -> Vectord { return turn(-angle * v.norm(), v.normalized()) * w; };
  const Vectord riemannian = parallel_transport(model, data, s.q, s.v, s.a, 50);
  CHECK(relative_error(riemannian, turned(0.5)) < 1e-7);
  const Vectord plain = parallel_transport<factorization::Plain>(model, data, s.q, s.v, s.a, 50);
  CHECK(relative_error(plain, turned(2)) < 1e-7);
  // Data then holds the state at the end of the curve.
  CHECK(relative_error(data.q, integrate(model, s.q, s.v)) < tolerance<double>());
  CHECK(relative_error(data.v, s.v) == 0);
}

TEST_CASE("transport keeps inner products if B is admissible, with an error of fourth order",
          "[algorithms][parallel_transport]") {
  Sample s(without_gravity(random_plan(GENERATE(0, 1))), 7);
  INFO(s.name());
  const Vectord v = 0.3 * s.v, w = s.a, u = random_vector(s.random, s.model.nv());
  const Matrixd before = crba(s.model, s.data, s.q), after = crba(s.model, s.data, integrate(s.model, s.q, v));
  const auto change = [&](const auto& B, int steps) {
    const Vectord x = parallel_transport(s.model, s.data, s.q, v, w, steps, B);
    const Vectord y = parallel_transport(s.model, s.data, s.q, v, u, steps, B);
    return std::abs(x.dot(after * y) - w.dot(before * u)) / std::sqrt(w.dot(before * w) * u.dot(before * u));
  };
  const auto check = [&](const auto& B) {
    const double coarse = change(B, 16), fine = change(B, 32);
    CHECK(fine < 1e-5);
    CHECK(fine < std::max(coarse / 10, 1e-11));
  };
  check(factorization::Christoffel{}), check(factorization::Plain{}), check(twisted(0.7, -0.4));
  CHECK(change(momentum_cross(), 32) > 1e-3);
}

TEST_CASE("what parallel_transport is given is checked", "[algorithms][parallel_transport][errors]") {
  Sample s(random_plan(2), 8);
  const int n = s.model.nv();
  const Vectord right = Vectord::Zero(n), longer = Vectord::Zero(n + 1);
  const auto call = [&](const Vectord& q, const Vectord& v, const Vectord& w, int steps) {
    return [&, steps] { parallel_transport(s.model, s.data, q, v, w, steps); };
  };
  const std::string size = std::to_string(n + 1);
  CHECK(mentions(message_of<SizeError>(call(s.q, longer, right, 1)), {"parallel_transport", "v has size " + size}));
  CHECK(mentions(message_of<SizeError>(call(s.q, right, longer, 1)), {"parallel_transport", "w has size " + size}));
  CHECK_THROWS_AS(call(Vectord::Zero(1), right, right, 1)(), SizeError);
  CHECK(mentions(message_of<Error>(call(s.q, right, right, 0)), {"parallel_transport", "0 steps"}));
}
