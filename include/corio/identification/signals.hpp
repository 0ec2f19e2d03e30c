#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"
#include "corio/identification/detail/checks.hpp"

/// Preparation of sampled signals for identification, offline. All functions take one signal, a number for each sample.
namespace corio { inline namespace CORIO_ABI {

/// Butterworth low-pass of second order, run forward and backward: zero phase, gain 1 / (1 + (f / cutoff)^4), that is
/// 1/2 at the cutoff and -24 dB an octave beyond it. It is discretized by the bilinear transform with a prewarped
/// cutoff.
///
/// At its ends the signal is continued by its reflection in the end point, x(-i) = 2 x(0) - x(i), for three periods of
/// the cutoff; constants pass unchanged and lines nearly so. A signal that is curved at its ends is wrong there for
/// about one period of the cutoff: cut it off. Filter all signals of a recording by one filter: the equation of motion
/// is then filtered on both sides, except for its nonlinearity above the cutoff. Source: Oppenheim and Schafer,
/// Discrete-Time Signal Processing (2010), section 7.1; forward and backward: Gustafsson, Determining the initial
/// states in forward-backward filtering, IEEE Trans. Signal Processing 44(4), 1996.
class LowPass {
 public:
  /// @param rate, cutoff  Hz
  /// @throws Error unless 0 < cutoff < rate / 2
  LowPass(double rate, double cutoff) : rate_(rate), cutoff_(cutoff) {
    if (!(cutoff > 0 && cutoff < rate / 2))
      throw Error(detail::join({"the cutoff of the filter is ", detail::number(cutoff),
                                " Hz; it must be between zero and half of the rate of samples, ",
                                detail::number(rate / 2), " Hz"}));
    const double k = std::tan(std::numbers::pi * cutoff / rate), norm = 1 / (1 + std::numbers::sqrt2 * k + k * k);
    b_ = k * k * norm;
    a1_ = 2 * (k * k - 1) * norm;
    a2_ = (1 - std::numbers::sqrt2 * k + k * k) * norm;
  }

  /// Returns the filtered signal. O(n), allocates.
  /// @throws Error for an empty signal
  VectorX<double> operator()(const VectorX<double>& x) const {
    detail::check_at_least("samples", x.size(), 1, "LowPass");
    const Eigen::Index n = x.size(),
                       pad = static_cast<Eigen::Index>((std::min)(static_cast<double>(n - 1), 3 * rate_ / cutoff_));
    VectorX<double> y(n + 2 * pad);
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

  /// Returns how many samples of filtered white noise, at a distance (s), count as one independent sample. The
  /// integrated autocorrelation time is 4 sqrt(2) / (3 pi cutoff), one over the integral of the squared gain over all
  /// frequencies; the number is 2.4 for four samples in each period of the cutoff, and not below one.
  double correlation_time(double distance) const {
    return (std::max)(1.0, 4 * std::numbers::sqrt2 / (3 * std::numbers::pi * cutoff_ * distance));
  }

 private:
  /// Filters forward, beginning in the steady state of the first number.
  void forward(VectorX<double>& y) const {
    double x1 = y[0], x2 = y[0], y1 = y[0], y2 = y[0];
    for (double& x0 : y) {
      const double y0 = b_ * (x0 + 2 * x1 + x2) - a1_ * y1 - a2_ * y2;
      x2 = x1, x1 = x0, y2 = y1, y1 = y0;
      x0 = y0;
    }
  }
  double rate_, cutoff_, b_, a1_, a2_;
};

/// The rate of a signal sampled at the distance dt (s), by central differences, (x(i + 1) - x(i - 1)) / (2 dt): gain
/// sin(w dt) / (w dt) of the derivative at the frequency w, no phase. At the ends the result is the rate of the
/// neighbour. O(n).
/// @throws Error for fewer than three samples, or a dt that is not positive
inline VectorX<double> central_differences(const VectorX<double>& x, double dt) {
  const Eigen::Index n = x.size();
  if (n < 3) throw Error("central_differences: fewer than three samples");
  detail::check_positive("dt", dt, "central_differences");
  VectorX<double> rate(n);
  rate.segment(1, n - 2) = (x.tail(n - 2) - x.head(n - 2)) / (2 * dt);
  rate[0] = rate[1], rate[n - 1] = rate[n - 2];
  return rate;
}

/// The signal x, sampled at the growing times t, at other growing times: linear in between, constant beyond the ends.
/// O(n + m).
/// @throws SizeError; Error for an empty signal
inline VectorX<double> resample(const VectorX<double>& t, const VectorX<double>& x, const VectorX<double>& times) {
  const Eigen::Index n = t.size();
  detail::check_at_least("samples", n, 1, "resample");
  detail::check_size("x", x.size(), n, "resample");
  VectorX<double> out(times.size());
  for (Eigen::Index i = 0, k = 0; i < times.size(); ++i) {
    while (k + 2 < n && t[k + 1] < times[i]) ++k;
    const double share = n < 2 ? 0 : std::clamp((times[i] - t[k]) / (t[k + 1] - t[k]), 0.0, 1.0);
    out[i] = n < 2 ? x[0] : x[k] + share * (x[k + 1] - x[k]);
  }
  return out;
}

/// The delay (s) of y behind x, both sampled at the distance dt: the lag with the largest correlation of their
/// variations about the means, interpolated by a parabola through it and its neighbours, which resolves a tenth of dt
/// for signals that are smooth from sample to sample. Zero if one of them is constant. O(n most / dt).
/// @param most  the largest delay of either sign, s
/// @throws SizeError; Error for a dt that is not positive or a negative `most`
inline double delay(const VectorX<double>& x, const VectorX<double>& y, double dt, double most) {
  detail::check_positive("dt", dt, "delay");
  detail::check_positive("most", most, "delay", true);
  const Eigen::Index n = x.size();
  const auto lags = static_cast<Eigen::Index>((std::min)(static_cast<double>(n / 2), std::ceil(most / dt) + 1));
  detail::check_size("y", y.size(), n, "delay");
  const VectorX<double> a = x.array() - x.mean(), b = y.array() - y.mean();
  // Sums are normalised, since fewer samples overlap for longer lags.
  const auto correlation = [&](Eigen::Index lag) {
    const Eigen::Index m = n - std::abs(lag), i = std::max<Eigen::Index>(0, -lag), j = std::max<Eigen::Index>(0, lag);
    const auto u = a.segment(i, m), w = b.segment(j, m);
    const double size = u.norm() * w.norm();
    return size > 0 ? u.dot(w) / size : 0;
  };
  Eigen::Index best = 0;
  double highest = correlation(0);
  if (highest == 0 && (a.isZero(0) || b.isZero(0))) return 0;
  for (Eigen::Index lag = -lags; lag <= lags; ++lag)
    if (const double c = correlation(lag); c > highest) highest = c, best = lag;
  double fine = 0;
  if (std::abs(best) < lags) {
    const double before = correlation(best - 1), after = correlation(best + 1);
    if (const double bend = before - 2 * highest + after; bend < 0) fine = (before - after) / (2 * bend);
  }
  return (static_cast<double>(best) + fine) * dt;
}

/// Returns how many samples of a signal count as one independent sample: its integrated autocorrelation time, in
/// samples,
///
///   T = 1 + 2 sum_l (1 - l / (lags + 1)) rho(l),   l = 1 .. lags,   rho(l) = sum_i x_i x_(i + l) / sum_i x_i^2,
///
/// not below one, and one for zeros. n samples with such errors determine slowly varying quantities as n / T
/// independent ones do: weights of least squares, and standard deviations of its estimates, need the variance T
/// mean(x^2) instead of mean(x^2). The window (of Bartlett) makes T somewhat too small, and so does a fit, whose
/// residuals lack slow variations: for filtered signals LowPass::correlation_time is a lower bound. O(n lags). Source:
/// Newey and West, A simple, positive semi-definite, heteroskedasticity and autocorrelation consistent covariance
/// matrix, Econometrica 55(3), 1987.
inline double correlation_time(const VectorX<double>& x, Eigen::Index lags = 16) {
  const Eigen::Index n = x.size();
  const double size = x.squaredNorm();
  if (!(size > 0)) return 1;
  double time = 1;
  for (Eigen::Index l = 1; l <= (std::min)(lags, n - 1); ++l)
    time += 2 * (1 - static_cast<double>(l) / static_cast<double>(lags + 1)) * x.head(n - l).dot(x.tail(n - l)) / size;
  return (std::max)(time, 1.0);
}

/// A range of samples: begin, .., end - 1.
struct SampleRange {
  Eigen::Index begin, end;
};
/// The range from the first to the last sample in which a joint is faster than its threshold: without the time before
/// and after the motion. Returns all samples if nothing moves. O(n joints).
/// @param v          a row for each joint, a column for each sample
/// @param threshold  threshold of each joint's speed
inline SampleRange moving_range(const MatrixX<double>& v, const VectorX<double>& threshold) {
  detail::check_size("threshold", threshold.size(), v.rows(), "moving_range");
  const auto moves = [&](Eigen::Index i) { return (v.col(i).array().abs() > threshold.array()).any(); };
  SampleRange range{0, v.cols()};
  while (range.begin < v.cols() && !moves(range.begin)) ++range.begin;
  if (range.begin == v.cols()) return {0, v.cols()};
  while (!moves(range.end - 1)) --range.end;
  return range;
}

}}  // namespace corio
