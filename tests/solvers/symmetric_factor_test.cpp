#include "corio/solvers/symmetric_factor.hpp"

#include "solvers/solvers_support.hpp"
#include "support/allocation_counter.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("SymmetricFactor solves definite and consistent semidefinite systems", "[solvers][symmetric_factor]") {
  Generator generator(1);
  detail::SymmetricFactor<double> factor;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Index n = 1 + trial % 9, rank = 1 + trial / 9 % n;
    const Eigen::MatrixXd L = normal_matrix(n, rank, generator), A = L * L.transpose();
    // Only the lower triangle is read. Entries of few digits make the last pivots of semidefinite matrices exactly
    // zero; otherwise these pivots are rounding errors.
    Eigen::MatrixXd given = A.triangularView<Eigen::Lower>();
    if (rank < n) given = (L * 64).array().round().matrix() * (L * 64).array().round().matrix().transpose();
    const Eigen::MatrixXd whole = given.selfadjointView<Eigen::Lower>();
    const Eigen::MatrixXd solution = normal_matrix(n, 7, generator);  // seven columns: some at once, then the rest
    Eigen::MatrixXd X = whole * solution;
    factor.compute(given);
    CAPTURE(trial, n, rank);
    CHECK(factor.rank() >= rank);
    factor.solve_columns(X);
    // A remaining pivot that is a rounding error makes X large along the null space, which A X does not show.
    CHECK(relative_error(Eigen::MatrixXd(whole * X), Eigen::MatrixXd(whole * solution)) < 1e-10);
    if (rank == n) CHECK((whole * (X - solution)).norm() < 1e-12 * whole.norm() * solution.norm());
  }
}

TEST_CASE("SymmetricFactor counts positive pivots", "[solvers][symmetric_factor]") {
  Eigen::MatrixXd A(3, 3);
  A << 4, 2, 0,  //
      2, 1, 0,   //
      0, 0, 9;
  detail::SymmetricFactor<double> factor;
  factor.compute(A);
  CHECK(factor.rank() == 2);
  Eigen::Vector3d x(8, 4, 18);
  factor.solve(x.data());
  CHECK((x - Eigen::Vector3d(2, 0, 2)).norm() < 1e-15);
  factor.compute(Eigen::MatrixXd(-A));
  CHECK(factor.rank() == 0);
  factor.solve(x.data());
  CHECK(x == Eigen::Vector3d::Zero());
}

TEST_CASE("SymmetricFactor does not allocate after its first call, for any rank", "[solvers][symmetric_factor]") {
  Generator generator(3);
  for (Eigen::Index rank = 0; rank <= 4; ++rank) {
    const Eigen::MatrixXd L = normal_matrix(4, rank, generator);
    const Eigen::MatrixXd A = L * L.transpose();
    Eigen::MatrixXd X = normal_matrix(4, 33, generator);  // some columns at once, then the rest
    detail::SymmetricFactor<double> factor;
    factor.reserve(4);
    CAPTURE(rank);
    CHECK(allocations([&] {
            factor.compute(A);
            factor.solve_columns(X);
          }) == 0);
  }
}
