#include "control/adaptive_support.hpp"

namespace adaptive_test {

TEST_CASE("pseudo_inertia_gradient is dual to pseudo_inertia", "[control][adaptive]") {
  Random<double> random(1);
  for (int i = 0; i < 10; ++i) {
    const Vector10<double> d = random_vector(random, 10), pi = random_vector(random, 10);
    const Eigen::Matrix4d B = pseudo_inertia_gradient(d);
    CHECK((B * pseudo_inertia(pi)).trace() == Approx(d.dot(pi)));
    CHECK(B == B.transpose());
  }
}

TEST_CASE("AdaptiveSlotineLi: tau = Y pi + passive forces - K_D s, parameters move by -dt Gain Y^T s",
          "[control][adaptive]") {
  for_each_task([](Task& t) {
    const double dt = 3e-3;
    const int n = num_inertial_parameters(t.model);
    const SlidingGains<double> gains = t.tracking();
    const Vectord gain = t.positive(n);
    const FrictionGains<double> joints{t.positive(t.model.nv()), t.positive(t.model.nv())};
    AdaptiveSlotineLi<double> controller(t.model, gains, {gain, ParameterMetric::euclidean}, joints);
    const Vectord before = random_vector(t.random, n);  // need not be physical
    controller.set_parameters(t.model, before);
    for (int tick = 0; tick < 2; ++tick) {
      const Vectord pi = controller.parameters(), damping = controller.damping(), friction = controller.friction();
      const Vectord tau = t.update(controller, dt * (1 + tick));  // one tick was missed
      const SlidingVariable<double> at = controller.sliding();
      const Matrixd Y = t.Y(at);
      const double h = dt * (1 + tick);
      CHECK(relative_error(controller.parameters(), pi - h * gain.cwiseProduct(Y.transpose() * at.s)) <
            tolerance<double>());
      const Vectord direction = (t.v / friction_smoothing).array().tanh();
      CHECK(relative_error(controller.damping(),
                           (damping - h * joints.damping.cwiseProduct(at.s).cwiseProduct(t.v)).cwiseMax(0)) <
            tolerance<double>());
      CHECK(relative_error(controller.friction(),
                           (friction - h * joints.friction.cwiseProduct(at.s).cwiseProduct(direction)).cwiseMax(0)) <
            tolerance<double>());
      auto thought = t.model;
      thought.set_damping(controller.damping()), thought.set_friction(controller.friction());
      Data data(thought);
      const Vectord expected = Y * controller.parameters() + t.model.armature().cwiseProduct(at.a_r) -
                               passive_forces<double>(thought, data, t.q, t.v) - gains.damping.cwiseProduct(at.s);
      CHECK(relative_error(tau, expected) < tolerance<double>());
    }
  });
}

TEST_CASE("AdaptiveSlotineLi without gains is SlotineLi", "[control][adaptive]") {
  for_each_task([](Task& t) {
    const SlidingGains<double> gains = t.tracking();
    AdaptiveSlotineLi<double> adaptive(t.model, gains,
                                       {Vectord::Zero(num_inertial_parameters(t.model)), ParameterMetric::euclidean});
    SlotineLi<double> plain(t.model, gains);
    const Vectord tau = t.update(adaptive, 0.01);
    Vectord expected = plain.update(t.model, t.data, t.q, t.v, t.q_d, t.v_d, t.a_d);
    expected -= passive_forces(t.model, t.data);
    CHECK(relative_error(tau, expected) < tolerance<double>());
    CHECK(adaptive.parameters() == inertial_parameters(t.model));
    CHECK(adaptive.damping() == t.model.damping());
  });
}

TEST_CASE("In both metrics dV/dt = -s^T K_D s", "[control][adaptive]") {
  for_each_task([](Task& t) {
    for (const auto metric : {ParameterMetric::euclidean, ParameterMetric::natural}) {
      CAPTURE(metric == ParameterMetric::natural);
      const BodySelection bodies(t.model, some_names(t.model));
      const SlidingGains<double> gains = t.tracking();
      const Eigen::Index each = metric == ParameterMetric::natural ? 1 : 10;
      const FrictionGains<double> joints{t.positive(t.model.nv()), t.positive(t.model.nv())};
      AdaptiveSlotineLi<double> controller(t.model, gains, {t.positive(each * bodies.size(t.model)), metric, bodies},
                                           joints);
      controller.set_parameters(t.model, other_parameters(t.model, bodies, t.random));
      controller.set_friction(t.model, t.positive(t.model.nv()), t.positive(t.model.nv()));
      const auto of_joints = [&] {
        const Vectord d = controller.damping() - t.model.damping(), f = controller.friction() - t.model.friction();
        return 0.5 * (d.cwiseProduct(d).cwiseQuotient(joints.damping).sum() +
                      f.cwiseProduct(f).cwiseQuotient(joints.friction).sum());
      };
      const Vectord pi = inertial_parameters(t.model);
      // Takes the distances before and after a short tick: their difference is the rate, up to the order of h.
      const double h = 1e-7;
      t.update(controller, h);
      const double before = controller.distance(pi) + of_joints();
      const Vectord tau = t.update(controller, h);
      const double after = controller.distance(pi) + of_joints();
      const Vectord s = controller.sliding().s;
      const Vectord acting = tau + passive_forces<double>(t.model, t.data, t.q, t.v);
      const auto& [C, M, Mdot] = coriolis_matrix(t.model, t.data);
      const Vectord ds_by_M = acting - nonlinear_effects(t.model, t.data) -
                              M * controller.sliding().a_r;  // M ds/dt, without loss of digits
      const double of_s = s.dot(ds_by_M) + 0.5 * s.dot(Mdot * s), falls = s.dot(gains.damping.cwiseProduct(s));
      const double size = falls + std::abs(of_s);
      CHECK(std::abs(of_s + (after - before) / h + falls) < 1e-3 * size);
    }
  });
}

TEST_CASE("In closed loop V + int s^T K_D s stays, of first order in dt", "[control][adaptive]") {
  const LoadedArm arm;
  const Vectord K_D = arm.one(2);
  for (const auto metric : {ParameterMetric::euclidean, ParameterMetric::natural}) {
    CAPTURE(metric == ParameterMetric::natural);
    const auto run = [&](double dt) {
      Vectord gain = Vectord::Constant(1, 0.3);
      if (metric == ParameterMetric::euclidean) {
        gain.resize(10);
        gain << 2, 0.2, 0.2, 0.2, Vectord::Constant(6, 0.02);
      }
      AdaptiveSlotineLi<double> controller(arm.known, {arm.one(5), K_D}, {gain, metric, {arm.known, {arm.hand}}});
      return follow(arm, controller, K_D, dt, 2).imbalance;
    };
    const double coarse = run(4e-4), fine = run(2e-4);
    CHECK(fine < 0.02);
    CHECK(fine < 0.75 * coarse);
  }
}

TEST_CASE("A load that was taken up is found, and followed with", "[control][adaptive]") {
  const LoadedArm arm;
  const Vectord K_D = arm.one(5);
  const double of_truth = arm.loaded.inertia(arm.hand).mass, of_start = arm.known.inertia(arm.hand).mass;
  AdaptiveSlotineLi<double> fixed(arm.known, {arm.one(5), K_D},
                                  {Vectord::Zero(1), ParameterMetric::natural, {arm.known, {arm.hand}}});
  const Run without = follow(arm, fixed, K_D, 1e-3, 16);
  CHECK(inertial_parameters(arm.known) == fixed.parameters());
  for (const auto metric : {ParameterMetric::euclidean, ParameterMetric::natural}) {
    CAPTURE(metric == ParameterMetric::natural);
    Vectord gain = Vectord::Constant(1, 3.0);
    if (metric == ParameterMetric::euclidean) {
      gain.resize(10);
      gain << 60, 6, 6, 6, Vectord::Constant(6, 0.6);
    }
    AdaptiveSlotineLi<double> controller(arm.known, {arm.one(5), K_D}, {gain, metric, {arm.known, {arm.hand}}});
    const Run run = follow(arm, controller, K_D, 1e-3, 16);
    CHECK(run.late < 0.1 * without.late);
    const auto n = controller.parameters().size();
    CHECK(std::abs(controller.parameters()[n - 10] - of_truth) < 0.1 * (of_truth - of_start));
    // Parameters that do not adapt stay unchanged.
    CHECK(controller.parameters().head(n - 10) == inertial_parameters(arm.known).head(n - 10));
    // The estimates can be written into a model.
    auto model = arm.known;
    if (metric == ParameterMetric::natural) {
      set_inertial_parameters<double>(model, controller.parameters());
      CHECK(relative_error(inertial_parameters(model), controller.parameters()) < tolerance<double>());
    }
  }
}

TEST_CASE("The natural metric keeps bodies physical whatever happens", "[control][adaptive]") {
  Task t(zoo::serial_chain(5), 3);
  const int n = static_cast<int>(t.model.bodies().size());
  AdaptiveSlotineLi<double> controller(t.model, t.tracking(), {Vectord::Constant(n, 1e6)});
  for (int i = 0; i < 3000; ++i) {
    const double size = std::pow(10.0, i % 7);
    t.v = size * random_vector(t.random, t.model.nv()), t.v_d = size * random_vector(t.random, t.model.nv());
    t.a_d = size * random_vector(t.random, t.model.nv());
    t.update(controller, 0.1);
    REQUIRE(detail::all_finite(controller.parameters()));
    // Checks the eigenvalues of each body, independently of the class's own test: none is negative beyond rounding.
    for (int b = 0; b < n; ++b) {
      const Vector10<double> pi = controller.parameters().segment<10>(10 * b);
      const Vectord x = eigenvalues(pseudo_inertia(pi));
      REQUIRE(x[0] > -1e-14 * x[3]);
      REQUIRE(is_physically_consistent(pi));
    }
  }
  check_physically_consistent<double>(t.model, controller.parameters());

  // After a step no eigenvalue is smaller than a quarter of its value before.
  AdaptiveParameters<double> one(t.model, {Vectord::Constant(n, 1)});
  const Vectord before = one.values();
  one.descend(1e9 * random_vector(t.random, 10 * n), 1.0);
  one.accept();
  for (int b = 0; b < n; ++b) {
    const Vector10<double> old = before.segment<10>(10 * b), now = one.values().segment<10>(10 * b);
    const Vectord ratios = eigenvalues(pseudo_inertia(now), pseudo_inertia(old));
    CHECK(ratios[0] > 0.25 * (1 - 1e-6));
    CHECK(ratios[3] < 2.25 * (1 + 1e-6));
  }
}

TEST_CASE("The natural metric: J(h)^-1 = J^-1 + h gamma B for a short time, in all axes alike", "[control][adaptive]") {
  const auto model = zoo::serial_chain(1);
  Random<double> random(4);
  AdaptiveParameters<double> one(model, {Vectord::Constant(1, 0.7)});
  const Vector10<double> d = random_vector(random, 10), pi = one.values();
  const auto wrong = [&](double h) {
    const Vector10<double> now = one.descend(d, h);
    const Eigen::Matrix4d exact = (pseudo_inertia(pi).inverse() + h * 0.7 * pseudo_inertia_gradient(d)).inverse();
    return (pseudo_inertia(now) - exact).norm();
  };
  CHECK(wrong(1e-2) > 0);
  CHECK(wrong(0.5e-2) < 0.3 * wrong(1e-2));  // about a quarter, as the error is of order h^2
}

TEST_CASE("distance is zero at the parameters alone, and infinite to what is not physical", "[control][adaptive]") {
  Random<double> random(6);
  const auto model = zoo::serial_chain(3);
  for (const auto metric : {ParameterMetric::euclidean, ParameterMetric::natural}) {
    AdaptiveParameters<double> p(model, {Vectord::Ones(metric == ParameterMetric::natural ? 3 : 30), metric});
    CHECK(std::abs(p.distance(p.values())) < 1e-12);
    for (int i = 0; i < 20; ++i) CHECK(p.distance(other_parameters(model, {}, random)) > 0);
    Vectord negative = p.values();
    negative[0] = -1;
    CHECK(std::isinf(p.distance(negative)) == (metric == ParameterMetric::natural));
  }
}

}  // namespace adaptive_test
