#include <iostream>

#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Costs of the Hessians and of the second derivatives, in exact counts.

namespace {

void run_derivatives(Mechanism& m) { inverse_dynamics_derivatives(m.model, m.data, m.q, m.v, m.v); }
void run_forward_derivatives(Mechanism& m) { forward_dynamics_derivatives(m.model, m.data, m.q, m.v, m.v); }
void run_hessian(Mechanism& m) { inverse_dynamics_hessian(m.model, m.data, m.q, m.v, m.v, m.v); }
void run_forward_hessian(Mechanism& m) { forward_dynamics_hessian(m.model, m.data, m.q, m.v, m.v, m.v); }
void run_second(Mechanism& m) {
  InverseDynamicsSecondDerivatives<Counting> out(m.model);
  inverse_dynamics_second_derivatives(m.model, m.data, m.q, m.v, m.v, out);
}

template <class F>
Operations count(F&& run, Mechanism m) {
  return operations_of([&] { run(m); });
}
template <class F>
double total(F&& run, Mechanism m) {
  return static_cast<double>(count(run, std::move(m)).total());
}
Mechanism tree(int n) { return Mechanism(zoo::binary_tree<Counting>(n)); }

void print(const char* name, const Growth& g) {
  std::cout << name << ": a n + b pairs + t triples + c with\n  a = " << g.per_body << "\n  b = " << g.per_pair
            << "\n  t = " << g.per_triple << "\n  c = " << g.constant << '\n';
}

/// Whether the growth found on short chains is that of all mechanisms, exactly.
void check_everywhere(void (*run)(Mechanism&), const Growth& g) {
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies(), m.related_pairs(), m.related_triples());
    CHECK(operations_of([&] { run(m); }) == g.at(m));
  }
}

}  // namespace

TEST_CASE("counting operations changes no second derivative", "[algorithms][second_derivatives][operation_count]") {
  const auto value = [](const Counting& x) { return x.value(); };
  const auto model = zoo::binary_tree(9);
  Data<double> data(model);
  Mechanism m = tree(9);
  const VectorX<double> q = m.q.unaryExpr(value), v = m.v.unaryExpr(value);
  const auto over_double = [&](const MatrixX<Counting>& x) -> MatrixX<double> { return x.unaryExpr(value); };
  run_forward_hessian(m);
  const auto& forward = forward_dynamics_hessian(model, data, q, v, v, v);
  // Over a condition number of some 1e3.
  CHECK(over_double(m.data.forward_dynamics_hessian.qq).isApprox(forward.qq, 1e-10));
  CHECK(over_double(m.data.forward_dynamics_hessian.tau_q).isApprox(forward.tau_q, 1e-10));
  run_hessian(m);
  const auto& [qq, vq, vv, aq] = inverse_dynamics_hessian(model, data, q, v, v, v);
  CHECK(over_double(m.data.inverse_dynamics_hessian.qq).isApprox(qq, 1e-13));
  CHECK(over_double(m.data.inverse_dynamics_hessian.vq).isApprox(vq, 1e-13));
  CHECK(over_double(m.data.inverse_dynamics_hessian.vv).isApprox(vv, 1e-13));
  CHECK(over_double(m.data.inverse_dynamics_hessian.aq).isApprox(aq, 1e-13));
  InverseDynamicsSecondDerivatives<Counting> counted(m.model);
  inverse_dynamics_second_derivatives(m.model, m.data, m.q, m.v, m.v, counted);
  InverseDynamicsSecondDerivatives<double> plain(model);
  inverse_dynamics_second_derivatives(model, data, q, v, v, plain);
  for (int i = 0; i < 9; ++i) {
    CHECK(over_double(counted.d2tau_dqdq.page(i)).isApprox(plain.d2tau_dqdq.page(i), 1e-13));
    CHECK(over_double(counted.d2tau_dvdq.page(i)).isApprox(plain.d2tau_dvdq.page(i), 1e-13));
  }
}

TEST_CASE("the Hessian of lambda^T tau takes 48 products and 42 sums per related pair",
          "[algorithms][hessian][operation_count]") {
  // Six dot products of six and four of three; four sums of them.
  const Growth g = growth(run_hessian);
  print("inverse_dynamics_hessian", g);
  CHECK(g.per_triple == Operations{});
  CHECK(g.per_pair == Operations{.add = 6 * 5 + 4 * 2 + 4, .multiply = 6 * 6 + 4 * 3});
  check_everywhere(run_hessian, g);
}

TEST_CASE("the Hessian of lambda^T tau takes hardly more than the first derivatives",
          "[algorithms][hessian][operation_count]") {
  // 48 products to their 36 per related pair, and three forces or moments more per degree of freedom.
  for (const int n : {10, 40, 80}) {
    CAPTURE(n);
    CHECK(total(run_hessian, chain(n)) / total(run_derivatives, chain(n)) < 1.5);
  }
}

TEST_CASE("second derivatives take 102 products and 88 sums per related triple",
          "[algorithms][second_derivatives][operation_count]") {
  // Once in the page of each of the three. In the page of the topmost one both others move with what it carries, and
  // the mass is taken along both of them, the second time as a difference.
  const Growth g = growth(run_second);
  print("inverse_dynamics_second_derivatives", g);
  const Operations derived{.add = 2 * 5 + 4 * 2 + 2, .multiply = 2 * 6 + 4 * 3}, mass{.add = 5, .multiply = 6},
      below{.add = 2 * 5 + 2 + 1, .multiply = 2 * 6};
  CHECK(g.per_triple == 3 * derived + 3 * mass + below);
  check_everywhere(run_second, g);
}

TEST_CASE("on trees of depth log n the second derivatives take hardly more than O(n)",
          "[algorithms][second_derivatives][hessian][operation_count]") {
  // 63 -> 127 bodies: on the chain pairs grow by 4 and triples by 8; on the binary tree, where depths are 5 and 6, by
  // 127 * 6 / (63 * 5) = 2.42 and (6 * 5) / (5 * 4) * 127 / 63 = 3.02 at most.
  CHECK(total(run_hessian, chain(127)) / total(run_hessian, chain(63)) > 2.6);
  CHECK(total(run_hessian, tree(127)) / total(run_hessian, tree(63)) < 2.42);
  CHECK(total(run_second, chain(127)) / total(run_second, chain(63)) > 6);
  CHECK(total(run_second, tree(127)) / total(run_second, tree(63)) < 3.02);
}

TEST_CASE("the Hessian of lambda^T a takes three matrix products beside the derivatives of tau and a",
          "[algorithms][hessian][operation_count]") {
  // And one by a vector. For n a multiple of the four columns of a tile.
  for (const int n : {4, 8, 20, 40}) {
    CAPTURE(n);
    Mechanism m = chain(n);
    const long first = operations_of([&] { run_forward_derivatives(m); }).multiply;
    // At the state that they leave, so that no kinematics pass is counted twice.
    const long second = operations_of([&] { inverse_dynamics_hessian(m.model, m.data, m.v); }).multiply;
    CHECK(count(run_forward_hessian, chain(n)).multiply == first + second + 3L * n * n * n + n * n);
  }
}

TEST_CASE("one kinematics pass and one elimination serve all of a Hessian", "[algorithms][hessian][operation_count]") {
  // A sine and a cosine per joint, and the reciprocal of its articulated inertia.
  CHECK(count(run_hessian, chain(20)).function == 2 * 20);
  CHECK(count(run_hessian, chain(20)).divide == 0);
  CHECK(count(run_second, chain(20)).function == 2 * 20);
  CHECK(count(run_second, chain(20)).divide == 0);
  CHECK(count(run_forward_hessian, chain(20)).function == 2 * 20);
  CHECK(count(run_forward_hessian, chain(20)).divide == 20);
}

TEST_CASE("second derivatives of a chain of 20 revolute joints stay within their budgets",
          "[algorithms][second_derivatives][hessian][operation_count]") {
  // What they took when this was written, with some three percent to spare.
  struct Line {
    const char* name;
    void (*run)(Mechanism&);
    long limit;
  };
  const Line lines[] = {{"inverse_dynamics_hessian", run_hessian, 47700},
                        {"forward_dynamics_hessian", run_forward_hessian, 173900},
                        {"inverse_dynamics_second_derivatives", run_second, 337000}};
  for (const Line& line : lines) {
    const Operations n = count(line.run, chain(20));
    std::cout << line.name << ", 20 revolute joints in series: " << n << '\n';
    CHECK(n.total() <= line.limit);
  }
}
