// Times functions of corio that controllers call, each complete from (q, v, ..), beside Pinocchio's function if it has
// one:
//
//   corio_functions [file [rounds [robot.urdf | floating:robot.urdf ...]]]
//
// prints the least time of interleaved rounds in microseconds per state. A new function needs a line in
// corio_functions, and a line with the same name in pinocchio_functions.cpp. The target functions_report runs the
// program.

#include <cstdlib>
#include <iostream>

#include "corio/algorithms/derivatives/hybrid_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_time_derivative.hpp"
#include "corio/algorithms/dynamics/joint_reactions.hpp"
#include "corio/corio.hpp"
#include "corio/kinematics/taylor_motion.hpp"
#include "corio/zoo/zoo.hpp"
#include "own.hpp"
#include "reproduce/timing.hpp"
#include "robot_file.hpp"

namespace {

using namespace corio;
using compare::PeerFunction;
using Eigen::MatrixXd, Eigen::VectorXd;

struct State {
  VectorXd q, v, a, jerk, tau;
};

/// The arguments and results of the functions.
struct Robot {
  Model<double> model;
  Data<double> data;
  std::vector<State> states;
  Body<double> middle, last;
  std::vector<FramePoint<double>> both;
  std::vector<int> prescribed;  // every third speed
  MatrixXd A, B, C, D, stack_A, stack_B, P, com, square, other;
  VectorXd q;
  Pose<double> X{Eigen::Quaterniond(0.5, -0.5, 0.1, 0.7).normalized().toRotationMatrix(), {0.3, -0.2, 0.7}};
  Motion<double> V = log6(X);
  Matrix6<double> J;
  Model<Taylor<double, 3>> series;
  Data<Taylor<double, 3>> series_data;

  Robot(const Model<double>& m, const compare::Mechanism& mechanism)
      : model(m),
        data(model),
        middle(model.bodies()[model.bodies().size() / 2]),
        last(model.bodies().back()),
        both{middle, last},
        series(model.cast<Taylor<double, 3>>()),
        series_data(series) {
    const auto vector = [](const std::vector<double>& x) {
      return VectorXd(Eigen::Map<const VectorXd>(x.data(), std::ssize(x)));
    };
    for (const auto& s : mechanism.states)
      states.push_back({vector(s.q), vector(s.v), vector(s.a), vector(s.tau), vector(s.tau)});
    const int n = model.nv();
    for (int k = 0; k < n; k += 3) prescribed.push_back(k);
    A = B = C = D = MatrixXd::Zero(6, n), stack_A = stack_B = MatrixXd::Zero(12, n), P = MatrixXd::Zero(3, n);
    square = other = MatrixXd::Zero(n, n), com = MatrixXd::Zero(3, std::ssize(model.bodies()));
  }
  /// A configuration other than s.q.
  const VectorXd& next_q(const State& s) const { return (&s == &states.back() ? states.front() : *(&s + 1)).q; }
};
using Function = std::function<void(Robot&, const State&)>;

std::vector<std::pair<const char*, Function>> corio_functions() {
  const auto kinematics = [](Robot& r, const State& s) { forward_kinematics(r.model, r.data, s.q, s.v, s.a); };
  return {
      {"log6", [](Robot& r, const State&) { r.V = log6(r.X); }},
      {"Jlog6", [](Robot& r, const State&) { r.J = Jlog6(r.X); }},
      {"integrate_derivatives",
       [](Robot& r, const State& s) { integrate_derivatives(r.model, s.q, s.v, r.square, r.other); }},
      {"difference_derivatives",
       [](Robot& r, const State& s) { difference_derivatives(r.model, s.q, r.next_q(s), r.square, r.other); }},
      {"interpolate", [](Robot& r, const State& s) { r.q = interpolate(r.model, s.q, r.next_q(s), 0.3); }},
      {"distance", [](Robot& r, const State& s) { r.V.linear[0] = distance(r.model, s.q, r.next_q(s)); }},
      {"taylor_motion, with rnea: tau and two rates",
       [](Robot& r, const State& s) {
         const std::vector<VectorXd> rates{s.v, s.a, s.jerk, s.tau};
         const auto motion = taylor_motion(r.series, r.series_data, s.q, std::span(rates));
         rnea(r.series, r.series_data, motion.q, motion.v, motion.a);
       }},
      {"rnea, beside it", [](Robot& r, const State& s) { rnea(r.model, r.data, s.q, s.v, s.a); }},
      {"body_velocity_derivatives",
       [](Robot& r, const State& s) { body_velocity_derivatives(r.model, r.data, s.q, s.v, r.last, r.A); }},
      {"body_acceleration_derivatives",
       [=](Robot& r, const State& s) {
         kinematics(r, s);
         body_acceleration_derivatives(r.model, r.data, r.last, r.C, r.A, r.B, r.D);
       }},
      {"body_acceleration_derivatives of two bodies",
       [=](Robot& r, const State& s) {
         kinematics(r, s), body_acceleration_derivatives(r.model, r.data, r.both, r.stack_A, r.stack_B);
       }},
      {"centroidal_momentum_derivatives",
       [](Robot& r, const State& s) { centroidal_momentum_derivatives(r.model, r.data, s.q, s.v, s.a); }},
      {"joint_reactions", [](Robot& r, const State& s) { joint_reactions(r.model, r.data, s.q, s.v, s.a); }},
      {"hybrid_dynamics",
       [](Robot& r, const State& s) { hybrid_dynamics(r.model, r.data, s.q, s.v, s.a, s.tau, r.prescribed); }},
      {"hybrid_dynamics_derivatives",
       [](Robot& r, const State& s) { hybrid_dynamics_derivatives(r.model, r.data, s.q, s.v, s.a, r.prescribed); }},
      {"inverse_dynamics_time_derivative, the first",
       [](Robot& r, const State& s) { inverse_dynamics_time_derivative(r.model, r.data, s.q, s.v, s.a, s.jerk); }},
      {"inverse_dynamics_time_derivative, first and second",
       [](Robot& r, const State& s) {
         inverse_dynamics_time_derivative(r.model, r.data, s.q, s.v, s.a, s.jerk, s.tau);
       }},
      {"relative_jacobian",
       [](Robot& r, const State& s) { relative_jacobian(r.model, r.data, s.q, r.middle, r.last, r.A); }},
      {"relative_jacobian_dot",
       [](Robot& r, const State& s) { relative_jacobian_dot(r.model, r.data, s.q, s.v, r.middle, r.last, r.A); }},
      {"body_position_jacobian",
       [](Robot& r, const State& s) { body_position_jacobian(r.model, r.data, s.q, r.last, r.P); }},
      {"subtree_centers_of_mass",
       [](Robot& r, const State& s) {
         subtree_centers_of_mass(r.model, forward_kinematics(r.model, r.data, s.q), r.com);
       }},
      {"subtree_com_jacobian",
       [](Robot& r, const State& s) {
         subtree_com_jacobian(r.model, forward_kinematics(r.model, r.data, s.q), r.middle, r.P);
       }},
  };
}

void print(paper::Report& report, const bench::Robot& robot, int rounds) {
  const compare::Mechanism mechanism = compare::describe(robot.model, robot.key, robot.title, compare::few_states);
  const auto own = std::make_shared<Robot>(robot.model, mechanism);
  std::vector<PeerFunction> peers;
#ifdef CORIO_COMPARE_PINOCCHIO
  peers = compare::pinocchio_functions(mechanism);
#endif
  const auto functions = corio_functions();
  paper::Timer timer;
  for (const auto& [name, f] : functions)
    timer.add(compare::few_states, [&ours = *own, &call = f] {
      for (const State& s : ours.states) {
        call(ours, s);
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
    });
  for (const PeerFunction& f : peers) timer.add(compare::few_states, f.pass);
  timer.run(rounds);
  report.print("\n%s, %d degrees of freedom\n\n| function | corio [us] | Pinocchio [us] | ratio | by |\n",
               robot.title.c_str(), robot.model.nv());
  report.print("|---|---:|---:|---:|---|\n");
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const double time = timer.microseconds(i);
    report.print("| %s | %.3f |", functions[i].first, time);
    const auto peer = std::ranges::find(peers, std::string(functions[i].first), &PeerFunction::corio);
    if (peer == peers.end()) {
      report.print(" - | - | |\n");
      continue;
    }
    const double other = timer.microseconds(functions.size() + static_cast<std::size_t>(peer - peers.begin()));
    report.print(" %.3f | %.1f | %s |\n", other, other / time, peer->name.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  paper::Report report(argc > 1 ? argv[1] : "functions.md");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 31;
  report.print("Least time of %d rounds, every function from (q, v, ..) on\n", rounds);
  paper::print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, paper::load_average());
  std::vector<bench::Robot> robots{{"arm_7", "Arm of revolute joints", zoo::serial_chain(7)},
                                   {"humanoid", "Humanoid on a floating base", zoo::humanoid()}};
  for (int i = 3; i < argc; ++i) robots.push_back(bench::load(argv[i]));
  for (const bench::Robot& robot : robots) print(report, robot, rounds);
} catch (const std::exception& error) {
  std::cerr << "corio_functions: " << error.what() << '\n';
  return 1;
}
