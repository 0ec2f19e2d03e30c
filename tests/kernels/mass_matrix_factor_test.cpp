#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"

#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Tells whether one of two degrees of freedom is on the way from the ground to the other.
bool on_one_way(const Model<double>& model, int i, int j) {
  for (int k = std::max(i, j); k >= 0; k = model.parent_dof(k))
    if (k == std::min(i, j)) return true;
  return false;
}

struct UnitFactor {
  Matrixd L;
  Vectord D;
};
UnitFactor unpack(const Matrixd& factor) {
  Matrixd L = factor.triangularView<Eigen::UnitLower>();
  return {L, factor.diagonal()};
}

/// Returns the error of elimination in floating point: elimination is backward stable, so its residual does not grow
/// with the condition.
double product_error(const UnitFactor& f, const Matrixd& M) {
  return relative_error(Matrixd(f.L.transpose() * f.D.asDiagonal() * f.L), M);
}

/// Factorizes M at the position of the last forward_kinematics.
Matrixd factor(Sample& s) {
  detail::MassMatrixFactor<double> own(s.model);
  return own.run(s.model, s.data);
}

}  // namespace

TEST_EACH(Sample& s, "the factor of the mass matrix: L^T D L = M", "[algorithms][mass_matrix_factor]") {
  forward_kinematics(s.model, s.data, s.q);
  const UnitFactor f = unpack(factor(s));
  CHECK(product_error(f, s.oracle.mass_matrix()) < tolerance<double>());
  CHECK(f.D.minCoeff() > 0);
}

TEST_EACH(Sample& s, "nothing fills in when the mass matrix is factorized", "[algorithms][mass_matrix_factor]") {
  forward_kinematics(s.model, s.data, s.q);
  const Matrixd L = unpack(factor(s)).L;
  int filled = 0;
  for (int i = 0; i < L.rows(); ++i)
    for (int j = 0; j < i; ++j) filled += !on_one_way(s.model, i, j) && L(i, j) != 0;
  CHECK(filled == 0);
}

TEST_EACH(Sample& s, "solving with the factor is solving with the dense mass matrix",
          "[algorithms][mass_matrix_factor]") {
  forward_kinematics(s.model, s.data, s.q);
  const int n = s.model.nv(), width = GENERATE(1, 3, 8);
  CAPTURE(width);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows x(n, width);
  for (int i = 0; i < x.size(); ++i) x(i) = s.random.real();
  const Matrixd M = s.oracle.mass_matrix();
  const Matrixd expected = solve(M, x);
  detail::solve_mass_matrix(s.model, factor(s), x.data(), width);
  CHECK(relative_error(Matrixd(x), expected) < 1e-15 * n * std::max(1000.0, condition(M)));
}

TEST_CASE("the factor leaves the mass matrix of crba as it is", "[algorithms][mass_matrix_factor]") {
  Sample s(random_plan(3), 3);
  const Matrixd& M = crba(s.model, s.data, s.q);
  const Matrixd before = M;
  factor(s);
  CHECK(M == before);
}

TEST_CASE("the factor of two coupled hinges, by hand", "[algorithms][mass_matrix_factor]") {
  // Two hinges one after the other: M = [a, b; b, c] is L^T D L with L = [1, 0; b/c, 1], D = (a - b^2/c, c).
  Sample s(PlanMaker("pair", 8).chain(-1, {Kind::revolute, Kind::revolute}).plan(), 8);
  Matrixd M(2, 2);
  M << 5, 3, 3, 2;
  detail::factorize_mass_matrix(s.model, M);
  CHECK(M(0, 0) == Approx(0.5));
  CHECK(M(1, 0) == Approx(1.5));
  CHECK(M(1, 1) == Approx(2));
}
