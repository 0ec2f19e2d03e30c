#pragma once

#include <algorithm>
#include <cmath>

#include "corio/core/scalar.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Minimises f from x by the method of Broyden, Fletcher, Goldfarb and Shanno with an inverse Hessian of n x n numbers,
/// and steps that are halved until they lower f enough (Armijo). f(x, gradient) returns its value and writes the
/// gradient. Stops after `iterations`, or if a step changes f by less than 1e-9 of its size.
/// @returns f at x. Source: Nocedal and Wright, Numerical Optimization (2006), algorithm 6.1.
template <class F>
double minimize_bfgs(F&& f, VectorX<double>& x, int iterations) {
  const Eigen::Index n = x.size();
  VectorX<double> gradient(n), next_gradient(n), next(n);
  double value = f(x, gradient);
  MatrixX<double> H = MatrixX<double>::Identity(n, n) / (std::max)(1.0, gradient.norm());
  for (int i = 0; i < iterations; ++i) {
    VectorX<double> step = -(H * gradient);
    double slope = gradient.dot(step);
    if (!(slope < 0)) {  // rounding: begin again along the gradient
      H = MatrixX<double>::Identity(n, n) / (std::max)(1.0, gradient.norm());
      step = -(H * gradient), slope = gradient.dot(step);
      if (!(slope < 0)) break;
    }
    double share = 1, next_value = 0;
    for (;; share /= 2) {
      next = x + share * step;
      next_value = f(next, next_gradient);
      if (next_value <= value + 1e-4 * share * slope) break;
      if (share < 1e-12) return value;
    }
    const VectorX<double> s = next - x, y = next_gradient - gradient;
    const double sy = s.dot(y);
    if (sy > 1e-12 * s.norm() * y.norm()) {
      const VectorX<double> Hy = H * y;
      H += (s * s.transpose()) * ((sy + y.dot(Hy)) / (sy * sy));
      H -= (Hy * s.transpose() + s * Hy.transpose()) / sy;
    }
    const double gain = value - next_value;
    x = next, gradient = next_gradient, value = next_value;
    if (gain < 1e-9 * (1 + std::abs(value))) break;
  }
  return value;
}

}}}  // namespace corio::detail
