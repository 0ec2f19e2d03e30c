#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "corio/core/scalar.hpp"

/// Samples of a signal that differ from their neighbours, or do not change.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The quantile of the magnitudes of numbers, 0 <= share <= 1. O(n).
inline double quantile_of_magnitudes(VectorX<double> x, double share) {
  x = x.cwiseAbs().eval();
  double* at = x.data() + static_cast<Eigen::Index>(share * static_cast<double>(x.size() - 1));
  std::nth_element(x.data(), at, x.data() + x.size());
  return *at;
}

/// A range of samples: first, .., last.
struct Stretch {
  Eigen::Index first, last;
};

/// Samples further from the median over eleven samples around them than `least` and five times the median of these
/// eleven distances: at most five in a row. O(n). Source: Hampel, The influence curve and its role in robust
/// estimation, J. American Statistical Association 69, 1974.
inline std::vector<Stretch> find_outliers(const VectorX<double>& x, double least) {
  const Eigen::Index n = x.size(), half = std::min<Eigen::Index>(5, (n - 1) / 2), width = 2 * half + 1;
  std::vector<Stretch> found;
  double window[11];
  const auto median = [&] {
    std::nth_element(window, window + half, window + width);
    return window[half];
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    std::copy_n(x.data() + std::clamp<Eigen::Index>(i - half, 0, n - width), width, window);
    const double center = median();
    if (!(std::abs(x[i] - center) > least)) continue;
    for (double& y : window) y = std::abs(y - center);
    if (std::abs(x[i] - center) > 5 * median()) found.push_back({i, i});
  }
  return found;
}

/// Stretches of at least so many equal samples. O(n).
inline std::vector<Stretch> find_constant(const VectorX<double>& x, Eigen::Index least) {
  std::vector<Stretch> found;
  for (Eigen::Index i = 0, end = 0; i < x.size(); i = end) {
    for (end = i + 1; end < x.size() && x[end] == x[i];) ++end;
    if (end - i >= least) found.push_back({i, end - 1});
  }
  return found;
}

}}}  // namespace corio::detail
