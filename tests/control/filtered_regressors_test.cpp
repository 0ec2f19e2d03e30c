#include "corio/control/filtered_regressors.hpp"

#include <Eigen/QR>

#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/excitation_monitor.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

/// Prediction by filtered regressors, adaptation along the prediction errors, and how well a motion excites parameters.
namespace filtered_regressors_test {

using namespace corio;
using namespace corio::test;

/// Torques that make all joints move.
Vectord shake(int n, double t) {
  Vectord tau(n);
  for (int k = 0; k < n; ++k) tau[k] = 0.5 * std::sin((2 + 0.7 * k) * t) + 0.3 * std::cos((5 - 0.4 * k) * t + k);
  return tau;
}

/// Returns the largest |W pi - y| in half a second over the largest |y|, for the true parameters.
double misses(const Model<double>& model, BalanceEquation balance, double dt, const BodySelection& bodies = {}) {
  Random<double> random(2);
  const Vectord v = 0.5 * test::random_vector(random, model.nv());
  Simulation<double> plant(model, integrate<double>(model, neutral(model), v), v, dt, Integrator::rk4, 4);
  Data<double> data(model);
  FilteredRegressors<double> filtered(model, 8, balance, bodies);
  Vectord pi(bodies.num_parameters(model)), tau = Vectord::Zero(model.nv());
  for (int i = 0; i < bodies.size(model); ++i)
    pi.segment<10>(10 * i) = model.inertia(model.bodies()[static_cast<std::size_t>(bodies[i])]).vector();
  double worst = 0, scale = 0;
  for (int i = 0; i * dt < 0.5; ++i) {
    filtered.update(model, data, plant.q(), plant.v(), tau, dt);
    worst = std::max(worst, (filtered.W() * pi - filtered.y()).cwiseAbs().maxCoeff());
    scale = std::max(scale, filtered.y().cwiseAbs().maxCoeff());
    tau = shake(model.nv(), i * dt);
    plant.advance(tau);
  }
  return worst / scale;
}

}  // namespace filtered_regressors_test

using namespace filtered_regressors_test;

TEST_CASE("filtered regressors predict filtered torques and power, to order dt^2", "[control][filtered]") {
  auto chain = zoo::serial_chain(4);
  chain.set_armature(Vectord::Constant(4, 0.2));
  for (const Model<double>& model : {chain, zoo::random_tree(3), zoo::quadruped()})
    for (const BalanceEquation balance : {BalanceEquation::momentum, BalanceEquation::energy}) {
      CAPTURE(model.name(), balance == BalanceEquation::energy);
      const double coarse = misses(model, balance, 2e-3), fine = misses(model, balance, 1e-3);
      CHECK(fine < 2e-3);
      CHECK(coarse > 3 * fine);
      CHECK(coarse < 5 * fine);
      const BodySelection last(model, {model.bodies().back().name(), model.bodies().front().name()});
      CHECK(misses(model, balance, 1e-3, last) < 2e-2);  // relative to a smaller y
    }
}

TEST_CASE("the filter of a constant input is that of its exponential", "[control][filtered]") {
  // A slider of mass m under a constant force f has the momentum f t, and lambda (t - F[t]) f = f (1 - exp(-lambda t)).
  ModelBuilder<double> builder;
  builder.add_body({.name = "slider",
                    .joint = joint::Prismatic::x(),
                    .inertia = {2.0, Vector3<double>::Zero(), Vector3<double>(1, 1, 1).asDiagonal()}});
  const auto model = builder.build();
  const double dt = 0.01, lambda = 5, f = 3;
  Data<double> data(model);
  FilteredRegressors<double> filtered(model, lambda), energy(model, lambda, BalanceEquation::energy);
  const Vectord tau = Vectord::Constant(1, f);
  for (int i = 0; i <= 100; ++i) {
    const double t = i * dt;
    const Vectord q = Vectord::Constant(1, f * t * t / 4), v = Vectord::Constant(1, f * t / 2);
    filtered.update(model, data, q, v, tau, dt);
    energy.update(model, data, tau, dt);
    CHECK(std::abs(filtered.y()[0] - f * (1 - std::exp(-lambda * t))) < 1e-12);
    CHECK(std::abs(2 * filtered.W()(0, 0) - filtered.y()[0]) < 1e-12);
    // F[v f] with v = f t / 2.
    CHECK(std::abs(energy.y()[0] - f * f / 2 * (t - (1 - std::exp(-lambda * t)) / lambda)) < 1e-12);
  }
}

TEST_CASE("filtered regressors reject bad samples, and go on", "[control][filtered]") {
  using Catch::Contains;
  const auto model = zoo::quadruped(), other = zoo::serial_chain(3);
  CHECK_THROWS_WITH(FilteredRegressors<double>(model, 0), Contains("bandwidth"));
  CHECK_THROWS_WITH(FilteredRegressors<double>(model, std::nan("")), Contains("nan"));
  CHECK_THROWS_AS(FilteredRegressors<double>(model, 1, BalanceEquation::energy, BodySelection(other, {"link1"})),
                  ModelError);
  Random<double> random(4);
  const auto vector = [&] { return test::random_vector(random, model.nv()); };
  const Vectord q = neutral(model), v = vector(), tau = vector();
  Data<double> data(model), fresh(model);
  FilteredRegressors<double> filtered(model, 8);
  CHECK_THROWS_AS(filtered.update(model, fresh, tau, 1e-3), StateError);
  filtered.update(model, data, q, v, tau, 1e-3);
  CHECK(filtered.W().isZero());
  FilteredRegressors<double> twin = filtered;
  const Vectord bad = v * std::nan("");
  CHECK_THROWS_WITH(filtered.update(model, data, q, bad, tau, 1e-3), Contains("v[0]"));
  CHECK_THROWS_WITH(filtered.update(model, data, q, v, bad, 1e-3), Contains("tau[0]"));
  CHECK_THROWS_WITH(filtered.update(model, data, q, 1e300 * v, tau, 1e-3), Contains("not finite"));
  CHECK_THROWS_AS(filtered.update(model, data, q, v, tau.head(3), 1e-3), SizeError);
  for (const double dt : {0.0, 1.0, std::nan("")})
    CHECK_THROWS_WITH(filtered.update(model, data, q, v, tau, dt), Contains("dt"));
  // The filter continues as if the rejected call had not happened: the next tick comes after a longer time.
  const Vectord later = v + 0.1 * vector();
  filtered.update(model, data, q, later, tau, 2e-3), twin.update(model, data, q, later, tau, 2e-3);
  CHECK(filtered.W() == twin.W());
  CHECK(filtered.y() == twin.y());
  {
    Eigen::internal::set_is_malloc_allowed(false);
    filtered.update(model, data, q, later, tau, 1e-3);
    Eigen::internal::set_is_malloc_allowed(true);
  }
  filtered.reset();
  filtered.update(model, data, q, v, tau, 1e-3);
  CHECK(filtered.W().isZero());
}

TEST_CASE("indirect adaptation finds a load, by either balance", "[control][filtered]") {
  const auto model = zoo::serial_chain(3);
  auto loaded = model;
  const std::string hand = model.bodies().back().name();
  InertialParameters<double> heavier = model.inertia(hand);
  heavier.mass *= 2;
  loaded.set_inertia(hand, heavier);
  const BodySelection bodies(model, {hand});
  for (const BalanceEquation balance : {BalanceEquation::momentum, BalanceEquation::energy}) {
    CAPTURE(balance == BalanceEquation::energy);
    AdaptiveParameters<double> estimate(model, {.parameters = Vectord::Constant(1, 1), .bodies = bodies});
    FilteredRegressors<double> filtered(model, 8, balance, bodies);
    Simulation<double> plant(loaded, Vectord::Constant(3, 0.3), Vectord::Zero(3), 1e-3);
    Data<double> data(model);
    Vectord tau = Vectord::Zero(3);
    const Vectord truth = inertial_parameters(loaded);
    const double before = estimate.distance(truth);
    double worst = 0;
    for (int i = 0; i < 10000; ++i) {
      filtered.update(model, data, plant.q(), plant.v(), tau, 1e-3);
      estimate.adapt(filtered.W(), filtered.y(), 20, 1e-3);
      worst = std::max(worst, estimate.distance(truth) / before);
      tau = 4 * shake(3, plant.time()) - 0.5 * plant.v();
      plant.advance(tau);
    }
    // The distance from the true parameters never grows, except by the error of the prediction.
    CHECK(worst < 1.001);
    CHECK(std::abs(estimate.values()[20] - heavier.mass) < 0.1 * heavier.mass);
  }
}

TEST_CASE("composite adaptation finds parameters faster than errors of tracking alone", "[control][filtered]") {
  const auto model = zoo::serial_chain(3);
  auto loaded = model;
  const std::string hand = model.bodies().back().name();
  InertialParameters<double> heavier = model.inertia(hand);
  heavier.mass *= 2;
  loaded.set_inertia(hand, heavier);
  const BodySelection bodies(model, {hand});
  const Vectord truth = inertial_parameters(loaded), one = Vectord::Ones(3);
  const auto distance_left = [&](bool composite) {
    AdaptiveSlotineLi<double> controller(model, {5 * one, 1 * one},
                                         {.parameters = Vectord::Constant(1, 0.2), .bodies = bodies});
    FilteredRegressors<double> filtered(model, 8, BalanceEquation::momentum, bodies);
    Simulation<double> plant(loaded, Vectord::Zero(3), Vectord::Zero(3), 1e-3);
    Data<double> data(model);
    Vectord tau = Vectord::Zero(3);
    const double before = controller.distance(truth);
    for (int i = 0; i < 4000; ++i) {
      const double t = plant.time();
      Vectord q_d(3), v_d(3), a_d(3);
      for (int k = 0; k < 3; ++k) {
        const double w = 1.5 + 0.6 * k;
        q_d[k] = std::sin(w * t), v_d[k] = w * std::cos(w * t), a_d[k] = -w * w * std::sin(w * t);
      }
      forward_kinematics<double>(model, data, plant.q(), plant.v());
      filtered.update(model, data, tau, 1e-3);
      if (composite) controller.adapt(filtered.W(), filtered.y(), 20, 1e-3);
      tau = controller.update(model, data, q_d, v_d, a_d, 1e-3);
      plant.advance(tau);
    }
    return controller.distance(truth) / before;
  };
  const double direct = distance_left(false), composite = distance_left(true);
  CAPTURE(direct, composite);
  CHECK(composite < 0.5 * direct);
}

TEST_CASE("the excitation of a motion: none at rest, of all base parameters under shaking", "[control][excitation]") {
  using Catch::Contains;
  const auto model = zoo::serial_chain(2);
  Data<double> data(model);
  Matrixd Y(2, 20);
  Random<double> random(1);
  // The directions that some motion shows: the range of Y^T over many motions.
  Matrixd rows(400, 20);
  for (int i = 0; i < 200; ++i) {
    inverse_dynamics_regressor<double>(model, data, test::random_vector(random, 2), test::random_vector(random, 2),
                                       test::random_vector(random, 2), Y);
    rows.middleRows(2 * i, 2) = Y;
  }
  const Eigen::ColPivHouseholderQR<Matrixd> qr(rows.transpose());
  const Matrixd directions = Matrixd(qr.householderQ()).leftCols(qr.rank());
  ExcitationMonitor<double> shaken(directions, 5), still(directions, 5), all(Matrixd::Identity(20, 20), 5);
  Matrixd mean = Matrixd::Zero(20, 20);
  double weight = 0;
  for (int i = 0; i < 4000; ++i) {
    const double t = 1e-2 * i;
    Vectord q(2), v(2), a(2);
    q << std::sin(2 * t) + std::sin(0.7 * t), std::sin(3.1 * t + 1);
    v << 2 * std::cos(2 * t) + 0.7 * std::cos(0.7 * t), 3.1 * std::cos(3.1 * t + 1);
    a << -4 * std::sin(2 * t) - 0.49 * std::sin(0.7 * t), -9.61 * std::sin(3.1 * t + 1);
    inverse_dynamics_regressor<double>(model, data, q, v, a, Y);
    shaken.add(Y, 1e-2), all.add(Y, 1e-2);
    const double share = -std::expm1(-1e-2 / 5);
    mean = (1 - share) * mean + share * Y.transpose() * Y, weight = (1 - share) * weight + share;
    inverse_dynamics_regressor<double>(model, data, Vectord::Zero(2), Vectord::Zero(2), Vectord::Zero(2), Y);
    still.add(Y, 1e-2);
  }
  CHECK(weight > 0.99);
  CHECK(relative_error(all.information(), mean) < tolerance<double>());
  CHECK(shaken.smallest_eigenvalue() > 1e-4);
  CHECK(still.smallest_eigenvalue() < 1e-12);
  CHECK(all.smallest_eigenvalue() < 1e-12);  // no motion shows some of the parameters
  const Vectord x = shaken.least_excited();
  CHECK(x.norm() == Approx(1));
  CHECK(x.dot(shaken.information() * x) == Approx(shaken.smallest_eigenvalue()));
  {
    Eigen::internal::set_is_malloc_allowed(false);
    shaken.add(Y, 1e-2);
    Eigen::internal::set_is_malloc_allowed(true);
  }
  const Matrixd before = shaken.information();
  CHECK_THROWS_WITH(shaken.add(Y * std::nan(""), 1e-2), Contains("not finite"));
  CHECK_THROWS_WITH(shaken.add(Y, 0), Contains("dt"));
  CHECK_THROWS_AS(shaken.add(Y.leftCols(10), 1e-2), SizeError);
  CHECK(shaken.information() == before);
  CHECK_THROWS_WITH(ExcitationMonitor<double>(directions, -1), Contains("memory"));
  CHECK_THROWS_AS(ExcitationMonitor<double>(Matrixd(20, 0), 1), SizeError);
  shaken.reset();
  CHECK(shaken.smallest_eigenvalue() == 0);
}
