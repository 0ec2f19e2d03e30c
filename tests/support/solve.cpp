#include "support/solve.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace corio::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd solve(const MatrixXd& A, const MatrixXd& B) { return A.partialPivLu().solve(B); }

MatrixXd inverse(const MatrixXd& A) { return A.inverse(); }

MatrixXd pseudo_inverse(const MatrixXd& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

Eigen::Index rank(const MatrixXd& A, double tolerance) {
  return Eigen::FullPivLU<MatrixXd>(A).setThreshold(tolerance).rank();
}

MatrixXd null_space(const MatrixXd& A) { return A.fullPivLu().kernel(); }

VectorXd eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorXd eigenvalues(const MatrixXd& A, const MatrixXd& B) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(A, B, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace corio::test
