#pragma once

#include <algorithm>
#include <random>

#include "problem.hpp"

namespace ilqr {

/// Derivatives of f(z) with respect to z at zero, by central differences of fourth order.
template <class F>
Matrix central_difference(Eigen::Index size, F f) {
  constexpr double h = 3e-4;  // differences of second order would need a smaller step, with larger rounding errors
  Matrix result;
  for (Eigen::Index k = 0; k < size; ++k) {
    const Vector z = h * Vector::Unit(size, k);
    const Vector one = f(z) - f(-z), two = f(2 * z) - f(-2 * z);
    const Vector column = (8 * one - two) / (12 * h);
    if (k == 0) result.resize(column.size(), size);
    result.col(k) = column;
  }
  return result;
}

/// A vector of random numbers in (-1, 1).
class Uniform {
 public:
  Vector operator()(int n) {
    return Vector::NullaryExpr(n, [&] { return uniform_(generator_); });
  }

 private:
  std::mt19937 generator_{1};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};
/// The largest entry of the difference, relative to the largest entry of the exact result if that is above one.
inline double relative_error(const Matrix& ours, const Matrix& right) {
  return (ours - right).cwiseAbs().maxCoeff() / std::max(1.0, right.cwiseAbs().maxCoeff());
}

/// The error of A and B against central differences at a state and a control.
inline double dynamics_error(Problem& problem, const Vector& x, const Vector& u) {
  const Vector next = problem.step(x, u);
  Matrix A, B;
  problem.linearize(x, u, A, B);
  const Matrix by_x = central_difference(problem.num_tangent(), [&](const Vector& z) {
    return problem.difference(next, problem.step(problem.moved(x, z), u));
  });
  const Matrix by_u = central_difference(
      problem.num_controls(), [&](const Vector& z) { return problem.difference(next, problem.step(x, u + z)); });
  return std::max(relative_error(A, by_x), relative_error(B, by_u));
}

/// The largest error of all derivatives of the problem against central differences, over random states and controls
/// near the first ones.
inline double derivative_error(Problem& problem) {
  Uniform random;
  const int n = problem.num_tangent(), m = problem.num_controls();
  double worst = 0;
  const auto compare = [&worst](const Matrix& ours, const Matrix& right) {
    worst = std::max(worst, relative_error(ours, right));
  };
  const auto number = [](double y) { return Vector::Constant(1, y); };

  for (int i = 0; i < 20; ++i) {
    const Vector x = problem.moved(problem.initial_state(), random(n)), u = problem.first_guess(0) + random(m);
    worst = std::max(worst, dynamics_error(problem, x, u));
    Matrix A, B;
    const Vector Vx = random(n);
    const Curvature f = problem.curvature(x, u, Vx);
    const auto gradient = [&](const Vector& at, const Vector& control) {
      problem.linearize(at, control, A, B);
      return (Vector(n + m) << A.transpose() * Vx, B.transpose() * Vx).finished();
    };
    const Matrix along_x = central_difference(n, [&](const Vector& z) { return gradient(problem.moved(x, z), u); });
    const Matrix along_u = central_difference(m, [&](const Vector& z) { return gradient(x, u + z); });
    compare(f.xx, along_x.topRows(n));
    compare(f.ux, along_x.bottomRows(m));
    compare(f.uu, along_u.bottomRows(m));
    const CostDerivatives l = problem.expand_cost(x, u), end = problem.expand_final_cost(x);
    compare(l.lx.transpose(),
            central_difference(n, [&](const Vector& z) { return number(problem.cost(problem.moved(x, z), u)); }));
    compare(l.lu.transpose(), central_difference(m, [&](const Vector& z) { return number(problem.cost(x, u + z)); }));
    compare(end.lxx,
            central_difference(n, [&](const Vector& z) { return problem.expand_final_cost(problem.moved(x, z)).lx; }));
    compare(end.lx.transpose(),
            central_difference(n, [&](const Vector& z) { return number(problem.final_cost(problem.moved(x, z))); }));
  }
  return worst;
}

}  // namespace ilqr
