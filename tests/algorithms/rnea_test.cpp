#include "corio/algorithms/dynamics/rnea.hpp"

#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

// Bounds: tolerance<double>() of support/compare.hpp. Library and oracle each lose some tens of roundings.

TEST_EACH(Sample& s, "rnea is Newton's law for every point mass", "[algorithms][rnea]") {
  CHECK(relative_error(rnea(s.model, s.data, s.q, s.v, s.a), s.oracle.inverse_dynamics(s.v, s.a)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "nonlinear_effects are what holds the point masses at zero generalized acceleration",
          "[algorithms][rnea]") {
  const Vectord zero = Vectord::Zero(s.model.nv());
  CHECK(relative_error(nonlinear_effects(s.model, s.data, s.q, s.v), s.oracle.inverse_dynamics(s.v, zero)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "generalized_gravity is what holds the point masses at rest", "[algorithms][rnea]") {
  const Vectord zero = Vectord::Zero(s.model.nv());
  CHECK(relative_error(generalized_gravity(s.model, s.data, s.q), s.oracle.inverse_dynamics(zero, zero)) <
        tolerance<double>());
}
