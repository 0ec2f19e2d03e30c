#include "control/operational_space_support.hpp"

namespace operational_space_test {

TEST_CASE("the inverse, the projector and the inertia of a task are consistent with the dynamics", "[control]") {
  const int seed = GENERATE(range(0, 6)), rows = GENERATE(1, 3, 6);
  CAPTURE(seed, rows);
  State s = tree_state(seed);
  const Task task = task_of_last(s, 0, rows);
  const MatrixXd M = crba(s.model, s.data), one = MatrixXd::Identity(rows, rows);
  const auto& [Lambda, mu, Jbar, N, coriolis_force, p, rank] =
      operational_space_dynamics(s.model, s.data, task.J, task.Jdot);
  REQUIRE(rank == rows);
  const MatrixXd M_inverse = inverse(M);
  CHECK(relative_error(Lambda, inverse(task.J * M_inverse * task.J.transpose())) < bound);
  CHECK(relative_error(task.J * Jbar, one) < bound);
  // Of all inverses Jbar has the least kinetic energy: its velocities are orthogonal to those of the null space.
  CHECK(relative_error(N.transpose() * M * Jbar, MatrixXd::Zero(s.n(), rows)) < bound);
  CHECK(relative_error(N * N, N) < bound);
  CHECK(relative_error(task.J * N, MatrixXd::Zero(rows, s.n())) < bound);
  CHECK(relative_error(task.J * M_inverse * N.transpose(), MatrixXd::Zero(rows, s.n())) < bound);
  CHECK(relative_error(p, Jbar.transpose() * generalized_gravity(s.model, s.data)) < bound);
  // Checks the task's equation of motion for any torques.
  const VectorXd tau = random_vector<double>(s.n(), seed + 5), a = accelerations(s, tau);
  CHECK(relative_error(Lambda * (task.J * a + task.Jdot * s.v) + coriolis_force + p, Jbar.transpose() * tau) < bound);
  const VectorXd of_null_space = (Jbar.transpose() * coriolis_matrix(s.model, s.data).C - Lambda * task.Jdot) * N * s.v;
  CHECK(relative_error(mu * task.J * s.v + of_null_space, coriolis_force) < bound);
}

TEMPLATE_TEST_CASE("the rate of the task's inertia is mu + mu^T for admissible factorizations", "[control]",
                   factorization::Christoffel, factorization::Plain) {
  const int seed = GENERATE(range(0, 6));
  CAPTURE(seed);
  State s = tree_state(seed);
  const Task task = task_of_last(s, 0, 3);
  const auto own = operational_space_dynamics<TestType>(s.model, s.data, task.J, task.Jdot);
  const MatrixXd sum = own.mu + own.mu.transpose();
  // Computes the expected value from the rates of M and J.
  const MatrixXd M_inverse = inverse(crba(s.model, s.data)), Mdot = mass_matrix_dot(s.model, s.data);
  const MatrixXd half = task.Jdot * M_inverse * task.J.transpose(),
                 whole = task.J * M_inverse * Mdot * M_inverse * task.J.transpose();
  CHECK(relative_error(sum, -own.Lambda * (half + half.transpose() - whole) * own.Lambda) < bound);
  // Computes it by differences along the motion.
  const auto inertia_at = [&](double h) {
    State at = s;
    at.q = integrate<double>(s.model, s.q, h * s.v);
    forward_kinematics<double>(at.model, at.data, at.q, at.v);
    const Task moved = task_of_last(at, 0, 3);
    return MatrixXd(operational_space_dynamics(at.model, at.data, moved.J, moved.Jdot).Lambda);
  };
  // The errors are h^2 and eps / h times the condition of Lambda.
  constexpr double h = 1e-5;
  CHECK(relative_error(sum, (inertia_at(h) - inertia_at(-h)) / (2 * h)) < 1e-5);
}

TEST_CASE("factorizations differ in mu, and agree in the force", "[control]") {
  State s = tree_state(3);
  const Task task = task_of_last(s, 0, 6);
  const auto one = operational_space_dynamics(s.model, s.data, task.J, task.Jdot);
  const auto other = operational_space_dynamics<factorization::Plain>(s.model, s.data, task.J, task.Jdot);
  CHECK(relative_error(one.mu, other.mu) > 1e-3);
  CHECK(relative_error(one.coriolis_force, other.coriolis_force) < bound);
}

TEST_CASE("tasks are met, and no task disturbs those before it", "[control]") {
  const int seed = GENERATE(range(0, 6));
  CAPTURE(seed);
  State s = tree_state(seed);
  const VectorXd tau_0 = random_vector<double>(s.n(), seed + 9);
  std::vector<Task> tasks{task_of_last(s, 3, 3), task_of(s, s.model.bodies()[4], 0, 2, 8), task_of_last(s, 0, 2, 3)};
  OperationalSpace<double> control(s.model);
  VectorXd tau = control.update(s.model, s.data, tasks, tau_0);
  VectorXd a = accelerations(s, tau);
  CHECK(relative_error(control.acceleration(), a) < bound);
  REQUIRE(control.levels().size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CAPTURE(k);
    // All tasks are met if the tree is long enough for all of them together.
    if (control.levels()[k].rank == tasks[k].rows())
      CHECK(max_magnitude(missed(s, tasks[k], a)) < bound * (1 + a.norm()));
  }
  CHECK(control.levels()[0].rank == 3);
  // Another tau_0 changes the motion, but no task's acceleration.
  const VectorXd other = accelerations(s, control.update(s.model, s.data, tasks, VectorXd::Zero(s.n())));
  CHECK(relative_error(other, a) > 1e-3);
  for (const Task& task : tasks) CHECK(max_magnitude(task.J * (other - a)) < bound * (1 + a.norm()) * task.J.norm());
  // The first task is met for every acceleration of the others.
  tasks[1].acceleration *= -3;
  tasks[2].acceleration *= 5;
  a = accelerations(s, control.update(s.model, s.data, tasks, tau_0));
  CHECK(max_magnitude(missed(s, tasks[0], a)) < bound * (1 + a.norm()));
  // Alone, the first task is Khatib's.
  const auto& [Lambda, mu, Jbar, N, coriolis_force, p, rank] =
      operational_space_dynamics(s.model, s.data, tasks[0].J, tasks[0].Jdot);
  tau = control.update(s.model, s.data, std::span(tasks).first(1), tau_0);
  const VectorXd h = nonlinear_effects(s.model, s.data), F = Lambda * tasks[0].acceleration + coriolis_force + p;
  CHECK(relative_error(tau, tasks[0].J.transpose() * F + N.transpose() * (h + tau_0)) < bound);
  CHECK(relative_error(control.levels()[0].Lambda, Lambda) < bound);
  // If there are no tasks, the torques keep the velocities constant.
  CHECK(relative_error(control.update(s.model, s.data, {}, VectorXd::Zero(s.n())), h) < bound);
}

TEST_CASE("what contradicts a task before it gets no force, and is reported", "[control]") {
  State s = tree_state(2);
  std::vector<Task> tasks{task_of_last(s, 0, 3), task_of_last(s, 0, 3, 20), task_of_last(s, 2, 3, 30)};
  OperationalSpace<double> control(s.model);
  const VectorXd tau = control.update(s.model, s.data, tasks, VectorXd::Zero(s.n()));
  CHECK(control.levels()[0].rank == 3);
  CHECK(control.levels()[1].rank == 0);
  CHECK(max_magnitude(control.levels()[1].force) == 0.0);
  CHECK(control.levels()[2].rank == 2);
  const VectorXd a = accelerations(s, tau);
  CHECK(max_magnitude(missed(s, tasks[0], a)) < bound * (1 + a.norm()));
  CHECK(max_magnitude(missed(s, tasks[2], a).tail(2)) < bound * (1 + a.norm()));
}

TEST_CASE("a singular arm is given up in the directions in which it cannot move", "[control]") {
  // Two links in a plane form a straight line except for an angle: the determinant of J is proportional to this angle.
  ModelBuilder<double> builder;
  for (int i = 0; i < 2; ++i)
    builder.add_body({.name = std::to_string(i),
                      .parent = i == 0 ? Parent() : Parent("0"),
                      .joint = joint::Revolute::y(),
                      .placement = {identity3<double>(), {i == 0 ? 0.0 : 1.0, 0, 0}},
                      .inertia = ball(1.0, {0.5, 0, 0})});
  const auto model = builder.build();
  OperationalSpace<double> control(model), careful(model, {}, 1e-2);
  for (const double angle : {0.5, 1e-2, 1e-6, 0.0}) {
    CAPTURE(angle);
    State s(model, 1);
    s.q << 0.4, angle;
    forward_kinematics<double>(s.model, s.data, s.q, s.v);
    MatrixXd J(6, 2), Jdot(6, 2);
    const FramePoint<double> tip(model.body("1"), ReferenceFrame::world_aligned, {1, 0, 0});
    body_jacobian(model, s.data, tip, J);
    body_jacobian_dot(model, s.data, tip, Jdot);
    // Takes all three rows, of which the one across the plane is zero.
    const std::vector<Task> task{{J.bottomRows(3), Jdot.bottomRows(3), Eigen::Vector3d(1, 0, 0)}};
    const VectorXd tau = control.update(model, s.data, task, VectorXd::Zero(2)), a = accelerations(s, tau);
    // Mobility falls with the square of the angle: it reaches 1.5e-8 below some 1e-4.
    CHECK(control.levels()[0].rank == (angle > 1e-3 ? 2 : 1));
    if (angle > 1e-3) CHECK(max_magnitude(missed(s, task[0], a)) < bound * (1 + a.norm()));
    if (angle < 1e-3) CHECK(tau.norm() < 100);
    // The direction that is left, across the arm, is met.
    const VectorXd across = task[0].J.col(0).normalized();
    CHECK(std::abs(across.dot(missed(s, task[0], a))) < 1e-5);
    careful.update(model, s.data, task, VectorXd::Zero(2));
    CHECK(careful.levels()[0].rank == (angle > 0.1 ? 2 : 1));
    CHECK(operational_space_dynamics(model, s.data, task[0].J, task[0].Jdot).rank == control.levels()[0].rank);
    if (angle < 1e-3) continue;
    // The mobility that the less mobile row has left while the other row is held, as a share of the larger mobility.
    const MatrixXd A = task[0].J * inverse(crba(s.model, s.data)) * task[0].J.transpose();
    const double left = (A(0, 0) * A(2, 2) - A(0, 2) * A(0, 2)) / std::pow(A.diagonal().maxCoeff(), 2);
    for (const auto& [tolerance, rank] : {std::pair(0.99 * left, 2), std::pair(1.01 * left, 1)})
      CHECK(operational_space_dynamics(model, s.data, task[0].J, task[0].Jdot, tolerance).rank == rank);
  }
}

TEST_CASE("what is wrong is named, and leaves no trace", "[control][errors]") {
  State s = tree_state(3);
  std::vector<Task> tasks{task_of_last(s, 0, 3), task_of_last(s, 3, 2)};
  const VectorXd zero = VectorXd::Zero(s.n());
  OperationalSpace<double> control(s.model);
  const VectorXd tau = control.update(s.model, s.data, tasks, zero);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto message = [&]<class E>(std::type_identity<E>) {
    return message_of<E>([&] { control.update(s.model, s.data, tasks, zero); });
  };
  const std::type_identity<Error> error;
  const std::type_identity<SizeError> size_error;
  for (const double wrong : {nan, infinity}) {
    for (double* x : {&tasks[1].J(1, 2), &tasks[1].Jdot(0, 1), &tasks[1].acceleration[1]}) {
      const double right = std::exchange(*x, wrong);
      CHECK(mentions(message(error), {"OperationalSpace", "task 2", "finite"}));
      *x = right;
    }
    VectorXd bad = zero;
    bad[2] = wrong;
    CHECK(mentions(message_of<Error>([&] { control.update(s.model, s.data, tasks, bad); }), {"tau_0[2]"}));
    Data<double> broken(s.model);
    bad += s.v;
    forward_kinematics<double>(s.model, broken, s.q, bad);
    CHECK(mentions(message_of<Error>([&] { control.update(s.model, broken, tasks, zero); }), {"v[2]"}));
  }
  tasks[0].J *= 1e300;
  CHECK(mentions(message(error), {"not finite"}));
  tasks[0] = task_of_last(s, 0, 3);
  CHECK(control.update(s.model, s.data, tasks, zero) == tau);

  tasks[1].acceleration.resize(3);
  CHECK(mentions(message(size_error), {"task 2", "m x nv"}));
  tasks[1] = task_of_last(s, 3, 2);
  tasks[0].Jdot.resize(2, s.n());
  CHECK(mentions(message(size_error), {"task 1"}));
  tasks[0] = task_of_last(s, 0, 3);
  Task contacts = tasks[0];
  contacts.J.resize(3, 2);
  CHECK(mentions(message_of<SizeError>([&] { control.update(s.model, s.data, tasks, zero, contacts); }), {"contacts"}));
  CHECK_THROWS_AS(control.update(s.model, s.data, tasks, VectorXd::Zero(2)), SizeError);
  CHECK_THROWS_AS(operational_space_dynamics(s.model, s.data, contacts.J, contacts.Jdot), SizeError);
  CHECK_THROWS_AS(operational_space_dynamics(s.model, s.data, tasks[0].J, tasks[1].Jdot), SizeError);
  Data<double> empty(s.model);
  CHECK(mentions(message_of<StateError>([&] { control.update(s.model, empty, tasks, zero); }), {"OperationalSpace"}));
  CHECK_THROWS_AS(OperationalSpace<double>(zoo::serial_chain(2)).update(s.model, s.data, tasks, zero), SizeError);
  CHECK(mentions(message_of<ModelError>([&] { OperationalSpace<double>(s.model, {"wheel"}); }), {"wheel"}));
  for (const double tolerance : {0.0, -1.0, 1.0, nan}) {
    CHECK(mentions(message_of<Error>([&] { OperationalSpace<double>(s.model, {}, tolerance); }), {"tolerance"}));
    CHECK(mentions(
        message_of<Error>([&] { operational_space_dynamics(s.model, s.data, tasks[0].J, tasks[0].Jdot, tolerance); }),
        {"operational_space_dynamics", "tolerance"}));
  }
  CHECK(control.update(s.model, s.data, tasks, zero) == tau);
}

TEST_CASE("operational space control does not allocate, and floats have float's accuracy", "[control]") {
  State s = standing(2);
  const Task contacts = contacts_of(s, feet(s, 3));
  std::vector<Task> tasks{task_of(s, s.model.body("trunk"), 3, 3, 2), task_of(s, s.model.frame("foot3"), 3, 2, 4),
                          task_of(s, s.model.body("trunk"), 0, 3, 2), task_of(s, s.model.body("trunk"), 0, 6, 2)};
  const VectorXd zero = VectorXd::Zero(s.n());
  OperationalSpace<double> control(s.model, {"trunk_joint"}), whole(s.model);
  const auto all = [&] {
    control.update(s.model, s.data, tasks, zero, contacts);
    whole.update(s.model, s.data, tasks, zero);
    operational_space_dynamics(s.model, s.data, tasks[3].J, tasks[3].Jdot);
  };
  all();
  CHECK(control.levels()[3].rank == 0);
  // Takes another state, in which other directions are lost; and fewer tasks, then all of them again.
  for (Task& task : tasks) task.J *= 0.5;
  tasks[1].J.row(0).setZero();
  Eigen::internal::set_is_malloc_allowed(false);
  all();
  control.update(s.model, s.data, std::span(tasks).first(2), zero, contacts);
  all();
  Eigen::internal::set_is_malloc_allowed(true);
  CHECK(control.levels()[1].rank == 1);

  const auto model = zoo::serial_chain<float>(7);
  Data<float> data(model);
  const VectorX<float> q = VectorX<float>::LinSpaced(7, 0.3f, 0.9f), v = VectorX<float>::Ones(7);
  forward_kinematics<float>(model, data, q, v);
  std::vector<OperationalTask<float>> hand{{MatrixX<float>(6, 7), MatrixX<float>(6, 7), VectorX<float>::Ones(6)}};
  const FramePoint<float> where(model.bodies().back(), ReferenceFrame::world_aligned);
  body_jacobian(model, data, where, hand[0].J);
  body_jacobian_dot(model, data, where, hand[0].Jdot);
  OperationalSpace<float> small(model);
  const VectorX<float> a = aba(model, data, small.update(model, data, hand, VectorX<float>::Zero(7)));
  CHECK(relative_error(hand[0].J * a + hand[0].Jdot * v, hand[0].acceleration) < 1e-2);
}

}  // namespace operational_space_test
