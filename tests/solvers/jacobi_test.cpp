#include "corio/solvers/jacobi.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "solvers/solvers_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Returns singular values or eigenvalues in decreasing order: the first is 1, and in about half of the trials they
/// fall to 1e-20.
Eigen::VectorXd random_spectrum(Eigen::Index n, Generator& generator) {
  std::uniform_real_distribution<double> uniform;
  const double decades = uniform(generator) < 0.5 ? 1 : 20;
  Eigen::VectorXd x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = i == 0 ? 1 : std::pow(10, -decades * uniform(generator));
  std::sort(x.data(), x.data() + n, std::greater<double>());
  return x;
}

}  // namespace

TEST_CASE("singular values are those of JacobiSVD, of any size and rank", "[solvers][jacobi]") {
  Generator generator(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Index n = 1 + trial % 6, m = n + trial % 3;
    const Eigen::VectorXd known = random_spectrum(n, generator);
    const Eigen::MatrixXd A =
        orthonormal_columns(m, n, generator) * known.asDiagonal() * orthonormal_columns(n, n, generator).transpose();
    const Eigen::VectorXd values = detail::singular_values(A);
    // Both have errors of some ten roundings of the largest value, which is one.
    CAPTURE(trial, known.transpose(), values.transpose());
    CHECK((values - Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues()).cwiseAbs().maxCoeff() < 4e-15);
    CHECK((values - known).cwiseAbs().maxCoeff() < 4e-15);
    // At these scales the squares of A's entries overflow or vanish.
    CHECK((detail::singular_values(Eigen::MatrixXd(A * 0x1p700)) * 0x1p-700 - values).cwiseAbs().maxCoeff() < 1e-15);
    CHECK((detail::singular_values(Eigen::MatrixXd(A * 0x1p-700)) * 0x1p700 - values).cwiseAbs().maxCoeff() < 1e-15);
  }
}

TEST_CASE("singular values keep their digits where columns differ in length", "[solvers][jacobi]") {
  Generator generator(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::VectorXd known = random_spectrum(4, generator);
    const Eigen::VectorXd values =
        detail::singular_values(Eigen::MatrixXd(orthonormal_columns(6, 4, generator) * known.asDiagonal()));
    CHECK((values.array() / known.array() - 1).abs().maxCoeff() < 4e-15);
  }
}

TEST_CASE("singular values of dependent columns and of nothing are zero", "[solvers][jacobi]") {
  Generator generator(3);
  for (int trial = 0; trial < 200; ++trial) {
    Eigen::MatrixXd A = normal_matrix(6, 5, generator);
    A.col(2) = A.col(0), A.col(4) = 3 * A.col(1) - A.col(3);
    const Eigen::VectorXd values = detail::singular_values(A);
    CHECK(values[2] > 1e-3 * values[0]);
    CHECK(values[3] < 1e-15 * values[0]);
    CHECK(values[4] < 1e-15 * values[0]);
  }
  CHECK(detail::singular_values(Eigen::MatrixXd(Eigen::MatrixXd::Zero(6, 3))) == Eigen::VectorXd::Zero(3));
}

TEST_CASE("symmetric eigenvalues and eigenvectors are those of SelfAdjointEigenSolver", "[solvers][jacobi]") {
  Generator generator(4);
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Index n = 1 + trial % 8;
    Eigen::VectorXd known = random_spectrum(n, generator);
    if (trial % 2 != 0)  // eigenvalues of both signs, some of the same size
      for (Eigen::Index i = 1; i < n; i += 2) known[i] = -known[i - 1];
    const Eigen::MatrixXd Q = orthonormal_columns(n, n, generator);
    Eigen::MatrixXd A = Q * known.asDiagonal() * Q.transpose();
    A = (A + A.transpose()).eval() / 2;
    const detail::SymmetricEigen<Eigen::MatrixXd> eigen(A);
    const Eigen::VectorXd& x = eigen.values;
    const Eigen::MatrixXd& V = eigen.vectors;
    CAPTURE(trial, known.transpose(), x.transpose());
    const Eigen::VectorXd reference = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues();
    CHECK((x - reference).cwiseAbs().maxCoeff() < 4e-15);
    CHECK((A * V - V * x.asDiagonal()).cwiseAbs().maxCoeff() < 4e-15);
    CHECK((V.transpose() * V - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff() < 4e-15);
    CHECK(std::is_sorted(x.data(), x.data() + n));
  }
}

TEST_CASE("symmetric matrices whose diagonal is zero, or which are zero, have eigenvalues", "[solvers][jacobi]") {
  Matrix3<float> A = Matrix3<float>::Zero();
  CHECK(detail::SymmetricEigen<Matrix3<float>>(A).values == Vector3<float>::Zero());
  A(0, 2) = A(2, 0) = 2;
  const detail::SymmetricEigen<Matrix3<float>> eigen(A);
  CHECK((eigen.values - Vector3<float>(-2, 0, 2)).cwiseAbs().maxCoeff() < 1e-6f);
  CHECK(std::abs(eigen.vectors(1, 1)) == 1);
}
