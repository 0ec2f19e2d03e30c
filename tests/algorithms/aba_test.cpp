#include "corio/algorithms/dynamics/aba.hpp"

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Forward dynamics solves with M, so a few roundings in tau become an error in a that is cond(M) times as large.
double bound(Sample& s) { return 1e-13 * std::max(10.0, condition(crba(s.model, s.data, s.q))); }

}  // namespace

TEST_EACH(Sample& s, "aba finds the acceleration of the point masses under given generalized forces",
          "[algorithms][aba]") {
  const double tolerance = bound(s);
  const Vectord tau = s.oracle.inverse_dynamics(s.v, s.a);
  CHECK(relative_error(aba(s.model, s.data, s.q, s.v, tau), s.a) < tolerance);
}

TEST_EACH(Sample& s, "aba inverts rnea under external forces", "[algorithms][aba]") {
  const double tolerance = bound(s);
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a, external);
  CHECK(relative_error(aba(s.model, s.data, s.q, s.v, tau, external), s.a) < tolerance);
}
