#include "corio/algorithms/dynamics/hybrid_dynamics.hpp"

#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/hybrid_dynamics_derivatives.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Selects every third speed from `first` on, so that joints with several degrees of freedom are prescribed in part.
std::vector<int> every_third(int nv, int first) {
  std::vector<int> some;
  for (int k = first; k < nv; k += 3) some.push_back(k);
  return some;
}

}  // namespace

TEST_EACH(Sample& s, "hybrid dynamics solves the partitioned equations of motion", "[algorithms][hybrid_dynamics]") {
  const int n = s.model.nv();
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const Vectord forces = random_vector(s.random, n);
  for (int first = 0; first < 3; ++first) {
    const std::vector<int> prescribed = every_third(n, first);
    // Entries that are not read may have any value.
    Vectord a = Vectord::Constant(n, std::nan("")), tau = forces;
    for (const int k : prescribed) a[k] = s.a[k], tau[k] = std::nan("");
    const auto found = hybrid_dynamics(s.model, s.data, s.q, s.v, a, tau, prescribed, external);
    const double worst = tolerance<double>() * condition(crba(s.model, s.data));
    const Vectord needed = rnea(s.model, s.data, s.q, s.v, found.a, external);
    CHECK(relative_error(found.tau, needed) < worst);
    // Solves the dense partition: M a = tau - h with the prescribed rows replaced.
    Matrixd M = crba(s.model, s.data, s.q);
    Vectord right = forces - rnea(s.model, s.data, s.q, s.v, Vectord::Zero(n), external);
    for (const int k : prescribed) {
      CHECK(found.a[k] == s.a[k]);
      M.row(k) = Vectord::Unit(n, k).transpose(), right[k] = s.a[k];
    }
    const Vectord dense = solve(M, right);
    CHECK(relative_error(found.a, dense) < worst);
    for (int k = 0; k < n; ++k)
      if (std::find(prescribed.begin(), prescribed.end(), k) == prescribed.end()) CHECK(found.tau[k] == forces[k]);
  }
}

TEST_EACH(Sample& s, "with nothing prescribed it is aba, with everything rnea", "[algorithms][hybrid_dynamics]") {
  const int n = s.model.nv();
  const Vectord tau = random_vector(s.random, n), unused = Vectord::Constant(n, std::nan(""));
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) all[static_cast<std::size_t>(k)] = k;
  const Vectord free = hybrid_dynamics(s.model, s.data, s.q, s.v, unused, tau, {}).a;
  CHECK(free == aba(s.model, s.data, tau));
  const Vectord needed = hybrid_dynamics(s.model, s.data, s.q, s.v, s.a, unused, all).tau;
  CHECK(relative_error(needed, rnea(s.model, s.data, s.q, s.v, s.a)) < tolerance<double>());
}

TEST_EACH(Sample& s, "derivatives of hybrid dynamics are its complex steps", "[algorithms][hybrid_dynamics]") {
  const int n = s.model.nv();
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const auto complex = s.model.cast<Complex>();
  std::vector<ExternalForce<Complex>> complex_external;
  Data<Complex> ahead(complex);
  const std::vector<int> prescribed = every_third(n, 1);
  const Vectord tau = random_vector(s.random, n);
  const auto found = hybrid_dynamics(s.model, s.data, s.q, s.v, s.a, tau, prescribed);
  const auto& [dz_dq, dz_dv, dz_du] = hybrid_dynamics_derivatives(s.model, s.data, s.q, s.v, found.a, prescribed);
  const double worst = tolerance<double>() * condition(crba(s.model, s.data));
  std::vector<char> held(static_cast<std::size_t>(n), 0);
  for (const int k : prescribed) held[static_cast<std::size_t>(k)] = 1;
  const auto column = [&](const VectorX<Complex>& q, const VectorX<Complex>& v, const VectorX<Complex>& a,
                          const VectorX<Complex>& f) {
    const auto& z = hybrid_dynamics(complex, ahead, q, v, a, f, prescribed);
    Vectord slope(n);
    for (int k = 0; k < n; ++k) slope[k] = (held[static_cast<std::size_t>(k)] ? z.tau : z.a)[k].imag() / complex_step;
    return slope;
  };
  const VectorX<Complex> q = s.q.cast<Complex>(), v = s.v.cast<Complex>(), a = s.a.cast<Complex>(),
                         f = tau.cast<Complex>();
  Matrixd by_q(n, n), by_v(n, n), by_u(n, n);
  for (int k = 0; k < n; ++k) {
    const VectorX<Complex> unit = Complex(0, complex_step) * Vectord::Unit(n, k);
    by_q.col(k) = column(step(complex, s.q, Vectord::Unit(n, k)), v, a, f);
    by_v.col(k) = column(q, v + unit, a, f);
    by_u.col(k) = column(q, v, a + unit, f + unit);
  }
  CHECK(relative_error(dz_dq, by_q) < worst);
  CHECK(relative_error(dz_dv, by_v) < worst);
  CHECK(relative_error(dz_du, by_u) < worst);
}

TEST_EACH(Sample& s, "derivatives of hybrid dynamics follow external forces, from those of aba to those of rnea",
          "[algorithms][hybrid_dynamics]") {
  const int n = s.model.nv();
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a, external);
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) all[static_cast<std::size_t>(k)] = k;
  const auto inverse = hybrid_dynamics_derivatives(s.model, s.data, all, external);
  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(s.model, s.data, external);
  CHECK(relative_error(inverse.dz_dq, dtau_dq) < tolerance<double>());
  CHECK(relative_error(inverse.dz_dv, dtau_dv) < tolerance<double>());
  CHECK(relative_error(inverse.dz_du, M) < tolerance<double>());
  const auto forward = hybrid_dynamics_derivatives(s.model, s.data, {}, external);
  const auto& [da_dq, da_dv, da_dtau] = forward_dynamics_derivatives(s.model, s.data, tau, external);
  const double worst = tolerance<double>() * condition(M);
  CHECK(relative_error(forward.dz_dq, da_dq) < worst);
  CHECK(relative_error(forward.dz_dv, da_dv) < worst);
  CHECK(relative_error(forward.dz_du, da_dtau) < worst);
}

TEST_CASE("hybrid dynamics rejects indices of no speed", "[algorithms][hybrid_dynamics]") {
  Sample s(1);
  const Vectord x = Vectord::Zero(s.model.nv());
  CHECK_THROWS_AS(hybrid_dynamics(s.model, s.data, s.q, s.v, x, x, {s.model.nv()}), ModelError);
  CHECK_THROWS_AS(hybrid_dynamics(s.model, s.data, s.q, s.v, x, x, {-1}), ModelError);
  CHECK_THROWS_AS(hybrid_dynamics(s.model, s.data, s.q, s.v, x, Vectord::Zero(x.size() + 1), {}), SizeError);
  CHECK_THROWS_AS(hybrid_dynamics_derivatives(s.model, s.data, s.q, s.v, x, {-1}), ModelError);
}
