#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "corio/identification/detail/checks.hpp"
#include "corio/model/model.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A periodic motion of joints that starts and ends at rest: a finite Fourier series with L harmonics over a period T,
///
///   q(t) = q_0 + sum_l [ a_l sin(l w t) + b_l (1 - cos(l w t)) ] / (l w),   w = 2 pi / T,
///   sum_l a_l = 0,   sum_l l b_l = 0   (speed and acceleration are zero at t = 0).
///
/// The two sums give a and b of the last harmonic. The free coefficients are the matrix X with the columns q_0, a_1 ..
/// a_(L-1), b_1 .. b_(L-1) and a row for each joint: q = X phi(t), v = X dphi/dt, a = X d2phi/dt2. rad or m, and s.
/// Source: Swevers, Ganseman, Tukel, De Schutter and Van Brussel, Optimal robot excitation and identification, IEEE
/// Transactions on Robotics and Automation 13(5), 1997; with the conditions of rest.
class FourierMotion {
 public:
  using Vector = VectorX<double>;
  /// Configuration, speed and acceleration, or one number of each for every column of X.
  struct State {
    Vector q, v, a;
  };

  /// A motion that stays at q_0.
  /// @param harmonics  L >= 2
  /// @throws Error if the period is not positive or there are fewer than two harmonics
  FourierMotion(VectorIn<double> q_0, double period, int harmonics) : period_(period), harmonics_(harmonics) {
    if (!(period > 0 && std::isfinite(period)))
      throw Error(detail::join({"FourierMotion: the period is ", detail::number(period), " s"}));
    if (harmonics < 2)
      throw Error(detail::join({"FourierMotion: ", detail::number(harmonics), " harmonics; rest needs two or more"}));
    coefficients = MatrixX<double>::Zero(q_0.size(), 2 * harmonics - 1);
    coefficients.col(0) = q_0;
  }

  double period() const { return period_; }
  int harmonics() const { return harmonics_; }

  /// Returns phi, dphi/dt and d2phi/dt2 at t, 2 L - 1 each.
  State basis(double t) const {
    const int L = harmonics_;
    const double w = 2 * std::numbers::pi / period_;
    State phi{Vector::Zero(2 * L - 1), Vector::Zero(2 * L - 1), Vector::Zero(2 * L - 1)};
    phi.q[0] = 1;
    const double c_L = std::cos(L * w * t), s_L = std::sin(L * w * t);
    for (int l = 1; l < L; ++l) {
      const double c = std::cos(l * w * t), s = std::sin(l * w * t), share = static_cast<double>(l) / L;
      const int a = l, b = L - 1 + l;
      phi.q[a] = s / (l * w) - s_L / (L * w), phi.q[b] = (1 - c) / (l * w) - share * (1 - c_L) / (L * w);
      phi.v[a] = c - c_L, phi.v[b] = s - share * s_L;
      phi.a[a] = w * (L * s_L - l * s), phi.a[b] = w * (l * c - share * L * c_L);
    }
    return phi;
  }
  /// Returns q, v and a at t.
  State at(double t) const {
    const State phi = basis(t);
    return {coefficients * phi.q, coefficients * phi.v, coefficients * phi.a};
  }

  /// X, a row for each joint.
  MatrixX<double> coefficients;

 private:
  double period_;
  int harmonics_;
};

/// A random motion about q_0: coefficients fall as one over the harmonic, and each joint moves as far as 0.9 of its
/// limits of position, speed and acceleration allow at K instants. A joint without any limit moves at up to 1 rad/s or
/// m/s.
/// @param limits  with members lower, upper, velocity, acceleration, nv each (ExcitationLimits)
/// @throws SizeError; Error as FourierMotion, or if there are no instants
template <class Limits, class Generator>
FourierMotion random_motion(VectorIn<double> q_0, double period, int harmonics, const Limits& limits,
                            Generator& generator, int instants = 200) {
  FourierMotion motion(q_0, period, harmonics);
  detail::check_at_least("instants", instants, 1, "random_motion");
  for (const auto* x : {&limits.lower, &limits.upper, &limits.velocity, &limits.acceleration})
    detail::check_size("limits", x->size(), q_0.size(), "random_motion");
  std::normal_distribution<double> normal;
  for (int i = 0; i < q_0.size(); ++i)
    for (int l = 1; l < harmonics; ++l)
      for (const int column : {l, harmonics - 1 + l}) motion.coefficients(i, column) = normal(generator) / l;
  // The shares of the limits that the motion of size one uses.
  Eigen::ArrayXd share = Eigen::ArrayXd::Zero(q_0.size()), speed = share;
  // 0 / 0, where q_0 is at a limit, does not count.
  const auto use = [&](const VectorX<double>& used) {
    share = (used.array().abs() > share).select(used.cwiseAbs(), share);
  };
  for (int k = 0; k < instants; ++k) {
    const auto [q, v, a] = motion.at(period * k / instants);
    const VectorX<double> moved = q - q_0;
    const auto room = (moved.array() < 0).select(q_0 - limits.lower, limits.upper - q_0);
    speed = (speed.max)(v.array().abs());
    use(moved.cwiseQuotient(room)), use(v.cwiseQuotient(limits.velocity)), use(a.cwiseQuotient(limits.acceleration));
  }
  const Eigen::ArrayXd size = 0.9 / (share > 0).select(share, speed);
  motion.coefficients.rightCols(2 * harmonics - 2).array().colwise() *= size;
  return motion;
}

}}  // namespace corio
