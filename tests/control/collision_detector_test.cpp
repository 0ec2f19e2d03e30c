#include "corio/control/collision_detector.hpp"

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace collision_detector_test {
namespace {

using Vectord = VectorX<double>;

/// A motion by sines: the rms of the difference between the residuals with and without noise, over the predicted
/// standard deviation, per degree of freedom.
struct Trial {
  double gain, dt, velocity, torque;
  bool passive = false;
};
Vectord noise_over_prediction(const Model<double>& model, const Trial& trial) {
  const int n = model.nv(), ticks = 20000;
  const Vectord one = Vectord::Ones(n), speeds = Vectord::LinSpaced(n, 0.5, 2);
  // Each joint has another noise.
  const CollisionDetector<double>::Noise noise{trial.velocity * Vectord::LinSpaced(n, 1, 2),
                                               trial.torque * Vectord::LinSpaced(n, 2, 1)};
  // Friction is smoothed so much that its slope is one over the noise.
  const MomentumObserverOptions options{.passive_forces = trial.passive, .smoothing = 0.2};
  MomentumObserver exact(model, trial.gain * one, options), noisy = exact;
  CollisionDetector detector(model, noise, 0.0 * one);
  Data<double> data(model), other(model);
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  const auto random = [&](const Vectord& sigma) {
    return Vectord(sigma.unaryExpr([&](double s) { return s * normal(generator); }));
  };
  Vectord sum = Vectord::Zero(n);
  int count = 0;
  for (int i = 0; i < ticks; ++i) {
    const double t = i * trial.dt;
    const Vectord q = (speeds * t).array().sin(), v = speeds.array() * (speeds * t).array().cos();
    exact.update(model, data, q, v, 0 * one, trial.dt);
    detector.detect(model, data, exact);
    noisy.update(model, other, q, v + random(noise.velocity), random(noise.torque), trial.dt);
    if (t * trial.gain < 10) continue;
    sum += (noisy.residual() - exact.residual()).cwiseQuotient(detector.standard_deviation()).cwiseAbs2();
    ++count;
  }
  return (sum / count).cwiseSqrt();
}

/// Returns the bodies found after forces on some bodies have acted for a while on a robot whose weight is held.
std::vector<int> found_after_push(const Model<double>& model, const std::vector<int>& pushed, int seed) {
  const int n = model.nv();
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  const Vectord q = random_configuration(model, generator), v = 0.2 * random_vector<double>(n, seed);
  Simulation<double> plant(model, q, v, 1e-3, Integrator::rk4);
  Data<double> data(model);
  MomentumObserver observer(model, Vectord::Constant(n, 200));
  // The ticks cause errors of a few mN m.
  CollisionDetector detector(model, {Vectord::Zero(n), Vectord::Zero(n)}, Vectord::Constant(n, 0.03));
  observer.update(model, data, q, v, Vectord::Zero(n), plant.dt());
  CHECK(!detector.detect(model, data, observer));
  MatrixX<double> J(6, n);
  for (int i = 0; i < 25; ++i) {
    const Vectord hold = generalized_gravity<double>(model, plant.data(), plant.q());
    Vectord push = Vectord::Zero(n);
    for (const int b : pushed) {
      const auto& body = model.bodies()[static_cast<std::size_t>(b)];
      const FramePoint<double> point(body, ReferenceFrame::world_aligned, {0.05, -0.04, 0.1});
      body_jacobian(model, plant.data(), point, J);
      push += J.transpose() * (Vectord(6) << 0, 0, 0, 40, 30, -50).finished();
    }
    plant.advance(hold + push);
    observer.update(model, data, plant.q(), plant.v(), hold, plant.dt());
  }
  return detector.detect(model, data, observer).bodies;
}

}  // namespace

TEST_CASE("the residual is as noisy as predicted", "[control][collision_detector]") {
  const Trial trial = GENERATE(Trial{50, 1e-3, 1e-3, 0}, Trial{50, 1e-3, 0, 1}, Trial{50, 1e-3, 1e-3, 0.1},
                               Trial{2000, 1e-3, 1e-3, 0.2}, Trial{20, 5e-3, 1e-3, 0.1});
  const auto model = zoo::serial_chain(7);
  const Vectord ratio = noise_over_prediction(model, trial);
  CAPTURE(trial.gain, trial.dt, trial.velocity, trial.torque, ratio.transpose());
  // Of the 20000 samples some 500 are independent where r has a long memory: allow four standard deviations of the
  // estimate.
  CHECK(ratio.maxCoeff() < 1.13);
  CHECK(ratio.minCoeff() > 0.87);
}
TEST_CASE("friction that is reckoned with makes noise of velocities felt", "[control][collision_detector]") {
  auto model = zoo::serial_chain(7);
  model.set_damping(Vectord::Constant(7, 2.0)), model.set_friction(Vectord::Constant(7, 20.0));
  const Vectord with = noise_over_prediction(model, {50, 1e-3, 1e-3, 0, true});
  CAPTURE(with.transpose());
  CHECK(with.maxCoeff() < 1.13);
  CHECK(with.minCoeff() > 0.87);
}

TEST_CASE("the body hit is found, in every branch", "[control][collision_detector]") {
  const auto fixed = zoo::binary_tree(15), floating = zoo::quadruped();
  const int which = GENERATE(0, 1);
  const auto& model = which == 0 ? fixed : floating;
  const int bodies = static_cast<int>(model.bodies().size());
  for (int b = 0; b < bodies; ++b) {
    CAPTURE(model.name(), model.bodies()[static_cast<std::size_t>(b)].name());
    CHECK(found_after_push(model, {b}, b + 1) == std::vector<int>{b});
  }
  // Of two bodies in one branch the outer one is found; in two branches, both are.
  const int leaf = bodies - 1, parent = model.bodies().back().parent();
  CHECK(found_after_push(model, {parent, leaf}, 1) == std::vector<int>{leaf});
  int other = leaf;
  while (other > 0 && model.subtree(model.bodies()[static_cast<std::size_t>(other)]).end == model.nv()) --other;
  REQUIRE(other > 0);
  CHECK(found_after_push(model, {other, leaf}, 1) == std::vector<int>{other, leaf});
}

TEST_CASE("a collision names all joints above their thresholds", "[control][collision_detector]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Vectord zero = Vectord::Zero(3), one = Vectord::Ones(3);
  MomentumObserver observer(model, 50 * one);
  CollisionDetector detector(model, {1e-3 * one, 0.1 * one}, one, 4);
  CHECK(mentions(message_of<StateError>(
                     [&] { detector.detect(model, forward_kinematics<double>(model, data, zero, zero), observer); }),
                 {"update"}));
  observer.update(model, data, zero, zero, zero, 1e-3);
  CHECK(!detector.detect(model, data, observer));
  CHECK(max_magnitude(detector.threshold() - 4 * detector.standard_deviation() - one) < 1e-15);
  // No motor holds the weight, and 500 N m act at one joint in the middle.
  const Vectord tau = generalized_gravity<double>(model, data, zero) - Vectord::Unit(3, 1) * 500;
  observer.update(model, data, zero, zero, tau, 1e-3);
  Eigen::internal::set_is_malloc_allowed(false);
  const Collision& found = detector.detect(model, data, observer);
  Eigen::internal::set_is_malloc_allowed(true);
  CHECK(found);
  CHECK(found.joints == std::vector<int>{1});
  CHECK(found.bodies == std::vector<int>{1});
  const auto capacity = found.joints.capacity();
  observer.update(model, data, zero, zero, tau + 500 * one, 1e-3);
  CHECK(detector.detect(model, data, observer).joints == std::vector<int>{0, 1, 2});
  CHECK(found.bodies == std::vector<int>{2});
  CHECK(found.joints.capacity() == capacity);
}

TEST_CASE("thresholds of standstill have all of the friction at rest, and none in motion",
          "[control][collision_detector]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Vectord zero = Vectord::Zero(3), one = Vectord::Ones(3), friction = (Vectord(3) << 5, 0, 2).finished();
  MomentumObserver observer(model, 50 * one);
  CollisionDetector detector(model, {zero, zero}, one), without = detector;
  detector.set_standstill_friction(model, friction, 0.05);
  const auto more = [&](const Vectord& v) {
    observer.update(model, data, zero, v, zero, 1e-3);
    without.detect(model, data, observer);
    detector.detect(model, data, observer);
    return Vectord(detector.threshold() - without.threshold());
  };
  CHECK(max_magnitude(more(zero) - friction) < 1e-14);
  CHECK(max_magnitude(more(one)) < 1e-14);  // 1 - tanh 20 is 8e-18
  // Speeds have either sign; tanh(log 2) = 0.6.
  CHECK(max_magnitude(more(0.05 * std::log(2.0) * one) - 0.4 * friction) < 1e-12);
  CHECK(max_magnitude(more(-0.05 * std::log(2.0) * one) - 0.4 * friction) < 1e-12);
  CHECK_THROWS_AS(detector.set_standstill_friction(model, Vectord::Zero(2), 0.05), SizeError);
  CHECK(mentions(message_of<Error>([&] { detector.set_standstill_friction(model, -friction, 0.05); }),
                 {"standstill friction", model.joints()[0].name()}));
  CHECK(mentions(message_of<Error>([&] { detector.set_standstill_friction(model, friction, 0); }),
                 {"speed", "positive"}));
}

TEST_CASE("a threshold that is not finite hides no collision", "[control][collision_detector]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Vectord one = Vectord::Ones(3), zero = 0 * one;
  MomentumObserver observer(model, one);
  // The square of this noise overflows.
  CollisionDetector detector(model, {1e200 * one, zero}, zero);
  observer.update(model, data, zero, zero, zero, 1e-3);
  const Collision& found = detector.detect(model, data, observer);
  REQUIRE_FALSE(detector.threshold().allFinite());
  CHECK(found.joints == std::vector<int>{0, 1, 2});
}

TEST_CASE("numbers given to a collision detector are checked", "[control][collision_detector]") {
  const auto model = zoo::serial_chain(3);
  const Vectord one = Vectord::Ones(3);
  Vectord bad = one;
  const auto message = [&](const Vectord& velocity, const Vectord& torque, const Vectord& floor, double factor) {
    return message_of<Error>([&] { CollisionDetector(model, {velocity, torque}, floor, factor); });
  };
  CHECK(message(one, one, one, 3) == "no exception");
  for (const double x : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    bad[1] = x;
    CHECK(mentions(message(bad, one, one, 3), {"velocity", model.joints()[1].name()}));
    CHECK(mentions(message(one, bad, one, 3), {"torque", model.joints()[1].name()}));
    CHECK(mentions(message(one, one, bad, 3), {"floor", model.joints()[1].name()}));
    CHECK(mentions(message(one, one, one, x), {"factor"}));
  }
  CHECK_THROWS_AS(CollisionDetector(model, {one, Vectord::Ones(2)}, one), SizeError);
  CHECK_THROWS_AS(CollisionDetector(model, {one, one}, Vectord::Ones(4)), SizeError);
  const auto larger = zoo::serial_chain(4);
  Data<double> data(larger);
  const Vectord zero = Vectord::Zero(4);
  MomentumObserver observer(larger, Vectord::Ones(4));
  observer.update(larger, data, zero, zero, zero, 1e-3);
  CollisionDetector detector(model, {one, one}, one);
  CHECK_THROWS_AS(detector.detect(larger, data, observer), SizeError);
}

}  // namespace collision_detector_test
