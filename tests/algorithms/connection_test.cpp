#include "corio/algorithms/geometry/connection.hpp"

#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// A sample without gravity and its mass matrix from point masses.
struct Free {
  explicit Free(int topology) : s(weightless(topologies()[static_cast<std::size_t>(topology)]), topology) {}
  static int count() { return topology_count(); }
  const std::string& name() const { return s.name(); }
  static Plan weightless(Plan plan) {
    plan.gravity.setZero();
    return plan;
  }
  Vectord solve(const Vectord& x) const { return test::solve(M, x); }
  Vectord covariant(const Vectord& v, const Vectord& w, const Vectord& wdot) {
    return covariant_derivative(s.model, s.data, s.q, v, w, wdot);
  }
  Vectord covariant(const Vectord& v, const Vectord& w) { return covariant(v, w, Vectord::Zero(v.size())); }

  Sample s;
  Matrixd M = s.oracle.mass_matrix();
  /// This bounds products with the inverse of M: the condition number amplifies rounding.
  double solved = 1e-14 * std::max(100.0, condition(M));
};

Tensor3<double> symbols_second_kind(Sample& s) {
  ChristoffelTensor<double> Gamma(s.model);
  Tensor3<double> out;
  christoffel_symbols(s.model, s.data, s.q, Gamma);
  christoffel_symbols_second_kind(s.model, s.data, Gamma, out);
  return out;
}

}  // namespace

TEST_EACH(Free& f, "symbols of the second kind are M^-1 times those of the first", "[algorithms][connection]") {
  const int n = f.s.model.nv();
  ChristoffelTensor<double> Gamma(f.s.model);
  christoffel_symbols(f.s.model, f.s.data, f.s.q, Gamma);
  Tensor3<double> expected(n);
  for (int k = 0; k < n; ++k) {
    const Matrixd solved = solve(f.M, Gamma.along(k));
    for (int l = 0; l < n; ++l)
      for (int j = 0; j < n; ++j) expected(l, j, k) = solved(l, j);
  }
  CHECK(relative_error(symbols_second_kind(f.s), expected) < f.solved);
}

TEST_EACH(Free& f, "the symmetric part is symmetric and all that C v sees", "[algorithms][connection]") {
  ChristoffelTensor<double> Gamma(f.s.model);
  christoffel_symbols(f.s.model, f.s.data, f.s.q, Gamma);
  Tensor3<double> symmetric, in_place = Gamma.tensor();
  symmetric_part(Gamma.tensor(), symmetric);
  symmetric_part(in_place, in_place);
  CHECK(relative_error(in_place, symmetric) == 0);
  Vectord with, without;
  Gamma.contract(f.s.v, f.s.v, with);
  symmetric.contract(f.s.v, f.s.v, without);
  CHECK(relative_error(without, with) < tolerance<double>());
  for (int i = 0; i < symmetric.size(); ++i) {
    const Matrixd page = Gamma.page(i);
    CHECK(relative_error(Matrixd(symmetric.page(i)), Matrixd((page + page.transpose()) / 2)) < tolerance<double>());
  }
}

TEST_EACH(Free& f, "the covariant derivative is wdot + M^-1 C w", "[algorithms][connection]") {
  const Vectord w = random_vector(f.s.random, f.s.model.nv());
  const Vectord expected = f.s.a + f.solve(f.s.oracle.coriolis_matrix(f.s.v) * w);
  CHECK(relative_error(f.covariant(f.s.v, w, f.s.a), expected) < f.solved);
}

TEST_EACH(Free& f, "the connection has no torsion: nabla_v w - nabla_w v = [v, w]", "[algorithms][connection]") {
  if (armature_on_noncommuting(f.s.model)) return;  // checked below
  Tensor3<double> c;
  structure_constants(f.s.model, f.s.data, f.s.q, c);
  const Vectord difference = f.covariant(f.s.v, f.s.a) - f.covariant(f.s.a, f.s.v);
  CHECK(relative_error(difference, bracket(c, f.s.v, f.s.a)) < f.solved);
}

TEST_EACH(Free& f, "armature on motions that do not commute gives the connection torsion", "[algorithms][connection]") {
  // nabla_v w - nabla_w v = M^-1 (M - armature) [v, w]: the armature resists speeds, but does not enter the symbols.
  if (!armature_on_noncommuting(f.s.model)) return;
  Tensor3<double> c;
  structure_constants(f.s.model, f.s.data, f.s.q, c);
  const Vectord expected = bracket(c, f.s.v, f.s.a);
  const Vectord difference = f.covariant(f.s.v, f.s.a) - f.covariant(f.s.a, f.s.v);
  const Matrixd bare = f.M - Matrixd(f.s.model.armature().asDiagonal());
  CHECK(relative_error(difference, f.solve(bare * expected)) < f.solved);
  CHECK(relative_error(difference, expected) > 1e-3);
}

TEST_EACH(Free& f, "the geodesic residual is the acceleration by forces", "[algorithms][connection]") {
  const Vectord tau = rnea(f.s.model, f.s.data, f.s.q, f.s.v, f.s.a);
  const Vectord residual = geodesic_residual(f.s.model, f.s.data, f.s.q, f.s.v, f.s.a);
  CHECK(relative_error(residual, f.solve(tau)) < f.solved);
}

TEST_CASE("with gravity the geodesic residual is M^-1 (tau - g)", "[algorithms][connection]") {
  Sample s(random_plan(2), 2);
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a), g = generalized_gravity(s.model, s.data);
  const Matrixd M = s.oracle.mass_matrix();
  const Vectord expected = solve(M, tau - g);
  CHECK(relative_error(geodesic_residual(s.model, s.data, s.q, s.v, s.a), expected) < 1e-14 * condition(M));
}

TEST_CASE("symbols of another model have none of the second kind", "[algorithms][connection][errors]") {
  Sample s(random_plan(1), 1), other(random_plan(2), 2), twin(random_plan(1), 1);
  forward_kinematics(s.model, s.data, s.q, s.v);
  Tensor3<double> out;
  ChristoffelTensor<double> of_other(other.model), of_twin(twin.model);
  REQUIRE(other.model.nv() != s.model.nv());
  CHECK_THROWS_AS(christoffel_symbols_second_kind(s.model, s.data, of_other, out), SizeError);
  CHECK_THROWS_AS(christoffel_symbols_second_kind(s.model, s.data, of_twin, out), StateError);
}
