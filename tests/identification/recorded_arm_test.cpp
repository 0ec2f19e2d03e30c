#include "identification/recorded_arm.hpp"

#include "corio/identification/drive_gains.hpp"
#include "support/catch.hpp"

// Identifies parameters from recordings of a simulated arm with friction, gears, noise, encoder steps, jitter and late
// torques, and checks their standard deviations.
//
// 'Within three standard deviations in 95 of 100 seeds' is required of each base parameter. Gaussian errors satisfy it
// in 99.7 % of cases, so all 27 of one recording do in 93 % of recordings; the required count is three of its standard
// deviations lower.

namespace recorded_arm {
namespace {

#ifdef CORIO_TEST_ALL
constexpr unsigned seeds = 100;
#else
constexpr unsigned seeds = 20;
#endif

}  // namespace

TEST_CASE("noise behind the low-pass is as correlated as its gain says", "[identification][log]") {
  // 40,000 samples correspond to some 17,000 independent ones; 17 numbers of the window's sum have deviations of 2 %.
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  const double rate = 400, cutoff = 10;
  const LowPass low_pass(rate, cutoff);
  const Vector noise = low_pass(Vector::NullaryExpr(400000, [&] { return normal(generator); }));
  for (const int stride : {5, 10}) {
    const Vector kept = noise(Eigen::seq(0, Eigen::last, stride));
    const double time = low_pass.correlation_time(stride / rate);
    CHECK(time == Approx(24.0 / stride).epsilon(0.01));
    // The window leaves out a share of the sum that is proportional to one over its length.
    CHECK(correlation_time(kept, 64) == Approx(time).epsilon(0.1));
    CHECK(correlation_time(kept, 16) < time);
  }
  CHECK(low_pass.correlation_time(1) == 1);
  CHECK(correlation_time(Vector::Zero(50)) == 1);
  CHECK(correlation_time(Vector::NullaryExpr(100, [](Eigen::Index i) { return i % 2 ? 1.0 : -1.0; })) == 1);
}

TEST_CASE("base parameters of recordings are within three standard deviations", "[identification][log]") {
  const Arm arm;
  const auto base = base_of(arm);
  REQUIRE(base.size() == 27);
  Vector outside = Vector::Zero(base.size());
  unsigned all_within = 0;
  double squares = 0, as_independent = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const auto log = record(arm, 1000 + seed, 5000 + seed);
    const auto found = identify(arm, base, log, arm.late);
    const auto errors = found.errors.array();
    outside += (errors.abs() > 3).cast<double>().matrix();
    all_within += (errors.abs() <= 3).all();
    squares += errors.square().mean() / seeds;
    if (seed < 10) as_independent += identify(arm, base, log, arm.late, true).errors.array().square().mean() / 10;
  }
  CAPTURE(outside.transpose(), all_within, squares, as_independent);
  CHECK(outside.maxCoeff() <= 0.05 * seeds);
  CHECK(all_within >= 0.93 * seeds - 3 * std::sqrt(0.93 * 0.07 * seeds));
  // Deviations are neither too small nor too large: the mean is over 27 squares a seed, of which some ten are
  // independent.
  CHECK(squares > 0.75);
  CHECK(squares < 1.25);
  // If the samples count as independent, the deviations are too small.
  CHECK(as_independent > 1.8);
}

TEST_CASE("bad samples do not move robust estimates", "[identification][log]") {
  // In each recording 5 of 4800 torques, which the filter spreads over fifty samples each, are wrong by 100 N m.
  const Arm arm;
  const auto base = base_of(arm);
  constexpr unsigned times = 20;
  double robust = 0, of_deviations = 0, plain = 0;
  for (unsigned seed = 0; seed < times; ++seed) {
    auto log = record(arm, 1000 + seed, 5000 + seed);
    const Vector deviation = identify(arm, base, log, arm.late).estimate.standard_deviation(1.0);
    std::mt19937 generator(seed);
    for (int i = 0; i < 5; ++i) {
      const auto place = static_cast<Eigen::Index>(generator() % static_cast<unsigned>(log.t.size()));
      log.tau(static_cast<Eigen::Index>(generator() % 3), place) += 100;
    }
    // Mean squares of errors over the variances without bad samples.
    const auto squares = [&](const Found& found) {
      const Vector errors = found.errors.cwiseProduct(found.estimate.standard_deviation(1.0));
      return errors.cwiseQuotient(deviation).array().square().mean() / times;
    };
    const auto found = identify(arm, base, log, arm.late);
    robust += squares(found);
    of_deviations += found.errors.array().square().mean() / times;
    plain += squares(identify(arm, base, log, arm.late, false, 0.01, false));
  }
  CAPTURE(robust, of_deviations, plain);
  // Tails of the filter's response to bad torques that are below eight deviations keep their weight.
  CHECK(robust < 2);
  CHECK(of_deviations < 1.5);
  CHECK(plain > 10);
}

TEST_CASE("weights are one except beyond eight deviations, where they bound the influence", "[identification][log]") {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal(0, 0.2);
  Matrix errors = Matrix::NullaryExpr(2, 5000, [&] { return normal(generator); }), used = Matrix::Ones(2, 5000);
  used(0, 7) = 0, errors(0, 7) = 1e9, errors(1, 9) = 1e3;
  Matrix expected = used;
  const Matrix weights = robust_weights(errors, used);
  expected(1, 9) = weights(1, 9);
  CHECK(weights == expected);
  // The median of 5000 errors has a deviation of 1.6 %; w e^2 = (8 s)^2.
  CHECK(std::sqrt(weights(1, 9)) * 1e3 == Approx(8 * 0.2).epsilon(0.05));
  CHECK_THROWS_AS(robust_weights(errors, Matrix::Ones(2, 4)), SizeError);
}

TEST_CASE("torques at rest, where friction is not known, are left out", "[identification][log]") {
  const Arm arm;
  const auto base = base_of(arm);
  double left_out = 0, fitted = 0;
  constexpr int times = 10;
  for (unsigned seed = 0; seed < times; ++seed) {
    // The recordings repeat one motion three times, with two seconds of rest between; friction at rest keeps seven
    // tenths of its bound.
    JointRecording logs[3];
    for (unsigned part = 0; part < 3; ++part) logs[part] = record(arm, 1000 + seed, 5000 + 3 * seed + part);
    const Eigen::Index n = logs[0].t.size();
    JointRecording log{Vector(3 * n), Matrix(3, 3 * n), {}, Matrix(3, 3 * n)};
    for (int part = 0; part < 3; ++part) {
      auto& one = logs[part];
      for (Eigen::Index i = 0; i < n; ++i)
        if (one.t[i] < 1 || one.t[i] > 11 + arm.late)
          for (int k = 0; k < 3; ++k) one.tau(k, i) += (k == 1 ? -0.7 : 0.7) * arm.joints[4 * k + 2];
      log.t.segment(part * n, n) = one.t.array() + 12 * part;
      log.q.middleCols(part * n, n) = one.q, log.tau.middleCols(part * n, n) = one.tau;
    }
    left_out += identify(arm, base, log, arm.late).errors.array().square().mean() / times;
    fitted += identify(arm, base, log, arm.late, false, 0).errors.array().square().mean() / times;
  }
  CAPTURE(left_out, fitted);
  CHECK(left_out < 1.4);  // 1, with a deviation of 0.14 for some hundred independent squares
  CHECK(fitted > 2);
}

TEST_CASE("a time shift that is not told makes errors beyond the deviations", "[identification][log]") {
  Arm arm;
  const auto base = base_of(arm);
  arm.late = 0.02;
  const auto log = record(arm, 1, 2);
  CHECK(identify(arm, base, log, arm.late).errors.cwiseAbs().maxCoeff() < 4);
  CHECK(identify(arm, base, log, 0).errors.cwiseAbs().maxCoeff() > 6);
}

TEST_CASE("wrong drive gains make wrong parameters, and a weighed payload finds them", "[identification][log]") {
  const Arm arm;
  const auto base = base_of(arm);
  const Vector gains = Eigen::Vector3d(11, 9, 7), told = Eigen::Vector3d(10, 10, 7);
  const Vector10<double> payload =
      InertialParameters<double>{4.0, {0.05, 0.02, 0.1}, 0.01 * Eigen::Matrix3d::Identity()}.vector();
  constexpr unsigned times = seeds / 20;
  for (unsigned seed = 0; seed < times; ++seed) {
    JointRecording logs[] = {record(arm, seed, seed + 100), record(arm, seed, seed + 200, payload)};
    JointRecording wrong = logs[0];
    wrong.tau = (told.cwiseQuotient(gains)).asDiagonal() * wrong.tau;
    CHECK(identify(arm, base, wrong, arm.late).errors.cwiseAbs().maxCoeff() > 5);

    // The payload's mass is known; its first moment and inertia are estimated.
    Regressor regressor(arm);
    Data<double> data(arm.model);
    const BodySelection hand(arm.model, {arm.model.bodies().back().name()});
    Matrix Y(3, 42 + 9), of_payload(3, 10);
    DriveGainEstimator::Result found;
    for (int step = 0; step < 4; ++step) {
      auto estimator = step == 0 ? DriveGainEstimator(3, Y.cols()) : DriveGainEstimator(found);
      for (const auto& log : logs) {
        const auto s = prepare(log, {.delay_of_tau = arm.late, .smoothing = arm.smoothing});
        const Vector variance = s.correlation_time * arm.noise.cwiseAbs2().cwiseQuotient(gains.cwiseAbs2()) *
                                (1 / LowPass(400, 10).correlation_time(1.0 / 400));
        for (Eigen::Index i = 0; i < s.t.size(); ++i) {
          Y.setZero();
          Y.leftCols(42) = regressor(s.q.col(i), s.v.col(i), s.a.col(i), s.direction.col(i));
          Vector known = Vector::Zero(3);
          if (&log == &logs[1]) {
            const Vector q = s.q.col(i), v = s.v.col(i), a = s.a.col(i);
            inverse_dynamics_regressor(arm.model, data, q, v, a, of_payload, hand);
            Y.rightCols(9) = of_payload.rightCols(9);
            known = of_payload.col(0) * payload[0];
          }
          estimator.add(Y, s.tau.col(i).cwiseQuotient(gains), known, variance.cwiseInverse());
        }
      }
      found = estimator.estimate();
    }
    for (Eigen::Index k = 0; k < 3; ++k) {
      CAPTURE(seed, k, found.gains[k], found.deviations[k]);
      // The filter's effect on the nonlinear motion is some thousandths, as large as the deviations.
      CHECK(std::abs(found.gains[k] - gains[k]) < 4 * found.deviations[k] + 3e-3 * gains[k]);
      CHECK(found.deviations[k] < 0.01 * gains[k]);
    }
    // These are the joints that the payload loads most.
    CHECK(found.is_identifiable[0]);
    CHECK(found.is_identifiable[1]);
  }
}

TEST_CASE("a prior bounds the gain of a drive whose payload has an unknown centre of mass", "[identification][log]") {
  // A pendulum of which the torque h sin q is not known, and that of a payload of known mass at a lever that is not
  // known either: gain k and lever change together. Where k i = (m l + h_2) sin q is all that is measured, a deviation
  // of h_2 is one of k times the signal of i.
  const double gain = 2.4, torque = 0.21, deviation = 0.03, noise = 0.002;
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal(0, noise);
  for (const bool with_prior : {false, true}) {
    DriveGainEstimator::Result found;
    for (int step = 0; step < 6; ++step) {
      auto estimator = step == 0 ? DriveGainEstimator(1, 2) : DriveGainEstimator(found);
      generator.seed(5);
      for (int i = 0; i < 2000; ++i) {
        const double s = std::sin(0.01 * i), load = i % 2;
        const Vector current = Vector::Constant(1, s * (0.5 + load * torque) / gain + normal(generator));
        estimator.add((Matrix(1, 2) << s, load * s).finished(), current, Vector::Constant(1, load * torque * s),
                      Vector::Constant(1, 1 / (noise * noise)));
      }
      const double least = step == 0 ? 1e-3 * deviation : deviation;
      if (with_prior) estimator.add_prior((Vector(2) << std::numeric_limits<double>::infinity(), least).finished());
      found = estimator.estimate();
    }
    CAPTURE(with_prior, found.gains, found.deviations);
    CHECK(found.is_identifiable[0] == with_prior);
    if (!with_prior) continue;
    // The variance of the errors of 2000 samples has a deviation of 3 %.
    CHECK(found.deviations[0] == Approx(gain * deviation / torque).epsilon(0.1));
    CHECK(std::abs(found.gains[0] - gain) < 0.1 * gain);
  }
  DriveGainEstimator estimator(1, 2);
  CHECK_THROWS_AS(estimator.add_prior(Vector::Ones(3)), SizeError);
}

}  // namespace recorded_arm
