// Prints the errors of the algorithms in double and in float, beside the errors of Pinocchio if it was found:
//
//   corio_accuracy_bench [folder [robot.urdf | floating:robot.urdf ...]]
//
// Every result is compared with the result of the same library over long double from the same numbers: the parameters
// of the model and the state, rounded to the scalar in question before. The difference is thus the error of the
// algorithm alone, without the effect of rounded inputs. The target accuracy_report runs the program for robots of the
// zoo.

#include "accuracy.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>

#include "compare/own.hpp"
#include "corio/corio.hpp"
#include "humanoid_50.hpp"
#include "robot_file.hpp"
#include "timing.hpp"

namespace {

using namespace accuracy;
constexpr int states_of_each = 20;

template <class S>
Compute own(const corio::Model<S>& model_) {
  struct Robot {
    corio::Model<S> model;
    corio::Data<S> data;
  };
  const auto robot = std::make_shared<Robot>(Robot{model_, corio::Data<S>(model_)});
  return [robot](const State& s) {
    auto& [model, data] = *robot;
    const Vector<S> q = s.q.cast<S>(), v = s.v.cast<S>(), a = s.a.cast<S>(), tau = s.tau.cast<S>();
    Results x;
    x.of[mass_matrix] = corio::crba(model, data, q).template cast<Exact>();
    x.of[coriolis] = corio::coriolis_matrix(model, data, q, v).C.template cast<Exact>();
    const auto& inverse_dynamics = corio::inverse_dynamics_derivatives(model, data, q, v, a);
    x.of[along_q] = inverse_dynamics.dtau_dq.template cast<Exact>();
    x.of[along_v] = inverse_dynamics.dtau_dv.template cast<Exact>();
    if (!compare::is_regular(model)) return x;
    x.of[inverse] = corio::mass_matrix_inverse(model, data, q).template cast<Exact>();
    x.of[accelerations] = corio::aba(model, data, q, v, tau).template cast<Exact>();
    x.of[accelerations_along_q] =
        corio::forward_dynamics_derivatives(model, data, q, v, tau).da_dq.template cast<Exact>();
    return x;
  };
}

template <class S>
void print(paper::Report& report, const char* scalar, const corio::Model<double>& given) {
  const corio::Model<S> model = given.cast<S>();
  const auto exact = model.template cast<Exact>();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto rounded = [](const Eigen::VectorXd& x) -> Vector<Exact> { return x.cast<S>().template cast<Exact>(); };
  std::vector<State> states;
  for (int i = 0; i < states_of_each; ++i) {
    const Eigen::VectorXd q = corio::random_configuration(given, random);
    Eigen::VectorXd v(given.nv()), a(given.nv()), tau(given.nv());
    for (auto* x : {&v, &a, &tau})
      for (double& y : *x) y = uniform(random);
    states.push_back({rounded(q), rounded(v), rounded(a), rounded(tau)});
  }
  std::vector<Errors> all{errors("corio", states, own(model), own(exact))};
  std::string note;
#ifdef CORIO_BENCH_PINOCCHIO
  try {
    const auto mechanism = compare::describe(model.template cast<double>(), given.name(), given.name());
    for (Errors& e : of_pinocchio(mechanism, states, std::is_same_v<S, float>)) all.push_back(std::move(e));
  } catch (const compare::Unsupported& reason) {
    note = reason.what();
  }
#endif
  for (const Errors& e : all) {
    report.print("  %-7s%-18s", scalar, e.who.c_str());
    // Quantities that need M^-1 are left out for a robot whose M is singular.
    for (int i = 0; i < quantities; ++i)
      e.worst[i] < 0 || all.front().worst[i] < 0 ? report.print("%10s", "-") : report.print("%10.1Le", e.worst[i]);
    report.print("\n");
  }
  if (!note.empty()) report.print("  %-7sno Pinocchio: %s\n", scalar, note.c_str());
}

void run(const std::string& folder, const std::vector<std::string>& files) {
  std::vector<bench::Robot> robots;
  for (const std::string& file : files) robots.push_back(bench::load(file));
  if (robots.empty())
    robots = {{"arm_7", "arm of 7 joints", corio::zoo::serial_chain(7)},
              {"chain_20", "chain of 20 joints", corio::zoo::serial_chain(20)},
              {"quadruped", "quadruped, floating", corio::zoo::quadruped(12)},
              {"humanoid_50", "humanoid with hands, floating", paper::humanoid_50()}};
  paper::Report report(folder + "/report.txt");
  report.print(
      "Largest error over %d random states, against the same library over long double from the same numbers:\n",
      states_of_each);
  report.print("parameters and state are rounded to the scalar before both, so that rounding them does not count.\n\n");
  paper::print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, paper::load_average());
  report.print(
      "  M, M^-1               of an entry, relative to the root of its two diagonal entries, such as M_ii M_jj\n");
  report.print("  C, dtau_dq, dtau_dv   of an entry, relative to the largest of its row\n");
  report.print("  aba, da_dq            of an entry, relative to the largest of all; v, a, tau in [-1, 1]\n");
#ifndef CORIO_BENCH_PINOCCHIO
  report.print("\nPinocchio was not found (version 3, CMAKE_PREFIX_PATH).\n");
#endif
  for (const auto& robot : robots) {
    report.print("\n%s, nv = %d\n  %-25s", robot.title.c_str(), robot.model.nv(), "");
    for (const char* name : title) report.print("%10s", name);
    report.print("\n");
    print<double>(report, "double", robot.model);
    print<float>(report, "float", robot.model);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  run(argc > 1 ? argv[1] : ".", {argv + std::min(argc, 2), argv + argc});
} catch (const std::exception& error) {
  std::cerr << "corio_accuracy_bench: " << error.what() << '\n';
  return 1;
}
