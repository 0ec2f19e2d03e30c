#include <random>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

// Collisions of an arm at rest: a recording with stiction, backlash, noise, and pushes at known instants.

using namespace corio;

namespace standstill_test {
namespace {

using Vectord = VectorX<double>;
using Matrixd = MatrixX<double>;

struct Push {
  double begin, end;
  int joint;
  double torque;  // N m, about the joint
};

/// An arm with three joints and motors behind gears: the motors have armature, exact Coulomb friction, and a position
/// controller with an integral part; teeth with 0.5 mrad of backlash and a stiffness couple the motors to the links.
/// Samples are positions, speeds and torques of the motors at 500 Hz, with noise.
struct Recording {
  Matrixd q, v, tau;
  double dt = 2e-3;
};
struct Arm {
  Model<double> model = zoo::serial_chain<double>(3);
  Vectord armature = Eigen::Vector3d(0.5, 0.4, 0.2), friction = Eigen::Vector3d(6, 5, 3),
          viscous = Eigen::Vector3d(2, 2, 1);
  Vectord noise_v = Vectord::Constant(3, 1e-3), noise_tau = Eigen::Vector3d(0.3, 0.3, 0.15);
  double backlash = 5e-4, stiffness = 5e3, damping = 10;

  /// Returns the model of detector and observer: the links are wrong by two per cent, friction by ten.
  Model<double> known() const {
    Model<double> m = model;
    for (const auto& body : m.bodies()) {
      auto inertia = m.inertia(body);
      inertia.mass *= body.index() % 2 ? 1.02 : 0.98;
      m.set_inertia(body, inertia);
    }
    m.set_armature(armature), m.set_damping(viscous), m.set_friction(1.1 * friction);
    return m;
  }

  /// Moves for two seconds, then rests.
  Recording record(double length, const std::vector<Push>& pushes, unsigned seed) const {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    const auto noise = [&](const Vectord& sigma) {
      return Vectord(sigma.unaryExpr([&](double s) { return s * normal(generator); }));
    };
    const double h = 2e-4;
    const int ticks = static_cast<int>(length / h), each = 10;
    const Vectord from = Eigen::Vector3d(0.2, -0.3, 0.4), by = Eigen::Vector3d(0.5, 0.4, -0.6);
    Vectord q = from, v = Vectord::Zero(3), motor = q, speed = v, integral = v, tau = v;
    Data<double> data(model);
    Recording log{Matrixd(3, ticks / each), Matrixd(3, ticks / each), Matrixd(3, ticks / each)};
    for (int i = 0; i < ticks; ++i) {
      const double t = h * i, s = std::clamp(t / 2, 0.0, 1.0);
      if (i % each == 0) {  // the controller uses the measurements
        const Vectord measured = speed + noise(noise_v);
        const Vectord q_d = from + by * s * s * (3 - 2 * s), v_d = by * 3 * s * (1 - s);
        integral += 2e-3 * (q_d - motor);
        tau = generalized_gravity<double>(model, data, motor) + 1500 * (q_d - motor) + 60 * (v_d - measured) +
              600 * integral;
        if (i / each < log.q.cols())
          log.q.col(i / each) = motor, log.v.col(i / each) = measured, log.tau.col(i / each) = tau + noise(noise_tau);
      }
      const Vectord twist = motor - q;
      Vectord teeth(3), outside = Vectord::Zero(3);
      for (int k = 0; k < 3; ++k) {
        const double past = twist[k] - std::clamp(twist[k], -backlash, backlash);
        teeth[k] = past == 0 ? 0 : stiffness * past + damping * (speed[k] - v[k]);
      }
      for (const Push& push : pushes)
        if (t >= push.begin && t < push.end) outside[push.joint] += push.torque;
      v += h * aba<double>(model, data, q, v, teeth + outside), q += h * v;
      for (int k = 0; k < 3; ++k) {  // sticks unless the other torques exceed friction in this step
        const double free = speed[k] + h / armature[k] * (tau[k] - teeth[k] - viscous[k] * speed[k]);
        const double most = h / armature[k] * friction[k];
        speed[k] = std::abs(free) <= most ? 0 : free - std::copysign(most, free);
      }
      motor += h * speed;
    }
    return log;
  }
};

struct Alarm {
  double begin, end;
};
/// The alarms of a recording whose time from 2.2 to 4 s is quiet: thresholds contain the noise, and the excess of
/// residuals over friction at standstill.
/// @param standstill  whether this friction is in the thresholds
std::vector<Alarm> alarms_of(const Model<double>& model, const Recording& log, bool standstill = true) {
  const Eigen::Index from = static_cast<Eigen::Index>(2.2 / log.dt), to = static_cast<Eigen::Index>(4 / log.dt);
  const auto noise = [&](const Matrixd& x) {  // second differences of noise have six times its variance
    const auto y = x.middleCols(from, to - from);
    const Eigen::Index n = y.cols() - 2;
    const auto second = y.rightCols(n) - 2 * y.middleCols(1, n) + y.leftCols(n);
    return Vectord((second.rowwise().squaredNorm() / static_cast<double>(6 * n)).cwiseSqrt());
  };
  const CollisionDetector<double>::Noise measured{noise(log.v), noise(log.tau)};
  std::vector<Alarm> all;
  Vectord floor = Vectord::Zero(3);
  for (int pass = 0; pass < 2; ++pass) {
    MomentumObserver<double> observer(model, Vectord::Constant(3, 30), {.passive_forces = true});
    CollisionDetector<double> detector(model, measured, floor);
    if (standstill || pass == 0) detector.set_standstill_friction(model, model.friction(), 0.05);
    CollisionAlarm alarm;
    Data<double> data(model);
    for (Eigen::Index i = 1; i < log.q.cols(); ++i) {
      observer.update(model, data, log.q.col(i), log.v.col(i), log.tau.col(i - 1), log.dt);
      detector.detect(model, data, observer);
      const double t = log.dt * static_cast<double>(i);
      if (pass == 0 && i >= from && i < to)
        floor = floor.cwiseMax(1.5 * (observer.residual().cwiseAbs() - detector.threshold()));
      if (pass == 0 || t < 2.2) continue;
      const bool before = alarm.active();
      alarm.update(detector.excess(), log.dt);
      if (alarm.active() && !before) all.push_back({t, t});
      if (alarm.active()) all.back().end = t;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("pushes on an arm at rest are as many alarms, without ghosts", "[control][collision_detector]") {
  const Arm arm;
  const std::vector<Push> pushes{{5, 5.4, 0, 25}, {7.5, 7.8, 1, -22}, {10, 10.5, 2, 14}, {12.5, 12.8, 1, 24}};
  const unsigned seed = GENERATE(1u, 2u, 3u);
  const auto log = arm.record(15, pushes, seed);
  const auto found = alarms_of(arm.known(), log);
  CAPTURE(seed, found.size());
  // Each alarm begins within its push and ends within 0.6 s after it: when the arm has gone back, and the alarm's pause
  // is over.
  REQUIRE(found.size() == pushes.size());
  for (std::size_t i = 0; i < pushes.size(); ++i) {
    CAPTURE(i, found[i].begin, found[i].end);
    CHECK(found[i].begin > pushes[i].begin);
    CHECK(found[i].begin < pushes[i].begin + 0.15);
    CHECK(found[i].end < pushes[i].end + 0.6);
  }
  CHECK(alarms_of(arm.known(), arm.record(15, {}, seed)).empty());
  // Without the friction of standstill, there is an alarm for residuals within this friction.
  const auto without = alarms_of(arm.known(), log, false);
  REQUIRE_FALSE(without.empty());
  CHECK(without[0].begin < pushes[0].begin - 1);
}

TEST_CASE("alarms begin above one and end after a pause below the release", "[control][collision_detector]") {
  CollisionAlarm alarm(0.5, 0.25);
  const auto after = [&](std::initializer_list<double> excesses) {
    bool active = false;
    for (const double x : excesses) active = alarm.update(x, 0.1);
    return active;
  };
  CHECK_FALSE(after({0.9, 1.0}));
  CHECK(after({1.1, 0.6, 0.6, 0.6, 0.6}));
  CHECK(after({0.4, 0.4, 0.9, 0.4, 0.4}));
  CHECK_FALSE(after({0.4}));
  CHECK(after({std::numeric_limits<double>::quiet_NaN()}));
  CHECK_THROWS_AS(CollisionAlarm(1.5), Error);
  CHECK_THROWS_AS(CollisionAlarm(0.5, -1), Error);
}

}  // namespace standstill_test
