#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/core/detail/input.hpp"
#include "corio/identification/base_parameters.hpp"
#include "corio/identification/detail/checks.hpp"
#include "corio/identification/fourier_motion.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/solvers/bfgs.hpp"
#include "corio/solvers/jacobi.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The limits that a motion must keep: nv numbers each, infinite if there is no limit.
struct ExcitationLimits {
  /// The origin of a frame stays between two corners, in world axes, m.
  struct Box {
    Frame<double> frame;
    Vector3<double> lower, upper;
  };
  /// The limits of a model.
  explicit ExcitationLimits(const Model<double>& model)
      : lower(model.lower_limit()),
        upper(model.upper_limit()),
        velocity(model.velocity_limit()),
        acceleration(model.acceleration_limit()),
        effort(model.effort_limit()) {}

  /// The middle of the ranges of positions; zero, or a unit inside the limit, for a range without one or both limits.
  /// @throws SizeError
  VectorX<double> middle() const {
    detail::check_size("upper", upper.size(), lower.size(), "ExcitationLimits");
    const VectorX<double> half = (lower + upper) / 2;
    const VectorX<double> above = lower.array() + 1, below = upper.array() - 1;
    return half.array().isFinite().select(half, above.cwiseMax(0.0).cwiseMin(below));
  }

  VectorX<double> lower, upper, velocity, acceleration, effort;
  std::vector<Box> boxes;
};

/// The result of excitation: how well a motion excites base parameters.
struct Excitation {
  double
      information;   ///< log det(Y_1^T W Y_1 / K) for K instants, W = 1 / effort^2 by row, or 1 for an infinite effort
  double condition;  ///< condition of Y_1 with these weights and columns of length one
  double share;      ///< the largest share of a limit that is used: 1 is at the limit
  std::string tightest;  ///< the limit of which that share is used
};

/// Measures how well a motion excites the base parameters of a robot's bodies, at K instants of its period. Rows are
/// weighted by the limits of effort: the noise of a drive is assumed to be a fixed share of its effort. Friction is
/// left out, and armature only adds to the efforts.
/// @param base  base parameters for the columns of inverse_dynamics_regressor for all bodies, such as
/// structural_base_parameters(model, false)
/// @throws SizeError; Error for no instants, or limits without a range or that are not positive, naming the joint;
/// ModelError if a joint has more coordinates than speeds, or for loops
/// Cost O(K n p^2) for p base parameters; allocates.
inline Excitation excitation(const Model<double>& model, const BaseParameters<double>& base,
                             const FourierMotion& motion, const ExcitationLimits& limits, int instants);

/// Options of optimize_excitation.
struct ExcitationOptions {
  int instants = 0;     ///< K; zero means twenty for each harmonic
  int iterations = 40;  ///< of BFGS, for each of four weights of the limits
  double share = 0.95;  ///< share of each limit that may be used, in (0, 1]
};

/// A motion that excites the base parameters as well as it can within limits: it maximises
///
///   log det(Y_1^T W Y_1),   Y_1 = base.reduce(Y) of all instants,
///
/// which minimises the volume of the confidence ellipsoid of the estimates and does not depend on the units of
/// parameters. Limits are penalties with growing weights. The result keeps the limits at 10 K instants.
///
/// @param start  a motion to begin with, such as random_motion; the result is a local optimum near it
/// @throws as within_limits
/// Cost O(K n^2 p^2) per iteration; allocates.
/// Source: Swevers et al. (1997); Gautier and Khalil, Exciting trajectories for the identification of base inertial
/// parameters of robots, Int. J. Robotics Research 11(4), 1992.
inline FourierMotion optimize_excitation(const Model<double>& model, const BaseParameters<double>& base,
                                         FourierMotion start, const ExcitationLimits& limits,
                                         const ExcitationOptions& options = {});

/// Returns the motion with the largest amplitude about the same q_0, at most the given one, that uses no more than a
/// share of each limit at K instants, to 2 % of the amplitude.
/// @throws as excitation; Error for a share out of (0, 1]; if a fiftieth of the amplitude uses more, naming the limit
/// Cost and use of memory of eight calls of excitation.
inline FourierMotion within_limits(const Model<double>& model, const BaseParameters<double>& base,
                                   const FourierMotion& motion, const ExcitationLimits& limits, double share,
                                   int instants);

namespace detail {

/// The objective -information / p + weight * (sum of squares of the excess over the share `most` of a limit) as a
/// function of the coefficients of a motion.
class ExcitationObjective {
 public:
  ExcitationObjective(const Model<double>& model, const BaseParameters<double>& base, const ExcitationLimits& limits,
                      const FourierMotion& motion, int instants)
      : model_(model), data_(model), base_(base), limits_(limits), motion_(motion), instants_(instants) {
    if (model.nq() != model.nv())
      throw ModelError(
          join({"excitation: model '", model.name(), "' has nq ", number(model.nq()), " and nv ", number(model.nv()),
                "; joints need a coordinate for each speed (lock the floating base)"}));
    if (!model.loops().empty())
      throw ModelError(join({"excitation: loop '", model.loops()[0].name, "' of model '", model.name(),
                             "' would be broken, as joints move independently; lock its joints (lock_joints)"}));
    check_at_least("instants", instants, 1, "excitation");
    check_shape("coefficients of the motion", motion.coefficients.rows(), motion.coefficients.cols(), model.nv(),
                2 * motion.harmonics() - 1, "excitation");
    require_finite("coefficients of the motion", motion.coefficients.reshaped(), "excitation");
    if (base.num_parameters() != num_inertial_parameters(model))
      throw SizeError(
          join({"excitation: the base parameters are of ", Digits(base.num_parameters()), " columns, expected the ",
                Digits(num_inertial_parameters(model)), " of bodies alone: structural_base_parameters(model, false)"}));
    for (const VectorX<double>* x :
         {&limits.lower, &limits.upper, &limits.velocity, &limits.acceleration, &limits.effort})
      check_size("limits", x->size(), model.nv(), "excitation");
    const VectorX<double> range = limits.upper - limits.lower;
    for (const auto& [what, x] : {std::pair("range of positions", &range), std::pair("speed", &limits.velocity),
                                  std::pair("acceleration", &limits.acceleration), std::pair("effort", &limits.effort)})
      for (int i = 0; i < model.nv(); ++i)
        if (!((*x)[i] > 0))
          throw Error(join({"excitation: the limit of the ", what, " of joint '", joint_of_dof(model, i), "' is ",
                            number((*x)[i]), ", must be positive, or infinite if there is none"}));
    for (const ExcitationLimits::Box& box : limits.boxes)
      if (!((box.upper - box.lower).array() > 0).all())
        throw Error(join({"excitation: the box of '", box.frame.name(),
                          "' has no room, as its upper corner is not above the lower one"}));
    weights_ = VectorX<double>::Ones(model.nv());
    for (int i = 0; i < model.nv(); ++i)
      if (std::isfinite(limits.effort[i])) weights_[i] = 1 / (limits.effort[i] * limits.effort[i]);
    Y_.resize(model.nv(), base.num_parameters());
    J_.resize(3, model.nv());
  }

  double weight = 0;  ///< weight of the penalties
  double most = 0.95;

  /// @param x  the coefficients, column by column; `gradient` of the same size
  double operator()(const VectorX<double>& x, VectorX<double>& gradient) {
    set(x);
    gradient.setZero(x.size());
    auto slope = gradient.reshaped(motion_.coefficients.rows(), motion_.coefficients.cols());
    const MatrixX<double> R = triangle();
    const double p = base_.size();
    double value = -log_det(R) / p;
    for (int k = 0; k < instants_; ++k) {
      const auto phi = motion_.basis(time(k));
      const auto s = motion_.at(time(k));
      // d(log det) = 2 tr(N^-1 Y_1^T W dY_1), N = Y_1^T W Y_1 of all instants.
      MatrixX<double> N_Y = reduced(s).transpose() * (-2 / p * weights_).asDiagonal();
      R.triangularView<Eigen::Upper>().transpose().solveInPlace(N_Y);
      R.triangularView<Eigen::Upper>().solveInPlace(N_Y);
      FourierMotion::State by{VectorX<double>::Zero(s.q.size()), VectorX<double>::Zero(s.q.size()),
                              VectorX<double>::Zero(s.q.size())};
      const auto against = [&](const MatrixX<double>& dY) { return (N_Y.transpose().cwiseProduct(dY)).sum(); };
      differentiate(s, [&](VectorX<double> FourierMotion::State::*of, int i, const MatrixX<double>& dY) {
        (by.*of)[i] += against(dY);
      });
      value += penalties(s, by);
      slope += by.q * phi.q.transpose() + by.v * phi.v.transpose() + by.a * phi.a.transpose();
    }
    return value;
  }

  Excitation report(const FourierMotion& motion) {
    motion_ = motion;
    Excitation found{0, 0, 0, ""};
    MatrixX<double> R = triangle();
    found.information = log_det(R) - base_.size() * std::log(instants_);
    R.colwise().normalize();
    const VectorX<double> values = singular_values(MatrixX<double>(R));
    found.condition = values[0] / values[values.size() - 1];
    for (int k = 0; k < instants_; ++k)
      for_each_limit(motion_.at(time(k)), [&](double share, const auto& name, const auto&) {
        if (share > found.share) found.share = share, found.tightest = name();
      });
    return found;
  }

 private:
  double time(int k) const { return motion_.period() * k / instants_; }
  void set(const VectorX<double>& x) {
    motion_.coefficients = x.reshaped(motion_.coefficients.rows(), motion_.coefficients.cols());
  }
  static double log_det(const MatrixX<double>& R) { return 2 * R.diagonal().cwiseAbs().array().log().sum(); }

  MatrixX<double> reduced(const FourierMotion::State& s) {
    inverse_dynamics_regressor(model_, data_, s.q, s.v, s.a, Y_);
    return base_.reduce(Y_);
  }
  /// R^T R = Y_1^T W Y_1 of all instants.
  MatrixX<double> triangle() {
    StreamingLeastSquares<double> rows(base_.size());
    const VectorX<double> zero = VectorX<double>::Zero(model_.nv());
    for (int k = 0; k < instants_; ++k) rows.add(reduced(motion_.at(time(k))), zero, weights_);
    return rows.R();
  }
  /// Calls f(which, i, dY_1) for q_i, v_i and a_i with central differences, which are exact in v and a, as Y is
  /// quadratic in v and linear in a.
  template <class F>
  void differentiate(const FourierMotion::State& s, const F& f) {
    using State = FourierMotion::State;
    FourierMotion::State moved = s;
    for (const auto& [of, h] : {std::pair(&State::q, 1e-5), std::pair(&State::v, 1.0), std::pair(&State::a, 1.0)})
      for (int i = 0; i < s.q.size(); ++i) {
        (moved.*of)[i] = (s.*of)[i] + h;
        const MatrixX<double> ahead = reduced(moved);
        (moved.*of)[i] = (s.*of)[i] - h;
        f(of, i, (ahead - reduced(moved)) / (2 * h));
        (moved.*of)[i] = (s.*of)[i];
      }
  }

  /// Calls f(share of the limit, its name(), slope) once for each limit: slope(by, c) adds c times the derivative of
  /// the share.
  template <class F>
  void for_each_limit(const FourierMotion::State& s, const F& f) {
    using State = FourierMotion::State;
    const auto of_joint = [this](const char* what, int i) {
      return [this, what, i] { return join({what, " of joint '", joint_of_dof(model_, i), "'"}); };
    };
    const auto coordinate = [&](const char* what, VectorX<double> State::*of, int i, double share, double rate) {
      f(share, of_joint(what, i), [=](State& by, double c) { (by.*of)[i] += c * rate; });
    };
    const auto symmetric = [&](const char* what, VectorX<double> State::*of, int i, double most_of_it) {
      const double x = (s.*of)[i];
      if (std::isfinite(most_of_it)) coordinate(what, of, i, std::abs(x) / most_of_it, (x < 0 ? -1 : 1) / most_of_it);
    };
    const auto& dtau = inverse_dynamics_derivatives(model_, data_, s.q, s.v, s.a);
    const VectorX<double>& tau = rnea(model_, data_);
    for (int i = 0; i < s.q.size(); ++i) {
      // A limit on one side has no range: a unit beyond the limit counts as its range.
      const double low = limits_.lower[i], high = limits_.upper[i];
      const double half = std::isfinite(low) && std::isfinite(high) ? (high - low) / 2 : 1;
      if (std::isfinite(high)) coordinate("upper limit", &State::q, i, 1 + (s.q[i] - high) / half, 1 / half);
      if (std::isfinite(low)) coordinate("lower limit", &State::q, i, 1 + (low - s.q[i]) / half, -1 / half);
      symmetric("speed", &State::v, i, limits_.velocity[i]);
      symmetric("acceleration", &State::a, i, limits_.acceleration[i]);
      const double effort = limits_.effort[i];
      if (std::isfinite(effort))
        f(std::abs(tau[i]) / effort, of_joint("effort", i), [&, i, effort](State& by, double c) {
          const double rate = (tau[i] < 0 ? -c : c) / effort;
          by.q += rate * dtau.dtau_dq.row(i).transpose();
          by.v += rate * dtau.dtau_dv.row(i).transpose();
          by.a += rate * dtau.M.row(i).transpose();
        });
    }
    for (const ExcitationLimits::Box& box : limits_.boxes) {
      const Vector3<double> place = body_pose(model_, data_, box.frame).translation;
      body_position_jacobian(model_, data_, {box.frame, ReferenceFrame::world_aligned}, J_);
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
          const double half = (box.upper[axis] - box.lower[axis]) / 2,
                       bound = side < 0 ? box.lower[axis] : box.upper[axis];
          f(
              1 + side * (place[axis] - bound) / half,
              [&] {
                return join({"box of '", box.frame.name(), "'"});
              },
              [&](State& by, double c) { by.q += c * side / half * J_.row(axis).transpose(); });
        }
    }
  }
  /// The sum of squares of the excess over `most`, and its slope.
  double penalties(const FourierMotion::State& s, FourierMotion::State& by) {
    double sum = 0;
    for_each_limit(s, [&](double share, const auto&, const auto& slope) {
      if (share <= most) return;
      sum += weight * (share - most) * (share - most) / instants_;
      slope(by, 2 * weight * (share - most) / instants_);
    });
    return sum;
  }
  Model<double> model_;
  Data<double> data_;
  BaseParameters<double> base_;
  ExcitationLimits limits_;
  FourierMotion motion_;
  int instants_;
  VectorX<double> weights_;
  MatrixX<double> Y_, J_;
};

}  // namespace detail

inline Excitation excitation(const Model<double>& model, const BaseParameters<double>& base,
                             const FourierMotion& motion, const ExcitationLimits& limits, int instants) {
  return detail::ExcitationObjective(model, base, limits, motion, instants).report(motion);
}

inline FourierMotion optimize_excitation(const Model<double>& model, const BaseParameters<double>& base,
                                         FourierMotion start, const ExcitationLimits& limits,
                                         const ExcitationOptions& options) {
  detail::check_share(options.share, "optimize_excitation");
  detail::check_at_least("iterations", options.iterations, 0, "optimize_excitation");
  const int instants = options.instants != 0 ? options.instants : 20 * start.harmonics();
  detail::ExcitationObjective objective(model, base, limits, start, instants);
  objective.most = options.share;
  VectorX<double> x = start.coefficients.reshaped();
  for (const double weight : {10, 100, 1000, 10000}) {
    objective.weight = weight;
    detail::minimize_bfgs(objective, x, options.iterations);
  }
  // The penalties leave small violations, also between the instants: the next motion has to keep smaller shares.
  detail::ExcitationObjective dense(model, base, limits, start, 10 * instants);
  for (int turn = 0;; ++turn) {
    start.coefficients = x.reshaped(start.coefficients.rows(), start.coefficients.cols());
    const double excess = dense.report(start).share - options.share;
    if (excess <= 0 || turn == 4) break;
    objective.most -= 1.2 * excess;
    detail::minimize_bfgs(objective, x, options.iterations);
  }
  return within_limits(model, base, start, limits, options.share, 10 * instants);
}

inline FourierMotion within_limits(const Model<double>& model, const BaseParameters<double>& base,
                                   const FourierMotion& motion, const ExcitationLimits& limits, double share,
                                   int instants) {
  detail::check_share(share, "within_limits");
  detail::ExcitationObjective objective(model, base, limits, motion, instants);
  const auto scaled = [&](double scale) {
    FourierMotion one = motion;
    one.coefficients.rightCols(one.coefficients.cols() - 1) *= scale;
    return one;
  };
  if (objective.report(motion).share <= share) return motion;
  double low = 0.02, high = 1;
  if (const Excitation found = objective.report(scaled(low)); found.share > share)
    throw Error(
        detail::join({"no motion within the limits of model '", model.name(), "': ", found.tightest, " at ",
                      detail::number(found.share), " of its limit, of which ", detail::number(share), " may be used"}));
  for (int i = 0; i < 6; ++i) {
    const double scale = (low + high) / 2;
    (objective.report(scaled(scale)).share <= share ? low : high) = scale;
  }
  return scaled(low);
}

}}  // namespace corio
