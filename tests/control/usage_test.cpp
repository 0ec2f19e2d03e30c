#include <string>

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/excitation_monitor.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/guide.hpp"

// The code of include/corio/control/README.md, line by line, on a simulated arm.

namespace usage_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// The desired motion of the arm.
struct Point {
  VectorXd q, v, a;
};
Point swing(int n, double t) {
  const VectorXd one = VectorXd::Ones(n);
  return {0.3 * std::sin(2 * t) * one, 0.6 * std::cos(2 * t) * one, -1.2 * std::sin(2 * t) * one};
}

/// A driver whose robot is simulated for some seconds.
class Robot {
 public:
  Robot(const corio::Model<double>& model, double duration)
      : plant_(model, VectorXd::Constant(model.nq(), 0.2), VectorXd::Zero(model.nv()), 1e-3), duration_(duration) {}
  bool running() const { return plant_.time() < duration_ && message_.empty(); }
  double time() const { return plant_.time(); }
  double dt() const { return plant_.dt(); }
  const VectorXd& q() const { return plant_.q(); }
  const VectorXd& v() const { return plant_.v(); }
  void send(const VectorXd& tau) {
    torque_ = tau;
    plant_.advance(outside_.size() > 0 && plant_.time() > 1 ? VectorXd(tau + outside_) : tau);
  }
  const VectorXd& torque() const { return torque_; }
  /// The external force, which acts from 1 s on.
  void push(const VectorXd& outside) { outside_ = outside; }
  void stop(const std::string& message) { message_ = message; }
  const std::string& message() const { return message_; }

 private:
  corio::Simulation<double> plant_;
  double duration_;
  VectorXd torque_ = VectorXd::Zero(plant_.v().size()), outside_;
  std::string message_;
};

/// How far q is from the path.
double error(const Robot& robot) {
  return (robot.q() - swing(static_cast<int>(robot.q().size()), robot.time()).q).norm();
}

}  // namespace usage_test

using namespace usage_test;

TEST_CASE("the guide's tracking", "[control][usage]") {
  const auto model = corio::zoo::serial_chain(7);
  Robot robot(model, 3);
  const auto path = [&](double t) { return swing(model.nv(), t); };
  const double start = error(robot);

  corio::Data data(model);
  const VectorXd lambda = VectorXd::Constant(model.nv(), 5);                 // 1/s
  const VectorXd K_D = 20 * corio::crba(model, data, robot.q()).diagonal();  // N m s: 20/s times an inertia
  corio::SlotineLi controller(model, {lambda, K_D});
  while (robot.running()) {
    const auto [q_d, v_d, a_d] = path(robot.time());
    robot.send(controller.update(model, data, robot.q(), robot.v(), q_d, v_d, a_d));
  }
  CHECK(error(robot) < 0.1 * start);

  corio::SlotineLi<double, corio::factorization::Plain> plain(model, {lambda, K_D});

  const auto [q_d, v_d, a_d] = path(robot.time());
  corio::forward_kinematics(model, data, robot.q(), robot.v());
  const VectorXd by_one = controller.update(model, data, q_d, v_d, a_d);
  const VectorXd by_other = plain.update(model, data, q_d, v_d, a_d);
  CHECK(by_one == controller.update(model, data, robot.q(), robot.v(), q_d, v_d, a_d));
  CHECK(by_other == plain.update(model, data, robot.q(), robot.v(), q_d, v_d, a_d));
}

TEST_CASE("the guide's adaptation", "[control][usage]") {
  const auto model = corio::zoo::serial_chain(3);
  auto loaded = model;
  auto heavier = model.inertia(model.bodies().back());
  heavier.mass *= 2;
  loaded.set_inertia(model.bodies().back().name(), heavier);
  const auto path = [&](double t) { return swing(model.nv(), t); };
  corio::Data data(model);
  const VectorXd lambda = VectorXd::Constant(3, 5), K_D = VectorXd::Constant(3, 1);
  double direct = 0;
  {
    Robot robot(loaded, 5);
    const corio::BodySelection hand(model, {model.bodies().back().name()});
    const VectorXd gain = VectorXd::Constant(1, 0.2);  // 1/J, in the natural metric one for each body that adapts
    corio::AdaptiveSlotineLi adaptive(model, {lambda, K_D}, {.parameters = gain, .bodies = hand});
    while (robot.running()) {
      const auto [q_d, v_d, a_d] = path(robot.time());
      robot.send(adaptive.update(model, data, robot.q(), robot.v(), q_d, v_d, a_d, robot.dt()));
    }
    const double mass = adaptive.parameters()[10 * hand[0]];
    direct = std::abs(mass - heavier.mass);
    CHECK(direct < 0.8 * (heavier.mass - model.inertia(model.bodies().back()).mass));
  }
  Robot robot(loaded, 5);
  const corio::BodySelection hand(model, {model.bodies().back().name()});
  corio::AdaptiveSlotineLi adaptive(model, {lambda, K_D}, {.parameters = VectorXd::Constant(1, 0.2), .bodies = hand});

  corio::FilteredRegressors filtered(model, 10, corio::BalanceEquation::momentum, hand);  // 1/s
  corio::ExcitationMonitor monitor(MatrixXd::Identity(10, 10).leftCols(1), 2);            // of the mass, over 2 s
  while (robot.running()) {
    const auto [q_d, v_d, a_d] = path(robot.time());
    corio::forward_kinematics(model, data, robot.q(), robot.v());
    filtered.update(model, data, robot.torque(), robot.dt());
    adaptive.adapt(filtered.W(), filtered.y(), 20, robot.dt());
    monitor.add(filtered.W(), robot.dt());
    robot.send(adaptive.update(model, data, q_d, v_d, a_d, robot.dt()));
  }
  CHECK(std::abs(adaptive.parameters()[10 * hand[0]] - heavier.mass) < direct);
  CHECK(monitor.smallest_eigenvalue() > 0);
}

TEST_CASE("the guide's operational space control", "[control][usage]") {
  const auto model = corio::zoo::serial_chain(7);
  Robot robot(model, 3);
  corio::Data data(model);
  const VectorXd posture = robot.q();
  corio::forward_kinematics(model, data, posture);
  const Vector3d start = corio::body_pose(model, data, model.bodies().back()).translation;
  const Vector3d x_d = start + Vector3d(0.1, 0, -0.1);

  corio::OperationalSpace control(model);  // with a floating base: control(model, {"root_joint"})
  const corio::FramePoint<double> hand(model.bodies().back(), corio::ReferenceFrame::world_aligned);
  std::vector<corio::OperationalTask<double>> tasks(1);  // the first has the highest priority
  MatrixXd J(6, model.nv()), Jdot(6, model.nv());
  while (robot.running()) {
    corio::forward_kinematics(model, data, robot.q(), robot.v());
    corio::body_jacobian(model, data, hand, J);
    corio::body_jacobian_dot(model, data, hand, Jdot);
    const Vector3d x = corio::body_pose(model, data, model.bodies().back()).translation;
    const VectorXd xdot = J.bottomRows(3) * robot.v();
    tasks[0] = {J.bottomRows(3), Jdot.bottomRows(3), 100 * (x_d - x) - 20 * xdot};
    robot.send(control.update(model, data, tasks, 5 * (posture - robot.q()) - 2 * robot.v()));
  }
  corio::forward_kinematics(model, data, robot.q(), robot.v());
  CHECK((corio::body_pose(model, data, model.bodies().back()).translation - x_d).norm() < 1e-3);
  control.relax(3e-3, 0.4 * model.effort_limit());          // or relax(0): no bounds
  control.damp_posture(VectorXd::Constant(model.nv(), 2));  // N m s
  CHECK(control.update(model, data, tasks, 0 * posture).allFinite());
}

TEST_CASE("the guide's collision detection", "[control][usage]") {
  const auto model = corio::zoo::serial_chain(7);
  Robot robot(model, 3);
  corio::Data data(model);
  corio::ComputedTorque holds(model, {VectorXd::Constant(7, 100), VectorXd::Constant(7, 20)});
  const VectorXd q_d = robot.q(), still = VectorXd::Zero(7), sigma_v = VectorXd::Constant(7, 1e-4), sigma_tau = still;
  const VectorXd floor = VectorXd::Constant(7, 0.02);
  VectorXd outside = still;
  outside.head(4) << 1, 1, 1, 3;  // N m, of a force on the fourth link
  robot.push(outside);

  corio::MomentumObserver observer(model, VectorXd::Constant(model.nv(), 40));  // 1/s
  corio::CollisionDetector detector(model, {sigma_v, sigma_tau}, floor);  // noise of a sample, errors of the model
  while (robot.running()) {
    observer.update(model, data, robot.q(), robot.v(), robot.torque(), robot.dt());
    if (const auto& found = detector.detect(model, data, observer))
      robot.stop("hit with " + model.bodies().at(static_cast<std::size_t>(found.bodies.back())).name());

    robot.send(holds.update(model, data, q_d, still, still));
  }
  CHECK(robot.message() == "hit with " + model.bodies()[3].name());
  corio::CollisionAlarm alarm;  // begins above a threshold, ends 0.1 s after all are below 0.7 of theirs
  if (alarm.update(detector.excess(), robot.dt())) robot.stop("hit");
  CHECK(robot.message() == "hit");
  CHECK(robot.time() < 1.1);
  CHECK(robot.time() > 1);
}

TEST_CASE("all code of the guide to control is in this file", "[control][usage]") {
  CHECK(corio::test::check_blocks("include/corio/control/README.md", "tests/control/usage_test.cpp") >= 3);
}
