#pragma once

#include <cmath>
#include <limits>

#include "corio/core/detail/input.hpp"
#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"
#include "corio/identification/detail/checks.hpp"
#include "corio/solvers/least_squares.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Forms of the friction of a joint, from the simplest to those with more parameters.
enum class FrictionForm {
  linear,      ///< viscous, Coulomb, offset: as in joint_regressor
  asymmetric,  ///< viscous and Coulomb friction of their own for each direction
  stribeck,    ///< more friction near standstill, which falls as exp(-(v / stribeck_speed)^2)
};

/// Friction of a joint as a function of its speed v:
///
///   offset + d v + (c + (stiction - c) exp(-(v / v_s)^2)) tanh(v / smoothing),
///
/// with d and c for the direction of v. The exponential is left out if stribeck_speed v_s is zero. The dependence on
/// load and temperature, which changes the friction of gears by tens of per cent, is not modelled.
struct JointFriction {
  double offset = 0, smoothing = 0.05;                // N m, rad/s
  double damping_positive = 0, damping_negative = 0;  // N m s, for v > 0 and v < 0
  double coulomb_positive = 0, coulomb_negative = 0;  // N m
  double stiction = 0, stribeck_speed = 0;            // N m, rad/s
  double rms = 0;                                     // N m, root mean square of the residuals

  double operator()(double v) const { return (*this)(v, std::tanh(v / smoothing)); }
  /// Returns the friction for a given tanh(v / smoothing), which may be filtered (see PreparedRecording).
  double operator()(double v, double direction) const {
    const bool positive = v >= 0;
    const double c = positive ? coulomb_positive : coulomb_negative, d = positive ? damping_positive : damping_negative;
    const double fall = stribeck_speed > 0 ? std::exp(-(v / stribeck_speed) * (v / stribeck_speed)) : 0;
    return offset + d * v + (c + (stiction - c) * fall) * direction;
  }
};

namespace detail {

/// Fits the linear parameters for given smoothing and Stribeck speed.
inline JointFriction fit_linear_part(const VectorX<double>& v, const VectorX<double>& direction,
                                     const VectorX<double>& tau, FrictionForm form, double smoothing,
                                     double stribeck_speed) {
  const bool both = form == FrictionForm::asymmetric, stribeck = form == FrictionForm::stribeck;
  MatrixX<double> Y = MatrixX<double>::Zero(v.size(), both ? 5 : stribeck ? 4 : 3), x, right = tau;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double sign = direction[i];
    const int side = both && v[i] < 0 ? 2 : 0;
    Y(i, 0) = 1, Y(i, 1 + side) = v[i], Y(i, 2 + side) = sign;
    if (stribeck) {
      const double fall = std::exp(-(v[i] / stribeck_speed) * (v[i] / stribeck_speed));
      Y(i, 2) = sign * (1 - fall), Y(i, 3) = sign * fall;
    }
  }
  LeastSquares<double> solver;
  solver.compute(Y);
  solver.solve(right, x);
  JointFriction f{.offset = x(0, 0), .smoothing = smoothing};
  f.damping_positive = x(1, 0), f.coulomb_positive = x(2, 0);
  f.damping_negative = both ? x(3, 0) : x(1, 0), f.coulomb_negative = both ? x(4, 0) : x(2, 0);
  if (stribeck) f.stiction = x(3, 0), f.stribeck_speed = stribeck_speed;
  f.rms = (Y * x - tau).norm() / std::sqrt(static_cast<double>(v.size()));
  return f;
}

}  // namespace detail

/// The friction of this form that fits torques of friction best, given its smoothing, by variable projection: for each
/// Stribeck speed, on a grid of ratio 1.25 from twice the smoothing to a third of the largest speed, the other
/// parameters are a linear least-squares problem. O(n) for each of some ten to twenty speeds, allocates.
/// @param v          speeds of a joint (rad/s)
/// @param direction  tanh(v / smoothing), filtered as tau is
/// @param tau        its friction at these speeds: the torque minus the torque for bodies and armature
/// @throws SizeError; Error for a number that is not finite, a smoothing not above zero, or fewer than ten samples
/// Source: Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose
/// variables separate, SIAM J. Numerical Analysis 10(2), 1973; the form: Armstrong-Helouvry, Dupont and Canudas de Wit,
/// A survey of models, analysis tools and compensation methods for the control of machines with friction, Automatica
/// 30(7), 1994.
inline JointFriction fit_friction(const VectorX<double>& v, const VectorX<double>& direction,
                                  const VectorX<double>& tau, FrictionForm form, double smoothing) {
  for (const auto& [what, x] : {std::pair("v", &v), std::pair("direction", &direction), std::pair("tau", &tau)})
    detail::check_finite_vector(what, *x, v.size(), "fit_friction");
  if (v.size() < 10) throw Error("fit_friction: fewer than ten samples");
  detail::check_positive("smoothing", smoothing, "fit_friction");
  JointFriction best = detail::fit_linear_part(v, direction, tau, form, smoothing, 2 * smoothing);
  if (form != FrictionForm::stribeck) return best;
  const double most = v.cwiseAbs().maxCoeff() / 3;
  for (double speed = 2.5 * smoothing; speed <= most; speed *= 1.25)
    if (const JointFriction f = detail::fit_linear_part(v, direction, tau, form, smoothing, speed); f.rms < best.rms)
      best = f;
  return best;
}

/// This form is for torques that were not filtered.
inline JointFriction fit_friction(const VectorX<double>& v, const VectorX<double>& tau, FrictionForm form,
                                  double smoothing = 0.05) {
  return fit_friction(v, (v / smoothing).array().tanh(), tau, form, smoothing);
}

}}  // namespace corio
