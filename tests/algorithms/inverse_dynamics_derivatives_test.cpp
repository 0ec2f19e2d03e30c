#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

InverseDynamicsDerivativesResult<double> tau_derivatives(Sample& s) {
  return inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a);
}

/// Makes the same mechanism with another gravity.
Sample under(const Vector3<double>& gravity, int topology) {
  Plan plan = topologies()[static_cast<std::size_t>(topology)];
  plan.gravity = gravity;
  return {plan, topology};
}

/// Returns the matrix sum_a c(l,a,j) v_a.
Matrixd bracket_matrix(const Tensor3<double>& c, const Vectord& v) {
  Matrixd K = Matrixd::Zero(c.size(), c.size());
  for (int l = 0; l < c.size(); ++l)
    for (int a = 0; a < c.size(); ++a)
      for (int j = 0; j < c.size(); ++j) K(l, j) += c(l, a, j) * v[a];
  return K;
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

TEST_EACH(Sample& s, "central differences of rnea give dtau_dq and dtau_dv",
          "[algorithms][inverse_dynamics_derivatives]") {
  // With h = 1e-5, h^2 times third derivatives, and eps / h times tau, are some 1e-10 of the largest entry.
  const auto [dtau_dq, dtau_dv, M] = tau_derivatives(s);
  const double h = 1e-5, scale = std::max(1.0, max_magnitude(rnea(s.model, s.data, s.q, s.v, s.a)));
  for (int j = 0; j < s.model.nv(); ++j) {
    CAPTURE(j);
    const Vectord by = h * Vectord::Unit(s.model.nv(), j);
    const Vectord after_q = rnea(s.model, s.data, integrate(s.model, s.q, by), s.v, s.a);
    const Vectord before_q = rnea(s.model, s.data, integrate(s.model, s.q, -by), s.v, s.a);
    CHECK(relative_error(dtau_dq.col(j), (after_q - before_q) / (2 * h)) < 1e-6 * scale);
    const Vectord after_v = rnea(s.model, s.data, s.q, s.v + by, s.a);
    const Vectord before_v = rnea(s.model, s.data, s.q, s.v - by, s.a);
    CHECK(relative_error(dtau_dv.col(j), (after_v - before_v) / (2 * h)) < 1e-6 * scale);
  }
}

TEST_EACH(Sample& s, "dtau_dv is 2 C - M K with the structure constants",
          "[algorithms][inverse_dynamics_derivatives]") {
  const Matrixd dtau_dv = tau_derivatives(s).dtau_dv, C = coriolis_matrix(s.model, s.data, s.q, s.v).C;
  Matrixd M = crba(s.model, s.data);
  // Rotors turn with their own joint only: they enter M a, but not the velocity products.
  M.diagonal() -= s.model.armature();
  Tensor3<double> c;
  structure_constants(s.model, s.data, c);
  CHECK(relative_error(dtau_dv, 2 * C - M * bracket_matrix(c, s.v)) < tolerance<double>());
}

TEST_EACH(Sample& s, "dtau_dv is 2 C where all joint motions commute", "[algorithms][inverse_dynamics_derivatives]") {
  if (!all_commute(s.model)) return;
  const Matrixd dtau_dv = tau_derivatives(s).dtau_dv;
  CHECK(relative_error(dtau_dv, 2 * coriolis_matrix(s.model, s.data, s.q, s.v).C) < tolerance<double>());
}

TEST_EACH(Sample& s, "dtau_dv v and 2 M a make up twice what of tau is not gravity",
          "[algorithms][inverse_dynamics_derivatives]") {
  // If the motion is 1 + e times as fast, tau - g grows by (1 + e)^2, with accelerations (1 + e)^2 a.
  const auto [dtau_dq, dtau_dv, M] = tau_derivatives(s);
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a), g = generalized_gravity(s.model, s.data);
  CHECK(relative_error(dtau_dv * s.v + 2 * (M * s.a), 2 * (tau - g)) < tolerance<double>());
}

TEST_EACH(Sample& s, "at rest dtau_dq is the derivative of generalized_gravity",
          "[algorithms][inverse_dynamics_derivatives]") {
  const Vectord zero = Vectord::Zero(s.model.nv());
  const auto [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(s.model, s.data, s.q, zero, zero);
  CHECK(relative_error(dtau_dq, ComplexSteps(s.model).gravity_along_q(s.q)) < tolerance<double>());
  CHECK(max_magnitude(dtau_dv) == 0);
}

TEST_EACH(Sample& s, "at rest dtau_dq is symmetric but for the brackets of a joint's motions",
          "[algorithms][inverse_dynamics_derivatives]") {
  // Second derivatives of the potential energy satisfy E_j E_i U - E_i E_j U = sum_l c(l,j,i) E_l U.
  const Vectord zero = Vectord::Zero(s.model.nv());
  const Matrixd D = inverse_dynamics_derivatives(s.model, s.data, s.q, zero, zero).dtau_dq;
  const Vectord g = generalized_gravity(s.model, s.data);
  Tensor3<double> c;
  structure_constants(s.model, s.data, c);
  Matrixd brackets = Matrixd::Zero(s.model.nv(), s.model.nv());
  for (int l = 0; l < c.size(); ++l)
    for (int i = 0; i < c.size(); ++i)
      for (int j = 0; j < c.size(); ++j) brackets(i, j) += c(l, j, i) * g[l];
  const double scale = std::max(1.0, max_magnitude(D));
  CHECK(max_magnitude(Matrixd(D - D.transpose() - brackets)) < tolerance<double>() * scale);
  if (all_commute(s.model)) CHECK(max_magnitude(Matrixd(D - D.transpose())) < tolerance<double>() * scale);
}

TEST_CASE("gravity enters dtau_dq linearly, dtau_dv and M not at all", "[algorithms][inverse_dynamics_derivatives]") {
  const int i = GENERATE(range(0, topology_count()));
  const Vector3<double> g(0.3, -0.2, -9.81);
  Sample with = under(g, i), without = under(Vector3<double>::Zero(), i);
  INFO(with.name());
  const auto [dq, dv, M] = tau_derivatives(with);
  const auto [dq0, dv0, M0] = tau_derivatives(without);
  const Vectord zero = Vectord::Zero(with.model.nv());
  const Matrixd at_rest = inverse_dynamics_derivatives(with.model, with.data, with.q, zero, zero).dtau_dq;
  CHECK(relative_error(dq, dq0 + at_rest) < tolerance<double>());
  CHECK(dv == dv0);
  CHECK(M == M0);
}

TEST_CASE("along a trajectory of the point masses the derivatives add up to d tau/dt",
          "[algorithms][inverse_dynamics_derivatives]") {
  // Compares with the oracle, which uses neither rnea nor complex numbers. With v(t) = v + t a and da/dt = j, d tau/dt
  // = dtau_dq v + dtau_dv a + M j. Central differences with h = 1e-4: h^2 = 1e-8 of third derivatives, which grow with
  // some powers of the speeds, and eps / h = 1e-12.
  const int i = GENERATE(range(0, topology_count()));
  const bool gravity = GENERATE(false, true);
  Sample s = gravity ? Sample(i) : under(Vector3<double>::Zero(), i);
  INFO(s.name());
  const Vectord jerk = random_vector(s.random, s.model.nv());
  const auto [dtau_dq, dtau_dv, M] = tau_derivatives(s);
  const double h = 1e-4;
  const auto tau = [&](double t) -> Vectord {
    s.oracle.set_configuration(integrate(s.model, s.q, t * s.v + t * t / 2 * s.a));
    return s.oracle.inverse_dynamics(s.v + t * s.a, s.a + t * jerk);
  };
  const Vectord expected = (tau(h) - tau(-h)) / (2 * h);
  CHECK(relative_error(dtau_dq * s.v + dtau_dv * s.a + M * jerk, expected) < 1e-6);
}

TEST_CASE("armature enters M and nothing else of the derivatives", "[algorithms][inverse_dynamics_derivatives]") {
  Plan plan = random_plan(6);
  Sample with(plan, 6);
  for (BodyPlan& body : plan.bodies) body.armature.clear();
  Sample without(plan, 6);
  REQUIRE(with.model.armature().minCoeff() > 0);
  const auto [dq, dv, M] = tau_derivatives(with);
  const auto [dq0, dv0, M0] = tau_derivatives(without);
  CHECK(dq == dq0);
  CHECK(dv == dv0);
  CHECK(M == M0 + Matrixd(with.model.armature().asDiagonal()));
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
