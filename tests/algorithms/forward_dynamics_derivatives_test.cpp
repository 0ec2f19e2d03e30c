#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"

#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using Results = ForwardDynamicsDerivativesResult<double>;
constexpr DerivativeRoute routes[] = {DerivativeRoute::automatic, DerivativeRoute::dense, DerivativeRoute::articulated};

/// A few roundings become an error that is cond(M) times as large.
double bound(const Model<double>& model, Data<double>& data, const Vectord& q) {
  return 1e-13 * std::max(10.0, condition(crba(model, data, q)));
}

/// Puts all three results into one matrix, to compare them to the bit.
Matrixd together(const Results& x) {
  Matrixd all(x.da_dq.rows(), 3 * x.da_dq.cols());
  all << x.da_dq, x.da_dv, x.da_dtau;
  return all;
}

/// A chain of n revolute joints in a random state.
struct Chain {
  explicit Chain(int n) : model(zoo::serial_chain(n)), data(model), s(model, n) {}
  Results derivatives(DerivativeRoute route) {
    return forward_dynamics_derivatives(model, data, s.q, s.v, s.a, {}, route);
  }
  Model<double> model;
  Data<double> data;
  test::State s;
};

}  // namespace

TEST_EACH(Sample& s, "da_dq, da_dv and da_dtau are the derivatives of aba, by either route",
          "[algorithms][forward_dynamics_derivatives]") {
  const Vectord tau = random_vector(s.random, s.model.nv());
  const double limit = bound(s.model, s.data, s.q);
  ComplexSteps steps(s.model);
  const Matrixd along_q = steps.aba_along_q(s.q, s.v, tau), along_v = steps.aba_along_v(s.q, s.v, tau);
  const Matrixd along_tau = steps.aba_along_tau(s.q, s.v, tau);
  for (const auto route : routes) {
    CAPTURE(static_cast<int>(route));
    const auto& [da_dq, da_dv, da_dtau] = forward_dynamics_derivatives(s.model, s.data, s.q, s.v, tau, {}, route);
    CHECK(relative_error(da_dq, along_q) < limit);
    CHECK(relative_error(da_dv, along_v) < limit);
    CHECK(relative_error(da_dtau, along_tau) < limit);
  }
}

TEST_EACH(Sample& s, "da_dq and da_dv under external forces of every reference",
          "[algorithms][forward_dynamics_derivatives]") {
  const Vectord tau = random_vector(s.random, s.model.nv());
  const std::vector<Wrench> wrenches = mixed_wrenches(s);
  const auto external = forces_on(s.model, wrenches);
  const double limit = bound(s.model, s.data, s.q);
  ComplexSteps steps(s.model);
  const Matrixd along_q = steps.aba_along_q(s.q, s.v, tau, wrenches);
  const Matrixd along_v = steps.aba_along_v(s.q, s.v, tau, wrenches);
  for (const auto route : routes) {
    CAPTURE(static_cast<int>(route));
    const auto& [da_dq, da_dv, da_dtau] = forward_dynamics_derivatives(s.model, s.data, s.q, s.v, tau, external, route);
    CHECK(relative_error(da_dq, along_q) < limit);
    CHECK(relative_error(da_dv, along_v) < limit);
  }
}

TEST_EACH(Sample& s, "da_dtau is mass_matrix_inverse to the bit", "[algorithms][forward_dynamics_derivatives]") {
  const Matrixd W = mass_matrix_inverse(s.model, s.data, s.q);
  for (const auto route : routes)
    CHECK(forward_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, {}, route).da_dtau == W);
}

TEST_CASE("either route gives what plain products give, for every small size",
          "[algorithms][forward_dynamics_derivatives]") {
  // These sizes are less than a block or tile of 4 columns, whole blocks, and blocks that overlap those before them.
  const int n = GENERATE(range(1, 18));
  CAPTURE(n);
  Chain c(n);
  const double limit = bound(c.model, c.data, c.s.q);
  for (const auto route : routes) {
    CAPTURE(static_cast<int>(route));
    const Results x = c.derivatives(route);
    const Vectord a = aba(c.model, c.data, c.s.a);
    const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(c.model, c.data, c.s.q, c.s.v, a);
    CHECK(relative_error(x.da_dq, -x.da_dtau * dtau_dq) < limit);
    CHECK(relative_error(x.da_dv, -x.da_dtau * dtau_dv) < limit);
  }
}

TEST_CASE("the automatic route changes at articulated_from", "[algorithms][forward_dynamics_derivatives]") {
  const int n = detail::articulated_from + GENERATE(-1, 0, 1);
  CAPTURE(n);
  Chain c(n);
  const double limit = bound(c.model, c.data, c.s.q);
  const Results dense = c.derivatives(DerivativeRoute::dense);
  const Results articulated = c.derivatives(DerivativeRoute::articulated);
  const Results automatic = c.derivatives(DerivativeRoute::automatic);
  // The two algorithms differ in the last digits of the results, which tells them apart here.
  REQUIRE(together(dense) != together(articulated));
  CHECK(together(automatic) == together(n < detail::articulated_from ? dense : articulated));
  CHECK(relative_error(articulated.da_dq, dense.da_dq) < limit);
  CHECK(relative_error(articulated.da_dv, dense.da_dv) < limit);
}

TEST_CASE("derivatives of a are the same to the bit for a base 10 km away",
          "[algorithms][forward_dynamics_derivatives]") {
  Sample s(PlanMaker("floating", 7).chain(-1, {Kind::free_flyer, Kind::spherical, Kind::revolute}).plan(), 7);
  for (const auto route : routes) {
    const Vectord q = s.q;
    const Matrixd near = together(forward_dynamics_derivatives(s.model, s.data, q, s.v, s.a, {}, route));
    Vectord far = q;
    far.head<3>() += Vector3<double>(8e3, -5e3, 3e3);
    CHECK(together(forward_dynamics_derivatives(s.model, s.data, far, s.v, s.a, {}, route)) == near);
  }
}
