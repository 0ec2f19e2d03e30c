// Ten thousand rollouts of random torques, as sampling-based control and learning need them: one Model for all threads,
// a Data for each. Exit status 1 unless the results are bitwise equal to the results of a single thread, and the best
// rollout beats the one without torques.

#include <chrono>
#include <corio/corio.hpp>
#include <cstdio>
#include <random>
#include <thread>

namespace {

using Eigen::VectorXd;

constexpr int rollouts = 10000, steps = 25;
constexpr double dt = 0.02;

/// The cost of a rollout, which depends on its number alone: the distance of the arm from upright, with more weight at
/// the end.
class Rollout {
 public:
  explicit Rollout(const corio::Model<double>& model)
      : model_(model), data_(model), q_(model.nq()), v_(model.nv()), tau_(model.nv()) {}

  double operator()(int number) {
    std::minstd_rand generator(static_cast<unsigned>(number));
    std::uniform_real_distribution<double> uniform(-4, 4);
    q_.setConstant(0.3), v_.setZero();
    double cost = 0;
    for (int i = 0; i < steps; ++i) {
      if (i % 5 == 0)
        for (double& x : tau_) x = number == 0 ? 0.0 : uniform(generator);
      corio::step(model_, data_, q_, v_, tau_, dt);
      cost += dt * (q_.squaredNorm() + 0.01 * v_.squaredNorm());
    }
    return cost + q_.squaredNorm();
  }

 private:
  const corio::Model<double>& model_;
  corio::Data<double> data_;
  VectorXd q_, v_, tau_;
};

VectorXd in_threads(const corio::Model<double>& model, int threads) {
  VectorXd cost(rollouts);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      Rollout rollout(model);
      for (int i = t; i < rollouts; i += threads) cost[i] = rollout(i);
    });
  for (auto& thread : all) thread.join();
  return cost;
}

}  // namespace

int main() {
  auto model = corio::zoo::serial_chain(6);
  model.set_damping(VectorXd::Constant(model.nv(), 0.5));
  model.set_friction(VectorXd::Constant(model.nv(), 0.2));

  const int threads = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  const auto start = std::chrono::steady_clock::now();
  const VectorXd cost = in_threads(model, threads);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  Rollout alone(model);
  bool same = true;
  for (int i = 0; i < rollouts; i += 97) same &= alone(i) == cost[i];

  int best = 0;
  cost.minCoeff(&best);
  std::printf("%d rollouts of %d steps in %d threads: %.2f s, %.2f million steps a second\n", rollouts, steps, threads,
              time.count(), 1e-6 * rollouts * steps / time.count());
  std::printf("cost without torques %.3f, of the best rollout (number %d) %.3f; %s\n", cost[0], best, cost[best],
              same ? "the same in one thread" : "OTHER NUMBERS in one thread");
  const bool good = same && cost.allFinite() && cost[best] < cost[0];
  std::printf("%s\n", good ? "ok" : "FAILED");
  return good ? 0 : 1;
}
