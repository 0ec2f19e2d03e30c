// Time per call of the functions of mechanisms with closed loops and gears, beside two other ways:
//
//   corio_mechanism_bench [--benchmark_...]
//
// <function>/<mechanism>/mechanism      in independent speeds, from (q, y, ..)
//                       /tree           the same function of the spanning tree alone, its loops open
//                       /dense          M, C and g of all loops at once, by dense matrices: they take the place of
//                                       coriolis_matrix if clusters are not known
//                       /loops          in the coordinates of the tree, with the forces of its loops

#include <benchmark/benchmark.h>

#include <Eigen/QR>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "corio/corio.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "reproduce/timing.hpp"

namespace {

using Vector = corio::VectorX<double>;
using Matrix = corio::MatrixX<double>;

struct Bench {
  corio::Mechanism<double> mechanism;
  corio::MechanismData<double> data;
  corio::Data<double> tree;
  Vector q, y, ydot, v, a;
  Matrix K, Kdot;
  corio::ChristoffelTensor<double> symbols, tree_symbols;

  explicit Bench(const corio::Model<double>& model)
      : mechanism(model),
        data(mechanism),
        tree(model),
        q(corio::neutral(model)),
        y(Vector::Constant(mechanism.nv(), 0.3)),
        ydot(y),
        v(Vector::Constant(model.nv(), 0.3)),
        a(v),
        K(mechanism.loops().rows(), model.nv()),
        Kdot(K),
        symbols(mechanism),
        tree_symbols(model) {}
  const corio::Model<double>& model() const { return mechanism.tree(); }
};

/// G, dG/dt and the projections without clusters and without zeros.
void dense(Bench& b) {
  const auto& model = b.model();
  const auto& independent = b.mechanism.independent();
  std::vector<int> dependent;
  for (int k = 0; k < model.nv(); ++k)
    if (std::ranges::find(independent, k) == independent.end()) dependent.push_back(k);
  const auto& c = corio::coriolis_matrix<corio::factorization::Christoffel, double>(model, b.tree, b.q, b.v);
  corio::constraint_jacobian<double>(model, b.tree, b.mechanism.loops(), b.K);
  corio::constraint_jacobian_dot<double>(model, b.tree, b.mechanism.loops(), b.Kdot);
  const Eigen::ColPivHouseholderQR<Matrix> qr(b.K(Eigen::seqN(0, b.K.rows()), dependent));
  Matrix G = Matrix::Zero(model.nv(), b.mechanism.nv()), Gdot = G;
  for (int j = 0; j < b.mechanism.nv(); ++j) G(independent[static_cast<std::size_t>(j)], j) = 1.0;
  G(dependent, Eigen::seqN(0, G.cols())) = -qr.solve(b.K(Eigen::seqN(0, b.K.rows()), independent));
  Gdot(dependent, Eigen::seqN(0, Gdot.cols())) = -qr.solve(b.Kdot * G);
  benchmark::DoNotOptimize(Matrix(G.transpose() * c.M * G));
  benchmark::DoNotOptimize(Matrix(G.transpose() * (c.C * G + c.M * Gdot)));
  benchmark::DoNotOptimize(Vector(G.transpose() * corio::generalized_gravity(model, b.tree)));
}

template <class F>
void add(const std::string& name, const std::shared_ptr<Bench>& bench, F&& f) {
  benchmark::RegisterBenchmark(name.c_str(), [bench, f](benchmark::State& state) {
    for (auto _ : state) f(*bench);
  });
}

void add_all(const corio::Model<double>& model, bool with_symbols = true) {
  const auto bench = std::make_shared<Bench>(model);
  const auto both = [&](const std::string& function, auto mechanism, auto tree) {
    add(function + "/" + model.name() + "/mechanism", bench, mechanism);
    add(function + "/" + model.name() + "/tree", bench, tree);
  };
  both(
      "forward_kinematics", [](Bench& b) { corio::forward_kinematics<double>(b.mechanism, b.data, b.q, b.y, b.ydot); },
      [](Bench& b) { corio::forward_kinematics<double>(b.model(), b.tree, b.q, b.v, b.a); });
  both(
      "rnea", [](Bench& b) { corio::rnea<double>(b.mechanism, b.data, b.q, b.y, b.ydot); },
      [](Bench& b) { corio::rnea<double>(b.model(), b.tree, b.q, b.v, b.a); });
  both(
      "crba", [](Bench& b) { corio::crba<double>(b.mechanism, b.data, b.q); },
      [](Bench& b) { corio::crba<double>(b.model(), b.tree, b.q); });
  both(
      "aba", [](Bench& b) { corio::aba<double>(b.mechanism, b.data, b.q, b.y, b.ydot); },
      [](Bench& b) { corio::aba<double>(b.model(), b.tree, b.q, b.v, b.a); });
  add("constrained_forward_dynamics/" + model.name() + "/loops", bench, [](Bench& b) {
    corio::constrained_forward_dynamics<double>(b.model(), b.tree, b.mechanism.loops(), b.q, b.v, b.a);
  });
  add("constrained_impulse/" + model.name() + "/loops", bench,
      [](Bench& b) { corio::constrained_impulse<double>(b.model(), b.tree, b.mechanism.loops(), b.q, b.v); });
  both(
      "coriolis_matrix",
      [](Bench& b) {
        corio::coriolis_matrix<corio::factorization::Christoffel, double>(b.mechanism, b.data, b.q, b.y);
      },
      [](Bench& b) { corio::coriolis_matrix<corio::factorization::Christoffel, double>(b.model(), b.tree, b.q, b.v); });
  add("coriolis_matrix/" + model.name() + "/dense", bench, dense);
  both(
      "inverse_dynamics_derivatives",
      [](Bench& b) { corio::inverse_dynamics_derivatives<double>(b.mechanism, b.data, b.q, b.y, b.ydot); },
      [](Bench& b) { corio::inverse_dynamics_derivatives<double>(b.model(), b.tree, b.q, b.v, b.a); });
  if (!with_symbols) return;  // the symbols take hundreds of megabytes
  both(
      "christoffel_symbols", [](Bench& b) { corio::christoffel_symbols<double>(b.mechanism, b.data, b.q, b.symbols); },
      [](Bench& b) { corio::christoffel_symbols<double>(b.model(), b.tree, b.q, b.tree_symbols); });
}

}  // namespace

int main(int argc, char** argv) {
  const double load = paper::load_average();
  add_all(corio::zoo::geared_arm());
  for (const int n : {63, 127, 255, 511}) add_all(corio::zoo::geared_tree(n, 2), n < 127);
  add_all(corio::zoo::four_bar_leg());
  add_all(corio::zoo::parallel_biped());
  add_all(corio::zoo::delta_robot());
  add_all(corio::zoo::stewart_platform());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::cerr << paper::machine(CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load);
}
