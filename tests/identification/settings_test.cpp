// Settings of identification that are out of range are rejected with what was given.

#include "corio/identification/consistent_estimate.hpp"
#include "corio/identification/drive_gains.hpp"
#include "corio/identification/friction_fit.hpp"
#include "corio/identification/recording.hpp"
#include "recorded_arm.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace recorded_arm;
using corio::test::mentions;
using corio::test::message_of;

TEST_CASE("Settings of identification that are out of range are rejected with what was given") {
  const JointRecording log = record(Arm(), 1, 101);
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto rejects = [&](const auto& change, double x) {
    Preparation how;
    change(how) = x;
    return mentions(message_of<Error>([&] { prepare(log, how); }), {" is " + detail::number(x)});
  };
  for (const double x : {std::nan(""), inf, -inf, -1.0, 0.0}) {
    CAPTURE(x);
    CHECK(rejects(
        [](auto& how) -> auto& { return how.cutoff; }, x));
    CHECK(rejects(
        [](auto& how) -> auto& { return how.smoothing; }, x));
    CHECK(rejects(
              [](auto& how) -> auto& { return how.idle; }, x) == (x != 0));
    CHECK(rejects(
              [](auto& how) -> auto& { return how.delay_of_tau; }, x) == !std::isfinite(x));
    const Vector v = Vector::LinSpaced(20, -1, 1);
    CHECK_THROWS_WITH(fit_friction(v, v, v, FrictionForm::linear, x), Catch::Contains("smoothing is"));
    CHECK_THROWS_WITH(central_differences(v, x), Catch::Contains("dt is"));
    CHECK_THROWS_WITH(delay(v, v, x, 1), Catch::Contains("dt is"));
    CHECK_THROWS_WITH(consistent_estimate<double>(Arm().model, StreamingLeastSquares<double>(30), {.spread = x}),
                      Catch::Contains("spread is"));
    if (x <= 0 || std::isnan(x))
      CHECK_THROWS_WITH(DriveGainEstimator(1, 1).add_prior(Vector::Constant(1, x)), Catch::Contains("deviation is"));
  }
  CHECK(mentions(message_of<Error>([&] { prepare(log, {.cutoff = 1e-300}); }), {"samples are left"}));
  CHECK_THROWS_WITH(DriveGainEstimator(-1, 3), Catch::Contains("-1 joints"));
  CHECK_THROWS_WITH(DriveGainEstimator(3, -1), Catch::Contains("-1 parameters"));
  const Vector one = Vector::Ones(2), none;
  CHECK_THROWS_WITH(LowPass(100, 10)(none), Catch::Contains("LowPass: 0 samples"));
  CHECK_THROWS_WITH(resample(none, none, one), Catch::Contains("resample: 0 samples"));
  CHECK_THROWS_WITH(DriveGainEstimator(2, 3).add(Matrix::Ones(3, 3), one, one, one), Catch::Contains("Y is 3 x 3"));
}
