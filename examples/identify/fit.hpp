#pragma once

#include <corio/identification/consistent_estimate.hpp>
#include <corio/identification/drive_gains.hpp>
#include <corio/model/edit.hpp>

#include "options.hpp"
#include "trajectory.hpp"

namespace identify {

using Samples = corio::PreparedRecording;

/// Returns these columns of all signals, a sequence of Eigen.
template <class Columns>
Samples part(const Samples& s, const Columns& columns) {
  const auto of = [&](const Matrix& x) { return Matrix(x(Eigen::all, columns)); };
  return {Vector(s.t(columns)), of(s.q),      of(s.v),           of(s.a), of(s.tau),
          of(s.direction),      of(s.moving), s.correlation_time};
}
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
  Stream stream{1};                              // all samples, weighted by independent_deviation
  bool converged = false;
};

/// The torques that nonlinear friction adds to Y p.
inline Matrix extra_friction(const Found& found, const Samples& s) {
  Matrix extra = Matrix::Zero(s.v.rows(), s.v.cols());
  for (Eigen::Index k = 0; k < std::ssize(found.friction); ++k) {
    const auto joint = found.p.segment<4>(found.p.size() - 4 * s.v.rows() + 4 * k);
    for (Eigen::Index i = 0; i < s.v.cols(); ++i)
      extra(k, i) = found.friction[static_cast<std::size_t>(k)](s.v(k, i), s.direction(k, i)) - joint[1] * s.v(k, i) -
                    joint[2] * s.direction(k, i) - joint[3];
  }
  return extra;
}
inline Matrix predict(const corio::Model<double>& model, const Samples& s, const Found& found) {
  return predict(model, s, found.p, found.smoothing) + extra_friction(found, s);
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
      append(samples, part(whole, Eigen::seqN(at(from), at(to) - at(from))));
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
inline Found fit(const corio::Model<double>& model, const Samples& s, double smoothing, double spread) {
  const Vector size = rms(s.tau);
  Found found{parameters(model), smoothing, (0.1 * size).cwiseMax(1e-6)};
  Regressor regressor(model, smoothing);
  const auto weighted = [&](const Vector& deviation) {
    Stream stream(num_parameters(model));
    const Vector weights = deviation.cwiseAbs2().cwiseInverse();
    for (Eigen::Index i = 0; i < s.t.size(); ++i)
      stream.add(regressor(motion(s, i)), s.tau.col(i), weights.cwiseProduct(s.moving.col(i)));
    return stream;
  };
  Matrix errors;
  for (int pass = 0; pass < 3; ++pass) {
    found.stream = weighted(found.deviation);
    const auto estimate =
        corio::consistent_estimate(model, found.stream, {spread, joint_deviations(size.cwiseMax(1e-6))});
    found.p = estimate.parameters, found.converged = estimate.converged;
    errors = s.tau - predict(model, s, found);
    found.deviation = rms(errors, s.moving).cwiseMax(1e-9);
  }
  found.stream = weighted(independent_deviation(errors, s, Base(found.stream, 1e-4).size()));
  return found;
}

/// Fits with the smoothing that gives the least residuals, unless the smoothing is given, and with the chosen form of
/// friction, in turn with the other parameters.
inline Found fit(const corio::Model<double>& model, const Recordings& recordings, const Options& options) {
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
    const Found found = fit(model, is_long ? part(all, Eigen::seq(0, Eigen::last, 1 + all.t.size() / 10000)) : all,
                            smoothing, options.spread);
    if (const double cost = found.deviation.array().log().sum(); cost < least) least = cost, best = found;
    if (options.smoothing > 0) break;
  }
  const Samples s = recordings.prepared(options, best.smoothing);
  if (!(options.smoothing > 0) && s.t.size() > 10000) best = fit(model, s, best.smoothing, options.spread);
  if (options.friction == corio::FrictionForm::linear) return best;
  for (int turn = 0; turn < 3; ++turn) {
    Vector bodies = best.p;
    auto joints = bodies.tail(4 * model.nv()).reshaped(4, model.nv());
    joints.bottomRows(3).setZero();
    const Matrix rest = s.tau - predict(model, s, bodies, best.smoothing);
    std::vector<corio::JointFriction> friction;
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      std::vector<Eigen::Index> kept;
      for (Eigen::Index i = 0; i < s.t.size(); ++i)
        if (s.moving(k, i) > 0) kept.push_back(i);
      friction.push_back(kept.size() < 20 ? corio::JointFriction{0, best.smoothing}
                                          : corio::fit_friction(s.v(k, kept), s.direction(k, kept), rest(k, kept),
                                                                options.friction, best.smoothing));
    }
    Found next = best;
    next.friction = friction;
    Samples linear = s;
    linear.tau -= extra_friction(next, s);
    next = fit(model, linear, best.smoothing, options.spread);
    next.friction = friction;
    next.deviation = rms(s.tau - predict(model, s, next), s.moving);
    best = next;
  }
  return best;
}

/// The base parameters of the samples themselves, and their accuracy.
struct BaseEstimate {
  explicit BaseEstimate(const Stream& stream) : base(stream, 1e-4), found(corio::estimate(stream, base)) {}
  Base base;
  corio::Estimate<double> found;
};

/// The ten parameters of a payload on a link, then the offsets of the joints; the robot is that of the model.
struct Payload {
  BaseEstimate estimate;
  corio::Vector10<double> parameters;
  Vector offsets;
};
inline Payload fit_payload(const corio::Model<double>& model, const std::string& link, const Samples& s,
                           double smoothing) {
  const corio::BodySelection body(model, {link});
  const int n = model.nv();
  corio::Data<double> data(model);
  Matrix Y(n, 10), all(n, 10 + n);
  const Matrix rest = s.tau - predict(model, s, parameters(model), smoothing);
  Vector deviation = (0.1 * rms(rest)).cwiseMax(1e-9);
  for (int pass = 0;; ++pass) {
    Stream stream(10 + n);
    for (Eigen::Index i = 0; i < s.t.size(); ++i) {
      const Motion m = motion(s, i);
      corio::inverse_dynamics_regressor(model, data, m.q, m.v, m.a, Y, body);
      all << Y, Matrix::Identity(n, n);
      stream.add(all, rest.col(i), s.moving.col(i).cwiseQuotient(deviation.cwiseAbs2()));
    }
    BaseEstimate estimate(stream);
    Vector p = Vector::Zero(10 + n);
    for (int i = 0; i < estimate.base.size(); ++i)
      p[estimate.base.independent()[static_cast<std::size_t>(i)]] = estimate.found.beta[i];
    if (pass == 2) return {estimate, p.head<10>(), p.tail(n)};
    Matrix errors = rest;
    for (Eigen::Index i = 0; i < s.t.size(); ++i) {
      const Motion m = motion(s, i);
      corio::inverse_dynamics_regressor(model, data, m.q, m.v, m.a, Y, body);
      errors.col(i) -= Y * p.head<10>() + p.tail(n);
    }
    deviation = independent_deviation(errors, s, estimate.base.size());
  }
}

/// Drive gains from recordings without and with a payload. The first `known` parameters of the payload are known: m, m
/// c, and the inertia about the origin of the link.
inline corio::DriveGainEstimator::Result find_gains(const corio::Model<double>& model, const std::string& link,
                                                    const Vector& known, const Samples& without, const Samples& with,
                                                    double smoothing) {
  const int n = model.nv(), p = num_parameters(model);
  const Eigen::Index unknown = 10 - known.size();
  const corio::BodySelection body(model, {link});
  corio::Data<double> data(model);
  Regressor regressor(model, smoothing);
  Matrix Y = Matrix::Zero(n, p + unknown), of_payload(n, 10);
  Samples all = without;
  append(all, with);
  // Calls use(Y, current, torque of the known parameters) for all samples.
  const auto for_each_sample = [&](auto&& use) {
    for (const Samples* s : {&without, &with})
      for (Eigen::Index i = 0; i < s->t.size(); ++i) {
        const Motion m = motion(*s, i);
        Y.setZero();
        Y.leftCols(p) = regressor(m);
        Vector torque = Vector::Zero(n);
        if (s == &with) {
          corio::inverse_dynamics_regressor(model, data, m.q, m.v, m.a, of_payload, body);
          Y.rightCols(unknown) = of_payload.rightCols(unknown);
          torque = of_payload.leftCols(known.size()) * known;
        }
        use(Y, s->tau.col(i), torque);
      }
  };
  Vector deviation = 0.1 * rms(without.tau).cwiseMax(1e-9);
  corio::DriveGainEstimator::Result found;
  for (int step = 0; step < 12; ++step) {
    auto gains = step == 0 ? corio::DriveGainEstimator(n, p + unknown) : corio::DriveGainEstimator(found);
    Eigen::Index at = 0;
    for_each_sample([&](const Matrix& rows, const Vector& current, const Vector& torque) {
      gains.add(rows, current, torque, all.moving.col(at++).cwiseQuotient(deviation.cwiseAbs2()));
    });
    found = gains.estimate();
    Matrix errors(n, all.t.size());
    at = 0;
    for_each_sample([&](const Matrix& rows, const Vector& current, const Vector& torque) {
      errors.col(at++) = current - (rows * found.parameters + torque).cwiseQuotient(found.gains);
    });
    if (errors.allFinite()) deviation = independent_deviation(errors, all, p / 2);
  }
  return found;
}

}  // namespace identify
