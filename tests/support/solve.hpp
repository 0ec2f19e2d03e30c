#pragma once

#include <Eigen/Core>

/// Eigen's decompositions of dense matrices over double, compiled once: each takes as long as a whole test. Expressions
/// and sizes known to the compiler would be further types.
namespace corio::test {

/// Returns A^-1 B.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
/// Returns the Moore-Penrose inverse, for A of any rank.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);
/// Counts singular values above `tolerance` times the largest, as judged by the pivots of an LU.
Eigen::Index rank(const Eigen::MatrixXd& A, double tolerance);
/// Returns a basis for the x with A x = 0, one vector a column.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A);
/// Returns the eigenvalues of a symmetric matrix, in ascending order.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& A);
/// Returns the x with A u = x B u for symmetric A and positive definite B, in ascending order.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace corio::test
