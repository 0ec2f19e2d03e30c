#include "control/adaptive_support.hpp"

// Parameters that adapt together with bodies, alone, or not at all.

namespace adaptive_test {

TEST_CASE("Friction of joints adapts, and does not fall below zero", "[control][adaptive]") {
  const LoadedArm arm;
  auto rough = arm.known;
  const Vectord damping = arm.one(0.8), friction = arm.one(0.5);
  rough.set_damping(damping), rough.set_friction(friction);
  AdaptiveSlotineLi<double> controller(arm.known, {arm.one(5), arm.one(3)},
                                       {Vectord::Zero(1), ParameterMetric::natural, {arm.known, {arm.hand}}},
                                       {arm.one(50), arm.one(50)});
  controller.set_friction(arm.known, arm.one(0.1), arm.one(2));  // the last value is far too large
  Data data(arm.known);
  const auto fast = [](double t) {
    const SineMotion r = sines(4, 2 * t);
    return SineMotion{r.q, 2 * r.v, 4 * r.a};
  };
  const SineMotion start = fast(0);
  Simulation<double> plant(rough, start.q, start.v, 5e-4);
  const auto wrong = [&] {
    return (controller.damping() - damping).squaredNorm() + (controller.friction() - friction).squaredNorm();
  };
  const double first = wrong();
  double least = 1;
  while (plant.time() < 24) {
    const SineMotion r = fast(plant.time());
    plant.advance(controller.update(arm.known, data, plant.q(), plant.v(), r.q, r.v, r.a, plant.dt()));
    least = std::min({least, controller.damping().minCoeff(), controller.friction().minCoeff()});
  }
  CHECK(least == 0);  // damping: the excess was first attributed to friction
  CHECK(wrong() < 0.03 * first);
}

TEST_CASE("Rows W pi = y adapt alone, stable for any size", "[control][adaptive]") {
  const auto model = zoo::serial_chain(3);
  Random<double> random(8);
  for (const auto metric : {ParameterMetric::euclidean, ParameterMetric::natural}) {
    CAPTURE(metric == ParameterMetric::natural);
    const BodySelection last(model, model.bodies().back());
    AdaptiveParameters<double> p(model,
                                 {Vectord::Constant(metric == ParameterMetric::natural ? 1 : 10, 0.5), metric, last});
    const Vectord truth = other_parameters(model, last, random).tail(10), rest = p.values().head(20);
    const Vectord all = (Vectord(30) << rest, truth).finished();
    for (const double size : {1e-2, 1.0, 1e6, 1e3})
      for (int i = 0; i < 1000; ++i) {
        const Matrixd W = size * Eigen::Map<Matrixd>(Vectord(random_vector(random, 40)).data(), 4, 10);
        const double distance = p.distance(all);
        p.adapt(W, W * truth, 1.0, 0.05);
        // Projections in a constant metric never increase the distance; the rest is rounding.
        if (metric == ParameterMetric::euclidean) CHECK(p.distance(all) <= distance + 1e-20);
      }
    // Convergence is slower if a body's metric differs between its axes.
    CHECK(relative_error(p.values().tail(10), truth) < (metric == ParameterMetric::euclidean ? 1e-6 : 0.01));
    CHECK(p.values().head(20) == rest);
  }
}

TEST_CASE("AdaptiveSlotineLi rejects bad gains and samples, and goes on", "[control][adaptive]") {
  const auto model = with_passive_forces(zoo::quadruped(), 1);
  Task t(model, 9);
  const int n = static_cast<int>(model.bodies().size());
  const Vectord one = Vectord::Ones(model.nv()), gamma = Vectord::Ones(n), ten = Vectord::Ones(10 * n);
  Vectord negative = one, negative_gamma = gamma, nan_ten = ten;
  negative[model.nv() - 1] = -1, negative_gamma[n - 1] = -2, nan_ten[10 * n - 1] = std::nan("");
  const std::string last = model.joints().back().name(), last_body = model.bodies().back().name();
  using Adaptive = AdaptiveSlotineLi<double>;
  const SlidingGains<double> good{one, one};
  CHECK_THROWS_WITH(Adaptive(model, {negative, one}, {gamma}), Contains("lambda") && Contains(last));
  CHECK_THROWS_WITH(Adaptive(model, {one, negative}, {gamma}), Contains("K_D") && Contains("-1"));
  CHECK_THROWS_WITH(Adaptive(model, good, {negative_gamma}), Contains("gain 0") && Contains(last_body));
  CHECK_THROWS_WITH(Adaptive(model, good, {nan_ten, ParameterMetric::euclidean}),
                    Contains("gain 9") && Contains(last_body) && Contains("nan"));
  CHECK_THROWS_AS(Adaptive(model, good, {ten}), SizeError);
  CHECK_THROWS_AS(Adaptive(model, good, {gamma, ParameterMetric::euclidean}), SizeError);
  CHECK_THROWS_AS(Adaptive(model, good, {Vectord::Ones(1), ParameterMetric::natural, {t.model, {"no body"}}}),
                  ModelError);
  CHECK_THROWS_WITH(Adaptive(model, good, {gamma}, {negative, {}}), Contains("gain of damping") && Contains(last));
  CHECK_THROWS_WITH(Adaptive(model, good, {gamma}, {{}, negative}), Contains("gain of friction"));
  CHECK_THROWS_AS(Adaptive(model, good, {gamma}, {one.head(3), {}}), SizeError);
  CHECK_THROWS_AS(Adaptive(model, good, {gamma}, {one, one, -1}), Error);

  Adaptive controller(model, good, {gamma * 1e-3}, {one, one}), same = controller;
  CHECK_THROWS_WITH(controller.set_parameters(model, -inertial_parameters(model)), Contains("mass"));
  CHECK_THROWS_AS(controller.set_parameters(model, one), SizeError);
  CHECK_THROWS_WITH(controller.set_friction(model, negative, one), Contains(last));
  CHECK_THROWS_AS(controller.set_friction(model, one.head(2), one), SizeError);
  t.update(controller, 1e-3), t.update(same, 1e-3);

  const auto spoilt = [](Vectord x, double value = std::nan("")) {
    x[1] = value;
    return x;
  };
  const auto call = [&](const Vectord& q, const Vectord& v, const Vectord& q_d, double dt) {
    controller.update(model, t.data, q, v, q_d, t.v_d, t.a_d, dt);
  };
  const Task& c = t;
  CHECK_THROWS_WITH(call(spoilt(c.q), c.v, c.q_d, 1e-3), Contains("q[1]"));
  CHECK_THROWS_WITH(call(c.q, spoilt(c.v), c.q_d, 1e-3), Contains("v[1]"));
  CHECK_THROWS_WITH(call(c.q, c.v, spoilt(c.q_d), 1e-3), Contains("q_d[1]"));
  CHECK_THROWS_WITH(call(c.q, spoilt(c.v, 1e200), c.q_d, 1e-3), Contains("too large"));
  CHECK_THROWS_AS(call(c.q.head(3), c.v, c.q_d, 1e-3), SizeError);
  for (const double dt : {0.0, -1e-3, 1.0, std::nan("")}) CHECK_THROWS_WITH(call(c.q, c.v, c.q_d, dt), Contains("dt"));
  const Matrixd W = Matrixd::Ones(2, 10 * n);
  const Vectord y = Vectord::Ones(2);
  CHECK_THROWS_AS(controller.adapt(W.leftCols(3), y, 1.0, 1e-3), SizeError);
  CHECK_THROWS_AS(controller.adapt(W, Vectord::Ones(3), 1.0, 1e-3), SizeError);
  CHECK_THROWS_WITH(controller.adapt(W, spoilt(y), 1.0, 1e-3), Contains("y[1]"));
  CHECK_THROWS_AS(controller.adapt(W * std::nan(""), y, 1.0, 1e-3), Error);
  CHECK_THROWS_AS(controller.adapt(W * 1e300, y, 1.0, 1e-3), Error);
  for (const double weight : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(controller.adapt(W, y, weight, 1e-3), Error);
  CHECK_THROWS_WITH(controller.adapt(W, y, 1.0, 1.0), Contains("dt"));
  CHECK_NOTHROW(AdaptiveSlotineLi<double>(same).adapt(W, y, 0.5, 1e-3));

  // The rejected calls have left no trace.
  CHECK(controller.parameters() == same.parameters());
  CHECK(controller.friction() == same.friction());
  Data fresh(model);
  CHECK_THROWS_AS(controller.update(model, fresh, t.q_d, t.v_d, t.a_d, 1e-3), StateError);
  CHECK(t.update(controller, 1e-3) == t.update(same, 1e-3));
  CHECK(controller.damping() == same.damping());

  CHECK(allocations([&] {
          t.update(controller, 1e-3);
          controller.adapt(W, y, 1.0, 1e-3);
        }) == 0);
  controller.reset(model);
  CHECK(controller.parameters() == inertial_parameters(model));
  CHECK(controller.friction() == model.friction());
}

}  // namespace adaptive_test
