#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "slotine_li_inverse_dynamics is M a_r + C v_r + g, for every factorization",
          "[algorithms][slotine_li]") {
  const Vectord v_r = random_vector(s.random, s.model.nv()), g = generalized_gravity(s.model, s.data, s.q);
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const auto& [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v, B);
    const Vectord expected = M * s.a + C * v_r + g;
    CHECK(relative_error(slotine_li_inverse_dynamics(s.model, s.data, s.q, s.v, v_r, s.a, B), expected) <
          tolerance<double>());
  });
}
