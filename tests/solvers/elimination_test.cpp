#include "corio/solvers/elimination.hpp"

#include "solvers/solvers_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("PivotedElimination solves systems with more consistent rows than unknowns", "[solvers][elimination]") {
  Generator generator(1);
  detail::PivotedElimination<double> elimination;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index n = 1 + trial % 6, m = n + trial % 3, count = 1 + trial % 4;
    Eigen::MatrixXd A = normal_matrix(m, n, generator);
    A.rowwise().normalize();
    elimination.compute(A.transpose());
    REQUIRE(elimination.rank() == n);
    const Eigen::MatrixXd solution = normal_matrix(count, n, generator);
    const Eigen::MatrixXd B = solution * A.transpose();
    const Eigen::VectorXd scale = Eigen::VectorXd::Ones(m);
    Eigen::MatrixXd X;
    elimination.minus_solve(B, scale, X);
    // Random matrices have condition numbers up to some thousands.
    CAPTURE(trial, m, n);
    CHECK(relative_error(Eigen::MatrixXd(-X.leftCols(n)), solution) < 1e-11);
    CHECK(relative_error(Eigen::MatrixXd(X.rightCols(m - n)), Eigen::MatrixXd::Zero(count, m - n)) < 1e-12);

    Eigen::VectorXd b = normal_matrix(n, 1, generator), given = b, x;
    elimination.solve_transposed(given, x);
    CHECK(relative_error(Eigen::VectorXd(A.transpose() * x), b) < 1e-11);
  }
}

TEST_CASE("PivotedElimination passes over columns that depend on those before them", "[solvers][elimination]") {
  Generator generator(2);
  Eigen::MatrixXd A = normal_matrix(4, 5, generator) / 4;
  A.col(1) = 2 * A.col(0), A.col(3) = A.col(0) - A.col(2);
  detail::PivotedElimination<double> elimination;
  elimination.compute(A.transpose());
  CHECK(elimination.pivots() == std::vector<int>{0, 2, 4});
  Eigen::MatrixXd X;
  elimination.minus_solve(Eigen::MatrixXd::Ones(1, 4), Eigen::VectorXd::Ones(4), X);
  CHECK(X.array().isNaN().all());
}
