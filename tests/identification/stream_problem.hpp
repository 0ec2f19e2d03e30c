#pragma once

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <random>

#include "corio/identification/estimate.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

/// Least-squares problems for tests of streams and estimates.
namespace stream_test {

using namespace corio;
namespace t = corio::test;
using Eigen::Index;
using t::relative_error;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Stream = StreamingLeastSquares<double>;

/// Makes rows Y and tau with errors as large as the values, so that nothing cancels.
template <class S = double>
struct Problem {
  Problem(int rows, int columns, int seed) : Y(rows, columns), tau(rows), weights(rows) {
    t::Random<double> random(seed);
    for (Index i = 0; i < Y.size(); ++i) Y.data()[i] = S(random.real());
    for (int i = 0; i < rows; ++i) tau[i] = S(random.real()), weights[i] = S(1.5 + random.real());
  }
  MatrixX<S> Y;
  VectorX<S> tau, weights;
};

/// Adds all rows, in portions of different sizes, from one row to more than a block holds.
template <class S>
StreamingLeastSquares<S> streamed(const Problem<S>& p, bool weighted = false) {
  StreamingLeastSquares<S> stream(static_cast<int>(p.Y.cols()));
  const int portions[] = {1, 7, 40, 2, 16, 17};
  Index at = 0;
  for (int i = 0; at < p.Y.rows(); ++i) {
    const Index count = std::min<Index>(portions[i % 6], p.Y.rows() - at);
    if (weighted)
      stream.add(p.Y.middleRows(at, count), p.tau.segment(at, count), p.weights.segment(at, count));
    else
      stream.add(p.Y.middleRows(at, count), p.tau.segment(at, count));
    at += count;
  }
  return stream;
}

template <class S>
VectorX<S> solution(const StreamingLeastSquares<S>& stream) {
  return stream.R().template triangularView<Eigen::Upper>().solve(VectorX<S>(stream.z()));
}

/// Returns a^T b, by one kind of product for each scalar, because every further kind would be compiled too.
template <class S>
MatrixX<S> transpose_product(const MatrixX<S>& a, const MatrixX<S>& b) {
  return a.transpose() * b;
}

/// Returns the least-squares x by Eigen's QR.
inline Eigen::Matrix<long double, Eigen::Dynamic, 1> solution_by_qr(const MatrixX<long double>& Y,
                                                                    const VectorX<long double>& tau) {
  return Eigen::HouseholderQR<MatrixX<long double>>(Y).solve(tau);
}

/// Makes Y with singular values from 1 down to `smallest`, in equal ratios.
inline Matrix with_singular_values(int rows, int columns, double smallest) {
  const Matrix U =
      Eigen::HouseholderQR<Matrix>(Problem(rows, columns, 1).Y).householderQ() * Matrix::Identity(rows, columns);
  const Matrix V = Eigen::HouseholderQR<Matrix>(Problem(columns, columns, 2).Y).householderQ();
  Vector values(columns);
  for (int i = 0; i < columns; ++i) values[i] = std::pow(smallest, double(i) / (columns - 1));
  return U * values.asDiagonal() * V.transpose();
}

}  // namespace stream_test
