// graphs FOLDER: prints a table of the same functions as graphs of casadi::SXElem, differentiated and called by CasADi,
// and writes them here: value, Jacobian and Hessian of an arm's as C, one file each, and its aba as arm7_aba.casadi.

#include <chrono>
#include <corio/codegen/casadi_scalar.hpp>
#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>
#include <iostream>

namespace {

using casadi::DM, casadi::SX;
using Graph = corio::VectorX<casadi::SXElem>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
/// Returns the time of a call in microseconds, the least of 200.
double time_of(const casadi::Function& f) {
  std::vector<DM> x;
  for (casadi_int i = 0; i < f.n_in(); ++i) {
    DM input = DM::zeros(f.size1_in(i));
    for (casadi_int j = 0; j < input.size1(); ++j) input(j) = std::sin(1.0 + double(10 * i + j));
    x.push_back(input);
  }
  std::vector<const double*> arguments(f.sz_arg());
  std::vector<double*> results(f.sz_res());
  std::vector<std::vector<double>> outputs;
  for (casadi_int i = 0; i < f.n_out(); ++i) outputs.emplace_back(f.nnz_out(i));
  for (std::size_t i = 0; i < x.size(); ++i) arguments[i] = x[i].ptr();
  for (std::size_t i = 0; i < outputs.size(); ++i) results[i] = outputs[i].data();
  std::vector<casadi_int> whole(f.sz_iw() + 1);
  std::vector<double> memory(f.sz_w() + 1);
  double best = INFINITY;
  for (int run = 0; run < 200; ++run) {
    const double begin = now();
    f(arguments.data(), results.data(), whole.data(), memory.data());
    best = std::min(best, now() - begin);
  }
  return 1e6 * best;
}

}  // namespace

int main(int, char** argv) {
  std::cout.precision(3);
  std::cout << "| graph of casadi::SXElem | operations: value, Jacobian, Hessian | us a call | to build the three "
               "|\n|---|---|---|---|\n";
  for (const std::string name : {"arm7", "quadruped"}) {
    corio::urdf::Options how;
    if (name == "quadruped") how.root = corio::joint::FreeFlyer{};
    const auto robot = corio::urdf::load(std::string(argv[1]) + "/" + name + ".urdf", how).cast<casadi::SXElem>();
    corio::Data<casadi::SXElem> data(robot);
    const auto symbols = [](const char* symbol, int size) { return SX::sym(symbol, size); };
    const SX q = symbols("q", robot.nq()), v = symbols("v", robot.nv()), u = symbols("u", robot.nv()),
             lambda = symbols("l", robot.nv());
    const auto graph = [](const SX& x) {
      Graph y(x.size1());
      for (int i = 0; i < y.size(); ++i) y[i] = x(i).scalar();
      return y;
    };
    for (const std::string function : {"rnea", "aba"}) {
      const double begin = now();
      const Graph y = function == "aba" ? Graph(corio::aba<casadi::SXElem>(robot, data, graph(q), graph(v), graph(u)))
                                        : Graph(corio::rnea<casadi::SXElem>(robot, data, graph(q), graph(v), graph(u)));
      SX f(y.size(), 1);
      for (int i = 0; i < y.size(); ++i) f(i) = y[i];
      const SX x = SX::vertcat({q, v, u});
      const casadi::Function value("f", {q, v, u}, {f}), jacobian("J", {q, v, u}, {SX::jacobian(f, x)}),
          hessian("H", {q, v, u, lambda}, {SX::hessian(SX::dot(lambda, f), x)});
      const double seconds = now() - begin;
      std::cout << "| " << name << ", " << function << " | " << value.n_instructions() << ", "
                << jacobian.n_instructions() << ", " << hessian.n_instructions() << " | " << time_of(value) << ", "
                << time_of(jacobian) << ", " << time_of(hessian) << " | " << seconds << " s |" << std::endl;
      if (name != "arm7") continue;  // compiling the C of a quadruped takes too long
      for (const casadi::Function& g : {value, jacobian, hessian}) g.generate(function + "_" + g.name());
      if (function == "aba") value.save("arm7_aba.casadi");
    }
  }
}
