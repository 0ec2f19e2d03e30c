#include "corio/algorithms/dynamics/aba.hpp"

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Forward dynamics solves with M, so a few roundings in tau become an error in a that is cond(M) times as large.
double bound(Sample& s) { return 1e-13 * std::max(10.0, condition(crba(s.model, s.data, s.q))); }

std::vector<ExternalForce<double>> pushes(Sample& s) {
  std::vector<ExternalForce<double>> all;
  for (int b = 0; b < s.bodies(); ++b)
    for (const auto reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned})
      all.emplace_back(s.frame(b), s.random.force(), reference, s.random.vector());
  return all;
}

}  // namespace

TEST_EACH(Sample& s, "aba finds the acceleration of the point masses under given generalized forces",
          "[algorithms][aba]") {
  const double tolerance = bound(s);
  const Vectord tau = s.oracle.inverse_dynamics(s.v, s.a);
  CHECK(relative_error(aba(s.model, s.data, s.q, s.v, tau), s.a) < tolerance);
}

TEST_EACH(Sample& s, "aba inverts rnea", "[algorithms][aba]") {
  const double tolerance = bound(s);
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a);
  CHECK(relative_error(aba(s.model, s.data, s.q, s.v, tau), s.a) < tolerance);
}

TEST_EACH(Sample& s, "rnea inverts aba", "[algorithms][aba]") {
  const double tolerance = bound(s);
  const Vectord tau = random_vector(s.random, s.model.nv());
  const Vectord a = aba(s.model, s.data, s.q, s.v, tau);
  // Accelerations, and the forces that produce them, may be far larger than tau, so errors are relative to those.
  const double size = std::max(1.0, max_magnitude(a));
  CHECK(max_magnitude(rnea(s.model, s.data, s.q, s.v, a) - tau) / size < tolerance);
}

TEST_EACH(Sample& s, "aba inverts rnea under external forces", "[algorithms][aba]") {
  const double tolerance = bound(s);
  const auto external = pushes(s);
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a, external);
  CHECK(relative_error(aba(s.model, s.data, s.q, s.v, tau, external), s.a) < tolerance);
}

TEST_EACH(Sample& s, "aba is the solution with the mass matrix", "[algorithms][aba]") {
  const double tolerance = bound(s);
  const Vectord tau = random_vector(s.random, s.model.nv());
  const Vectord rest = tau - nonlinear_effects(s.model, s.data, s.q, s.v);
  const Vectord expected = solve(crba(s.model, s.data, s.q), rest);
  CHECK(relative_error(aba(s.model, s.data, s.q, s.v, tau), expected) < tolerance);
}

TEST_CASE("a free body without forces falls with gravity", "[algorithms][aba]") {
  Sample s(PlanMaker("free body", 1).chain(-1, {Kind::free_flyer}).plan(), 1);
  const Vectord zero = Vectord::Zero(6);
  const Vectord a = aba(s.model, s.data, s.q, zero, zero);
  const Matrix3<double> R = s.oracle.pose(0).topLeftCorner<3, 3>();
  CHECK(relative_error(a.head<3>(), Vectord::Zero(3)) < tolerance<double>());
  CHECK(relative_error(R * a.tail<3>(), s.model.gravity()) < tolerance<double>());
}
