#include "corio/identification/excitation.hpp"

#include "corio/kinematics/configuration.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

// Motions that excite the parameters of an arm: tests of rest, slopes and limits, and that the motion gives more
// information than the best of many random motions.

namespace excitation_test {

using namespace corio;
using namespace corio::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// An arm of three joints with limits, and its base parameters.
struct Arm {
  Model<double> model = [] {
    auto builder = to_builder(zoo::serial_chain(3));
    for (const auto* link : {"link1", "link2", "link3"})
      builder.body(link).limits = {.lower = {-2}, .upper = {1.5}, .velocity = {2}, .effort = {60}, .acceleration = {8}};
    builder.add_frame("tool", "link3", {identity3<double>(), {0, 0, 0.3}});
    return builder.build();
  }();
  ExcitationLimits limits{model};
  BaseParameters<double> base = [this] {
    Data data(model);
    std::mt19937 generator(3);
    StreamingLeastSquares<double> rows(num_inertial_parameters(model));
    MatrixXd Y(model.nv(), num_inertial_parameters(model));
    for (int i = 0; i < 100; ++i) {
      const VectorXd q = random_configuration(model, generator);
      inverse_dynamics_regressor(model, data, q, random_vector<double>(3, i), random_vector<double>(3, -i), Y);
      rows.add(Y, VectorXd::Zero(3));
    }
    return BaseParameters<double>(rows);
  }();
  FourierMotion random(int seed) const {
    std::mt19937 generator(static_cast<unsigned>(seed));
    return random_motion((limits.lower + limits.upper) / 2, 8, 4, limits, generator);
  }
};

TEST_CASE("a Fourier motion begins and ends at rest, and its rates are its derivatives", "[identification]") {
  const Arm arm;
  const FourierMotion motion = arm.random(1);
  for (const double t : {0.0, motion.period()}) {
    const auto [q, v, a] = motion.at(t);
    CHECK((q - motion.coefficients.col(0)).norm() < 1e-12);
    CHECK(v.norm() < 1e-12);
    CHECK(a.norm() < 1e-11);
  }
  // Central differences err by h^2 / 6 times the third derivative, some 10.
  constexpr double h = 1e-4, tolerance = 1e-6;
  for (const double t : {0.3, 2.7, 6.1}) {
    const auto [q, v, a] = motion.at(t);
    const auto ahead = motion.at(t + h), behind = motion.at(t - h);
    CHECK(((ahead.q - behind.q) / (2 * h) - v).norm() < tolerance);
    CHECK(((ahead.v - behind.v) / (2 * h) - a).norm() < tolerance);
  }
}

TEST_CASE("the slope of the excitation agrees with differences", "[identification]") {
  Arm arm;
  arm.limits.velocity *= 0.8, arm.limits.effort *= 0.1;  // exceeds limits of each kind
  arm.limits.lower *= 0.5, arm.limits.acceleration *= 0.5;
  arm.limits.boxes.push_back({arm.model.frame("tool"), {-0.2, -0.2, 0.2}, {0.2, 0.2, 0.5}});
  detail::ExcitationObjective objective(arm.model, arm.base, arm.limits, arm.random(2), 30);
  objective.weight = 3;
  const VectorXd x = arm.random(2).coefficients.reshaped();
  VectorXd gradient, unused;
  objective(x, gradient);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd step = 1e-6 * VectorXd::Unit(x.size(), i);
    const double difference = (objective(x + step, unused) - objective(x - step, unused)) / 2e-6;
    CAPTURE(i);
    // The second derivative of penalties jumps where a limit is reached, which causes an error of the order of the
    // step.
    CHECK(std::abs(difference - gradient[i]) < 2e-5 * (1 + gradient.norm()));
  }
}

TEST_CASE("an optimised motion tells more than the best of fifty random ones, within all limits", "[identification]") {
  Arm arm;
  arm.limits.boxes.push_back({arm.model.frame("tool"), {-0.6, -0.6, 0.1}, {0.6, 0.6, 1.2}});
  double best = -1e300;
  int start = 0;
  for (int seed = 0; seed < 50; ++seed) {
    const auto e = excitation(arm.model, arm.base, arm.random(seed), arm.limits, 80);
    if (e.share <= 1 && e.information > best) best = e.information, start = seed;
  }
  const FourierMotion motion =
      optimize_excitation(arm.model, arm.base, arm.random(start), arm.limits, {.iterations = 15});
  const auto e = excitation(arm.model, arm.base, motion, arm.limits, 80);
  CHECK(e.information > best + 1);
  CHECK(e.share <= ExcitationOptions().share);
  // Checks between the instants too: the motion turns within a fraction of a period of its last harmonic.
  const auto between = excitation(arm.model, arm.base, motion, arm.limits, 1700);
  CAPTURE(between.tightest);
  CHECK(between.share < ExcitationOptions().share + 1e-3);
  CHECK(std::abs(between.information - e.information) < 0.1 * std::abs(e.information));
}

TEST_CASE("a motion within limits has the largest amplitude that keeps them", "[identification]") {
  const Arm arm;
  FourierMotion wide = arm.random(4);
  wide.coefficients.rightCols(wide.coefficients.cols() - 1) *= 3;
  const auto share = [&](const FourierMotion& motion) {
    return excitation(arm.model, arm.base, motion, arm.limits, 300).share;
  };
  const FourierMotion kept = within_limits(arm.model, arm.base, wide, arm.limits, 0.8, 300);
  const double scale = kept.coefficients(0, 1) / wide.coefficients(0, 1);
  FourierMotion wider = kept;
  wider.coefficients.rightCols(wider.coefficients.cols() - 1) *= (scale + 0.02) / scale;
  CHECK(share(kept) <= 0.8);
  CHECK(share(wider) > 0.8);
  CHECK((kept.coefficients - scale * wide.coefficients).rightCols(kept.coefficients.cols() - 1).norm() < 1e-12);
  CHECK(kept.coefficients.col(0) == wide.coefficients.col(0));
  CHECK(within_limits(arm.model, arm.base, kept, arm.limits, 0.8, 300).coefficients == kept.coefficients);
}

TEST_CASE("ranges without limits have a middle, too", "[identification]") {
  Arm arm;
  constexpr double none = std::numeric_limits<double>::infinity();
  arm.limits.lower << -none, 3, -2;
  arm.limits.upper << none, none, 1.5;
  CHECK(arm.limits.middle() == Vector3<double>(0, 4, -0.25));
  arm.limits.upper[0] = -1;
  CHECK(arm.limits.middle()[0] == -2);
}

TEST_CASE("what excitation refuses", "[identification]") {
  Arm arm;
  CHECK_THROWS_AS(FourierMotion(VectorXd::Zero(3), 0, 4), Error);
  CHECK_THROWS_AS(FourierMotion(VectorXd::Zero(3), 5, 1), Error);
  CHECK_THROWS_AS(excitation(arm.model, arm.base, FourierMotion(VectorXd::Zero(2), 5, 3), arm.limits, 50), SizeError);
  const auto floating = zoo::quadruped();
  CHECK_THROWS_AS(excitation(floating, arm.base, FourierMotion(VectorXd::Zero(floating.nv()), 5, 3), arm.limits, 50),
                  ModelError);
  const FourierMotion motion = arm.random(1);
  for (const double share : {std::nan(""), 0.0, -1.0, 1.01}) {
    CHECK_THROWS_WITH(optimize_excitation(arm.model, arm.base, motion, arm.limits, {.share = share}),
                      Catch::Contains("optimize_excitation: the share of limits is " + detail::number(share)));
    CHECK_THROWS_WITH(within_limits(arm.model, arm.base, motion, arm.limits, share, 50),
                      Catch::Contains("within_limits: the share of limits is " + detail::number(share)));
  }
  for (const int instants : {0, -3})
    CHECK_THROWS_WITH(excitation(arm.model, arm.base, motion, arm.limits, instants), Catch::Contains(" instants, exp"));
  CHECK_THROWS_WITH(optimize_excitation(arm.model, arm.base, motion, arm.limits, {.instants = -3}),
                    Catch::Contains("-3 instants"));
  CHECK_THROWS_WITH(optimize_excitation(arm.model, arm.base, motion, arm.limits, {.iterations = -3}),
                    Catch::Contains("-3 iterations"));
  CHECK_THROWS_WITH(excitation(arm.model, structural_base_parameters(arm.model), motion, arm.limits, 50),
                    Catch::Contains("42 columns") && Catch::Contains("structural_base_parameters(model, false)"));
  CHECK_NOTHROW(excitation(arm.model, structural_base_parameters(arm.model, false), motion, arm.limits, 50));
  FourierMotion cut = motion;
  cut.coefficients(2, 1) = std::nan("");
  CHECK_THROWS_WITH(excitation(arm.model, arm.base, cut, arm.limits, 50), Catch::Contains("[5] is nan"));
  cut.coefficients.conservativeResize(3, 4);
  CHECK_THROWS_WITH(excitation(arm.model, arm.base, cut, arm.limits, 50), Catch::Contains("3 x 4, expected 3 x 7"));
  for (auto limit : {&ExcitationLimits::upper, &ExcitationLimits::velocity, &ExcitationLimits::acceleration,
                     &ExcitationLimits::effort})
    for (const double x : {std::nan(""), -5.0}) {
      ExcitationLimits limits = arm.limits;
      (limits.*limit)[1] = x;
      CHECK_THROWS_WITH(excitation(arm.model, arm.base, motion, limits, 50), Catch::Contains("of joint 'joint2' is "));
      (limits.*limit).resize(2);
      CHECK_THROWS_AS(excitation(arm.model, arm.base, motion, limits, 50), SizeError);
      if (limit == &ExcitationLimits::upper) CHECK_THROWS_AS(limits.middle(), SizeError);
      std::mt19937 generator(1);
      if (limit != &ExcitationLimits::effort)
        CHECK_THROWS_AS(random_motion(arm.limits.middle(), 8, 4, limits, generator), SizeError);
    }
  ExcitationLimits shut = arm.limits;
  shut.boxes.push_back({arm.model.frame("tool"), {0, 0, 0}, {1, 1, 0}});
  CHECK_THROWS_WITH(excitation(arm.model, arm.base, motion, shut, 50), Catch::Contains("box of 'tool'"));
  std::mt19937 generator(1);
  CHECK_THROWS_WITH(random_motion(arm.limits.middle(), 8, 4, arm.limits, generator, -1),
                    Catch::Contains("-1 instants"));
  // Joints of a loop do not move independently.
  const auto leg = zoo::four_bar_leg();
  CHECK_THROWS_WITH(excitation(leg, arm.base, FourierMotion(VectorXd::Zero(leg.nv()), 5, 3), ExcitationLimits(leg), 50),
                    Catch::Contains("loop") && Catch::Contains("four_bar"));
  // No motion respects these limits: gravity alone needs more torque.
  arm.limits.effort.setConstant(1e-3);
  CHECK_THROWS_WITH(optimize_excitation(arm.model, arm.base, arm.random(1), arm.limits, {.iterations = 1}),
                    Catch::Contains("effort of joint"));
}

}  // namespace excitation_test
