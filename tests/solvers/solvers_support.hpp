#pragma once

#include <Eigen/QR>
#include <random>

#include "support/catch.hpp"
#include "support/compare.hpp"

/// Random matrices with known factors.
namespace corio::test {

using Generator = std::mt19937_64;

inline Eigen::MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index cols, Generator& generator) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A(rows, cols);
  for (Eigen::Index k = 0; k < A.size(); ++k) A.data()[k] = normal(generator);
  return A;
}
/// Returns columns of unit length that are orthogonal to each other.
inline Eigen::MatrixXd orthonormal_columns(Eigen::Index rows, Eigen::Index cols, Generator& generator) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(normal_matrix(rows, cols, generator));
  return qr.householderQ() * Eigen::MatrixXd::Identity(rows, cols);
}

}  // namespace corio::test
