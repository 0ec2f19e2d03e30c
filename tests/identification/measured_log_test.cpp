#include <numbers>
#include <random>

#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/identification/drive_gains.hpp"
#include "corio/identification/friction_fit.hpp"
#include "corio/identification/recording.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/no_files.hpp"
#include "support/temporary_file.hpp"

// Prepares a log before a robot is identified from it.

using corio::LogTable;
using corio::LowPass;
using corio::test::mentions;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::string message_of(const std::string& text, const std::string& column = "1") {
  const corio::test::TemporaryFile file(text, "log.csv");
  try {
    LogTable(file.path().string()).column(column);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("columns are found by name and by number", "[identification][log]") {
  for (const char separator : {',', ';', '\t', ' '}) {
    std::string text = "% a comment\n # another\n\"time\",q_a ,q_b\n0,1.5,-2e-3\r\n\n0.1,+2,3\n";
    std::replace(text.begin(), text.end(), ',', separator);
    const corio::test::TemporaryFile file(text, "log.csv");
    const LogTable table(file.path().string());
    CHECK(table.rows() == 2);
    CHECK(table.column("q_b") == VectorXd(Eigen::Vector2d(-2e-3, 3)));
    CHECK(table.column("2") == table.column("q_a"));
    CHECK(table.has("3"));
    CHECK_FALSE(table.has("4"));
  }
  const corio::test::TemporaryFile nameless("1,2\n3,4\n", "log.csv");
  CHECK(LogTable(nameless.path().string()).column("2") == VectorXd(Eigen::Vector2d(2, 4)));
}

TEST_CASE("errors of tables name the line or the columns", "[identification][log]") {
  CHECK(mentions(message_of("a,b\n1,2\n3\n4,5\n"), {"line 3: 1 columns, expected 2"}));
  CHECK(mentions(message_of("a,b\n1,2\n3,x\n", "b"), {"line 3, column 2 (b): 'x' is not a number"}));
  CHECK(mentions(message_of("a,b\n1,2\nx,y\n"), {"line 3: 'x' is not a number"}));
  CHECK(mentions(message_of("a,b\n1,2\n", "c"), {"no column 'c'; it has 2 columns: a, b"}));
  CHECK(mentions(message_of("a,b\n"), {"no rows"}));
  CHECK(mentions(message_of("# x\na,b\n1,2\n3,nan\n", "b"), {"line 4, column 2 (b): not a number"}));
  CHECK(mentions(message_of("1;;3\n", "2"), {"line 1, column 2 (2): not a number"}));
  // A named column may be empty in the first row.
  CHECK(message_of("a,b\n1,\n2,3\n", "a").empty());
  CHECK(mentions(message_of("a,b\n1,\n2,3\n", "b"), {"line 2, column 2 (b): not a number"}));
  CHECK(mentions(message_of("a,b,\n1,,\n2,3,\n", "b"), {"line 2, column 2 (b): not a number"}));
  CHECK(message_of("1;;3;\n4;5;6;\n", "3").empty());  // neither an unused cell nor the last separator matters
}

TEST_CASE("times have any unit, and jitter and gaps are reported", "[identification][log]") {
  VectorXd t(60);
  for (int i = 0; i < 60; ++i) t[i] = 0.01 * i + (i % 2 ? 0.001 : 0) + (i >= 40 ? 0.5 : 0);
  CHECK(corio::time_unit_of(0.001) == 1);
  CHECK(corio::time_unit_of(1) == 1e-3);
  CHECK(corio::time_unit_of(1000) == Approx(1e-6));
  CHECK(corio::time_unit_of(1e6) == Approx(1e-9));
  const auto timing = corio::sample_timing(t);
  CHECK(timing.gaps == std::vector<Eigen::Index>{40});
  CHECK(timing.period == Approx(0.01).epsilon(0.11));
  CHECK(timing.jitter == Approx(0.0014).epsilon(0.2));  // distances are 9 or 11 ms about evenly
  t[7] = t[6];
  CHECK_THROWS_WITH(corio::sample_timing(t), Catch::Contains("sample 8"));

  const auto model = corio::zoo::serial_chain<double>(1);
  const std::string name = model.joints()[0].name();
  const corio::test::TemporaryFile file("ms,q_" + name + ",tau_" + name + "\n500,1,2\n502,3,4\n504,5,6\n504,7,8\n",
                                        "log.csv");
  CHECK_THROWS_WITH(corio::read_recording(model, LogTable(file.path().string()), {.time = "ms"}),
                    Catch::Contains("line 5") && Catch::Contains("does not grow"));
  const corio::test::TemporaryFile good("ms,q_" + name + ",tau_" + name + "\n500,1,2\n502,3,4\n504,5,6\n", "log.csv");
  const auto recording = corio::read_recording(model, LogTable(good.path().string()), {.time = "ms"});
  CHECK((recording.t - Eigen::Vector3d(0, 0.002, 0.004)).norm() < 1e-15);
  CHECK(recording.q == Eigen::RowVector3d(1, 3, 5));
  CHECK(recording.tau == Eigen::RowVector3d(2, 4, 6));
  CHECK(recording.v.size() == 0);
}

TEST_CASE("the low-pass has the gain of Butterworth twice, and no phase", "[identification][log]") {
  const double rate = 1000, cutoff = 20;
  const LowPass low_pass(rate, cutoff);
  for (const double f : {1.0, 5.0, 20.0, 60.0}) {
    VectorXd x(4000);
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x[i] = std::sin(2 * std::numbers::pi * f * static_cast<double>(i) / rate);
    const VectorXd y = low_pass(x);
    // The bilinear transform bends the axis of frequencies. The transients of the ends have died out in the middle
    // half.
    const double w = std::tan(std::numbers::pi * f / rate) / std::tan(std::numbers::pi * cutoff / rate);
    const VectorXd error = y - x / (1 + std::pow(w, 4));
    CHECK(error.segment(1000, 2000).cwiseAbs().maxCoeff() < 1e-9);
  }
  // Constants and straight lines pass unchanged from end to end.
  const VectorXd line = VectorXd::LinSpaced(500, 3, -7);
  CHECK((low_pass(line) - line).cwiseAbs().maxCoeff() < 1e-2);
  CHECK((low_pass(VectorXd::Ones(500)) - VectorXd::Ones(500)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK_THROWS_AS(LowPass(100, 50), corio::Error);
}

TEST_CASE("differences of a parabola are exact inside, and resampling of a line everywhere", "[identification][log]") {
  const VectorXd t = VectorXd::LinSpaced(11, 0, 1);
  const VectorXd rate = corio::central_differences(t.cwiseAbs2(), 0.1);
  CHECK((rate - 2 * t).segment(1, 9).cwiseAbs().maxCoeff() < 1e-12);
  VectorXd uneven = t;
  uneven[3] += 0.03, uneven[7] -= 0.02;
  CHECK((corio::resample(uneven, 3 * uneven, t) - 3 * t).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("the delay of a signal is found to a tenth of its sampling", "[identification][log]") {
  const double dt = 0.01;
  for (const double late : {-0.083, 0.0, 0.025, 0.121}) {
    VectorXd x(1000), y(1000);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const auto signal = [](double at) { return std::sin(3 * at) + 0.4 * std::sin(7.1 * at + 1); };
      x[i] = signal(dt * static_cast<double>(i)), y[i] = 5 + 2 * signal(dt * static_cast<double>(i) - late);
    }
    CHECK(std::abs(corio::delay(x, y, dt, 0.2) - late) < 0.1 * dt);
  }
  CHECK(corio::delay(VectorXd::Ones(100), VectorXd::LinSpaced(100, 0, 1), dt, 0.1) == 0);
}

TEST_CASE("the time before and after a motion is cut off", "[identification][log]") {
  MatrixXd v = MatrixXd::Zero(2, 50);
  v(1, 12) = -0.5, v(0, 40) = 0.3, v(0, 5) = 0.05;
  const auto range = corio::moving_range(v, Eigen::Vector2d(0.1, 0.1));
  CHECK((range.begin == 12 && range.end == 41));
  const auto all = corio::moving_range(v, Eigen::Vector2d(1, 1));
  CHECK((all.begin == 0 && all.end == 50));
}

TEST_CASE("a prepared recording has the motion that was sampled", "[identification][log]") {
  // Speeds are up to 1 rad/s, sampled at 500 Hz with jitter and a gap, and torques are 12 ms late; the robot stands
  // still for a second at both ends.
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> jitter(-4e-4, 4e-4);
  const auto q = [](double t) {
    return t < 1 ? 0.0 : t > 9 ? 0.0 : std::pow(std::sin(std::numbers::pi * (t - 1) / 8), 3);
  };
  std::vector<double> t;
  for (int i = 0; i < 5000; ++i)
    if (i < 3000 || i > 3100) t.push_back(2e-3 * i + jitter(generator));
  corio::JointRecording recording{
      Eigen::Map<VectorXd>(t.data(), std::ssize(t)), MatrixXd(1, t.size()), {}, MatrixXd(1, t.size())};
  for (std::size_t i = 0; i < t.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    recording.q(0, at) = q(t[i]), recording.tau(0, at) = 7 * q(t[i] - 0.012);
  }
  const auto ready = corio::prepare(recording, {.cutoff = 20, .delay_of_tau = 0.012});
  CHECK(ready.t[0] > 1);
  CHECK(ready.t[ready.t.size() - 1] < 9);
  for (Eigen::Index i = 0; i < ready.t.size(); ++i) {
    const double at = ready.t[i] + t[0], h = 1e-3;
    CHECK_FALSE((at > 6 && at < 6.2));  // the gap
    // Second derivatives of differences at 2 ms lose 1e-5; the filter loses 1e-4 of a motion 20 times slower than its
    // cutoff.
    CHECK(std::abs(ready.q(0, i) - q(at)) < 1e-3);
    CHECK(std::abs(ready.v(0, i) - (q(at + h) - q(at - h)) / (2 * h)) < 5e-3);
    CHECK(std::abs(ready.a(0, i) - (q(at + h) - 2 * q(at) + q(at - h)) / (h * h)) < 5e-2);
    CHECK(std::abs(ready.tau(0, i) - 7 * q(at)) < 7e-3);
    CHECK(ready.moving(0, i) == (std::abs(ready.v(0, i)) > 0.01 ? 1.0 : 0.0));
  }
  CHECK(corio::prepare(recording, {.cutoff = 20, .idle = 0}).moving.minCoeff() == 1.0);
  CHECK_THROWS_AS(corio::prepare(recording, {.cutoff = 400}), corio::Error);
}

TEST_CASE("friction of every form is found from its noisy torques", "[identification][log]") {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> noise(0, 0.02);
  const VectorXd v = VectorXd::LinSpaced(2001, -2, 2);
  const auto sampled = [&](const corio::JointFriction& f) {
    return VectorXd(v.unaryExpr([&](double x) { return f(x) + noise(generator); }));
  };
  corio::JointFriction told{.offset = 0.3,
                            .smoothing = 0.05,
                            .damping_positive = 2,
                            .damping_negative = 1.5,
                            .coulomb_positive = 1.2,
                            .coulomb_negative = 0.9};
  // The standard deviation of the noise, over the root of some hundred samples that show each parameter, is 0.002.
  const auto both = corio::fit_friction(v, sampled(told), corio::FrictionForm::asymmetric);
  for (const auto of : {&corio::JointFriction::damping_positive, &corio::JointFriction::damping_negative,
                        &corio::JointFriction::coulomb_positive, &corio::JointFriction::coulomb_negative,
                        &corio::JointFriction::offset})
    CHECK(std::abs(both.*of - told.*of) < 0.02);
  CHECK(both.rms == Approx(0.02).epsilon(0.1));
  CHECK(corio::fit_friction(v, sampled(told), corio::FrictionForm::linear).rms > 0.1);

  told = {.offset = 0.1,
          .smoothing = 0.05,
          .damping_positive = 1,
          .damping_negative = 1,
          .coulomb_positive = 1,
          .coulomb_negative = 1,
          .stiction = 2.5,
          .stribeck_speed = 0.25};
  const auto falling = corio::fit_friction(v, sampled(told), corio::FrictionForm::stribeck);
  CHECK(std::abs(falling.stribeck_speed - 0.25) < 0.25 * 0.15);  // spacing of the grid
  CHECK(std::abs(falling.stiction - 2.5) < 0.2);
  CHECK(falling.rms < 0.03);
  CHECK_THROWS_AS(corio::fit_friction(v.head(5), v.head(5), corio::FrictionForm::linear), corio::Error);
}

TEST_CASE("drive gains are found with a known payload, and not without", "[identification][log]") {
  const auto robot = corio::zoo::serial_chain<double>(3);
  auto loaded = robot;
  const auto& hand = loaded.bodies().back();
  const corio::InertialParameters<double> payload{2.0, {0.1, 0.05, -0.1}, 0.01 * Eigen::Matrix3d::Identity()};
  corio::Vector10<double> sum = robot.inertia(hand).vector() + payload.vector();
  loaded.set_inertia(hand, corio::InertialParameters<double>::from_parameters(sum));
  const VectorXd gains = Eigen::Vector3d(10, 12, 8);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  corio::Data<double> data(robot), data_loaded(loaded);
  const Eigen::Index p = corio::num_inertial_parameters(robot);
  MatrixXd Y(3, p);
  const auto random = [&] { return VectorXd(VectorXd::NullaryExpr(3, [&] { return normal(generator); })); };
  struct Sample {
    MatrixXd Y;
    VectorXd current, known;
  };
  std::vector<Sample> samples;
  const double noise = 0.02;
  for (int k = 0; k < 600; ++k) {
    const VectorXd q = random(), v = random(), a = random();
    corio::inverse_dynamics_regressor(robot, data, q, v, a, Y);
    const VectorXd tau = Y * corio::inertial_parameters(robot);
    corio::inverse_dynamics_regressor(loaded, data_loaded, q, v, a, Y);
    const VectorXd more = k % 2 ? VectorXd(Y * corio::inertial_parameters(loaded) - tau) : VectorXd::Zero(3);
    samples.push_back({Y, (tau + more).cwiseQuotient(gains) + noise * random(), more});
  }
  const auto find = [&](bool with_payload) {
    const VectorXd weights = VectorXd::Constant(3, 1 / (noise * noise));
    const auto run = [&](corio::DriveGainEstimator estimator) {
      for (const auto& s : samples)
        if (with_payload || s.known.isZero(0)) estimator.add(s.Y, s.current, s.known, weights);
      return estimator.estimate();
    };
    auto result = run(corio::DriveGainEstimator(3, p));
    for (int step = 0; step < 5 && with_payload; ++step) result = run(corio::DriveGainEstimator(result));
    return result;
  };
  const auto found = find(true), without = find(false);
  for (Eigen::Index j = 0; j < 3; ++j) {
    CHECK(found.is_identifiable[static_cast<std::size_t>(j)]);
    CHECK(std::abs(found.gains[j] - gains[j]) < 4 * found.deviations[j]);
    CHECK(found.deviations[j] < 0.01 * gains[j]);
    CHECK_FALSE(without.is_identifiable[static_cast<std::size_t>(j)]);
  }
}

TEST_CASE("what is no file is refused as a log, in a second", "[identification][log]") {
  const corio::test::NoFiles no_files(".csv");
  for (const auto& given : no_files.all)
    CHECK(corio::test::not_rejected([](const std::filesystem::path& path) { LogTable(path.string()); }, given) == "");
  // Reads text in other encodings.
  CHECK(message_of("\xEF\xBB\xBFq\n1\n2\n", "q").empty());
  CHECK(mentions(message_of("\xFF\xFEq\n1\n"), {"UTF-16"}));
}
