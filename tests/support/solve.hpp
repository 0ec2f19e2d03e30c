#pragma once

#include <Eigen/Core>

/// Eigen's decompositions of dense matrices over double, compiled once: each takes as long as a whole test. Those of an
/// expression or of a size known to the compiler would be types of their own.
namespace corio::test {

/// A^-1 B.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
/// Of Moore and Penrose, for A of any rank.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);
/// Singular values above `tolerance` times the largest, as judged by the pivots of an LU.
Eigen::Index rank(const Eigen::MatrixXd& A, double tolerance);
/// A basis of the x with A x = 0, one a column.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A);
/// Of a symmetric matrix, in ascending order.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& A);
/// The x of A u = x B u for symmetric A and positive definite B, in ascending order.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace corio::test
