#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/mechanism_support.hpp"

// Controllers, observers and simulations of mechanisms, and the functions that these call.

namespace loops_test {

TEST_CASE("M a + C x + g, momentum, its drift and passive forces of mechanisms are projections", "[loops]") {
  for (int seed = 0; seed <= 6; ++seed) {
    CAPTURE(seed);
    Closed s(seed);
    const int n = s.mechanism.nv();
    const VectorXd x = random_vector<double>(n, 8), xdot = random_vector<double>(n, 9);
    const auto& [C, M, Mdot] = coriolis_matrix(s.mechanism, s.data);
    const VectorXd& g = generalized_gravity(s.mechanism, s.data);
    CHECK(relative_error(slotine_li_inverse_dynamics(s.mechanism, s.data, x, xdot), M * xdot + C * x + g) < bound);
    // Along its own motion the result is that of rnea, for every factorization.
    const VectorXd along = slotine_li_inverse_dynamics(s.mechanism, s.data, s.y, xdot, factorization::Plain{});
    const auto& [p, drift] = generalized_momentum(s.mechanism, s.data);
    CHECK(relative_error(p, M * s.y) < bound);
    CHECK(relative_error(drift, C.transpose() * s.y - g) < bound);
    CHECK(relative_error(along, rnea<double>(s.mechanism, s.data, s.q, s.y, xdot)) < bound);
  }
}

TEST_CASE("the energies of a mechanism balance what dampers, springs and friction of all joints take", "[loops]") {
  for (const int seed : {0, 6}) {
    CAPTURE(seed);
    Closed s(seed);
    auto model = s.model;
    const VectorXd terms = random_vector<double>(model.nv(), 3).cwiseAbs();
    model.set_damping(terms);
    model.set_friction(2 * terms);
    model.set_springs(3 * terms, neutral(model));
    const Mechanism<double> mechanism(model, s.loops, s.q);
    MechanismData<double> data(mechanism);
    const VectorXd y = random_vector<double>(mechanism.nv(), 4);
    const VectorXd passive = passive_forces<double>(mechanism, data, s.q, y, 0.1);
    // dE/dt = passive . y without springs; with springs E includes their energy.
    const VectorXd ydot = aba<double>(mechanism, data, passive);
    forward_kinematics<double>(mechanism, data, s.q, y);
    const VectorXd v = data.tree.v;
    constexpr double h = 1e-6;
    const auto energy_at = [&](double t) {
      const auto q = assemble<double>(mechanism, data, integrate<double>(model, s.q, t * v)).q;
      return energy<double>(mechanism, data, q, y + t * ydot).total();
    };
    double losses = 0;
    for (int k = 0; k < model.nv(); ++k) losses += v[k] * (terms[k] * v[k] + 2 * terms[k] * std::tanh(v[k] / 0.1));
    // The difference errs by h^2 and by rounding over h.
    CHECK(std::abs((energy_at(h) - energy_at(-h)) / (2 * h) + losses) < 1e-6 * losses);

    // A resistance is the rate at which a passive force falls with its own speed.
    VectorXd found(mechanism.nv());
    forward_kinematics<double>(mechanism, data, s.q, y);
    resistances(mechanism, data, 0.1, found);
    for (int k = 0; k < mechanism.nv(); ++k) {
      const VectorXd step = h * VectorXd::Unit(mechanism.nv(), k);
      const VectorXd above = passive_forces<double>(mechanism, data, s.q, y + step, 0.1);
      const VectorXd below = passive_forces<double>(mechanism, data, s.q, y - step, 0.1);
      CHECK(std::abs((below - above)[k] / (2 * h) - found[k]) < 1e-7 * found[k]);
    }
  }
}

namespace {

/// A task for a linear acceleration of the last body, in the state of data.
template <class R>
OperationalTask<double> moved_body(const R& robot, RateDataOf<R>& data) {
  MatrixXd J(6, robot.nv()), Jdot(J);
  body_jacobian(robot, data, robot.tree().bodies().back(), J);
  body_jacobian_dot(robot, data, robot.tree().bodies().back(), Jdot);
  return {J.bottomRows(3), Jdot.bottomRows(3), random_vector<double>(3, 7)};
}

/// Returns torques of the controllers, and residuals and thresholds of an observer and a detector, at two ticks.
template <class R>
VectorXd controlled(const R& robot, const VectorXd& q, const VectorXd& v, const VectorXd& q_d, const VectorXd& v_d) {
  DataOf<R> data(robot);
  const int n = robot.nv();
  const VectorXd k = random_vector<double>(n, 1).cwiseAbs() + VectorXd::Ones(n), a_d = random_vector<double>(n, 2);
  SlotineLi sliding(robot, {k, 2 * k}, factorization::Plain{});
  PDPlus pd(robot, {k, 2 * k});
  ComputedTorque computed(robot, {k, 2 * k});
  MomentumObserver observer(robot, k, {.passive_forces = true});
  CollisionDetector detector(robot, {k, k}, k);
  const auto bodies = static_cast<Eigen::Index>(robot.tree().bodies().size());
  AdaptiveSlotineLi adaptive(robot, {k, 2 * k}, {.parameters = VectorXd::Constant(bodies, 0.1)},
                             {.damping = VectorXd::Ones(robot.tree().nv())});
  OperationalSpace operational(robot);
  VectorXd all(7 * n);
  all.segment(5 * n, n) = adaptive.update(robot, data, q, v, q_d, v_d, a_d, 1e-2);
  all.segment(0, n) = sliding.update(robot, data, q, v, q_d, v_d, a_d);
  all.segment(n, n) = pd.update(robot, data, q, v, q_d, v_d, a_d);
  all.segment(2 * n, n) = computed.update(robot, data, q, v, q_d, v_d, a_d);
  observer.update(robot, data, q, v, a_d, 1e-2);
  all.segment(3 * n, n) = observer.update(robot, data, q, v + 1e-2 * a_d, a_d, 1e-2);
  const std::vector tasks{moved_body(robot, data)};
  all.segment(6 * n, n) = operational.update(robot, data, tasks, a_d);
  detector.detect(robot, data, observer);
  all.segment(4 * n, n) = detector.threshold();
  return all;
}

}  // namespace

TEST_CASE("a task of a mechanism is met, whatever else its motors do", "[loops][control]") {
  for (int seed = 0; seed <= 6; ++seed) {
    CAPTURE(seed);
    Closed s(seed);
    OperationalSpace control(s.mechanism);
    const std::vector tasks{moved_body(s.mechanism, s.data)};
    const auto& [J, Jdot, wanted, rotations] = tasks[0];
    const VectorXd posture = random_vector<double>(s.mechanism.nv(), 3);
    for (const VectorXd& tau_0 : {VectorXd(0 * posture), posture}) {
      const VectorXd tau = control.update(s.mechanism, s.data, tasks, tau_0);
      const VectorXd ydot = aba<double>(s.mechanism, s.data, tau);
      CHECK(relative_error(control.acceleration(), ydot) < 1e-8);
      const VectorXd missed = J * ydot + Jdot * s.y - wanted;
      // The result is the nearest acceleration, in directions in which the body can be moved.
      CHECK((J.transpose() * control.levels()[0].Lambda * missed).norm() < 1e-7 * (1 + tau.norm()));
      if (control.levels()[0].rank == 3) CHECK(missed.norm() < 1e-7 * (1 + ydot.norm()));
    }
  }
}

TEST_CASE("filtered regressors of a mechanism predict its torques and power, to order dt^2", "[loops][control]") {
  const auto misses = [](const Mechanism<double>& robot, BalanceEquation balance, double dt) {
    const int n = robot.nv();
    MechanismData<double> data(robot);
    const VectorXd q = assemble<double>(robot, data, neutral(robot.tree())).q;
    Simulation plant(robot, q, VectorXd::Constant(n, 0.2), dt);
    FilteredRegressors filtered(robot, 8.0, balance);
    VectorXd pi(10 * std::ssize(robot.tree().bodies())), tau = VectorXd::Zero(n);
    for (std::size_t i = 0; i < robot.tree().bodies().size(); ++i)
      pi.segment<10>(10 * static_cast<Eigen::Index>(i)) = robot.tree().inertia(robot.tree().bodies()[i]).vector();
    double worst = 0, scale = 0;
    for (int i = 0; i * dt < 0.3; ++i) {
      filtered.update(robot, data, plant.q(), plant.v(), tau, dt);
      worst = std::max(worst, (filtered.W() * pi - filtered.y()).cwiseAbs().maxCoeff());
      scale = std::max(scale, filtered.y().cwiseAbs().maxCoeff());
      for (int k = 0; k < n; ++k) tau[k] = 0.5 * std::sin((2 + 0.7 * k) * i * dt);
      plant.advance(tau);
    }
    return worst / scale;
  };
  for (const auto& tree : {zoo::four_bar_leg<double>(), zoo::geared_arm<double>(3)})
    for (const BalanceEquation balance : {BalanceEquation::momentum, BalanceEquation::energy}) {
      CAPTURE(tree.name(), balance == BalanceEquation::energy);
      const Mechanism<double> robot(tree);
      const double coarse = misses(robot, balance, 2e-3), fine = misses(robot, balance, 1e-3);
      CHECK(fine < 2e-3);
      CHECK(coarse > 3 * fine);
      CHECK(coarse < 5 * fine);
    }
}

TEST_CASE("a biped of closed loops stands on its feet while its trunk moves", "[loops][control]") {
  const Mechanism<double> robot(zoo::parallel_biped<double>());
  const Model<double>& tree = robot.tree();
  MechanismData<double> data(robot);
  // Starts away from the neutral configuration, which is closed, by a motion that keeps the loops closed to first
  // order.
  forward_kinematics<double>(robot, data, neutral(tree), 0.2 * random_vector<double>(robot.nv(), 2));
  const auto assembly = assemble<double>(robot, data, integrate<double>(tree, neutral(tree), data.tree.v));
  REQUIRE(assembly.closed);
  const VectorXd& q = assembly.q;
  const VectorXd y = VectorXd::Zero(robot.nv());
  forward_kinematics<double>(robot, data, q, y);
  const std::string root = tree.joints()[0].name();
  OperationalSpace control(robot, {root});
  // Two bodies far from the trunk are held, and the trunk turns.
  const auto six = [&](const Body<double>& body) {
    MatrixXd J(6, robot.nv()), Jdot(J);
    body_jacobian(robot, data, body, J);
    body_jacobian_dot(robot, data, body, Jdot);
    return std::pair(J, Jdot);
  };
  const auto [J_trunk, Jdot_trunk] = six(tree.bodies()[0]);
  const auto [J_foot, Jdot_foot] = six(tree.bodies().back());
  const OperationalTask<double> foot{J_foot, Jdot_foot, VectorXd::Zero(6)};
  const std::vector<OperationalTask<double>> tasks{
      {J_trunk.topRows(3), Jdot_trunk.topRows(3), random_vector<double>(3, 7)}};
  const VectorXd tau = control.update(robot, data, tasks, y, foot);
  CHECK(tau.head(6) == VectorXd::Zero(6));
  const VectorXd force = tau + J_foot.transpose() * control.contact_forces();
  const VectorXd ydot = aba<double>(robot, data, force);
  // The six directions of the foot differ in mobility by some thousand times.
  CHECK(relative_error(ydot, control.acceleration()) < 1e-6);
  CHECK((J_foot * ydot + Jdot_foot * y).norm() < 1e-6 * (1 + ydot.norm()));
  REQUIRE(control.levels()[0].rank == 3);
  CHECK((tasks[0].J * ydot - tasks[0].acceleration).norm() < 1e-6 * (1 + ydot.norm()));
}

TEST_CASE("controllers do the same for a tree and for a mechanism without loops", "[loops][control]") {
  for (int seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    auto model = Scene::make(seed);
    model.set_damping(random_vector<double>(model.nv(), 6).cwiseAbs());
    const Mechanism<double> mechanism(model);
    REQUIRE(mechanism.nv() == model.nv());
    const VectorXd q = random_q(model, 3),
                   q_d = integrate<double>(model, q, 0.3 * random_vector<double>(model.nv(), 4)),
                   v = random_vector<double>(model.nv(), 5), v_d = random_vector<double>(model.nv(), 7);
    CHECK(relative_error(controlled(mechanism, q, v, q_d, v_d), controlled(model, q, v, q_d, v_d)) < bound);
  }
}

TEST_CASE("a leg with a four-bar knee follows a motion, and feels a push", "[loops][control]") {
  const Mechanism<double> leg(zoo::four_bar_leg());
  MechanismData<double> data(leg);
  const int n = leg.nv();
  const auto desired = [&](double t) {
    struct {
      VectorXd q, y, ydot;
    } d{assemble<double>(leg, data, neutral(leg.tree())).q, VectorXd(n), VectorXd(n)};
    for (int k = 0; k < n; ++k) {
      const double w = 4 + k;
      d.q[leg.dof_of_speed(k)] += 0.2 * std::sin(w * t);
      d.y[k] = 0.2 * w * std::cos(w * t), d.ydot[k] = -0.2 * w * w * std::sin(w * t);
    }
    return d;
  };
  const VectorXd lambda = VectorXd::Constant(n, 20), K_D = VectorXd::Constant(n, 10);
  SlotineLi controller(leg, {lambda, K_D});
  const auto start = desired(0);
  Simulation plant(leg, start.q, start.y, 1e-3);
  MomentumObserver observer(leg, VectorXd::Constant(n, 200.0));
  CollisionDetector detector(leg, {VectorXd::Constant(n, 1e-4), VectorXd::Constant(n, 0.01)},
                             VectorXd::Constant(n, 0.05));
  const VectorXd push = Eigen::Vector3d(0, 0, 1.5);
  VectorXd tau = VectorXd::Zero(n), e_before;
  for (int i = 0; i < 600; ++i) {
    const auto d = desired(1e-3 * i);
    observer.update(leg, data, plant.q(), plant.v(), tau, 1e-3);
    if (i == 400) {
      // Without a push nothing is found: torques are held for a tick, and the threshold is a thousandth of their change
      // in a tick.
      CHECK_FALSE(detector.detect(leg, data, observer));
      CHECK(controller.error().e.norm() < 1e-3);
      CHECK(controller.s().norm() < 0.05);
    }
    tau = controller.update(leg, data, d.q, d.y, d.ydot);
    plant.advance(i < 400 ? tau : VectorXd(tau + push));
  }
  CHECK((observer.residual() - push).norm() < 0.05);
  const Collision& found = detector.detect(leg, data, observer);
  REQUIRE(found.joints.size() == 1);
  CHECK(leg.tree().joints()[static_cast<std::size_t>(found.joints[0])].name() == "crank_joint");
  // Only the push does work beside the controller; the rest is the integrator's error, of order four.
  CHECK(std::abs(plant.energy_error()) < 1e-6);
  CHECK(plant.work().losses == 0.0);
}

TEST_CASE("a leg with a four-bar knee learns the load on its shank, and friction", "[loops][control]") {
  auto model = zoo::four_bar_leg();
  const Mechanism<double> known(model);
  // The load is on the shank, whose joint is dependent; so is the joint with the friction.
  auto loaded = model;
  auto parameters = model.inertia("shank").vector();
  const VectorXd load = InertialParameters<double>(2.0, {0, 0, -0.3}, 0.01 * Eigen::Matrix3d::Identity()).vector();
  loaded.set_inertia("shank", InertialParameters<double>::from_parameters(parameters + load));
  const int knee = model.joint("shank_joint").v_index();
  loaded.set_damping(0.5 * VectorXd::Unit(model.nv(), knee));
  const Mechanism<double> leg(loaded);
  MechanismData<double> data(known);
  const int n = known.nv();
  const VectorXd gain = VectorXd::Constant(n, 10.0);
  AdaptiveSlotineLi controller(known, {gain, gain}, {.parameters = VectorXd::Ones(1), .bodies = {model, {"shank"}}},
                               {.damping = VectorXd::Ones(model.nv())});
  SlotineLi fixed(known, {gain, gain});
  const VectorXd closed = assemble<double>(known, data, neutral(model)).q;
  const auto error_with = [&](auto&& control) {
    Simulation plant(leg, closed, VectorXd::Zero(n), 1e-3);
    double late = 0;
    for (int i = 0; i < 4000; ++i) {
      const double t = 1e-3 * i;
      VectorXd q_d = closed, v_d(n), a_d(n);
      for (int k = 0; k < n; ++k) {
        const double w = 3 + k, size = k == 0 ? 0.02 : 0.2;
        q_d[known.dof_of_speed(k)] += size * (1 - std::cos(w * t));
        v_d[k] = size * w * std::sin(w * t), a_d[k] = size * w * w * std::cos(w * t);
      }
      plant.advance(control(plant.q(), plant.v(), q_d, v_d, a_d));
      for (int k = 0; i >= 3000 && k < n; ++k)
        late = std::max(late, std::abs(plant.q()[known.dof_of_speed(k)] - q_d[known.dof_of_speed(k)]));
    }
    return late;
  };
  using Vector = VectorXd;
  const double before = error_with([&](const Vector& q, const Vector& v, const Vector& q_d, const Vector& v_d,
                                       const Vector& a_d) { return fixed.update(known, data, q, v, q_d, v_d, a_d); });
  const double after =
      error_with([&](const Vector& q, const Vector& v, const Vector& q_d, const Vector& v_d, const Vector& a_d) {
        return controller.update(known, data, q, v, q_d, v_d, a_d, 1e-3);
      });
  CAPTURE(before, after);
  CHECK(after < 0.1 * before);
  // The learnt friction includes dependent joints, which show only in forces on the crank.
  CHECK(controller.damping()[knee] > 0.01);
}

TEST_CASE("with the right parameters the adaptive law of a mechanism is that of SlotineLi", "[loops][control]") {
  for (const int seed : {0, 6}) {
    CAPTURE(seed);
    Closed s(seed);
    const VectorXd k = random_vector<double>(s.mechanism.nv(), 1).cwiseAbs() + VectorXd::Ones(s.mechanism.nv());
    const auto bodies = static_cast<Eigen::Index>(s.model.bodies().size());
    AdaptiveSlotineLi adaptive(s.mechanism, {k, k}, {.parameters = VectorXd::Zero(bodies)});
    SlotineLi fixed(s.mechanism, {k, k});
    const VectorXd v_d = random_vector<double>(s.mechanism.nv(), 2), a_d = random_vector<double>(s.mechanism.nv(), 3);
    const VectorXd q_d = s.q + 0.1 * random_vector<double>(static_cast<int>(s.q.size()), 4);
    const VectorXd tau = adaptive.update(s.mechanism, s.data, s.q, s.y, q_d, v_d, a_d, 1e-2);
    CHECK(relative_error(tau, fixed.update(s.mechanism, s.data, s.q, s.y, q_d, v_d, a_d)) < bound);
  }
}

TEST_CASE("a controller refuses a mechanism of which a joint is independent in part", "[loops][errors]") {
  for (int seed = 1; seed <= 5; ++seed) {
    Closed s(seed);
    if (s.has_coordinates()) continue;
    const VectorXd one = VectorXd::Ones(s.mechanism.nv());
    ComputedTorque controller(s.mechanism, {one, one});
    std::vector<int> whole;
    for (int k = 0; k < s.mechanism.nv(); ++k) {
      const auto& node = s.model.node(s.model.node_of(s.mechanism.dof_of_speed(k)));
      if (s.mechanism.dof_of_speed(k) == node.v_begin) whole.push_back(node.v_end - node.v_begin);
    }
    int speeds = 0;
    for (const int w : whole) speeds += w;
    const auto call = [&] { controller.update(s.mechanism, s.data, s.q, s.y, s.q, s.y, s.y); };
    CAPTURE(seed, speeds, s.mechanism.nv());
    if (speeds == s.mechanism.nv()) continue;
    CHECK(mentions(message_of<ModelError>(call), {"ComputedTorque", "independent", "or none"}));
    return;
  }
  FAIL("no random mechanism has such a joint");
}

}  // namespace loops_test
