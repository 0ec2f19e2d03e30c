// Trajectories by iterative LQR, with the analytical derivatives of the forward dynamics, and by differential dynamic
// programming (DDP) at the end, with its second derivatives too: a cart-pole swings up, the hand of an arm reaches a
// point, and a quadruped with its feet held to the ground moves its trunk (iterative LQR alone).
//
//   ilqr [folder] [--check]
//
// prints a line per iteration and writes data, and figures if there is gnuplot, into the folder (default ilqr_output).
// --check first compares all derivatives with central differences. Exit status 1 if they differ by more than 1e-7, if a
// problem has not converged after 200 iterations, or if its end is not the desired one.

#include <chrono>
#include <corio/io/urdf.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "ilqr/arm.hpp"
#include "ilqr/cart_pole.hpp"
#include "ilqr/check.hpp"
#include "ilqr/quadruped.hpp"
#include "ilqr/solver.hpp"
#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using ilqr::Vector;
using support::small_enough;
namespace fs = std::filesystem;

bool check(ilqr::Problem& problem) {
  constexpr double threshold = 1e-7;
  const double error = ilqr::derivative_error(problem);
  std::printf("derivatives differ from central differences by %.1e, allowed are %.0e: %s\n\n", error, threshold,
              error <= threshold ? "ok" : "FAILED");
  return error <= threshold;
}

ilqr::Solution solve(ilqr::Problem& problem, bool second_order) {
  ilqr::Options options;
  if (second_order) options.second_order_below = 1e-4;
  std::printf("%s\n", second_order ? "Iterative LQR, at the end differential dynamic programming" : "Iterative LQR");
  std::printf("%9s %15s %13s %13s %8s %12s %11s\n", "iteration", "cost", "expected", "actual", "step", "regularised",
              "gradient");
  const auto start = std::chrono::steady_clock::now();
  ilqr::Solution s = ilqr::Solver(problem, options).solve([](const ilqr::Iteration& i) {
    std::printf("%9d %15.8f %13.3e %13.3e %8.4f %12.1e %11.2e\n", i.number, i.cost, i.expected, i.actual, i.step,
                i.regularisation, i.gradient);
  });
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("%9zu %15.8f %13s %13s %8s %12s %11.2e\n", s.iterations.size(), s.cost, "", "", "", "", s.gradient);
  std::printf("%s: %zu iterations of at most %d, gradient of at most %.0e wanted\n",
              s.converged ? "converged" : "NOT CONVERGED", s.iterations.size(), options.max_iterations,
              options.tolerance);
  std::printf("%.0f ms in all, %.1f an iteration; %d linearisations of the dynamics, %.2f us each\n\n", time.count(),
              time.count() / static_cast<double>(std::max<std::size_t>(s.iterations.size(), 1)), s.linearizations,
              1e6 * s.linearization_seconds / s.linearizations);
  return s;
}

void write_convergence(const fs::path& path, const ilqr::Solution& s) {
  auto file = support::output(path, 12);
  file << "# iteration, cost, cost above the last one, largest entry of the gradient\n";
  for (const auto& i : s.iterations)
    file << i.number << ' ' << i.cost << ' ' << i.cost - s.cost << ' ' << i.gradient << '\n';
  file << s.iterations.size() << ' ' << s.cost << " 0 " << s.gradient << '\n';
}

/// Writes a line for each time: t, row(x), u. The last time has no u, so the previous u is repeated.
template <class Row>
void write_trajectory(const fs::path& path, const char* columns, const ilqr::RobotProblem& problem,
                      const ilqr::Solution& s, Row row) {
  const Eigen::IOFormat plain(12, Eigen::DontAlignCols, " ", " ");
  auto file = support::output(path, 12);
  file << "# " << columns << '\n';
  for (std::size_t t = 0; t < s.x.size(); ++t)
    file << problem.h() * static_cast<double>(t) << ' ' << row(s.x[t]).transpose().format(plain) << ' '
         << s.u[std::min(t, s.u.size() - 1)].transpose().format(plain) << '\n';
}

/// Solves by both methods. @returns whether both converged, and the solution of the second
std::pair<bool, ilqr::Solution> solve_both(ilqr::Problem& problem, const fs::path& folder, const std::string& name) {
  const auto first = solve(problem, false);
  write_convergence(folder / (name + "_ilqr.dat"), first);
  auto second = solve(problem, true);
  write_convergence(folder / (name + "_ddp.dat"), second);
  return {first.converged && second.converged, std::move(second)};
}

bool swing_up(const fs::path& folder, bool with_check) {
  ilqr::CartPole problem;
  std::printf("Cart-pole, swing-up: %d steps of %g s\n\n", problem.steps(), problem.h());
  const bool right = !with_check || check(problem);
  const auto [converged, s] = solve_both(problem, folder, "cart_pole");
  const Vector error = problem.difference(problem.goal(), s.x.back());
  const bool arrived = small_enough("place and angle", error.head(2).norm(), 1e-2, "m, rad");
  const bool at_rest = small_enough("their rates", error.tail(2).norm(), 1e-2, "m/s, rad/s");
  write_trajectory(folder / "cart_pole.dat", "time, place, angle, their rates, force", problem, s,
                   [](const Vector& x) { return x; });
  return right && converged && arrived && at_rest;
}

bool reach(const fs::path& folder, bool with_check) {
  const Vector posture = (Vector(7) << -1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0).finished();
  ilqr::Arm problem(corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf"), "tool0", posture, {0.3, 0.4, 0.6});
  std::printf("\nArm of seven joints, reaching over %.2f m: %d steps of %g s\n\n",
              problem.miss(problem.initial_state()).norm(), problem.steps(), problem.h());
  const bool right = !with_check || check(problem);
  const auto [converged, s] = solve_both(problem, folder, "arm");
  const auto speed = [&](const Vector& x) { return problem.hand_velocity(x, problem.velocity(x)).norm(); };
  const bool arrived = small_enough("hand to target", problem.miss(s.x.back()).norm(), 5e-3, "m");
  const bool at_rest = small_enough("hand's speed", speed(s.x.back()), 2e-2, "m/s");
  write_trajectory(folder / "arm.dat", "time, seven angles, distance of the hand, its speed, seven torques", problem, s,
                   [&](const Vector& x) {
                     return (Vector(9) << problem.configuration(x), problem.miss(x).norm(), speed(x)).finished();
                   });
  return right && converged && arrived && at_rest;
}

bool stand_up(const fs::path& folder, bool with_check) {
  ilqr::Quadruped problem(corio::urdf::load(CORIO_EXAMPLES_DIR "/models/quadruped.urdf", corio::joint::FreeFlyer{}),
                          0.05, 0.15);
  std::printf("\nQuadruped on four feet, moving its trunk: %d steps of %g s\n\n", problem.steps(), problem.h());
  bool right = true;
  if (with_check) {
    // Compares derivatives at the first state, with the feet on the ground and off it.
    ilqr::Uniform random;
    double worst = 0;
    for (int i = 0; i < 5; ++i) {
      const Vector x = problem.moved(problem.initial_state(), 0.1 * random(problem.num_tangent()));
      worst =
          std::max(worst, ilqr::dynamics_error(problem, x, problem.first_guess(0) + random(problem.num_controls())));
    }
    right = small_enough("derivatives, from central differences", worst, 1e-7, "");
  }
  const auto s = solve(problem, false);
  write_convergence(folder / "quadruped_ilqr.dat", s);
  double drift = 0;
  for (const Vector& x : s.x) drift = std::max(drift, problem.drift(x));
  const bool arrived = small_enough("trunk", problem.miss(s.x.back()).norm(), 1e-3, "m, rad");
  const bool held = small_enough("drift of a foot", drift, 1e-3, "m");
  write_trajectory(folder / "quadruped.dat", "time, trunk's miss (rotation, place), twelve torques", problem, s,
                   [&](const Vector& x) { return problem.miss(x); });
  return right && s.converged && arrived && held;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool with_check = std::erase(arguments, "--check") > 0;
  if (arguments.size() > 1 || (!arguments.empty() && arguments[0].starts_with("-"))) {
    std::cerr << "usage: ilqr [folder] [--check]\n";
    return 2;
  }
  try {
    const fs::path folder = fs::absolute(arguments.empty() ? "ilqr_output" : arguments[0]);
    fs::create_directories(folder);
    const bool up = swing_up(folder, with_check), there = reach(folder, with_check);
    const bool stands = stand_up(folder, with_check);
    const bool drawn = support::draw(folder, "ilqr");
    return up && there && stands && drawn ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "ilqr: " << error.what() << '\n';
    return 1;
  }
}
