#include "corio/algorithms/dynamics/generalized_momentum.hpp"

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "generalized momentum is M v, with armature", "[algorithms][generalized_momentum]") {
  const Vectord expected = crba(s.model, s.data, s.q) * s.v;
  CHECK(relative_error(generalized_momentum(s.model, s.data, s.q, s.v).p, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "its drift is C^T v - g, for every admissible factorization",
          "[algorithms][generalized_momentum]") {
  const Vectord g = generalized_gravity(s.model, s.data, s.q);
  const Vectord drift = generalized_momentum(s.model, s.data, s.q, s.v).drift;
  for_each_admissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Vectord expected = coriolis_transpose_product(s.model, s.data, s.v, B) - g;
    CHECK(relative_error(drift, expected) < tolerance<double>());
  });
}

TEST_EACH(Sample& s, "d(M v)/dt = tau + drift along a motion, by differences", "[algorithms][generalized_momentum]") {
  const Vectord tau = random_vector(s.random, s.model.nv());
  const Vectord a = aba(s.model, s.data, s.q, s.v, tau);
  const Vectord drift = generalized_momentum(s.model, s.data, s.q, s.v).drift;
  const auto momentum_after = [&](double h) -> Vectord {
    return crba(s.model, s.data, integrate<double>(s.model, s.q, h * s.v + h * h / 2 * a)) * (s.v + h * a);
  };
  // The error is of order h^2, with the third derivatives of fast motions, and of order epsilon / h.
  const double h = 1e-5;
  const Vectord rate = (momentum_after(h) - momentum_after(-h)) / (2 * h);
  CHECK(relative_error(tau + drift, rate, max_magnitude(a)) < 1e-6);
}
