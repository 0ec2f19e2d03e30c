#pragma once

#include "corio/control/detail/checks.hpp"
#include "corio/core/compiled.hpp"
#include "corio/identification/pseudo_inertia.hpp"
#include "corio/model/body_selection.hpp"

/// Adaptive estimates of inertial parameters.
namespace corio { inline namespace CORIO_ABI {

/// The metric of gradient descent of the parameters along a gradient d.
enum class ParameterMetric {
  /// dpi/dt = -Gain d, with ten gains for each body. Parameters may become unphysical.
  euclidean,
  /// dJ/dt = -gamma J B J for the pseudo-inertia J of a body, with tr(B J(pi)) = d . pi. One gain gamma for each body,
  /// in 1/joule if d . pi is a power. Changes are relative to the parameters, independent of the body's size and axes,
  /// and keep the body physically consistent.
  natural
};

/// The bodies that adapt, and their gains.
template <class S = double>
struct AdaptationGains {
  VectorX<S> parameters;  // per adapting body ten numbers or, in the natural metric, one; zero for known parameters
  ParameterMetric metric = ParameterMetric::natural;
  BodySelection bodies{};  // the adapting bodies, such as the hand that takes up loads; all by default
};

/// Inertial parameters of all bodies of a model, some of which adapt. For an adapting body, and a gradient d with
/// respect to its parameters, a step of length h is
///
///   euclidean:   pi <- pi - h Gain d
///   natural:     J <- A J A^T,   A = 1 - (h gamma / 2) J B,
///
/// which in the natural metric is a congruence, so that J stays positive definite, and agrees with dJ/dt = -gamma J B J
/// up to terms of the order h^2. The step is shortened if the norm sqrt(tr(J B J B)) of h gamma / 2 J B, which does not
/// depend on the axes, exceeds 1/2: no eigenvalue of J then falls to less than a quarter in a step. A body is not
/// changed if rounding would make its J indefinite, for instance if its eigenvalues differ by a factor of 1e15.
///
/// A recording (codegen) keeps no state: call set(model, pi) with an input pi before a step, and make values() after
/// the step an output. This works in the euclidean metric; the natural metric branches on values, which cannot be
/// recorded, and throws.
///
/// In both metrics, distance(pi) to the true parameters pi has the rate -d . (values - pi).
/// Source: Slotine and Li (1987); Lee, Kwon and Park, A natural adaptive control law for robot manipulators (2018), for
/// the natural metric.
template <class S = double>
class AdaptiveParameters {
 public:
  /// Starts with the parameters of the model.
  /// @param owner  name for messages
  /// @throws SizeError; Error for a gain that is negative or not finite, naming its body; ModelError for a selection of
  /// another model and, in the natural metric, for a body that adapts and is not physically consistent
  explicit AdaptiveParameters(const Model<S>& model, AdaptationGains<S> gains,
                              const char* owner = "AdaptiveParameters");

  /// Returns ten numbers for each of model.bodies(), in the order of inertial_parameters.
  /// set_inertial_parameters(model, values()) sets them in a model.
  const VectorX<S>& values() const { return values_; }
  const AdaptationGains<S>& gains() const { return gains_; }
  /// Returns the number of parameters that adapt: ten for each body, in the order of gains().bodies.
  Eigen::Index num_adapted() const { return 10 * std::ssize(begin_); }
  /// Sets the values.
  /// @throws SizeError; Error for a number that is not finite; the ModelErrors of the constructor
  void set(const Model<S>& model, VectorIn<S> pi);

  /// Returns the distance from pi: tilde^T Gain^-1 tilde / 2 with tilde = values - pi, or, in the natural metric, the
  /// divergence log(det J / det J') + tr(J^-1 J') - 4 over gamma, with J of the values and J' of pi. Parameters with
  /// zero gain do not contribute. The distance is infinite if pi is not physical, and in joules if d is the gradient of
  /// a power. No allocation.
  /// @throws SizeError
  S distance(VectorIn<S> pi) const;

  /// Computes the values after a step of length h along d, ten numbers for each adapting body; accept() stores them.
  /// O(bodies), no allocation.
  const VectorX<S>& descend(VectorIn<S> d, const S& h);
  void accept() { values_.swap(next_); }

  /// Gradient descent of weight |W pi - y|^2 / 2 for the time dt, with pi of the adapting bodies, row by row: the step
  /// of dpi/dt = -weight Gain w (w . pi - y), divided by 1 + dt weight w . Gain w, so that it is stable for any dt,
  /// weight and W.
  /// @param W, y    rows of filtered_regressors.hpp or of measurements; columns in the order of gains().bodies
  /// @param weight  weight of the squared errors; its unit is 1/s over the square of the unit of y, relative to d of
  /// descend
  /// @throws SizeError; Error for a number that is not finite, a weight that is negative, a dt that is not in (0, 0.1]
  /// s; the values are then unchanged. O(rows bodies), no allocation.
  void adapt(MatrixIn<S> W, VectorIn<S> y, const S& weight, double dt);

 private:
  void check_consistent(const Model<S>& model, const VectorX<S>& pi) const;
  bool natural() const { return gains_.metric == ParameterMetric::natural; }
  static S trace_of_square(const Eigen::Matrix4<S>& X) { return X.cwiseProduct(X.transpose()).sum(); }
  Vector10<S> body(const VectorX<S>& pi, std::size_t i) const { return pi.template segment<10>(begin_[i]); }
  /// Returns the new parameters of adapting body i, from its parameters pi.
  Vector10<S> moved(std::size_t i, const Vector10<S>& pi, const Vector10<S>& d, const S& h) const;
  /// Returns d^T Gain d, the square of the length of a gradient, at pi.
  S squared_length(std::size_t i, const Vector10<S>& pi, const Vector10<S>& d) const;

  const char* owner_;
  AdaptationGains<S> gains_;
  std::vector<Eigen::Index> begin_;  // index of the ten numbers of each adapting body
  VectorX<S> values_, next_;
};

template <class S>
AdaptiveParameters<S>::AdaptiveParameters(const Model<S>& model, AdaptationGains<S> gains, const char* owner)
    : owner_(owner), gains_(std::move(gains)), values_(inertial_parameters(model)), next_(values_) {
  gains_.bodies.check_fits(model);
  const int n = gains_.bodies.size(model), each = natural() ? 1 : 10;
  detail::check_size("the gains of parameters", gains_.parameters.size(), each * n, owner_);
  for (int i = 0; i < n; ++i) {
    const int index = gains_.bodies[i];
    begin_.push_back(10 * index);
    for (int h = 0; h < each; ++h)
      if (const double x = value_of(gains_.parameters[each * i + h]); !(x >= 0.0) || !std::isfinite(x))
        throw Error(detail::join({owner_, ": gain ", std::to_string(h), " of body '",
                                  model.bodies()[static_cast<std::size_t>(index)].name(), "' is ", detail::number(x),
                                  ", must be zero or positive, and finite"}));
  }
  check_consistent(model, values_);
}

template <class S>
void AdaptiveParameters<S>::check_consistent(const Model<S>& model, const VectorX<S>& pi) const {
  if (!natural()) return;
  for (std::size_t i = 0; i < begin_.size(); ++i)
    check_physically_consistent(InertialParameters<S>::from_parameters(body(pi, i)),
                                model.bodies()[static_cast<std::size_t>(begin_[i] / 10)].name());
}

template <class S>
void AdaptiveParameters<S>::set(const Model<S>& model, VectorIn<S> pi) {
  detail::check_size("the model's parameters", num_inertial_parameters(model), values_.size(), owner_);
  detail::check_finite_vector("pi", pi, values_.size(), owner_);
  next_ = pi;
  check_consistent(model, next_);
  accept();
}

template <class S>
S AdaptiveParameters<S>::distance(VectorIn<S> pi) const {
  detail::check_size("pi", pi.size(), values_.size(), owner_);
  S sum(0);
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    const Vector10<S> mine = body(values_, i), other = pi.template segment<10>(begin_[i]);
    if (!natural()) {
      for (int h = 0; h < 10; ++h) {
        const S &gain = gains_.parameters[10 * static_cast<Eigen::Index>(i) + h], error = mine[h] - other[h];
        sum += choose(
            detail::real_value(gain) > 0, [&] { return S(error * error / (S(2) * gain)); }, [] { return S(0); });
      }
      continue;
    }
    const S& gain = gains_.parameters[static_cast<Eigen::Index>(i)];
    if (!(detail::known_value(gain) > 0)) continue;
    if (!is_physically_consistent(other)) return S(std::numeric_limits<double>::infinity());
    const auto factor = [](const Vector10<S>& of) {
      return detail::pseudo_inertia_factor(InertialParameters<S>::from_parameters(of));
    };
    sum += detail::divergence(detail::relative_factor(factor(mine), factor(other))) / gain;
  }
  return sum;
}

template <class S>
Vector10<S> AdaptiveParameters<S>::moved(std::size_t i, const Vector10<S>& pi, const Vector10<S>& d, const S& h) const {
  if (!natural()) return pi - h * gains_.parameters.template segment<10>(10 * static_cast<int>(i)).cwiseProduct(d);
  S half_step = S(0.5) * h * gains_.parameters[static_cast<Eigen::Index>(i)];
  if (detail::known_value(half_step) == 0.0) return pi;
  const Eigen::Matrix4<S> J = pseudo_inertia(pi), JB = J * pseudo_inertia_gradient(d);
  if (const double norm =
          detail::known_value(half_step) * std::sqrt((std::max)(0.0, detail::known_value(trace_of_square(JB))));
      norm > 0.5)
    half_step *= S(0.5 / norm);
  const Eigen::Matrix4<S> A = Eigen::Matrix4<S>::Identity() - half_step * JB;
  const Vector10<S> next = from_pseudo_inertia<S>(A * J * A.transpose()).vector();
  return is_physically_consistent(next) ? next : pi;
}

template <class S>
S AdaptiveParameters<S>::squared_length(std::size_t i, const Vector10<S>& pi, const Vector10<S>& d) const {
  if (!natural()) return d.dot(gains_.parameters.template segment<10>(10 * static_cast<int>(i)).cwiseProduct(d));
  return gains_.parameters[static_cast<Eigen::Index>(i)] *
         trace_of_square(pseudo_inertia(pi) * pseudo_inertia_gradient(d));
}

template <class S>
const VectorX<S>& AdaptiveParameters<S>::descend(VectorIn<S> d, const S& h) {
  detail::check_size("the gradient", d.size(), num_adapted(), owner_);
  next_ = values_;
  for (std::size_t i = 0; i < begin_.size(); ++i)
    next_.template segment<10>(begin_[i]) =
        moved(i, body(values_, i), d.template segment<10>(10 * static_cast<Eigen::Index>(i)), h);
  return next_;
}

template <class S>
void AdaptiveParameters<S>::adapt(MatrixIn<S> W, VectorIn<S> y, const S& weight, double dt) {
  detail::check_size("a row of W", W.cols(), num_adapted(), owner_);
  detail::check_finite_vector("y", y, W.rows(), owner_);
  detail::check_tick(owner_, dt);
  if (finds_fault<S>(!(detail::real_value(weight) >= 0.0)))
    throw Error(
        detail::join({owner_, ": the weight is ", detail::number(value_of(weight)), ", must be zero or positive"}));
  const S h = S(dt) * weight;
  const auto is_finite = [](const S& x) { return !is_checked<S> || std::isfinite(value_of(x)); };
  bool finite = is_finite(h);
  next_ = values_;
  for (Eigen::Index row = 0; row < W.rows(); ++row) {
    const auto of_body = [&](std::size_t i) -> Vector10<S> {
      return W.template block<1, 10>(row, 10 * static_cast<Eigen::Index>(i)).transpose();
    };
    S residual = -y[row], length(0);
    for (std::size_t i = 0; i < begin_.size(); ++i) {
      residual += of_body(i).dot(body(next_, i));
      length += squared_length(i, body(next_, i), of_body(i));
    }
    finite = finite && is_finite(length) && is_finite(residual);
    const S step = h / (S(1) + h * length);
    for (std::size_t i = 0; i < begin_.size(); ++i)
      next_.template segment<10>(begin_[i]) = moved(i, body(next_, i), residual * of_body(i), step);
  }
  if (!finite || !detail::all_finite(next_))
    throw Error(detail::join({owner_, ": W, y or the weight is not finite, or too large; nothing was changed"}));
  accept();
}

#define CORIO_COMPILED_ADAPTIVE_PARAMETERS(EXTERN, S) EXTERN template class AdaptiveParameters<S>;
CORIO_DECLARE_COMPILED(ADAPTIVE_PARAMETERS)

}}  // namespace corio
