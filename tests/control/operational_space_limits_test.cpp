#include "control/operational_space_support.hpp"
#include "corio/simulation/step.hpp"

// Tasks near singularities, within motor limits.
namespace operational_space_limits_test {

using namespace operational_space_test;

namespace {

/// An arm with six axes, motors of different sizes and a hand in reach of 0.9 m.
Model<double> arm() {
  ModelBuilder<double> builder("arm");
  Parent parent;
  const Vector3<double> axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}};
  const Vector3<double> places[] = {{0, 0, 0.1}, {0, 0.1, 0}, {0.4, 0, 0}, {0.35, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
  for (int i = 0; i < 6; ++i)
    parent = builder.add_body({.name = "link" + std::to_string(i),
                               .parent = parent,
                               .joint = joint::Revolute(axes[i]),
                               .placement = {identity3<double>(), places[i]},
                               .inertia = {i < 3 ? 4.0 : 1.0,
                                           {i == 1 || i == 2 ? 0.2 : 0.0, 0, 0.02},
                                           (i < 3 ? 0.05 : 0.002) * Matrix3<double>::Identity()},
                               .armature = {i < 3 ? 0.5 : 0.05},
                               .limits = {.effort = {i < 3 ? 150.0 : 28.0}}});
  builder.add_frame("hand", parent, {identity3<double>(), {0, 0.08, 0}});
  return builder.build();
}

VectorXd small_torques(int n) { return VectorXd::Constant(n, 0.5); }

}  // namespace

TEST_CASE("a goal out of reach asks for bounded torques, lets the arm rest, and is left exactly",
          "[control][simulation]") {
  const bool pose = GENERATE(true, false);
  const auto model = arm();
  const auto& hand = model.frame("hand");
  OperationalSpace<double> control(model);
  State s(model, 1);
  s.q << 0.3, -1.0, 1.2, -1.2, 1.0, 0.2;
  s.v.setZero();
  forward_kinematics<double>(s.model, s.data, s.q, s.v);
  const Pose<double> start = body_pose(model, s.data, hand);
  const FramePoint<double> where(hand, ReferenceFrame::world_aligned);
  const VectorXd& limit = model.effort_limit();
  double most = 0, late = 0, distance = 0, share = 1;
  int rank = 6;
  MatrixXd J(6, 6), Jdot(6, 6);
  for (int i = 0; i < 8000; ++i) {
    Vector3<double> goal = start.translation;
    if (i < 4000) goal = {2.2 * goal.x(), 2.2 * goal.y(), goal.z()};
    forward_kinematics<double>(model, s.data, s.q, s.v);
    const Pose<double> X = body_pose(model, s.data, hand);
    body_jacobian(model, s.data, where, J), body_jacobian_dot(model, s.data, where, Jdot);
    VectorXd error(6);
    error << log_rotation<double>(X.rotation * start.rotation.transpose()), X.translation - goal;
    distance = error.tail(3).norm();
    const VectorXd a = -100 * error - 20 * (J * s.v);
    const std::vector<Task> tasks{pose ? Task{J, Jdot, a} : Task{J.bottomRows(3), Jdot.bottomRows(3), a.tail(3)}};
    VectorXd tau = control.update(model, s.data, tasks, -2 * s.v);
    most = std::max(most, tau.cwiseQuotient(limit).cwiseAbs().maxCoeff());
    share = std::min(share, control.levels()[0].share), rank = std::min(rank, control.levels()[0].rank);
    tau = tau.cwiseMax(-limit).cwiseMin(limit);
    step(model, s.data, s.q, s.v, tau, 1e-3);
    if (i > 3000 && i < 4000) late = std::max(late, max_magnitude(s.v));
  }
  CAPTURE(pose, most, late, distance);
  CHECK(most < 2);
  CHECK(late < 0.01);      // rad/s, in the fourth second
  CHECK(distance < 1e-9);  // the error has decayed for four seconds at a rate of 10/s
  CHECK(share < 0.5);      // it was out of reach
  CHECK(rank < (pose ? 6 : 3));
}

TEST_CASE("away from singularities and limits tasks are as without bounds", "[control]") {
  int compared = 0;
  for (int seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    State s(arm(), seed);
    s.q << 0.3, -1.0, 1.2, -1.2, 1.0, 0.2;
    s.q += 0.2 * random_vector<double>(6, seed), s.v *= 0.1;
    forward_kinematics<double>(s.model, s.data, s.q, s.v);
    const auto& hand = s.model.frame("hand");
    const VectorXd tau_0 = random_vector<double>(6, seed + 9);
    OperationalSpace<double> control(s.model), unbounded(s.model);
    unbounded.relax(0);
    for (const auto& tasks : {std::vector<Task>{task_of(s, hand, 0, 6, 3)},
                              std::vector<Task>{task_of(s, hand, 3, 3, 3), task_of(s, hand, 0, 2, 4)}}) {
      const VectorXd tau = control.update(s.model, s.data, tasks, tau_0);
      bool bounded = false;
      for (std::size_t k = 0; k < tasks.size(); ++k)
        bounded |= control.levels()[k].share < 1 || control.levels()[k].rank < tasks[k].rows();
      if (bounded) continue;
      ++compared;
      // Both ways factorize a mobility with a condition of up to 1e3.
      CHECK(relative_error(tau, unbounded.update(s.model, s.data, tasks, tau_0)) < 1e-12);
    }
  }
  CHECK(compared >= 12);
}

TEST_CASE("a bounded inertia is that of the eigenvalues, and continuous", "[control]") {
  const int seed = GENERATE(range(0, 20)), m = 1 + seed % 6;
  const double least = 3e-3;
  MatrixXd random(m, m);
  for (int k = 0; k < m; ++k) random.col(k) = random_vector<double>(m, 10 * seed + k);
  const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(random).householderQ();
  VectorXd s(m), d = VectorXd::Ones(m) + 0.9 * random_vector<double>(m, seed);
  for (int k = 0; k < m; ++k) s[k] = k < 3 || seed % 3 < 2 ? std::pow(10.0, -(seed % 3) * 2 * k) : 0.0;
  detail::BoundedInverse<double> inverse;
  MatrixXd Lambda, excess, other;
  const MatrixXd root = d.cwiseSqrt().asDiagonal();
  const auto from = [&](const VectorXd& values) -> MatrixXd {
    return root.inverse() * Q * values.asDiagonal() * Q.transpose() * root.inverse();
  };
  const MatrixXd A = root * Q * s.asDiagonal() * Q.transpose() * root;
  const int rank = inverse.compute(0.5 * (A + A.transpose()), d, least, Lambda, excess, "test");
  CAPTURE(seed, m);
  CHECK(rank == (s.array() >= least).count());
  // Directions of mobility zero get no force. Eigenvectors for 1e-8 have errors of eps / 1e-8 along these directions.
  const VectorXd inverted = (s.array() > 0).select(s.cwiseMax(least).cwiseInverse(), 0.0);
  CHECK(relative_error(Lambda, from(inverted)) < (seed % 3 == 2 ? 1e-6 : 1e-10));
  VectorXd above = VectorXd::Zero(m);
  for (int k = 0; k < m; ++k)
    if (s[k] < least && s[k] > 1e-9) above[k] = 1 / s[k] - 1 / least;
  if (s.minCoeff() > 1e-9) CHECK(relative_error(excess, from(above)) < 1e-6);
  // Tests just below and above the bound, where Cholesky's factorization gives one result and eigenvalues give the
  // other.
  s.setOnes(), s[m - 1] = least * (1 + 1e-9);
  inverse.compute(root * Q * s.asDiagonal() * Q.transpose() * root, d, least, Lambda, excess, "test");
  s[m - 1] = least * (1 - 1e-9);
  inverse.compute(root * Q * s.asDiagonal() * Q.transpose() * root, d, least, other, excess, "test");
  CHECK(relative_error(other, Lambda) < 1e-8);
}

TEST_CASE("levels keep within their torques, on trees, on contacts and afloat", "[control]") {
  const int seed = GENERATE(range(0, 6)), kind = GENERATE(0, 1, 2);
  CAPTURE(seed, kind);
  State s = kind == 1 ? standing(seed) : kind == 2 ? State(zoo::humanoid(), seed) : tree_state(seed);
  const std::vector<std::string> base = kind == 1   ? std::vector<std::string>{"trunk_joint"}
                                        : kind == 2 ? std::vector<std::string>{"root_joint"}
                                                    : std::vector<std::string>();
  const Task contacts = kind == 1 ? contacts_of(s, feet(s, 3)) : Task{};
  std::vector<Task> tasks{task_of_last(s, 0, 6), task_of_last(s, 3, 3, 12), task_of(s, s.model.bodies()[2], 0, 6, 8)};
  const VectorXd none = VectorXd::Zero(s.n());
  OperationalSpace<double> control(s.model, base), unbounded(s.model, base);
  control.relax(3e-3, small_torques(s.n()));
  // The torques of each level are the difference from the levels before.
  VectorXd before = control.update(s.model, s.data, {}, none, contacts);
  std::vector<double> shares;
  for (std::size_t k = 1; k <= tasks.size(); ++k) {
    const VectorXd tau = control.update(s.model, s.data, std::span(tasks).first(k), none, contacts);
    if (!base.empty()) CHECK(max_magnitude(tau.head(6)) == 0.0);
    // A level has its share, and as much for damping; torques that press contacts against each other are chosen after
    // all tasks.
    if (kind != 1) CHECK(max_magnitude(tau - before) < 1.0 + 1e-9 * tau.norm());
    const auto& level = control.levels()[k - 1];
    CHECK(max_magnitude(level.J.transpose() * level.force) < 1.0 + 1e-9);
    CHECK(level.share > 0);
    before = tau;
  }
  CHECK(control.levels()[0].share < 1);
  if (kind == 1) {
    const auto motion = constrained_forward_dynamics<double>(s.model, s.data, feet(s, 3), before);
    CHECK(max_magnitude(missed(s, contacts, control.acceleration())) < bound * (1 + motion.a.norm()) * 10);
  }
  CHECK(relative_error(control.acceleration(), kind == 1 ? control.acceleration() : accelerations(s, before)) < bound);
}

TEST_CASE("what a task cannot have does not disturb those before it, and takes energy only", "[control]") {
  const int seed = GENERATE(range(0, 6));
  CAPTURE(seed);
  State s = tree_state(seed);
  // The second task contains the rows of the first task and further ones.
  std::vector<Task> tasks{task_of_last(s, 3, 3), task_of_last(s, 0, 6, 4)};
  const VectorXd none = VectorXd::Zero(s.n());
  OperationalSpace<double> damped(s.model), undamped(s.model);
  damped.relax(0.1, VectorXd::Constant(s.n(), 1e6)), undamped.relax(0.1, VectorXd::Constant(s.n(), 1e6), 0);
  const VectorXd tau = damped.update(s.model, s.data, tasks, none),
                 without = undamped.update(s.model, s.data, tasks, none);
  if (damped.levels()[0].rank == 3)
    CHECK(max_magnitude(missed(s, tasks[0], accelerations(s, tau))) < bound * (1 + tau.norm()));
  CHECK(damped.levels()[1].rank < 6);
  // The first level is the same in both; in the second, the difference is the damping.
  if (damped.levels()[0].rank == 3) CHECK((tau - without).dot(s.v) <= bound);
}

TEST_CASE("posture damping takes energy in every state, which -D v in the null space does not", "[control]") {
  double highest = -1, plain = -1;
  for (int seed = 0; seed < 10; ++seed) {
    State s = tree_state(seed);
    const VectorXd none = VectorXd::Zero(s.n()), D = 5 * random_vector<double>(s.n(), seed + 3).cwiseAbs();
    const auto projector = [&] {
      const Task task = task_of_last(s, 3, 3);
      return MatrixXd(operational_space_dynamics(s.model, s.data, task.J, task.Jdot).N);
    };
    const MatrixXd N = projector(), plain_power = -N.transpose() * D.asDiagonal();
    // These are the velocities with the largest power of -N^T D v.
    const Eigen::SelfAdjointEigenSolver<MatrixXd> worst(plain_power + plain_power.transpose());
    s.v = worst.eigenvectors().col(s.n() - 1);
    forward_kinematics<double>(s.model, s.data, s.q, s.v);
    const std::vector<Task> tasks{task_of_last(s, 3, 3)};
    OperationalSpace<double> control(s.model), other(s.model);
    control.damp_posture(D);
    const VectorXd base = other.update(s.model, s.data, tasks, none),
                   damping = control.update(s.model, s.data, tasks, none) - base,
                   by_user = other.update(s.model, s.data, tasks, -D.cwiseProduct(s.v)) - base;
    // Compares with -N^T D N v, with N from the equations of motion.
    CHECK(relative_error(damping, -N.transpose() * D.asDiagonal() * N * s.v) < bound);
    highest = std::max(highest, damping.dot(s.v)), plain = std::max(plain, by_user.dot(s.v));
    control.damp_posture({});
    CHECK(control.update(s.model, s.data, tasks, none) == base);
  }
  CHECK(highest <= 1e-12);
  CHECK(plain > 0.01);
}

TEST_CASE("bounds of tasks are on where the motors have limits, and reject what they cannot take",
          "[control][errors]") {
  State s(arm(), 2);
  OperationalSpace<double> control(s.model), free(zoo::serial_chain(6));
  const VectorXd none = VectorXd::Zero(6);
  std::vector<Task> task{task_of(s, s.model.frame("hand"), 0, 6, 2)};
  task[0].acceleration *= 1e6;
  control.update(s.model, s.data, task, none);
  CHECK(control.levels()[0].share < 1e-2);
  State without(zoo::serial_chain(6), 2);
  std::vector<Task> other{task_of_last(without, 0, 6)};
  other[0].acceleration *= 1e6;
  free.update(without.model, without.data, other, none);
  CHECK(free.levels()[0].share == 1.0);

  // By default, three of the six rows are rotations.
  task[0] = task_of(s, s.model.frame("hand"), 0, 6, 2);
  const VectorXd tau = control.update(s.model, s.data, task, none);
  task[0].rotations = 3;
  CHECK(control.update(s.model, s.data, task, none) == tau);
  task[0].rotations = 7;
  CHECK(mentions(message_of<SizeError>([&] { control.update(s.model, s.data, task, none); }), {"task 1", "rotations"}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double least : {-0.1, 1.0, nan}) CHECK_THROWS_AS(control.relax(least), Error);
  for (const double damping : {-1.0, nan}) CHECK_THROWS_AS(control.relax(1e-3, {}, damping), Error);
  for (const double torque : {0.0, -1.0, nan})
    CHECK_THROWS_AS(control.relax(1e-3, VectorXd::Constant(6, torque)), Error);
  CHECK_THROWS_AS(control.relax(1e-3, VectorXd::Ones(5)), SizeError);
  CHECK_THROWS_AS(control.damp_posture(VectorXd::Ones(5)), SizeError);
  CHECK_THROWS_AS(control.damp_posture(-VectorXd::Ones(6)), Error);
}

TEST_CASE("bounded tasks do not allocate", "[control]") {
  State s = standing(2);
  const Task contacts = contacts_of(s, feet(s, 3));
  std::vector<Task> tasks{task_of(s, s.model.body("trunk"), 0, 6, 2), task_of(s, s.model.frame("foot3"), 3, 3, 4),
                          task_of(s, s.model.body("trunk"), 0, 6, 2)};
  const VectorXd none = VectorXd::Zero(s.n());
  OperationalSpace<double> control(s.model, {"trunk_joint"});
  control.relax(3e-3, small_torques(s.n()));
  control.damp_posture(VectorXd::Ones(s.n()));
  const auto run = [&] { control.update(s.model, s.data, tasks, none, contacts); };
  run();
  for (Task& task : tasks) task.J.row(0).setZero();
  Eigen::internal::set_is_malloc_allowed(false);
  run();
  Eigen::internal::set_is_malloc_allowed(true);
  CHECK(control.levels()[0].share < 1);
}

}  // namespace operational_space_limits_test
