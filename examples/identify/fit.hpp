#pragma once

#include <corio/identification/consistent_estimate.hpp>

#include "options.hpp"
#include "trajectory.hpp"

namespace identify {

using Samples = corio::PreparedRecording;

inline void append(Samples& all, const Samples& more) {
  if (all.t.size() == 0) {
    all = more;
    return;
  }
  const auto of = [](Matrix& x, const Matrix& y) { x = (Matrix(x.rows(), x.cols() + y.cols()) << x, y).finished(); };
  all.t = (Vector(all.t.size() + more.t.size()) << all.t, more.t).finished();
  of(all.q, more.q), of(all.v, more.v), of(all.a, more.a), of(all.tau, more.tau), of(all.direction, more.direction);
  of(all.moving, more.moving);
  all.correlation_time = std::max(all.correlation_time, more.correlation_time);
}
inline Motion motion(const Samples& s, Eigen::Index i) {
  return {s.q.col(i), s.v.col(i), s.a.col(i), s.direction.col(i)};
}

inline Vector rms(const Matrix& rows) {
  return (rows.rowwise().squaredNorm() / static_cast<double>(rows.cols())).cwiseSqrt();
}
/// The root mean square with the weights of samples: 0 where a joint is at rest.
inline Vector rms(const Matrix& rows, const Matrix& weights) {
  return rows.cwiseAbs2()
      .cwiseProduct(weights)
      .rowwise()
      .sum()
      .cwiseQuotient(weights.rowwise().sum().cwiseMax(1))
      .cwiseSqrt();
}

/// The deviations of independent errors that carry as much information as these errors, whose noise is correlated by
/// the filter and by errors of the model. Weights of estimates and of their standard deviations need them.
/// @param parameters  the number of parameters that were fitted
inline Vector independent_deviation(const Matrix& errors, const Samples& s, int parameters) {
  Vector deviation = rms(errors, s.moving);
  for (Eigen::Index k = 0; k < errors.rows(); ++k) {
    const double n = std::max(1.0, s.moving.row(k).sum());
    const double time =
        std::max(s.correlation_time, corio::correlation_time(errors.row(k).cwiseProduct(s.moving.row(k).cwiseSqrt())));
    const double of_fit = time * parameters / static_cast<double>(errors.rows());
    deviation[k] *= std::sqrt(time * n / std::max(n - of_fit, 0.1 * n));
  }
  return deviation.cwiseMax(1e-9);
}

/// The model with physical bodies, as a prior: principal second moments of mass about the centre of mass are raised to
/// at least a hundredth of their largest. Moments of inertia that violate the triangle inequality have negative ones. A
/// point mass becomes a body with a radius of gyration of a centimetre.
inline corio::Model<double> with_possible_bodies(corio::Model<double> model) {
  std::vector<corio::InertialParameters<double>> inertias;
  for (const auto& body : model.bodies()) {
    auto parameters = model.inertia(body);
    if (parameters.mass > 0 && !corio::is_physically_consistent(parameters)) {
      const Matrix inertia = parameters.inertia;
      const Eigen::SelfAdjointEigenSolver<Matrix> principal(0.5 * inertia.trace() * Matrix::Identity(3, 3) - inertia);
      const double largest = principal.eigenvalues().maxCoeff();
      const Vector moments = principal.eigenvalues().cwiseMax(largest > 0 ? 0.01 * largest : 1e-4 * parameters.mass);
      const Matrix sigma = principal.eigenvectors() * moments.asDiagonal() * principal.eigenvectors().transpose();
      parameters.inertia = sigma.trace() * Matrix::Identity(3, 3) - sigma;
      std::printf("body '%s' cannot exist; taken with moments of inertia that a body can have\n", body.name().c_str());
    }
    inertias.push_back(parameters);
  }
  model.set_inertias(inertias);
  return model;
}

/// The torques that parameters p predict, a column for each sample.
inline Matrix predict(const corio::Model<double>& model, const Samples& s, const Vector& p, double smoothing) {
  Regressor regressor(model, smoothing);
  Matrix tau(s.tau.rows(), s.tau.cols());
  for (Eigen::Index i = 0; i < tau.cols(); ++i) tau.col(i) = regressor(motion(s, i)) * p;
  return tau;
}

/// Assumed bounds of the parameters of joints with these torques: armatures that give the torques at 10 rad/s^2,
/// dampings that give them at 1 rad/s.
inline Vector joint_deviations(const Vector& torque) {
  Matrix deviations(4, torque.size());
  deviations << torque.transpose() / 10, torque.transpose(), torque.transpose(), torque.transpose();
  return deviations.reshaped();
}

/// The result of a fit. Torques are Y p; a nonlinear friction replaces the linear friction of its joint.
struct Found {
  Vector p;                                      // all parameters, physically consistent
  double smoothing = 0;                          // rad/s
  Vector deviation;                              // deviation of measured torques from predicted ones, N m
  std::vector<corio::JointFriction> friction{};  // nonlinear friction, one for each joint
  std::vector<Stream> quarters{};                // all samples, weighted by independent_deviation
  Vector joint_deviations{};
  bool converged = false;

  /// All quarters but one, if it is given.
  Stream stream(int without = -1) const {
    Stream all(p.size());
    for (int k = 0; k < std::ssize(quarters); ++k)
      if (k != without) all.merge(quarters[static_cast<std::size_t>(k)]);
    return all;
  }
};

/// The torques that nonlinear friction adds to Y p.
inline Matrix extra_friction(const corio::Model<double>& model, const Found& found, const Samples& s) {
  Matrix extra = Matrix::Zero(s.v.rows(), s.v.cols());
  for (Eigen::Index k = 0; k < std::ssize(found.friction); ++k) {
    const auto joint = joint_parameters_of(model, found.p, k);
    for (Eigen::Index i = 0; i < s.v.cols(); ++i)
      extra(k, i) = found.friction[static_cast<std::size_t>(k)](s.v(k, i), s.direction(k, i)) - joint[1] * s.v(k, i) -
                    joint[2] * s.direction(k, i) - joint[3];
  }
  return extra;
}
inline Matrix predict(const corio::Model<double>& model, const Samples& s, const Found& found) {
  return predict(model, s, found.p, found.smoothing) + extra_friction(model, found, s);
}

/// Recordings, prepared for every smoothing of friction.
class Recordings {
 public:
  /// A recording, and the share of its samples that belongs to the set: from `from` to `to`.
  void add(corio::JointRecording log, double from, double to) { all_.push_back({std::move(log), from, to}); }
  Samples prepared(const Options& options, double smoothing) const {
    Samples samples;
    for (const auto& [log, from, to] : all_) {
      const Samples whole = corio::prepare(log, {options.cutoff, options.shift, smoothing, options.idle});
      const auto at = [&](double share) {
        return static_cast<Eigen::Index>(share * static_cast<double>(whole.t.size()));
      };
      append(samples, whole.part(Eigen::seqN(at(from), at(to) - at(from))));
    }
    return samples;
  }

 private:
  struct Part {
    corio::JointRecording log;
    double from, to;
  };
  std::vector<Part> all_;
};

/// Fits all parameters, weighted by the residuals, which are guessed at first and then computed. For consistent
/// parameters samples count as independent, which weakens the prior, whose spread is a guess anyway; in the stream they
/// do not.
inline Found fit(const corio::Model<double>& model, const Base& base, Samples s, double smoothing, double spread) {
  // A joint whose torque was not measured could need as much as any other.
  const Vector measured = rms(s.tau);
  const Vector size = (measured.array() > 0).select(measured, measured.maxCoeff()).cwiseMax(1e-6);
  Found found{parameters(model), smoothing, 0.1 * size};
  found.joint_deviations = joint_deviations(size);
  const Matrix moving = s.moving;
  Regressor regressor(model, smoothing);
  const auto add_all = [&](const Vector& deviation) {
    const Vector weights = deviation.cwiseAbs2().cwiseInverse();
    found.quarters.assign(4, Stream(num_parameters(model)));
    for (Eigen::Index i = 0; i < s.t.size(); ++i)
      found.quarters[static_cast<std::size_t>(4 * i / s.t.size())].add(regressor(motion(s, i)), s.tau.col(i),
                                                                       weights.cwiseProduct(s.moving.col(i)));
  };
  Matrix errors;
  for (int pass = 0; pass < 3; ++pass) {
    add_all(found.deviation);
    const auto estimate = corio::consistent_estimate(model, found.stream(), {spread, found.joint_deviations});
    found.p = estimate.parameters, found.converged = estimate.converged;
    errors = s.tau - predict(model, s, found);
    s.moving = corio::robust_weights(errors, moving);
    found.deviation = rms(errors, s.moving).cwiseMax(1e-9);
  }
  add_all(independent_deviation(errors, s, base.size()));
  return found;
}

/// Fits with the smoothing that gives the least residuals, unless the smoothing is given, and with the chosen form of
/// friction, in turn with the other parameters.
inline Found fit(const corio::Model<double>& model, const Base& base, const Recordings& recordings,
                 const Options& options) {
  Found best;
  double least = std::numeric_limits<double>::infinity();
  for (double smoothing : {0.005, 0.01, 0.02, 0.05, 0.1, 0.2}) {
    if (options.smoothing > 0) smoothing = options.smoothing;
    const Samples all = recordings.prepared(options, smoothing);
    std::printf("fitting %lld samples with friction tanh(v / %g rad/s)\n", static_cast<long long>(all.t.size()),
                smoothing);
    std::fflush(stdout);
    // Ten thousand samples tell which smoothing is best; the parameters are then fitted to all.
    const bool is_long = !(options.smoothing > 0) && all.t.size() > 10000;
    const Found found = fit(model, base, is_long ? all.part(Eigen::seq(0, Eigen::last, 1 + all.t.size() / 10000)) : all,
                            smoothing, options.spread);
    if (const double cost = found.deviation.array().log().sum(); cost < least) least = cost, best = found;
    if (options.smoothing > 0) break;
  }
  const Samples s = recordings.prepared(options, best.smoothing);
  if (!(options.smoothing > 0) && s.t.size() > 10000) best = fit(model, base, s, best.smoothing, options.spread);
  if (options.friction == corio::FrictionForm::linear) return best;
  for (int turn = 0; turn < 3; ++turn) {
    Vector bodies = best.p;
    auto joints = bodies.tail(4 * model.nv()).reshaped(4, model.nv());
    joints.bottomRows(3).setZero();
    const Matrix rest = s.tau - predict(model, s, bodies, best.smoothing);
    const Matrix weights = corio::robust_weights(s.tau - predict(model, s, best), s.moving);
    std::vector<corio::JointFriction> friction;
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      std::vector<Eigen::Index> kept;  // not those beyond 25 deviations
      for (Eigen::Index i = 0; i < s.t.size(); ++i)
        if (weights(k, i) > 0.1) kept.push_back(i);
      friction.push_back(kept.size() < 20 ? corio::JointFriction{0, best.smoothing}
                                          : corio::fit_friction(s.v(k, kept), s.direction(k, kept), rest(k, kept),
                                                                options.friction, best.smoothing));
    }
    Found next = best;
    next.friction = friction;
    Samples linear = s;
    linear.tau -= extra_friction(model, next, s);
    next = fit(model, base, linear, best.smoothing, options.spread);
    next.friction = friction;
    next.deviation = rms(s.tau - predict(model, s, next), s.moving);
    best = next;
  }
  return best;
}

/// Sizes of the ten parameters of a body: m, m r, m r^2 with its radius of gyration r about the origin of its frame.
inline corio::Vector10<double> sizes(const corio::Vector10<double>& body, double least_mass) {
  const double m = std::max(body[0], least_mass), moment = std::max(0.5 * body.segment<3>(4).sum(), 1e-4 * m);
  corio::Vector10<double> size;
  size << m, Vector::Constant(3, std::sqrt(m * moment)), Vector::Constant(6, moment);
  return size;
}
inline Vector sizes(const corio::Model<double>& model, const Vector& of_joints) {
  Vector size = parameters(model);
  const Eigen::Index bodies = size.size() - of_joints.size();
  const double least = 1e-9 + 1e-3 * size.head(bodies).reshaped(10, bodies / 10).row(0).sum();
  for (Eigen::Index k = 0; k < bodies; k += 10)
    size.segment<10>(k) = sizes(corio::Vector10<double>(size.segment<10>(k)), least);
  size.tail(of_joints.size()) = of_joints;
  return size;
}

/// Base parameters by the samples alone, and their accuracy. Deviations of a wide prior keep those finite that the
/// motion does not separate: their standard deviation is larger than the size of such a parameter.
struct BaseEstimate {
  BaseEstimate(const Base& of, Stream samples, const Vector& prior, const Vector& deviations, const Vector& sizes)
      : base(of),
        size(base.projection().cwiseAbs() * sizes),
        found(with_prior(std::move(samples), prior, deviations)) {}
  BaseEstimate(const corio::Model<double>& model, const Base& of, const Found& fit)
      : BaseEstimate(of, fit.stream(), parameters(model), 100 * identify::sizes(model, fit.joint_deviations),
                     identify::sizes(model, fit.joint_deviations)) {}

  /// The parameters with these values of independent ones and zero for others: they give the same torques.
  Vector parameters_of_fit() const {
    Vector p = Vector::Zero(base.num_parameters());
    p(base.independent()) = found.beta;
    return p;
  }
  bool is_separated(Eigen::Index i) const { return found.covariance(i, i) < size[i] * size[i]; }
  /// The combinations of parameters, in units of their sizes, whose deviation is above 1: what changes together unseen.
  std::vector<std::string> not_separated(const std::vector<std::string>& names) const {
    const Matrix relative = size.cwiseInverse().asDiagonal() * found.covariance * size.cwiseInverse().asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Matrix> axes(relative);
    std::vector<std::string> texts;
    for (Eigen::Index j = 0; j < axes.eigenvalues().size(); ++j) {
      if (axes.eigenvalues()[j] < 1) continue;
      const Vector axis = axes.eigenvectors().col(j);
      Eigen::Index largest;
      axis.cwiseAbs().maxCoeff(&largest);
      std::string text;
      for (Eigen::Index i = 0; i < axis.size(); ++i) {
        const double share = axis[i] / axis[largest];
        char number[32];
        std::snprintf(number, sizeof number, " %+.3g ", share * size[i] / size[largest]);
        if (std::abs(share) > 0.1) text += number + names[static_cast<std::size_t>(i)];
      }
      texts.push_back(text);
    }
    return texts;
  }

  Base base;
  Vector size;
  corio::Estimate<double> found;

 private:
  corio::Estimate<double> with_prior(Stream samples, const Vector& prior, const Vector& deviations) const {
    const Matrix unit = Matrix::Identity(prior.size(), prior.size());
    const Vector spread = base.projection().cwiseAbs() * deviations;
    samples.add(unit(base.independent(), Eigen::all), base.project(prior), spread.cwiseAbs2().cwiseInverse());
    return corio::estimate(samples, base);
  }
};

/// Bodies whose pseudo-inertia is close to the bound of physical consistency: a tenth of the model's in some direction.
inline std::string bodies_at_bounds(const corio::Model<double>& model, const Vector& p) {
  std::string names;
  for (Eigen::Index k = 0; const auto& body : model.bodies()) {
    const Eigen::Matrix4d given = corio::pseudo_inertia(model.inertia(body)),
                          now = corio::pseudo_inertia<double>(corio::Vector10<double>(p.segment<10>(k)));
    k += 10;
    if (given(3, 3) > 0 &&
        Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix4d>(now, given).eigenvalues().minCoeff() < 0.1)
      names += (names.empty() ? "" : ", ") + body.name();
  }
  return names;
}

/// Returns the spread, of the given one and some wider ones, with which three quarters of the samples predict the
/// fourth best.
inline double best_spread(const corio::Model<double>& model, const Found& found, double given) {
  double least = std::numeric_limits<double>::infinity(), best = given;
  for (const double spread : {given, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    if (spread < given) continue;
    double squares = 0;
    for (int k = 0; k < std::ssize(found.quarters); ++k) {
      const Stream& quarter = found.quarters[static_cast<std::size_t>(k)];
      const auto others = corio::consistent_estimate(model, found.stream(k), {spread, found.joint_deviations});
      squares += (quarter.R() * others.parameters - quarter.z()).squaredNorm();
    }
    if (squares < least) least = squares, best = spread;
  }
  return best;
}

}  // namespace identify
