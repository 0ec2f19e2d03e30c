#include <iostream>

#include "corio/algorithms/forward_dynamics_derivatives.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Costs are claims about growth: exact counts of operations, which no clock disturbs.

namespace {

void run_derivatives(Mechanism& m) { inverse_dynamics_derivatives(m.model, m.data, m.q, m.v, m.v); }
void run_inverse(Mechanism& m) { mass_matrix_inverse(m.model, m.data, m.q); }
template <DerivativeRoute route>
void run_forward(Mechanism& m) {
  forward_dynamics_derivatives(m.model, m.data, m.q, m.v, m.v, {}, route);
}

template <class F>
Operations count(F&& run, Mechanism m) {
  return operations_of([&] { run(m); });
}

void print(const char* name, const Growth& g) {
  std::cout << name << ": a n + b pairs + c with\n  a = " << g.per_body << "\n  b = " << g.per_pair
            << "\n  c = " << g.constant << '\n';
}

}  // namespace

TEST_CASE("counting operations changes no derivative", "[algorithms][derivatives_count]") {
  const auto value = [](const Counting& x) { return x.value(); };
  const auto model = zoo::serial_chain(10);
  Data<double> data(model);
  Mechanism m = chain(10);
  const VectorX<double> q = m.q.unaryExpr(value), v = m.v.unaryExpr(value);
  const auto over_double = [&](const MatrixX<Counting>& x) -> MatrixX<double> { return x.unaryExpr(value); };
  run_derivatives(m);
  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(model, data, q, v, v);
  CHECK(over_double(m.data.inverse_dynamics_derivatives.dtau_dq).isApprox(dtau_dq, 1e-13));
  CHECK(over_double(m.data.inverse_dynamics_derivatives.dtau_dv).isApprox(dtau_dv, 1e-13));
  // Over a condition number of some 1e5.
  run_inverse(m);
  CHECK(over_double(m.data.mass_matrix_inverse).isApprox(mass_matrix_inverse(model, data, q), 1e-8));
}

TEST_CASE("derivatives of tau take 36 products and 31 sums per related pair", "[algorithms][derivatives_count]") {
  // Five dot products of six and two of three; two sums of them.
  const Growth g = growth(run_derivatives);
  print("inverse_dynamics_derivatives", g);
  CHECK(g.per_triple == Operations{});
  CHECK(g.per_pair == Operations{.add = 31, .multiply = 36});
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies());
    CHECK(operations_of([&] { run_derivatives(m); }) == g.at(m));
  }
}

TEST_CASE("derivatives of tau on trees of depth log n take hardly more than O(n)", "[algorithms][derivatives_count]") {
  const auto total = [](Mechanism m) { return static_cast<double>(count(run_derivatives, std::move(m)).total()); };
  const auto tree = [](int n) { return Mechanism(zoo::binary_tree<Counting>(n)); };
  // 63 -> 127 bodies: on the chain the pairs quadruple; on the tree they grow by 127 * 6 / (63 * 5) at most.
  CHECK(total(chain(127)) / total(chain(63)) > 2.6);
  CHECK(total(tree(127)) / total(tree(63)) < 2.4);
}

TEST_CASE("mass_matrix_inverse takes 13 products per related pair and 12 per pair", "[algorithms][derivatives_count]") {
  // Inward a dot product, a column times it for what is above, and the reciprocal inertia times it; outward the same
  // without the last for all degrees of freedom before, related or not. On chains all pairs are related.
  const Growth g = growth(run_inverse);
  print("mass_matrix_inverse on chains", g);
  const Operations related{.add = 12, .multiply = 13}, any{.add = 12, .multiply = 12};
  CHECK(g.per_triple == Operations{});
  CHECK(g.per_pair == related + any);
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies());
    const long n = m.bodies(), pairs = n * (n - 1) / 2;
    CHECK(operations_of([&] { run_inverse(m); }) ==
          g.constant + n * g.per_body + m.related_pairs() * related + pairs * any);
  }
}

TEST_CASE("the articulated route takes 50 n^2 products, the dense one 2 n^3", "[algorithms][derivatives_count]") {
  // Dense: two products of n x n matrices, for n a multiple of the four columns of a tile.
  const auto articulated = run_forward<DerivativeRoute::articulated>, dense = run_forward<DerivativeRoute::dense>;
  // Third differences vanish; for even n, so that no column of a pair is idle.
  const auto at = [&](int n) { return count(articulated, chain(n)); };
  CHECK((at(10) - at(8)) - (at(8) - at(6)) == (at(8) - at(6)) - (at(6) - at(4)));
  for (const int n : {4, 8, 20, 40}) {
    CAPTURE(n);
    CHECK(count(articulated, chain(n)).multiply - count(dense, chain(n)).multiply == 50L * n * n - 2L * n * n * n);
  }
}

TEST_CASE("one kinematics pass and one elimination serve all of the derivatives of a",
          "[algorithms][derivatives_count]") {
  // A sine and a cosine per joint, and the reciprocal of its articulated inertia.
  const auto route = GENERATE(run_forward<DerivativeRoute::dense>, run_forward<DerivativeRoute::articulated>);
  const Operations n = count(route, chain(20));
  CHECK(n.function == 2 * 20);
  CHECK(n.divide == 20);
}

TEST_CASE("derivatives of a chain of 20 revolute joints stay within their budgets", "[algorithms][derivatives_count]") {
  // What they took when this was written, with some three percent to spare.
  struct Line {
    const char* name;
    void (*run)(Mechanism&);
    long limit;
  };
  const Line lines[] = {
      {"inverse_dynamics_derivatives", run_derivatives, 33600},
      {"mass_matrix_inverse", run_inverse, 17700},
      {"forward_dynamics_derivatives, dense", run_forward<DerivativeRoute::dense>, 83400},
      {"forward_dynamics_derivatives, articulated", run_forward<DerivativeRoute::articulated>, 97200}};
  for (const Line& line : lines) {
    const Operations n = count(line.run, chain(20));
    std::cout << line.name << ", 20 revolute joints in series: " << n << '\n';
    CHECK(n.total() <= line.limit);
  }
}
