// Tests matrices with entries that are NaN, infinite, or so large or small that their squares overflow or vanish, and
// matrices of size 0 and 1. A solver never hides an entry that is not finite in a finite result.

#include <limits>

#include "corio/identification/bounded_least_squares.hpp"
#include "corio/solvers/bounded_inverse.hpp"
#include "corio/solvers/elimination.hpp"
#include "corio/solvers/jacobi.hpp"
#include "corio/solvers/least_squares.hpp"
#include "corio/solvers/truncated_inverse.hpp"
#include "solvers/solvers_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_finite[] = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
constexpr double scales[] = {1e160, 1e-160, 1e300, 1e-300};

/// Calls f with a copy of A once for each entry and each number that is not finite, with the number at that entry.
template <class F>
void for_spoiled(const Eigen::MatrixXd& A, F&& f) {
  for (Eigen::Index k = 0; k < A.size(); ++k)
    for (const double x : not_finite) {
      Eigen::MatrixXd spoiled = A;
      spoiled.data()[k] = x;
      CAPTURE(A, k, x);
      f(spoiled);
    }
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, Eigen::MatrixXd b) {
  detail::LeastSquares<double> solver;
  Eigen::MatrixXd x;
  solver.compute(A);
  solver.solve(b, x);
  return x;
}
Eigen::VectorXd symmetric_solution(const Eigen::MatrixXd& A, Eigen::VectorXd b) {
  detail::SymmetricFactor<double> factor;
  factor.compute(A);
  factor.solve(b.data());
  return b;
}

}  // namespace

TEST_CASE("LeastSquares returns NaN for what is not finite", "[solvers][least_squares][extreme]") {
  Generator generator(1);
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::Index m = 1 + trial % 4, n = 1 + trial / 4 % 4, rank = trial % (std::min(m, n) + 1);
    const Eigen::MatrixXd A = normal_matrix(m, rank, generator) * normal_matrix(rank, n, generator);
    const Eigen::MatrixXd b = normal_matrix(m, 1, generator);
    for_spoiled(A, [&](const Eigen::MatrixXd& spoiled) { CHECK(least_squares(spoiled, b).array().isNaN().all()); });
    for_spoiled(b, [&](const Eigen::MatrixXd& spoiled) { CHECK(least_squares(A, spoiled).array().isNaN().all()); });
    // One solver serves many matrices: earlier matrices do not affect the result.
    detail::LeastSquares<double> solver;
    Eigen::MatrixXd rest = b, x;
    solver.compute(Eigen::MatrixXd::Constant(m, n, not_finite[0]));
    solver.compute(A), solver.solve(rest, x);
    CHECK(x == least_squares(A, b));
  }
}

TEST_CASE("LeastSquares solves matrices of any scale", "[solvers][least_squares][extreme]") {
  Generator generator(2);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index m = 1 + trial % 5, n = 1 + trial / 5 % 5, rank = trial % (std::min(m, n) + 1);
    const Eigen::MatrixXd A = normal_matrix(m, rank, generator) * normal_matrix(rank, n, generator);
    const Eigen::MatrixXd b = normal_matrix(m, 1, generator), x = least_squares(A, b);
    for (const double scale : scales) {
      detail::LeastSquares<double> solver;
      solver.compute(Eigen::MatrixXd(A * scale));
      CAPTURE(trial, scale);
      CHECK(solver.rank() == rank);
      // The scaled entries are rounded once more, and the condition of a random A reaches some thousands.
      CHECK((least_squares(A * scale, b) * scale - x).norm() <= 1e-11 * x.norm());
    }
  }
  // A column that is shorter by more than the tolerance is dependent, as for numbers of ordinary size.
  CHECK(least_squares(Eigen::Vector2d(1e160, 1).asDiagonal(), Eigen::Vector2d::Ones()) == Eigen::Vector2d(1e-160, 0));
  CHECK(least_squares(Eigen::MatrixXd::Constant(1, 1, 5e-320), Eigen::MatrixXd::Constant(1, 1, 5e-320))(0, 0) ==
        Approx(1).epsilon(1e-3));  // numbers below 2e-308 have few digits
}

TEST_CASE("bounded_least_squares of what is not finite, and of any scale", "[solvers][least_squares][extreme]") {
  Generator generator(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd R = normal_matrix(5, 3, generator);
    const Eigen::VectorXd z = normal_matrix(5, 1, generator), least = Eigen::Vector3d(-infinity, 0, 0.1);
    const Eigen::VectorXd x = bounded_least_squares<double>(R, z, least);
    for_spoiled(R, [&](const Eigen::MatrixXd& spoiled) {
      CHECK_FALSE(bounded_least_squares<double>(spoiled, z, least).allFinite());
    });
    for_spoiled(z, [&](const Eigen::MatrixXd& spoiled) {
      CHECK_FALSE(bounded_least_squares<double>(R, spoiled, least).allFinite());
    });
    for (const double scale : {1e160, 1e-160}) {
      CHECK((bounded_least_squares<double>(R * scale, z * scale, least) - x).norm() < 1e-12 * (1 + x.norm()));
      CHECK((bounded_least_squares<double>(R, z * scale, least * scale) / scale - x).norm() < 1e-12 * (1 + x.norm()));
    }
  }
}

TEST_CASE("SymmetricFactor of what is not finite, and of any scale", "[solvers][symmetric_factor][extreme]") {
  Generator generator(4);
  for (int trial = 0; trial < 40; ++trial) {
    const Eigen::Index n = 1 + trial % 4, rank = trial / 4 % (n + 1);
    // Entries are small integers, so that the pivots of a singular matrix end in exact zeros.
    const Eigen::MatrixXd L = normal_matrix(n, rank, generator).array().round();
    const Eigen::MatrixXd A = L * L.transpose();
    const Eigen::VectorXd b = A * normal_matrix(n, 1, generator), x = symmetric_solution(A, b);
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = j; i < n; ++i)
        for (const double bad : not_finite) {
          Eigen::MatrixXd spoiled = A, columns = Eigen::MatrixXd::Ones(n, 9);
          spoiled(i, j) = bad;
          CAPTURE(A, i, j, bad);
          CHECK_FALSE(symmetric_solution(spoiled, b).allFinite());
          detail::SymmetricFactor<double> factor;
          factor.compute(spoiled), factor.solve_columns(columns);
          for (Eigen::Index k = 0; k < columns.cols(); ++k) CHECK_FALSE(columns.col(k).allFinite());
        }
    for_spoiled(b, [&](const Eigen::MatrixXd& spoiled) { CHECK_FALSE(symmetric_solution(A, spoiled).allFinite()); });
    // Powers of two keep the exact zeros.
    for (const double scale : {0x1p530, 0x1p-530})
      CHECK((symmetric_solution(A * scale, b * scale) - x).norm() <= 1e-15 * x.norm());
  }
}

TEST_CASE("singular values and eigenvalues of what is not finite, and of any scale", "[solvers][jacobi][extreme]") {
  Generator generator(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Index n = 1 + trial % 4;
    const Eigen::MatrixXd A = normal_matrix(n + trial % 2, n, generator), symmetric = A.transpose() * A;
    for_spoiled(A,
                [&](const Eigen::MatrixXd& spoiled) { CHECK(detail::singular_values(spoiled).array().isNaN().all()); });
    for (Eigen::Index k = 0; k < n; ++k)
      for (const double bad : not_finite) {
        Eigen::MatrixXd spoiled = symmetric;
        spoiled(k, 0) = spoiled(0, k) = bad;
        CHECK_FALSE(detail::SymmetricEigen<Eigen::MatrixXd>(spoiled).values.allFinite());
      }
    const auto values = detail::SymmetricEigen<Eigen::MatrixXd>(symmetric).values;
    for (const double scale : scales)
      CHECK((detail::SymmetricEigen<Eigen::MatrixXd>(symmetric * scale).values / scale - values).norm() <
            1e-13 * values.norm());
  }
}

TEST_CASE("inverses of mobilities reject what is not finite, and have any scale",
          "[solvers][truncated_inverse][extreme]") {
  Generator generator(6);
  detail::TruncatedInverse<double> truncated;
  detail::BoundedInverse<double> bounded;
  Eigen::MatrixXd Lambda, excess;
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Index n = 1 + trial % 4;
    const Eigen::MatrixXd L = normal_matrix(n, n, generator) + 2 * Eigen::MatrixXd::Identity(n, n),
                          A = L * L.transpose();
    const Eigen::VectorXd D = A.diagonal();
    for_spoiled(A, [&](const Eigen::MatrixXd& spoiled) {
      CHECK_THROWS_AS(truncated.compute(spoiled, D, 1e-8, Lambda, "test"), Error);
      CHECK_THROWS_AS(bounded.compute(spoiled, D, 1e-8, Lambda, excess, "test"), Error);
    });
    truncated.compute(A, D, 1e-8, Lambda, "test");
    const Eigen::MatrixXd expected = Lambda;
    for (const double scale : {1e160, 1e-160}) {
      CHECK(truncated.compute(A * scale, D * scale, 1e-8, Lambda, "test") == n);
      CHECK((Lambda * scale - expected).norm() < 1e-12 * expected.norm());
      CHECK(bounded.compute(A * scale, D * scale, 1e-12, Lambda, excess, "test") == n);
      CHECK((Lambda * scale - expected).norm() < 1e-9 * expected.norm());  // the condition of A enters twice
    }
  }
}

TEST_CASE("PivotedElimination returns NaN for what is not finite", "[solvers][elimination][extreme]") {
  Generator generator(7);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Index n = 1 + trial % 4;
    const Eigen::MatrixXd A = normal_matrix(n, n, generator) / 10, B = normal_matrix(2, n, generator);
    const Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
    for_spoiled(A, [&](const Eigen::MatrixXd& spoiled) {
      detail::PivotedElimination<double> solver;
      Eigen::MatrixXd X;
      solver.compute(spoiled), solver.minus_solve(B, scale, X);
      CHECK_FALSE(X.allFinite());
    });
  }
}

TEST_CASE("solvers accept matrices of size 0", "[solvers][extreme]") {
  const Eigen::MatrixXd none(0, 0);
  CHECK(least_squares(none, Eigen::MatrixXd(0, 1)).rows() == 0);
  CHECK(least_squares(Eigen::MatrixXd(2, 0), Eigen::MatrixXd::Ones(2, 1)).rows() == 0);
  CHECK(symmetric_solution(none, Eigen::VectorXd()).size() == 0);
  CHECK(detail::singular_values(none).size() == 0);
  CHECK(detail::SymmetricEigen<Eigen::MatrixXd>(none).values.size() == 0);
  CHECK(bounded_least_squares<double>(none, Eigen::VectorXd(), Eigen::VectorXd()).size() == 0);
  detail::TruncatedInverse<double> truncated;
  detail::BoundedInverse<double> bounded;
  Eigen::MatrixXd Lambda, excess;
  CHECK(truncated.compute(none, Eigen::VectorXd(), 1e-8, Lambda, "test") == 0);
  CHECK(bounded.compute(none, Eigen::VectorXd(), 1e-8, Lambda, excess, "test") == 0);
  detail::PivotedElimination<double> elimination;
  elimination.compute(none);
  CHECK(elimination.rank() == 0);
}
