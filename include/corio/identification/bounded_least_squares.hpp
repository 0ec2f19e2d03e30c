#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <vector>

#include "corio/core/detail/input.hpp"
#include "corio/solvers/least_squares.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The x >= least that minimises |R x - z|^2. Active-set method: entries are held at their bounds and released one at a
/// time until no release decreases the sum.
///
/// @param R      full column rank
/// @param least  lower bounds; minus infinity if there is no bound
/// @returns x; NaN if R or z is not finite
/// @throws SizeError. Allocates; O(rows columns^2) for each entry that is held or released, usually one for each bound
/// that is active at the minimum.
/// Source: Lawson and Hanson, Solving least squares problems, 1974, chapter 23.
template <std::floating_point S>
VectorX<S> bounded_least_squares(const MatrixX<S>& R, const VectorX<S>& z, const VectorX<S>& least) {
  const Eigen::Index n = R.cols();
  detail::check_size("z", z.size(), R.rows());
  detail::check_size("least", least.size(), n);
  VectorX<S> x = least.array().isFinite().select(least, S(0));
  detail::LeastSquares<S> solver;
  MatrixX<S> R_free = R, error = z, best;
  // The entries that are held at first are below their bounds in the minimum without bounds.
  solver.compute(R_free, 0.0);
  solver.solve(error, best);
  std::vector<int> free, held;
  for (int i = 0; i < n; ++i) (best(i, 0) < least[i] ? held : free).push_back(i);
  const auto move = [](std::vector<int>& from, std::vector<int>& to, int i) {
    std::erase(from, i);
    to.push_back(i);
  };
  for (Eigen::Index turn = 0; turn <= 10 * n; ++turn) {  // far fewer, unless rounding makes an entry cycle
    // Finds the minimum over the free entries; the step ends where the first entry meets its bound.
    while (!free.empty()) {
      error = z - R * x;
      R_free = R(Eigen::seqN(0, R.rows()), free);
      solver.compute(R_free, 0.0);
      solver.solve(error, best);
      S share(1);
      int first = -1;
      for (Eigen::Index k = 0; const int i : free)
        if (const S step = best(k++, 0); x[i] + step < least[i])
          if (const S until = (least[i] - x[i]) / step; until <= share) share = until, first = i;
      x(free) += share * best.col(0);
      if (first < 0) break;
      x[first] = least[first];
      move(free, held, first);
    }
    // The entry with the steepest descent away from its bound, relative to the length of its column. Norms and products
    // must not overflow: R may have entries of 1e160. The rounding of these products is some eps times the error.
    error = z - R * x;
    S most = S(1e6) * std::numeric_limits<S>::epsilon() * error.stableNorm();
    int leaves = -1;
    for (const int i : held)
      if (const S gain = (R.col(i) / R.col(i).stableNorm()).dot(error.col(0)); gain > most) most = gain, leaves = i;
    if (leaves < 0) break;
    move(held, free, leaves);
  }
  return x;
}

}}  // namespace corio
