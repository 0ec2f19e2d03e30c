#include "control/operational_space_support.hpp"

// Robots on contacts, and robots that float.

namespace operational_space_test {

TEST_CASE("motors alone move a robot on contacts, which stay", "[control]") {
  const int seed = GENERATE(range(0, 4)), count = GENERATE(3, 4);
  CAPTURE(seed, count);
  State s = standing(seed);
  const auto loops = feet(s, count);
  // Takes a velocity that the contacts allow.
  s.v = constrained_impulse<double>(s.model, s.data, loops).v;
  forward_kinematics<double>(s.model, s.data, s.q, s.v);
  const Task contacts = contacts_of(s, loops);
  std::vector<Task> tasks{task_of(s, s.model.body("trunk"), 0, 6, 2)};
  if (count == 3) tasks.push_back(task_of(s, s.model.frame("foot3"), 3, 3, 4));
  OperationalSpace<double> control(s.model, {"trunk_joint"});
  VectorXd tau = control.update(s.model, s.data, tasks, VectorXd::Zero(s.n()), contacts);
  CHECK(control.contact_rank() == loops.rows());
  CHECK(max_magnitude(tau.head(6)) == 0.0);
  const auto motion = constrained_forward_dynamics<double>(s.model, s.data, loops, tau);
  const double scale = 1 + motion.a.norm();
  CHECK(relative_error(control.acceleration(), motion.a) < bound);
  CHECK(relative_error(control.contact_forces(), motion.lambda) < bound * 10);
  CHECK(max_magnitude(missed(s, contacts, control.acceleration())) < bound * scale);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    CHECK(control.levels()[k].rank == tasks[k].rows());
    CHECK(max_magnitude(missed(s, tasks[k], motion.a)) < bound * scale);
  }
  // Of all contact forces with this effect these are the least: none presses the feet against each other. The pressing
  // forces have as many dimensions as there are contact forces beyond the motions of the base.
  const MatrixXd pressing = null_space(contacts.J.leftCols(6).transpose()),
                 internal = contacts.J.rightCols(12).transpose() * pressing;
  REQUIRE(internal.cols() == loops.rows() - 6);
  CHECK(max_magnitude(pressing.transpose() * control.contact_forces()) < bound * 10 * control.contact_forces().norm());
  // A force with ten times the weight is smaller, at the cost of others.
  Task weighed = contacts;
  for (int i = 0; i < loops.rows(); i += 3) weighed.J.row(i) *= 0.1, weighed.Jdot.row(i) *= 0.1;
  OperationalSpace<double> weighing = control;
  const VectorXd tau_weighed = weighing.update(s.model, s.data, tasks, VectorXd::Zero(s.n()), weighed);
  CHECK(relative_error(constrained_forward_dynamics<double>(s.model, s.data, loops, tau_weighed).a,
                       control.acceleration()) < bound);
  double along_x = 0, along_x_weighed = 0;
  for (int i = 0; i < loops.rows(); i += 3) {
    along_x += std::pow(control.contact_forces()[i], 2);
    along_x_weighed += std::pow(0.1 * weighing.contact_forces()[i], 2);
  }
  CHECK(along_x_weighed < 0.999 * along_x);
  // Pressing torques in tau_0 are passed through.
  VectorXd tau_0 = VectorXd::Zero(s.n());
  tau_0.tail(12) = internal.col(0);
  const VectorXd more = control.update(s.model, s.data, tasks, tau_0, contacts);
  CHECK(relative_error(more, tau + tau_0) < bound);
  const VectorXd& own = control.update(s.model, s.data, tasks, tau_0, contacts);
  CHECK(relative_error(control.update(s.model, s.data, tasks, own, contacts),
                       weighing.update(s.model, s.data, tasks, more, contacts)) < bound);
  CHECK(relative_error(constrained_forward_dynamics<double>(s.model, s.data, loops, more).a, control.acceleration()) <
        bound);
}

TEST_CASE("where all joints have motors, contacts carry nothing", "[control]") {
  State s(zoo::serial_chain(7), 2);
  Task contacts = task_of_last(s, 5, 1);
  contacts.acceleration.setZero();
  const std::vector<Task> tasks{task_of_last(s, 3, 3)};
  OperationalSpace<double> control(s.model);
  const VectorXd a = accelerations(s, control.update(s.model, s.data, tasks, VectorXd::Zero(7), contacts));
  CHECK(max_magnitude(control.contact_forces()) < bound * a.norm());
  CHECK(max_magnitude(missed(s, contacts, a)) < bound * a.norm());
  CHECK(max_magnitude(missed(s, tasks[0], a).head(2)) < bound * a.norm());
  CHECK(control.levels()[0].rank == 2);
}

TEST_CASE("contacts that say the same twice change nothing but forces", "[control]") {
  State s = standing(3);
  const auto loops = feet(s, 4);
  const Task once = contacts_of(s, loops);
  Task twice{MatrixXd(24, s.n()), MatrixXd(24, s.n()), VectorXd::Zero(24)};
  twice.J << once.J, 2 * once.J;
  twice.Jdot << once.Jdot, 2 * once.Jdot;
  const std::vector<Task> tasks{task_of(s, s.model.body("trunk"), 0, 6, 2)};
  OperationalSpace<double> control(s.model, {"trunk_joint"}), doubled = control;
  const VectorXd tau = control.update(s.model, s.data, tasks, VectorXd::Zero(s.n()), once);
  CHECK(relative_error(doubled.update(s.model, s.data, tasks, VectorXd::Zero(s.n()), twice), tau) < bound);
  CHECK(doubled.contact_rank() == 12);
  CHECK(relative_error(twice.J.transpose() * doubled.contact_forces(), once.J.transpose() * control.contact_forces()) <
        bound);
}

TEST_CASE("a robot that floats is moved through its momentum, with no force on the base", "[control]") {
  const bool weightless = GENERATE(true, false);
  State s(zoo::humanoid(), 4);
  if (weightless) s.model.set_gravity(Vector3<double>(0, 0, 0));
  forward_kinematics<double>(s.model, s.data, s.q, s.v);
  const std::vector<Task> tasks{task_of(s, s.model.frame("left_palm"), 0, 6, 2),
                                task_of(s, s.model.frame("right_palm"), 3, 3, 5)};
  OperationalSpace<double> control(s.model, {"root_joint"});
  const VectorXd tau = control.update(s.model, s.data, tasks, VectorXd::Zero(s.n()));
  CHECK(max_magnitude(tau.head(6)) == 0.0);
  const VectorXd a = accelerations(s, tau);
  CHECK(relative_error(control.acceleration(), a) < bound);
  for (const Task& task : tasks) CHECK(max_magnitude(missed(s, task, a)) < bound * (1 + a.norm()));
  // The Jacobian of Umetani and Yoshida: how the hand moves with the joints while the momentum stays.
  const MatrixXd M = crba(s.model, s.data), base = solve(M.topLeftCorner(6, 6), M.topRightCorner(6, s.n() - 6));
  CHECK(relative_error(control.levels()[0].J, tasks[0].J.rightCols(s.n() - 6) - tasks[0].J.leftCols(6) * base) < bound);
  // The base alone keeps its momentum, so no torque acts against gravity.
  const VectorXd still = control.update(s.model, s.data, {}, VectorXd::Zero(s.n()));
  CHECK((accelerations(s, still).norm() < accelerations(s, VectorXd::Zero(s.n())).norm()));
}

}  // namespace operational_space_test
