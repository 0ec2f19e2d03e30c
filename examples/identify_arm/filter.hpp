#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "corio/core/error.hpp"

namespace identify {

/// A Butterworth low-pass of second order, run forward and backward: no phase, gain 1 / (1 + (f / cutoff)^4), half at
/// the cutoff. By the bilinear transform, with the cutoff where it was asked for.
class LowPass {
 public:
  /// @param rate, cutoff  Hz
  LowPass(double rate, double cutoff) : rate_(rate), cutoff_(cutoff) {
    if (!(cutoff > 0 && cutoff < rate / 2))
      throw std::invalid_argument("the cutoff of the filter must lie between zero and half of the rate of samples, " +
                                  corio::detail::number(rate / 2) + " Hz");
    const double k = std::tan(std::numbers::pi * cutoff / rate), norm = 1 / (1 + std::numbers::sqrt2 * k + k * k);
    b_ = k * k * norm;
    a1_ = 2 * (k * k - 1) * norm;
    a2_ = (1 - std::numbers::sqrt2 * k + k * k) * norm;
  }

  /// The samples of a signal, filtered. Beyond its ends it is continued by its reflection in the end point, long enough
  /// for what it began with to have died out.
  Eigen::VectorXd operator()(const Eigen::VectorXd& x) const {
    const Eigen::Index n = x.size(), pad = std::min(n - 1, static_cast<Eigen::Index>(3 * rate_ / cutoff_));
    Eigen::VectorXd y(n + 2 * pad);
    for (Eigen::Index i = 1; i <= pad; ++i) {
      y[pad - i] = 2 * x[0] - x[i];
      y[pad + n - 1 + i] = 2 * x[n - 1] - x[n - 1 - i];
    }
    y.segment(pad, n) = x;
    for (int pass = 0; pass < 2; ++pass) {
      forward(y);
      y.reverseInPlace();
    }
    return y.segment(pad, n);
  }

 private:
  /// From the steady state of the first number.
  void forward(Eigen::VectorXd& y) const {
    double x1 = y[0], x2 = y[0], y1 = y[0], y2 = y[0];
    for (double& x0 : y) {
      const double y0 = b_ * (x0 + 2 * x1 + x2) - a1_ * y1 - a2_ * y2;
      x2 = x1, x1 = x0, y2 = y1, y1 = y0;
      x0 = y0;
    }
  }
  double rate_, cutoff_, b_, a1_, a2_;
};

/// Rates of samples at the distance dt, by central differences; of the first and last one as of their neighbours.
inline Eigen::VectorXd central_differences(const Eigen::VectorXd& x, double dt) {
  const Eigen::Index n = x.size();
  Eigen::VectorXd rate(n);
  rate.segment(1, n - 2) = (x.tail(n - 2) - x.head(n - 2)) / (2 * dt);
  rate[0] = rate[1], rate[n - 1] = rate[n - 2];
  return rate;
}

/// Samples at the times t as those at equal distances from t[0] to t[n - 1], linear in between.
inline Eigen::VectorXd resampled(const Eigen::VectorXd& t, const Eigen::VectorXd& x) {
  const Eigen::Index n = x.size();
  Eigen::VectorXd out(n);
  for (Eigen::Index i = 0, k = 0; i < n; ++i) {
    const double at = t[0] + (t[n - 1] - t[0]) * static_cast<double>(i) / static_cast<double>(n - 1);
    while (k < n - 2 && t[k + 1] < at) ++k;
    out[i] = x[k] + (x[k + 1] - x[k]) * (at - t[k]) / (t[k + 1] - t[k]);
  }
  return out;
}

}  // namespace identify
