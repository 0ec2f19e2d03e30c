#include "corio/control/momentum_observer.hpp"

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace momentum_observer_test {
namespace {

using Vectord = VectorX<double>;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// Builds trees with joints of all types, on fixed and floating bases.
Model<double> tree_of_all(int seed, bool passive = false) {
  return zoo::random_tree(
      static_cast<std::uint64_t>(seed),
      {.bodies = 10, .floating_base = seed % 2 == 1, .armature = seed % 3 != 0, .passive = passive});
}

/// A robot in a random motion, with motor torques that change from tick to tick and constant external forces.
struct Scene {
  Scene(const Model<double>& m, int seed)
      : model(m),
        data(model),
        v(0.5 * random_vector<double>(m.nv(), seed)),
        tau_ext(random_vector<double>(m.nv(), seed + 1)) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    q = random_configuration(model, generator);
  }
  /// Returns the motor torques at time t. They are held from tick to tick, so each dt has its own step function.
  Vectord tau(double t) const { return 2 * (5 * t + Eigen::ArrayXd::LinSpaced(model.nv(), 0, 3)).sin().matrix(); }
  /// Returns the residual after `ticks` ticks of dt, and its largest error on the way. Every `missed`-th tick is left
  /// out.
  struct Result {
    Vectord r;
    double error = 0;
  };
  Result observe(MomentumObserver<double> observer, double dt, int ticks, int missed = 0) {
    // Uses the friction model of the observer: with exact friction the observer cannot know what holds a joint at rest.
    Simulation<double> plant(model, q, v, dt, Integrator::rk4, 1, Friction::smooth);
    Result result;
    observer.update(model, data, q, v, Vectord::Zero(model.nv()), dt);
    Vectord mean = Vectord::Zero(model.nv());
    double since = 0;
    for (int i = 0; i < ticks; ++i) {
      const Vectord held = tau(plant.time());
      plant.advance(held + tau_ext);
      mean += held * dt, since += dt;
      if (missed > 0 && i % missed == 0) continue;
      result.r = observer.update(model, data, plant.q(), plant.v(), mean / since, since);
      mean.setZero(), since = 0;
      const Vectord expected = tau_ext.cwiseProduct(expected_share(observer.gain(), plant.time()));
      result.error = std::max(result.error, max_magnitude(result.r - expected));
    }
    return result;
  }
  static Vectord expected_share(const Vectord& K, double t) { return (1 - (-t * K.array()).exp()).matrix(); }

  Model<double> model;
  Data<double> data;
  Vectord q, v, tau_ext;
};

Vectord gains(const Model<double>& model) { return Vectord::LinSpaced(model.nv(), 20, 60); }

}  // namespace

TEST_CASE("a constant force from outside gives r = tau_ext (1 - exp(-K t))", "[control][momentum_observer]") {
  Scene s(tree_of_all(GENERATE(range(1, 9))), 7);
  INFO(s.model.name());
  const MomentumObserver observer(s.model, gains(s.model));
  // The error is of second order: dt times the rates of C^T v - g.
  const double coarse = s.observe(observer, 1e-3, 100).error, fine = s.observe(observer, 5e-4, 200).error;
  CAPTURE(coarse, fine);
  CHECK(fine < 2e-3 * max_magnitude(s.tau_ext));
  CHECK(coarse / fine > 3);
  CHECK(coarse / fine < 5);
}
TEST_CASE("missed ticks are longer ones", "[control][momentum_observer]") {
  Scene s(tree_of_all(GENERATE(1, 2)), 8);
  const MomentumObserver observer(s.model, gains(s.model));
  const double all = s.observe(observer, 5e-4, 200).error, some = s.observe(observer, 5e-4, 200, 3).error;
  CHECK(some <
        6 * all);  // a factor of four for errors of order two, and a margin since the motors change between samples
}
TEST_CASE("the residual is stable for every K dt", "[control][momentum_observer]") {
  Scene s(tree_of_all(3), 9);
  for (const double K : {1e-3, 1.0, 1e3, 1e6, 1e12}) {
    CAPTURE(K);
    const MomentumObserver observer(s.model, Vectord::Constant(s.model.nv(), K));
    CHECK(s.observe(observer, 5e-4, 200).error < 1e-2 * max_magnitude(s.tau_ext));
  }
}

TEST_CASE("a push on a body is J^T f, also of a floating base", "[control][momentum_observer]") {
  auto model = zoo::quadruped();
  Data<double> data(model);
  Vectord q = neutral(model), v = 0.3 * random_vector<double>(model.nv(), 4);
  const Vectord still = Vectord::Zero(model.nv());
  const FramePoint<double> hand(model.bodies().back(), ReferenceFrame::world_aligned, {0.02, 0.01, -0.1});
  const double dt = 1e-4;
  MatrixX<double> J(6, model.nv());
  Simulation<double> plant(model, q, v, dt, Integrator::rk4);
  // The gain is so high that r is the mean over the last tick.
  MomentumObserver observer(model, Vectord::Constant(model.nv(), 1e9));
  observer.update(model, data, q, v, still, dt);
  for (int i = 0; i < 20; ++i) {
    forward_kinematics<double>(model, data, plant.q(), plant.v());
    body_jacobian(model, data, hand, J);
    const Vectord push = J.transpose() * (Vectord(6) << 0, 0, 0, 20, -10, 5).finished();
    plant.advance(push);
    const Vectord& r = observer.update(model, data, plant.q(), plant.v(), still, dt);
    CAPTURE(i);
    REQUIRE(relative_error(r, push) < 1e-4);
  }
  // This is the wrench on the whole robot, in the axes of its base.
  const auto& base = body_pose(model, data, model.bodies()[0]);
  const Vector3<double> force = base.rotation * Vector3<double>(observer.residual().segment<3>(3));
  CHECK(relative_error(force, Vector3<double>(20, -10, 5)) < 1e-3);
}

TEST_CASE("passive forces are outside ones, or reckoned with", "[control][momentum_observer]") {
  Scene s(tree_of_all(GENERATE(4, 5), true), 10);
  s.model.set_friction(0.2 * s.model.friction());
  s.v.setZero();
  const MomentumObserver blind(s.model, gains(s.model)), knowing(s.model, gains(s.model), {.passive_forces = true});
  // Friction changes its sign within a few mm/s, which makes the mean of two ticks less accurate.
  CHECK(s.observe(knowing, 2.5e-4, 400).error < 2e-2 * max_magnitude(s.tau_ext));
  CHECK(s.observe(blind, 2.5e-4, 400).error > 0.2 * max_magnitude(s.tau_ext));
}

TEST_CASE("what an observer rejects leaves it as it was", "[control][momentum_observer]") {
  const auto model = tree_of_all(3);
  Data<double> data(model), other(model);
  std::mt19937 generator(1);
  const Vectord q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 2), tau = 3 * v,
                next_v = 1.01 * v, next_q = integrate<double>(model, q, 1e-3 * v);
  MomentumObserver observer(model, gains(model)), untouched = observer;
  for (auto* of : {&observer, &untouched}) {
    of->update(model, other, q, v, tau, 1e-3);
    of->update(model, other, next_q, next_v, tau, 1e-3);
  }
  const Vectord before = observer.residual();
  REQUIRE(max_magnitude(before) > 1e-2);
  const auto spoilt = [](Vectord x, double by) {
    x[1] = by;
    return x;
  };
  for (const double bad : {nan, infinity}) {
    CHECK(mentions(message_of<Error>([&] { observer.update(model, data, spoilt(q, bad), v, tau, 1e-3); }), {"q[1]"}));
    CHECK(mentions(message_of<Error>([&] { observer.update(model, data, q, spoilt(v, bad), tau, 1e-3); }), {"v[1]"}));
    CHECK(mentions(message_of<Error>([&] { observer.update(model, data, q, v, spoilt(tau, bad), 1e-3); }), {"tau[1]"}));
  }
  CHECK(mentions(message_of<Error>([&] { observer.update(model, data, q, spoilt(v, 1e300), tau, 1e-3); }),
                 {"too large"}));
  for (const double dt : {0.0, -1e-3, 1.0, nan})
    CHECK(mentions(message_of<Error>([&] { observer.update(model, data, q, v, tau, dt); }), {"dt is"}));
  CHECK_THROWS_AS(observer.update(model, data, q, v, Vectord::Zero(model.nv() + 1), 1e-3), SizeError);
  CHECK_THROWS_AS(observer.update(model, data, Vectord::Zero(1), v, tau, 1e-3), SizeError);
  forward_kinematics<double>(model, data, q);
  CHECK_THROWS_AS(observer.update(model, data, tau, 1e-3), StateError);
  CHECK(observer.residual() == before);
  CHECK(observer.dt() == 1e-3);
  // The observer continues as if the rejected call had not happened.
  const Vectord r = untouched.update(model, other, q, v, tau, 2e-3);
  CHECK(observer.update(model, data, q, v, tau, 2e-3) == r);
}

TEST_CASE("gains of an observer are checked by joint", "[control][momentum_observer]") {
  const auto model = zoo::serial_chain(3);
  CHECK_THROWS_AS(MomentumObserver(model, Vectord::Ones(4)), SizeError);
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    Vectord K = Vectord::Ones(3);
    K[2] = bad;
    CHECK(mentions(message_of<Error>([&] { MomentumObserver(model, K); }),
                   {"gain (K) of joint", model.joints()[2].name()}));
  }
  CHECK_THROWS_AS(MomentumObserver(model, Vectord::Ones(3), {.smoothing = -1}), Error);
  const auto smaller = zoo::serial_chain(2);
  Data<double> data(smaller);
  MomentumObserver observer(model, Vectord::Ones(3));
  const Vectord x = Vectord::Zero(2);
  CHECK_THROWS_AS(observer.update(smaller, data, x, x, x, 1e-3), SizeError);
}

TEST_CASE("reset begins again, so that a payload is no push", "[control][momentum_observer]") {
  auto model = zoo::serial_chain(4);
  Data<double> data(model);
  const Vectord q = Vectord::Zero(4), v = Vectord::Ones(4), tau = Vectord::Zero(4);
  MomentumObserver observer(model, Vectord::Constant(4, 50.0));
  observer.update(model, data, q, v, tau, 1e-3);
  auto inertia = model.inertia(model.bodies().back());
  inertia.mass *= 3;
  model.set_inertia(model.bodies().back(), inertia);
  auto forgetful = observer;
  CHECK(max_magnitude(forgetful.update(model, data, q, v, tau, 1e-3)) > 1);
  observer.reset();
  CHECK(observer.update(model, data, q, v, tau, 1e-3) == Vectord::Zero(4));
  CHECK(observer.residual() == Vectord::Zero(4));
}

TEST_CASE("an observer allocates nothing", "[control][momentum_observer]") {
  const auto model = tree_of_all(3, true);
  Data<double> data(model);
  std::mt19937 generator(1);
  const Vectord q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 2), tau = 3 * v;
  MomentumObserver observer(model, gains(model), {.passive_forces = true});
  observer.update(model, data, q, v, tau, 1e-3);
  Eigen::internal::set_is_malloc_allowed(false);
  observer.update(model, data, q, v, tau, 1e-3);
  observer.reset();
  observer.update(model, data, q, v, tau, 1e-3);
  Eigen::internal::set_is_malloc_allowed(true);
  CHECK(observer.dt() == 1e-3);
}

TEST_CASE("an observer in float is that in double to rounding", "[control][momentum_observer]") {
  const auto model = zoo::serial_chain(5);
  const auto model_f = model.cast<float>();
  Data<double> data(model);
  Data<float> data_f(model_f);
  MomentumObserver observer(model, gains(model));
  MomentumObserver observer_f(model_f, gains(model).cast<float>());
  for (int i = 0; i < 50; ++i) {
    const Vectord q = Vectord::LinSpaced(5, 0, 1) * (1 + 0.01 * i), v = Vectord::Constant(5, 0.5 + 0.01 * i),
                  tau = 2 * v;
    observer.update(model, data, q, v, tau, 0.02);
    observer_f.update(model_f, data_f, q.cast<float>(), v.cast<float>(), tau.cast<float>(), 0.02);
  }
  // Momenta of some kg m^2/s have errors of epsilon, divided by dt.
  CHECK(relative_error(observer_f.residual().cast<double>(), observer.residual()) < 1e-4);
}

}  // namespace momentum_observer_test
