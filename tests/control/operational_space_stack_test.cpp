#include "control/operational_space_support.hpp"

// Stacks of tasks that leave little or nothing for the later tasks.
namespace operational_space_stack_test {

using namespace operational_space_test;

namespace {

Task posture_of(const State& s, int seed) {
  return {MatrixXd::Identity(s.n(), s.n()), MatrixXd::Zero(s.n(), s.n()), random_vector<double>(s.n(), seed)};
}
/// Poses, points, directions and postures, in a different order for each seed, with up to three times as many rows as
/// degrees of freedom.
std::vector<Task> random_stack(const State& s, int seed) {
  const auto& bodies = s.model.bodies();
  const auto body = [&](int k) -> const auto& { return bodies[static_cast<std::size_t>(k) % bodies.size()]; };
  std::vector<Task> tasks;
  for (int k = 0; k < 4; ++k) {
    const int kind = (seed * (k + 3) + k * k) % 4;
    tasks.push_back(kind == 0   ? posture_of(s, seed + k)
                    : kind == 1 ? task_of(s, body(seed + k), 0, 6, seed + k)
                    : kind == 2 ? task_of(s, body(seed + 3 * k), 3, 3, seed + k)
                                : task_of(s, body(2 * seed + k), 0, 3, seed + k));
    tasks.back().rotations = 0;  // all rows have the same weight, as in the reference
  }
  return tasks;
}
/// Returns the acceleration that meets the tasks in their order. A task that cannot be met gets the acceleration
/// nearest in kinetic energy; free directions move freely. Computed by singular values, in coordinates in which M is
/// the identity, with long double.
VectorXd reference(State& s, std::span<const Task> tasks, const VectorXd& tau_0) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const Matrix M = crba(s.model, s.data).cast<long double>();
  const Matrix L = M.llt().matrixL();
  const Matrix to_a = L.transpose().inverse();  // a = to_a x, with a^T M a = x^T x
  Vector x = Vector::Zero(s.n());
  Matrix N = Matrix::Identity(s.n(), s.n());  // on the free directions
  for (const Task& task : tasks) {
    const Matrix J = task.J.cast<long double>() * to_a * N;
    const Eigen::JacobiSVD<Matrix> svd(J, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Vector missing = task.acceleration.cast<long double>() -
                           task.Jdot.cast<long double>() * s.v.cast<long double>() -
                           task.J.cast<long double>() * to_a * x;
    const long double least = svd.singularValues().size() > 0 ? 1e-12L * (task.J.cast<long double>() * to_a).norm() : 0;
    Vector step = Vector::Zero(s.n());
    Matrix used = Matrix::Zero(s.n(), s.n());
    for (Eigen::Index i = 0; i < svd.singularValues().size(); ++i) {
      if (svd.singularValues()[i] <= least) continue;
      step += svd.matrixV().col(i) * (svd.matrixU().col(i).dot(missing) / svd.singularValues()[i]);
      used += svd.matrixV().col(i) * svd.matrixV().col(i).transpose();
    }
    x += N * step;
    N = N * (Matrix::Identity(s.n(), s.n()) - used);
  }
  // Adds the torques tau_0 in the null space, in these coordinates.
  x += N * N.transpose() * to_a.transpose() * tau_0.cast<long double>();
  return (to_a * x).cast<double>();
}

/// Large torques act in directions that earlier tasks leave almost nothing of: such stacks are compared only up to the
/// task before.
bool well_conditioned(const State& s, std::span<const Task> tasks, const OperationalSpace<double>& control) {
  int ranks = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) ranks += control.levels()[k].rank;
  double largest = 0;
  for (const auto& level : control.levels())
    if (level.Lambda.size() > 0) largest = std::max(largest, level.Lambda.cwiseAbs().maxCoeff());
  return ranks <= s.n() && largest < 1e4;
}

}  // namespace

TEST_CASE("tasks are met in their order, for stacks with more rows than degrees of freedom", "[control][stack]") {
  int compared = 0;
  for (int seed = 0; seed < 60; ++seed)
    for (const bool relaxed : {false, true}) {
      State s = tree_state(seed);
      const auto tasks = random_stack(s, seed);
      const VectorXd tau_0 = random_vector<double>(s.n(), seed + 50);
      OperationalSpace<double> control(s.model);
      // Only rounding errors reach these bounds.
      control.relax(relaxed ? 1e-11 : 0.0, VectorXd::Constant(s.n(), 1e9));
      control.update(s.model, s.data, tasks, tau_0);
      if (!well_conditioned(s, tasks, control)) continue;
      ++compared;
      const VectorXd expected = reference(s, tasks, tau_0), a = control.acceleration();
      CAPTURE(seed, relaxed, s.n());
      for (const Task& task : tasks)
        CHECK((task.J * (a - expected)).norm() < bound * (1 + (task.J * expected).norm() + task.acceleration.norm()));
      CHECK((a - expected).norm() < 1e-6 * (1 + expected.norm()));
    }
  CHECK(compared >= 60);
}

TEST_CASE("a task for which nothing is left changes nothing", "[control][stack]") {
  int without_rank = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const int n = 6 + seed % 2;
    State s(zoo::serial_chain(n), seed);
    const Task pose = task_of_last(s, 0, 6), posture = posture_of(s, seed);
    for (const double least : {0.0, 1e-7, 3e-3}) {
      OperationalSpace<double> control(s.model);
      control.relax(least, VectorXd::Constant(n, 1e9));
      const VectorXd none = VectorXd::Zero(n);
      control.update(s.model, s.data, std::vector<Task>{pose}, none);
      if (control.levels()[0].rank < 6) continue;
      const VectorXd alone = pose.J * control.acceleration();
      control.update(s.model, s.data, std::vector<Task>{pose, posture, posture}, none);
      CAPTURE(seed, n, least);
      CHECK((pose.J * control.acceleration() - alone).norm() < bound * (1 + alone.norm()));
      if (n == 6) CHECK(control.levels()[1].rank == 0);
      CHECK(control.levels()[2].rank == 0);
      without_rank += control.levels()[2].rank == 0;
    }
  }
  CHECK(without_rank > 60);
}

TEST_CASE("the null space of several tasks is a product, also if one is relaxed", "[control][stack]") {
  for (int seed = 0; seed < 12; ++seed) {
    State s(zoo::serial_chain(9), seed);
    const std::vector<Task> tasks{task_of_last(s, 0, 6), task_of(s, s.model.bodies()[5], 3, 3, 2),
                                  task_of(s, s.model.bodies()[3], 0, 2, 3)};
    OperationalSpace<double> control(s.model);
    control.relax(0.3, VectorXd::Constant(9, 1e9));  // bounds most of the first task
    control.update(s.model, s.data, tasks, VectorXd::Zero(9));
    const MatrixXd Y = crba(s.model, s.data).inverse();
    MatrixXd N = MatrixXd::Identity(9, 9);
    CAPTURE(seed);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      const auto& level = control.levels()[k];
      CHECK(relative_error(level.J, MatrixXd(tasks[k].J * N)) < bound);
      N = N * (MatrixXd::Identity(9, 9) - Y * level.J.transpose() * level.Lambda * level.J);
    }
  }
}

}  // namespace operational_space_stack_test
