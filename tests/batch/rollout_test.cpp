#include "corio/batch/rollout.hpp"

#include "corio/simulation/time_step.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using Matrix = Eigen::MatrixXd;

constexpr auto squares = [](const auto&, auto&, const auto& q, const auto& v, const auto& tau, int) {
  auto sum = q[0] * q[0];
  for (const auto& x : v) sum += x * x;
  for (const auto& x : tau) sum += 0.1 * x * x;
  return sum;
};

Model<double> damped_robot() {
  auto model = zoo::random_tree(3, {.bodies = 5, .floating_base = true});
  model.set_damping(Eigen::VectorXd::Constant(model.nv(), 0.3));
  model.set_friction(Eigen::VectorXd::Constant(model.nv(), 0.1));
  return model;
}
Eigen::VectorXd at_rest(const Model<double>& model) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(model.nq() + model.nv());
  x.head(model.nq()) = neutral(model);
  return x;
}

}  // namespace

TEST_CASE("rollouts are steps of each by itself", "[batch][rollout]") {
  const Model<double> model = damped_robot();
  const int nq = model.nq(), nv = model.nv(), n = nq + nv, steps = 12, rollouts = 7;
  const double dt = 0.002;
  const Matrix U = Matrix::Random(nv * steps, rollouts);
  Matrix X0 = at_rest(model).replicate(1, rollouts);
  X0.bottomRows(nv) = Matrix::Random(nv, rollouts);
  batch::RolloutOptions options;
  options.integrator = GENERATE(Integrator::semi_implicit_euler, Integrator::rk4);
  options.keep_states = true;
  batch::Rollouts out;
  CHECK(batch::rollout(model, X0, U, dt, squares, out, options) == rollouts);
  REQUIRE(out.states.rows() == n * (steps + 1));
  CHECK(out.finite.all());
  Data<double> data(model);
  for (int j = 0; j < rollouts; ++j) {
    Eigen::VectorXd q = X0.col(j).head(nq), v = X0.col(j).tail(nv), tau = Eigen::VectorXd::Zero(nv);
    double cost = 0;
    for (int i = 0; i <= steps; ++i) {
      const Eigen::VectorXd kept = out.states.col(j).segment(n * i, n);
      // Rounding grows by some digits over the steps.
      CHECK((kept.head(nq) - q).norm() < 1e-10 * (1 + q.norm()));
      CHECK((kept.tail(nv) - v).norm() < 1e-10 * (1 + v.norm()));
      if (i < steps)
        tau = U.col(j).segment(nv * i, nv);
      else
        tau.setZero();
      cost += squares(model, data, q, v, tau, i);
      if (i < steps) step(model, data, q, v, tau, dt, options.integrator);
    }
    CHECK(out.cost[j] == Approx(cost).epsilon(1e-9));
  }
  const Matrix last = out.states.bottomRows(n);
  options.keep_states = false;
  batch::rollout(model, X0, U, dt, squares, out, options);
  CHECK(out.states == last);
}

TEST_CASE("a policy sees the state, its parameters and the step", "[batch][rollout]") {
  const Model<double> model = zoo::serial_chain(3);
  const int rollouts = 5, steps = 40;
  const double dt = 0.001;
  const Eigen::VectorXd x0 = at_rest(model);
  const Matrix gains = Matrix::Random(2, rollouts).cwiseAbs();
  batch::Rollouts out, given;
  batch::RolloutOptions options;
  options.keep_states = true;
  const auto policy = [](const auto&, auto&, const auto& q, const auto& v, int i, const auto& p, auto& tau) {
    for (int k = 0; k < 3; ++k) tau[k] = p[0] * (0.1 * i - q[k]) - p[1] * v[k];
  };
  batch::rollout(model, x0, gains, steps, dt, policy, squares, out, options);
  // Passes the torques that the policy gave as controls.
  Matrix U(3 * steps, rollouts);
  for (int j = 0; j < rollouts; ++j)
    for (int i = 0; i < steps; ++i) {
      const Eigen::VectorXd x = out.states.col(j).segment(6 * i, 6);
      U.col(j).segment(3 * i, 3) =
          gains(0, j) * (Eigen::VectorXd::Constant(3, 0.1 * i) - x.head(3)) - gains(1, j) * x.tail(3);
    }
  batch::rollout(model, x0, U, dt, squares, given, options);
  CHECK(relative_error(out.states, given.states) < 1e-10);
  CHECK((out.cost - given.cost).norm() < 1e-10 * given.cost.norm());
}

TEST_CASE("a rollout that is not finite is flagged, and the others are as they were", "[batch][rollout]") {
  const Model<double> model = damped_robot();
  const int nv = model.nv(), steps = 5, rollouts = 9;
  Matrix U = Matrix::Random(nv * steps, rollouts);
  batch::Rollouts out, broken;
  batch::rollout(model, at_rest(model), U, 0.002, squares, out);
  U(2 * nv + 1, 4) = GENERATE(1e308, std::numeric_limits<double>::quiet_NaN());
  batch::rollout(model, at_rest(model), U, 0.002, squares, broken);
  for (int j = 0; j < rollouts; ++j)
    if (j == 4) {
      CHECK_FALSE(broken.finite[j]);
      CHECK(std::isinf(broken.cost[j]));
    } else {
      CHECK(broken.finite[j]);
      CHECK(broken.cost[j] == out.cost[j]);
      CHECK(broken.states.col(j) == out.states.col(j));
    }
}

TEST_CASE("rollouts that were not computed are not finite, however they end", "[batch][rollout]") {
  const Model<double> model = zoo::serial_chain(2);
  const int rollouts = 100, steps = 5;
  batch::Rollouts out;
  batch::RolloutOptions options;
  options.executor = batch::Serial();
  options.packs_per_task = 1;
  options.keep_states = GENERATE(false, true);
  Matrix X0 = Matrix::Random(4, rollouts);
  const Matrix U = Matrix::Zero(2 * steps, rollouts), P = Matrix::Zero(1, rollouts);
  batch::rollout(model, X0, U, 1e-3, squares, out, options);  // leaves other states and costs unchanged
  REQUIRE(out.finite.all());
  X0.row(0).array() += 10;
  X0(0, 57) = 20;
  Eigen::Index least = 0;
  SECTION("progress ends them") {
    options.progress = [](auto done, auto) { return done < 30; };
    least = batch::rollout(model, X0, U, 1e-3, squares, out, options);
    CHECK(least < rollouts);
    CHECK(out.finite.count() == least);
  }
  SECTION("progress throws") {
    options.progress = [](auto done, auto) { return done < 30 ? true : throw std::logic_error("stop"); };
    CHECK_THROWS_AS(batch::rollout(model, X0, U, 1e-3, squares, out, options), std::logic_error);
    least = 30;
  }
  SECTION("the policy throws, or the cost") {
    const bool of_policy = GENERATE(true, false);
    const auto reject = [](const auto& q) {
      if (in_any_state(q[0] > 15.0)) throw Error("rejected");
    };
    const auto policy = [&](const auto&, auto&, const auto& q, const auto&, int, const auto&, auto& tau) {
      if (of_policy) reject(q);
      tau.setZero();
    };
    const auto cost = [&](const auto& m, auto& data, const auto& q, const auto& v, const auto& tau, int i) {
      reject(q);
      return squares(m, data, q, v, tau, i);
    };
    CHECK_THROWS_WITH(batch::rollout(model, X0, P, steps, 1e-3, policy, cost, out, options),
                      Catch::Contains("state 57: rejected"));
    least = rollouts - 1;
    CHECK(out.finite.count() == least);
    CHECK_FALSE(out.finite[57]);
  }
  SECTION("an executor throws") {
    options.executor = [](std::ptrdiff_t n, const auto& f) {
      for (std::ptrdiff_t i = 0; i < n / 2; ++i) f(i);
      throw std::logic_error("full");
    };
    CHECK_THROWS_AS(batch::rollout(model, X0, U, 1e-3, squares, out, options), std::logic_error);
    least = 30;
  }
  REQUIRE(out.states.cols() == rollouts);
  REQUIRE(out.cost.size() == rollouts);
  REQUIRE(out.finite.size() == rollouts);
  CHECK(out.finite.count() >= least);
  for (int j = 0; j < rollouts; ++j) {
    CHECK(out.finite[j] == std::isfinite(out.cost[j]));
    CHECK(out.finite[j] == out.states.col(j).allFinite());
    if (out.finite[j])
      CHECK(out.cost[j] > 80 * (steps + 1));  // from 9 on, q[0] hardly moves
    else
      CHECK(out.cost[j] == std::numeric_limits<double>::infinity());
  }
}

TEST_CASE("joints stop at their limits if asked to", "[batch][rollout]") {
  ModelBuilder<double> builder("slider");
  builder.add_body({.name = "cart",
                    .joint = joint::Prismatic({1, 0, 0}),
                    .inertia = {1.0, {0, 0, 0}, Matrix3<double>::Identity()},
                    .limits = {{-0.1}, {0.2}, {}, {}}});
  const auto model = builder.build();
  const int steps = 200;
  Matrix U(steps, 3);
  U.col(0).setConstant(1.0), U.col(1).setConstant(-1.0), U.col(2).setZero();
  U.col(0).tail(50).setConstant(-1.0);
  batch::RolloutOptions options;
  options.joint_limits = true;
  batch::Rollouts out;
  batch::rollout(model, at_rest(model), U, 0.01, squares, out, options);
  CHECK(out.states(0, 1) == -0.1);
  CHECK(out.states(1, 1) == 0.0);
  CHECK(out.states(0, 2) == 0.0);
  // After the stop at the limit, the joint moves away for half a second with unit acceleration.
  CHECK(out.states(0, 0) == Approx(0.2 - 0.125).margin(0.006));
  CHECK(out.states(1, 0) == Approx(-0.5).margin(1e-9));
}

TEST_CASE("rollouts reject what does not fit", "[batch][rollout]") {
  const Model<double> model = zoo::serial_chain(3);
  const Eigen::VectorXd x0 = at_rest(model);
  const Matrix U = Matrix::Zero(30, 4);
  batch::Rollouts out;
  out.cost.setConstant(1, 7.0);
  CHECK_THROWS_AS(batch::rollout(model, x0, U.topRows(29), 0.01, squares, out), SizeError);
  CHECK_THROWS_AS(batch::rollout(model, x0.head(5), U, 0.01, squares, out), SizeError);
  CHECK_THROWS_AS(batch::rollout(model, Matrix(Matrix::Zero(6, 3)), U, 0.01, squares, out), SizeError);
  CHECK_THROWS_AS(batch::rollout(model, x0, U, 0.0, squares, out), Error);
  batch::RolloutOptions options;
  options.integrator = Integrator::implicit_midpoint;
  CHECK_THROWS_AS(batch::rollout(model, x0, U, 0.01, squares, out, options), Error);
  options.integrator = Integrator::rk4, options.packs_per_task = 0;
  CHECK_THROWS_AS(batch::rollout(model, x0, U, 0.01, squares, out, options), Error);
  const Matrix steps_beyond_int(3 * (Eigen::Index(1) << 32), 0);
  CHECK_THROWS_AS(batch::rollout(model, x0, steps_beyond_int, 0.01, squares, out), SizeError);
  CHECK(out.states.size() == 0);
  CHECK(out.cost[0] == 7.0);
}

TEST_CASE("rollouts go on from states that the last ones left", "[batch][rollout]") {
  const Model<double> model = damped_robot();
  const int n = model.nq() + model.nv(), rollouts = 40;
  const Matrix U = Matrix::Random(model.nv() * 3, rollouts);
  batch::Rollouts out, expected;
  batch::RolloutOptions keep;
  keep.keep_states = true;
  batch::rollout(model, at_rest(model), U, 0.002, squares, out, keep);
  const Matrix last = out.states.bottomRows(n), best = last.col(2);
  SECTION("each from its own, in more memory") {
    batch::rollout(model, last, U, 0.002, squares, out);
    batch::rollout(model, last, U, 0.002, squares, expected, keep);
    batch::rollout(model, out.states, U, 0.002, squares, out, keep);
    batch::rollout(model, Matrix(expected.states.bottomRows(n)), U, 0.002, squares, expected, keep);
  }
  SECTION("all from that of one") {
    batch::rollout(model, best, U, 0.002, squares, expected, keep);
    batch::rollout(model, out.states.bottomRows(n).col(2), U, 0.002, squares, out, keep);
  }
  CHECK(out.states == expected.states);
  CHECK(out.cost == expected.cost);
}

TEST_CASE("with the suggested step sampled torques leave every rollout finite", "[batch][rollout]") {
  // Independent random torques act in each step for half a second, without damping. At a step ten times as long as the
  // suggested one, a third or more of the rollouts end as NaN.
  const int number = GENERATE(0, 1);
  const Model<double> model = number == 0 ? zoo::serial_chain(7) : zoo::quadruped(12);
  const Integrator integrator = GENERATE(Integrator::semi_implicit_euler, Integrator::rk4);
  // The larger robot takes most of the time.
  const int rollouts = number == 0 ? 8 : 4;
  const Eigen::VectorXd effort = Eigen::VectorXd::Constant(model.nv(), 10.0);
  const TimeStep suggested = suggested_time_step(model, effort, integrator);
  CAPTURE(describe(suggested));
  batch::RolloutOptions options;
  options.integrator = integrator;
  const auto finite = [&](double dt, double duration) {
    const int steps = static_cast<int>(duration / dt);
    const Matrix U = 10.0 * Matrix::Random(model.nv() * steps, rollouts);
    batch::Rollouts out;
    batch::rollout(model, at_rest(model), U, dt, squares, out, options);
    return static_cast<int>(out.finite.count());
  };
  CHECK(finite(suggested.dt, 0.5) == rollouts);
  if (number == 0) CHECK(finite(30 * suggested.dt, 5.0) < rollouts);  // a few hundred steps, too
}

TEST_CASE("the suggested step names the fastest joint", "[simulation]") {
  // The limits come from a pendulum of length 1 with a point mass: sqrt(g / l); a motor of 400 N m on 1 kg m^2; a speed
  // limit.
  ModelBuilder<double> builder("pendulum");
  builder.add_body({.name = "bob",
                    .joint = joint::Revolute({1, 0, 0}),
                    .inertia = {1.0, {0, 0, -1}, Matrix3<double>::Zero()},
                    .joint_name = "pivot"});
  const auto model = builder.build();
  const TimeStep weight = suggested_time_step(model);
  CHECK(weight.joint == "pivot");
  CHECK(weight.cause == "its weight");
  CHECK(weight.rate == Approx(std::sqrt(9.81)));
  CHECK(weight.dt == Approx(0.03 / weight.rate));
  const TimeStep torque = suggested_time_step(model, Eigen::VectorXd::Constant(1, 400.0), Integrator::rk4);
  CHECK(torque.cause == "its torque");
  CHECK(torque.rate == Approx(20.0));
  CHECK(torque.dt == Approx(0.1 / 20.0));
  auto damped = model;
  damped.set_damping(Eigen::VectorXd::Constant(1, 50.0));
  const TimeStep damping = suggested_time_step(damped, Integrator::rk4);
  CHECK(damping.cause == "its damping");
  CHECK(damping.rate == Approx(50.0));
  CHECK_THROWS_AS(suggested_time_step(model, Eigen::VectorXd::Zero(2)), SizeError);
  for (const double effort : {-1.0, std::nan("")})
    CHECK_THROWS_WITH(suggested_time_step(model, Eigen::VectorXd::Constant(1, effort)),
                      Catch::Contains("suggested_time_step: effort of joint 'pivot' is "));
}
