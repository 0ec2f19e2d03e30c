// shooting LIBRARY GRAPH: prints a table of a problem of multiple shooting with aba of an arm of seven as an external
// function, and as a graph that was saved by CasADi: twelve steps of Runge-Kutta, solved by the SQP method of CasADi
// with Hessians of Gauss and Newton and with exact ones.

#include <casadi/casadi.hpp>
#include <chrono>
#include <iostream>

namespace {

using casadi::DM, casadi::Dict, casadi::Function, casadi::MX, casadi::Slice;
constexpr int n = 7, steps = 12;
constexpr double h = 0.04;

Function solver(const Function& aba, bool exact) {
  const auto rate = [&](const MX& x, const MX& u) {
    const MX v = x(Slice(n, 2 * n));
    return MX::vertcat({v, aba(std::vector<MX>{x(Slice(0, n)), v, u})[0]});
  };
  std::vector<MX> unknowns, gaps;
  MX x = MX::zeros(2 * n, 1), cost = 0;
  for (int k = 0; k < steps; ++k) {
    const MX u = MX::sym("u" + std::to_string(k), n), next = MX::sym("x" + std::to_string(k + 1), 2 * n);
    const MX a = rate(x, u), b = rate(x + h / 2 * a, u), c = rate(x + h / 2 * b, u), d = rate(x + h * c, u);
    gaps.push_back(x + h / 6 * (a + 2 * b + 2 * c + d) - next);
    cost += 1e-3 * sumsqr(u) + 1e-2 * sumsqr(next(Slice(n, 2 * n)));
    unknowns.push_back(u), unknowns.push_back(next);
    x = next;
  }
  gaps.push_back(x - DM::vertcat({DM(std::vector<double>{0.3, 0.5, -0.2, 0.8, 0.1, -0.4, 0.2}), DM::zeros(n, 1)}));
  const casadi::MXDict problem{{"x", MX::vertcat(unknowns)}, {"f", cost}, {"g", MX::vertcat(gaps)}};
  const Dict quiet{{"print_iter", false}, {"print_header", false}, {"print_info", false}};
  Dict options{{"qpsol", "qrqp"},          {"qpsol_options", quiet}, {"print_header", false},
               {"print_iteration", false}, {"print_status", false},  {"print_time", false},
               {"max_iter", 60},           {"tol_du", 1e-6},         {"tol_pr", 1e-8}};
  if (!exact) {  // the Hessian of the cost alone
    const MX weight = MX::sym("weight"), multipliers = MX::sym("multipliers", problem.at("g").size1()),
             H = triu(weight * MX::hessian(cost, problem.at("x")));
    options["hess_lag"] = Function("nlp_hess_l", {problem.at("x"), MX::sym("p", 0, 1), weight, multipliers}, {H},
                                   {"x", "p", "lam_f", "lam_g"}, {"triu_hess_gamma_x_x"});
  }
  return nlpsol("solver", "sqpmethod", problem, options);
}

}  // namespace

int main(int, char** argv) {
  std::cout.precision(3);
  std::cout << "| aba | Hessian | iterations | cost | largest gap | s |\n|---|---|---|---|---|---|\n";
  for (const bool exact : {false, true})
    for (const bool is_graph : {false, true}) {
      const Function f = solver(is_graph ? Function::load(argv[2]) : casadi::external("arm7_aba", argv[1]), exact);
      const auto begin = std::chrono::steady_clock::now();
      const auto solution = f(casadi::DMDict{{"x0", DM::zeros(f.size1_in("x0"))}, {"lbg", 0}, {"ubg", 0}});
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      std::cout << "| " << (is_graph ? "graph" : "external") << " | " << (exact ? "exact" : "Gauss-Newton") << " | "
                << f.stats().at("iter_count") << " | " << solution.at("f") << " | " << norm_inf(solution.at("g"))
                << " | " << seconds.count() << " |" << std::endl;
    }
}
