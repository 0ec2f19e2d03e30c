#include <iostream>

#include "corio/algorithms/energy_regressors.hpp"
#include "corio/algorithms/regressor_products.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Costs are claims about growth: exact counts of operations, which no clock disturbs.

namespace {

using Vector = VectorX<Counting>;

Vector numbers(Eigen::Index n) {
  Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = Counting(0.2 + 0.01 * static_cast<double>(i));
  return x;
}
int size_of(const Mechanism& m) { return 10 * static_cast<int>(m.model.bodies().size()); }

void fill(Mechanism& m) {
  MatrixX<Counting> Y(m.model.nv(), size_of(m));
  inverse_dynamics_regressor(m.model, m.data, m.q, m.v, m.v, Y);
}
void fill_slotine_li(Mechanism& m) {
  MatrixX<Counting> Y(m.model.nv(), size_of(m));
  slotine_li_regressor(m.model, m.data, m.q, m.v, m.v, m.v, Y);
}
void multiply(Mechanism& m) { inverse_dynamics_regressor_product(m.model, m.data, m.q, m.v, m.v, numbers(size_of(m))); }
void multiply_from_left(Mechanism& m) {
  Vector out(size_of(m));
  inverse_dynamics_regressor_transpose_product(m.model, m.data, m.q, m.v, m.v, m.v, out);
}
void energy(Mechanism& m) {
  Vector out(size_of(m));
  kinetic_energy_regressor(m.model, m.data, m.q, m.v, out);
}

void print(const char* name, const Growth& g) {
  std::cout << name << ": a n + b pairs + c with\n  a = " << g.per_body << "\n  b = " << g.per_pair
            << "\n  c = " << g.constant << '\n';
}

}  // namespace

TEST_CASE("regressors take 42 products and 32 sums per related pair", "[algorithms][regressors_count]") {
  // Four columns of six numbers, six of three.
  for (const auto run : {fill, fill_slotine_li}) {
    const Growth g = growth(run);
    print(run == fill ? "inverse_dynamics_regressor" : "slotine_li_regressor", g);
    CHECK(g.per_triple == Operations{});
    CHECK(g.per_pair == Operations{.add = 32, .multiply = 42});
    for (Mechanism& m : mechanisms()) {
      CAPTURE(m.model.name(), m.bodies());
      CHECK(operations_of([&] { run(m); }) == g.at(m));
    }
  }
}

TEST_CASE("products with regressors and energies take a number of operations per body",
          "[algorithms][regressors_count]") {
  for (const auto run : {multiply, multiply_from_left, energy}) {
    const Growth g = growth(run);
    print(run == multiply ? "Y pi" : run == energy ? "kinetic_energy_regressor" : "Y^T x", g);
    CHECK(g.per_triple == Operations{});
    CHECK(g.per_pair == Operations{});
    for (Mechanism& m : mechanisms()) {
      CAPTURE(m.model.name(), m.bodies());
      CHECK(operations_of([&] { run(m); }) == g.at(m));
    }
  }
}
