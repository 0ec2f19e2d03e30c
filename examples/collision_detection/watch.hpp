#pragma once

#include <corio/control/collision_detector.hpp>
#include <map>

#include "pushed_arm.hpp"

namespace collision {

/// The results of observer and detector, a column for each sample, and the bodies that were found.
struct Verdicts {
  Matrix residual, threshold;
  Vector excess;  // see corio::CollisionDetector
  std::vector<std::vector<int>> bodies;
};

/// Velocities and torques of robots are smooth from one sample to the next, and noise is not: second differences of
/// white noise have six times its variance.
inline Vector noise_of(const Matrix& signals, Eigen::Index samples) {
  const auto x = signals.leftCols(samples);
  const auto second = x.rightCols(samples - 2) - 2 * x.middleCols(1, samples - 2) + x.leftCols(samples - 2);
  return (second.rowwise().squaredNorm() / static_cast<double>(6 * (samples - 2))).cwiseSqrt();
}

/// The velocities of the log or, if it has none, backward differences of positions, which a controller could also
/// compute.
inline Matrix velocities(const support::JointLog& log) {
  if (log.v.size() > 0) return log.v;
  Matrix v = Matrix::Zero(log.q.rows(), log.q.cols());
  for (Eigen::Index i = 1; i < v.cols(); ++i) v.col(i) = (log.q.col(i) - log.q.col(i - 1)) / (log.t[i] - log.t[i - 1]);
  v.col(0) = v.col(1);
  return v;
}

/// Runs over a log as a control loop would.
inline Verdicts watch(const corio::Model<double>& model, const support::JointLog& log, const Matrix& v,
                      const Vector& gain, corio::CollisionDetector<double> detector) {
  corio::MomentumObserver<double> observer(model, gain, {.passive_forces = true});
  corio::Data<double> data(model);
  const Eigen::Index samples = log.t.size();
  Verdicts all{Matrix(model.nv(), samples), Matrix(model.nv(), samples), Vector(samples), {}};
  for (Eigen::Index i = 0; i < samples; ++i) {
    // Torques are held from their sample to the next one. After a gap in the log observer and detector start again.
    const double dt = i > 0 ? log.t[i] - log.t[i - 1] : log.t[1] - log.t[0];
    const bool gap = dt > 0.1;
    if (gap) observer.reset();
    observer.update(model, data, log.q.col(i), v.col(i), log.tau.col(i > 0 ? i - 1 : 0), gap ? 1e-3 : dt);
    all.bodies.push_back(detector.detect(model, data, observer).bodies);
    all.residual.col(i) = observer.residual(), all.threshold.col(i) = detector.threshold();
    all.excess[i] = detector.excess();
  }
  return all;
}

/// The body that is found in most samples of an interval of time, or -1 if no sample has a body in collision. If a
/// sample has several, the outermost body counts.
inline int most_named(const Vector& t, const Verdicts& verdicts, double begin, double end) {
  std::map<int, int> votes;
  for (Eigen::Index i = 0; i < t.size(); ++i)
    if (const auto& bodies = verdicts.bodies[static_cast<std::size_t>(i)];
        t[i] >= begin && t[i] <= end && !bodies.empty())
      ++votes[bodies.back()];
  const auto best =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == votes.end() ? -1 : best->first;
}

/// An interval in which a collision was found, see corio::CollisionAlarm.
struct Alarm {
  double begin, end;
  double largest;  // largest residual over its threshold
};
inline std::vector<Alarm> alarms(const Vector& t, const Verdicts& verdicts, double pause) {
  constexpr double release = 0.7;
  corio::CollisionAlarm alarm(release, pause);
  std::vector<Alarm> all;
  for (Eigen::Index i = 0; i < t.size(); ++i) {
    const double ratio = verdicts.residual.col(i).cwiseAbs().cwiseQuotient(verdicts.threshold.col(i)).maxCoeff();
    const bool before = alarm.active();
    if (!alarm.update(verdicts.excess[i], i > 0 ? t[i] - t[i - 1] : 0)) continue;
    if (!before) all.push_back({t[i], t[i], ratio});
    if (verdicts.excess[i] > release) all.back().end = t[i], all.back().largest = std::max(all.back().largest, ratio);
  }
  return all;
}

}  // namespace collision
