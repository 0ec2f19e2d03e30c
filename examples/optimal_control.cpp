// The problem of the page guide/optimal_control.md in C++: an arm of seven joints moves within 0.4 s with the least
// torque, by CasADi and Ipopt, to which generated code gives exact Jacobians and Hessians of the dynamics.
//
//   optimal_control [--check]
//
// prints the iterations and the first torques. --check: exit status 1 unless a simulation by the library ends at the
// goal.

#include <casadi/casadi.hpp>
#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>
#include <iostream>

namespace {

constexpr int n = 7, N = 20;
constexpr double h = 0.02, goal = 0.1;

/// Returns the torques, a column for each step.
casadi::DM solution(const casadi::Function& aba) {
  using casadi::MX, casadi::Slice;
  casadi::Opti opti;
  const MX X = opti.variable(2 * n, N + 1), U = opti.variable(n, N);
  for (int k = 0; k < N; ++k) {
    const MX q = X(Slice(0, n), k), v = X(Slice(n, 2 * n), k), u = U(Slice(), k);
    opti.subject_to(X(Slice(), k + 1) == X(Slice(), k) + h * MX::vertcat({v, aba(std::vector<MX>{q, v, u})[0]}));
  }
  opti.subject_to(X(Slice(), 0) == 0);
  opti.subject_to(X(Slice(0, n), N) == goal);
  opti.minimize(MX::sumsqr(U));
  opti.solver("ipopt");
  return opti.solve().value(U);
}

}  // namespace

int main(int argc, char** argv) {
  const casadi::DM torques = solution(casadi::external("arm7_aba", CORIO_EXAMPLES_ARM7));
  const auto U = Eigen::MatrixXd::Map(torques.ptr(), n, N);
  std::cout << "torques at the start: " << U.col(0).transpose() << " N m\n";

  const auto model = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf");
  corio::Data<double> data(model);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n), v = q;
  for (int k = 0; k < N; ++k) {
    const Eigen::VectorXd a = corio::aba<double>(model, data, q, v, U.col(k));
    q += h * v, v += h * a;
  }
  const double miss = (q.array() - goal).abs().maxCoeff();
  std::cout << "a simulation ends within " << miss << " rad of the goal\n";
  return argc > 1 && std::string(argv[1]) == "--check" && !(miss < 1e-6);
}
