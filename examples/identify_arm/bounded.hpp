#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace identify {

/// The x >= least that minimises |R x - z|^2, R of full column rank; entries of `least` may be minus infinity.
/// Active-set method: entries are held at their bounds and released one at a time until no release decreases the cost.
///
/// After Lawson and Hanson, Solving least squares problems, 1974, chapter 23.
inline Eigen::VectorXd bounded_least_squares(const Eigen::MatrixXd& R, const Eigen::VectorXd& z,
                                             const Eigen::VectorXd& least) {
  const Eigen::Index n = R.cols();
  Eigen::VectorXd x = least.array().isFinite().select(least, 0);
  std::vector<int> free, held;
  for (int i = 0; i < n; ++i) (std::isfinite(least[i]) ? held : free).push_back(i);
  const auto move = [](std::vector<int>& from, std::vector<int>& to, int i) {
    std::erase(from, i);
    to.push_back(i);
  };
  for (Eigen::Index turn = 0; turn <= 10 * n; ++turn) {  // far fewer, unless rounding makes an entry cycle
    // The minimum over the free entries; the step ends where the first one meets its bound.
    while (!free.empty()) {
      const Eigen::VectorXd rest = z - R(Eigen::seqN(0, R.rows()), held) * x(held);
      const Eigen::VectorXd best = R(Eigen::seqN(0, R.rows()), free).householderQr().solve(rest);
      double share = 1;
      int first = -1;
      for (std::size_t k = 0; k < free.size(); ++k) {
        const int i = free[k];
        const double to = best[static_cast<Eigen::Index>(k)];
        if (!(to < least[i])) continue;
        const double until = (x[i] - least[i]) / (x[i] - to);
        if (until < share) share = until, first = i;
      }
      x(free) += share * (best - x(free));
      if (first < 0) break;
      x[first] = least[first];
      move(free, held, first);
    }
    // The entry with the steepest descent away from its bound, relative to the length of its column.
    const Eigen::VectorXd error = z - R * x;
    double most = 1e-10 * error.norm();
    int leaves = -1;
    for (const int i : held)
      if (const double gain = R.col(i).dot(error) / R.col(i).norm(); gain > most) most = gain, leaves = i;
    if (leaves < 0) break;
    move(held, free, leaves);
  }
  return x;
}

}  // namespace identify
