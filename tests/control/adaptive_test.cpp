#include <Eigen/Eigenvalues>

#include "control/loaded_arm.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/allocation_counter.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

/// Adaptive control on trees of all joints, and of arms in closed loop.
namespace adaptive_test {

using namespace corio;
using namespace corio::test;
using Catch::Contains;

/// A state, a desired motion nearby, and gains.
struct Task {
  Task(const Model<double>& m, int seed) : random(seed), model(m), data(model) {
    const auto vector = [&] { return test::random_vector(random, model.nv()); };
    q_d = integrate<double>(model, neutral(model), vector());
    q = integrate<double>(model, q_d, 0.5 * vector());
    v = vector(), v_d = vector(), a_d = vector();
  }
  Vectord positive(Eigen::Index n) {
    Vectord x(n);
    for (double& number : x) number = 1.5 + random.real();
    return x;
  }
  SlidingGains<double> tracking() { return {positive(model.nv()), positive(model.nv())}; }
  const Vectord& update(AdaptiveSlotineLi<double>& controller, double dt) {
    return controller.update(model, data, q, v, q_d, v_d, a_d, dt);
  }
  Matrixd Y(const SlidingVariable<double>& at, const BodySelection& bodies = {}) {
    Matrixd out(model.nv(), bodies.num_parameters(model));
    slotine_li_regressor(model, data, q, v, at.v_r, at.a_r, out, bodies);
    return out;
  }
  Random<double> random;
  Model<double> model;
  Data<double> data;
  Vectord q, v, q_d, v_d, a_d;
};

/// With all passive forces and armature.
Model<double> with_passive_forces(Model<double> model, int seed) {
  Random<double> random(seed);
  const auto vector = [&] { return Vectord(Vectord::Constant(model.nv(), 1.2) + random_vector(random, model.nv())); };
  model.set_armature(vector()), model.set_damping(vector()), model.set_friction(vector());
  model.set_springs(vector(), model.rest_configuration());
  return model;
}

template <class F>
void for_each_task(F&& f) {
  for (int i = 0; i < topology_count(); ++i) {
    const Sample s(i);
    INFO(s.name());
    Task task(with_passive_forces(s.model, i), i);
    f(task);
  }
}

/// The bodies of a tree that have a positive definite pseudo-inertia, every second of them.
std::vector<std::string> some_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (const auto& body : model.bodies())
    if (is_physically_consistent(model.inertia(body)) && (names.empty() || names.size() % 2 == 0))
      names.push_back(body.name());
  return names;
}

Vectord other_parameters(const Model<double>& model, const BodySelection& bodies, Random<double>& random) {
  Vectord pi = inertial_parameters(model);
  for (int i = 0; i < bodies.size(model); ++i) {
    // J <- A J A^T is physical for every A.
    const Eigen::Matrix4d A =
        Eigen::Matrix4d::Identity() + 0.3 * Eigen::Map<Eigen::Matrix4d>(Vectord(random_vector(random, 16)).data());
    const Vector10<double> mine = pi.segment<10>(10 * bodies[i]);
    pi.segment<10>(10 * bodies[i]) = from_pseudo_inertia<double>(A * pseudo_inertia(mine) * A.transpose()).parameters();
  }
  return pi;
}

/// What a closed loop did.
struct Run {
  double imbalance = 0;        // the most that V(t) + int s^T K_D s - V(0) is off by, over V(0)
  double early = 0, late = 0;  // largest |e| in the first and the last second
};

template <class Controller>
Run follow(const LoadedArm& arm, Controller& controller, const Vectord& K_D, double dt, double end) {
  Data data(arm.known), truth(arm.loaded);
  const Vectord pi = inertial_parameters(arm.loaded);
  const SineMotion start = sines(arm.known.nv(), 0);
  Simulation<double> plant(arm.loaded, start.q, start.v, dt);
  Run run;
  double first = 0, lost = 0;
  while (plant.time() < end) {
    const SineMotion r = sines(arm.known.nv(), plant.time());
    // Before this tick, since it is with the old parameters that s came to be.
    const double distance = controller.distance(pi);
    const Vectord tau = controller.update(arm.known, data, plant.q(), plant.v(), r.q, r.v, r.a, dt);
    const Vectord& s = controller.sliding().s;
    const double V = 0.5 * s.dot(crba(arm.loaded, truth, plant.q()) * s) + distance;
    if (plant.time() == 0) first = V;
    run.imbalance = std::max(run.imbalance, std::abs(V + lost - first) / first);
    lost += dt * s.dot(K_D.cwiseProduct(s));
    const double e = max_magnitude(controller.sliding().error.e);
    if (plant.time() < 1) run.early = std::max(run.early, e);
    if (plant.time() > end - 1) run.late = std::max(run.late, e);
    plant.advance(tau);
  }
  return run;
}

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
      const Vectord tau = t.update(controller, dt * (1 + tick));  // one was missed
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
      // Distances before and after a short tick: their difference is the rate, up to the order of h.
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
    // What does not adapt stays.
    CHECK(controller.parameters().head(n - 10) == inertial_parameters(arm.known).head(n - 10));
    // A model can be given what was found.
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
    // By eigenvalues of each, apart from the test of the class itself: none below rounding.
    for (int b = 0; b < n; ++b) {
      const Vector10<double> pi = controller.parameters().segment<10>(10 * b);
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> J(pseudo_inertia(pi));
      REQUIRE(J.eigenvalues()[0] > -1e-14 * J.eigenvalues()[3]);
      REQUIRE(is_physically_consistent(pi));
    }
  }
  check_physically_consistent<double>(t.model, controller.parameters());

  // And no smaller than a quarter after a step.
  AdaptiveParameters<double> one(t.model, {Vectord::Constant(n, 1)});
  const Vectord before = one.values();
  one.descend(1e9 * random_vector(t.random, 10 * n), 1.0);
  one.accept();
  for (int b = 0; b < n; ++b) {
    const Vector10<double> old = before.segment<10>(10 * b), now = one.values().segment<10>(10 * b);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix4d> ratio(pseudo_inertia(now), pseudo_inertia(old));
    CHECK(ratio.eigenvalues()[0] > 0.25 * (1 - 1e-6));
    CHECK(ratio.eigenvalues()[3] < 2.25 * (1 + 1e-6));
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
  CHECK(wrong(0.5e-2) < 0.3 * wrong(1e-2));  // a quarter, as the error is of order h^2
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

TEST_CASE("Friction of joints adapts, and does not fall below zero", "[control][adaptive]") {
  const LoadedArm arm;
  auto rough = arm.known;
  const Vectord damping = arm.one(0.8), friction = arm.one(0.5);
  rough.set_damping(damping), rough.set_friction(friction);
  AdaptiveSlotineLi<double> controller(arm.known, {arm.one(5), arm.one(3)},
                                       {Vectord::Zero(1), ParameterMetric::natural, {arm.known, {arm.hand}}},
                                       {arm.one(50), arm.one(50)});
  controller.set_friction(arm.known, arm.one(0.1), arm.one(2));  // the latter too large by far
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
  CHECK(least == 0);  // damping, for which excess of friction was taken first
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
        // Projections in a constant metric never lead away; the rest is rounding.
        if (metric == ParameterMetric::euclidean) CHECK(p.distance(all) <= distance + 1e-20);
      }
    // Slower where a body's metric differs between its axes.
    CHECK(relative_error(p.values().tail(10), truth) < (metric == ParameterMetric::euclidean ? 1e-6 : 0.01));
    CHECK(p.values().head(20) == rest);
  }
}

TEST_CASE("AdaptiveSlotineLi refuses bad gains and samples, and goes on", "[control][adaptive]") {
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

  // Nothing of all that has left a trace.
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
