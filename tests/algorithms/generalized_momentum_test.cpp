#include "corio/algorithms/dynamics/generalized_momentum.hpp"

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"

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
