#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

InverseDynamicsDerivativesResult<double> tau_derivatives(Sample& s) {
  return inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a);
}

}  // namespace

TEST_EACH(Sample& s, "dtau_dq is the derivative of rnea along integrate",
          "[algorithms][inverse_dynamics_derivatives]") {
  const Matrixd expected = ComplexSteps(s.model).rnea_along_q(s.q, s.v, s.a);
  CHECK(relative_error(tau_derivatives(s).dtau_dq, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "dtau_dv is the derivative of rnea as v grows", "[algorithms][inverse_dynamics_derivatives]") {
  const Matrixd expected = ComplexSteps(s.model).rnea_along_v(s.q, s.v, s.a);
  CHECK(relative_error(tau_derivatives(s).dtau_dv, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "the M of inverse_dynamics_derivatives is that of crba",
          "[algorithms][inverse_dynamics_derivatives]") {
  const Matrixd M = tau_derivatives(s).M;
  CHECK(relative_error(M, crba(s.model, s.data, s.q)) < tolerance<double>());
  // Inside a joint M(i, j) and M(j, i) are separate sums, equal up to rounding.
  CHECK(relative_error(M, M.transpose()) < tolerance<double>());
}

TEST_EACH(Sample& s, "derivatives are the same to the bit for a base 10 km away",
          "[algorithms][inverse_dynamics_derivatives]") {
  // The test moves the root, and forces in body axes or at points of the body depend on no other position.
  if (s.model.joints().front().type() != "free_flyer" || s.model.node(0).subtree_v_end != s.model.nv()) return;
  std::vector<Wrench> wrenches = mixed_wrenches(s);
  std::erase_if(wrenches, [](const Wrench& w) { return w.reference == ReferenceFrame::world; });
  const auto external = forces_on(s.model, wrenches);
  const InverseDynamicsDerivativesResult<double> near =
      inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, external);
  s.q.head<3>() += Vector3<double>(8e3, -5e3, 3e3);
  const auto& far = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, external);
  CHECK(far.dtau_dq == near.dtau_dq);
  CHECK(far.dtau_dv == near.dtau_dv);
  CHECK(far.M == near.M);
}
