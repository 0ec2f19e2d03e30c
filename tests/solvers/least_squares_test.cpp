#include "corio/solvers/least_squares.hpp"

#include "corio/core/dual.hpp"
#include "solvers/solvers_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("LeastSquares has the shortest of all best solutions, for every rank", "[solvers][least_squares]") {
  Generator generator(1);
  detail::LeastSquares<double> solver;
  for (int trial = 0; trial < 600; ++trial) {
    const Eigen::Index m = 1 + trial % 7, n = 1 + trial / 7 % 7, rank = trial % (std::min(m, n) + 1);
    const Eigen::MatrixXd A = normal_matrix(m, rank, generator) * normal_matrix(rank, n, generator);
    const Eigen::MatrixXd B = normal_matrix(m, 3, generator);
    solver.compute(A);
    CAPTURE(trial, m, n, rank);
    REQUIRE(solver.rank() == rank);
    Eigen::MatrixXd rest = B, X;
    solver.solve(rest, X);
    // Moore-Penrose conditions: the residual is orthogonal to the columns of A, and the solution is a combination of
    // its rows. Random factors have condition numbers up to some thousands.
    const Eigen::MatrixXd error = B - A * X;
    CHECK(relative_error(Eigen::MatrixXd(A.transpose() * error), Eigen::MatrixXd::Zero(n, 3)) < 1e-11);
    const Eigen::MatrixXd rows =
        rank == 0 ? Eigen::MatrixXd(Eigen::MatrixXd::Zero(n, 3))
                  : Eigen::MatrixXd(A.transpose() * A.transpose().completeOrthogonalDecomposition().solve(X));
    CHECK((X - rows).norm() <= 1e-10 * X.norm());
    CHECK(relative_error(rest.bottomRows(m - rank).colwise().norm().eval(), error.colwise().norm().eval()) < 1e-12);
  }
}

TEST_CASE("LeastSquares tells the independent columns, the longest first", "[solvers][least_squares]") {
  Eigen::MatrixXf A(3, 4);
  A << 0, 1, 2, 4,  //
      0, 1, 0, 0,   //
      0, 0, 0, 0;
  detail::LeastSquares<float> solver;
  solver.compute(A);
  CHECK(solver.rank() == 2);
  CHECK(solver.pivot(0) == 3);
  CHECK(solver.pivot(1) == 1);
  // The threshold is relative to the longest column.
  solver.compute(A, 0.3);
  CHECK(solver.rank() == 1);
}

TEST_CASE("LeastSquares differentiates its solution where reflections begin from zeros", "[solvers][least_squares]") {
  // A is triangular: nothing needs to be eliminated, but the derivatives of the zeros count.
  using D = Dual<double>;
  Generator generator(2);
  const Eigen::MatrixXd rate = normal_matrix(4, 3, generator), b_rate = normal_matrix(4, 1, generator);
  Eigen::MatrixXd A = normal_matrix(4, 3, generator).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd b = normal_matrix(4, 1, generator);
  MatrixX<D> A_dual(4, 3), b_dual(4, 1), x_dual;
  for (Eigen::Index k = 0; k < 12; ++k) A_dual.data()[k] = {A.data()[k], rate.data()[k]};
  for (Eigen::Index k = 0; k < 4; ++k) b_dual.data()[k] = {b.data()[k], b_rate.data()[k]};
  detail::LeastSquares<D> solver;
  solver.compute(A_dual);
  solver.solve(b_dual, x_dual);
  const auto solution = [&](double h) -> Eigen::MatrixXd {
    return (A + h * rate).colPivHouseholderQr().solve(b + h * b_rate);
  };
  const Eigen::MatrixXd x = solution(0), x_rate = (solution(1e-5) - solution(-1e-5)) / 2e-5;
  for (Eigen::Index i = 0; i < 3; ++i) {
    CHECK(x_dual(i, 0).x == Approx(x(i, 0)).epsilon(1e-12));
    CHECK(x_dual(i, 0).dx == Approx(x_rate(i, 0)).epsilon(1e-6));  // central differences
  }
}

TEST_CASE("a matrix without rows has rank 0, whatever was factorized before", "[solvers][least_squares]") {
  detail::LeastSquares<double> solver;
  solver.compute(Eigen::MatrixXd::Identity(2, 3));
  CHECK(solver.rank() == 2);
  solver.compute(Eigen::MatrixXd(0, 3));
  CHECK(solver.rank() == 0);
  Eigen::MatrixXd B(0, 1), X;
  solver.solve(B, X);
  CHECK(X == Eigen::MatrixXd::Zero(3, 1));
}
