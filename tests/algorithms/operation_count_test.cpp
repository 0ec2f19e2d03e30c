#include <iostream>

#include "corio/corio.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Costs are claims about growth: exact counts of operations, which no clock disturbs.

namespace {

void run_rnea(Mechanism& m) { rnea(m.model, m.data, m.q, m.v, m.v); }
void run_aba(Mechanism& m) { aba(m.model, m.data, m.q, m.v, m.v); }
void run_crba(Mechanism& m) { crba(m.model, m.data, m.q); }
void run_coriolis(Mechanism& m) { coriolis_matrix(m.model, m.data, m.q, m.v); }

}  // namespace

TEST_CASE("counting operations changes no result", "[algorithms][operation_count]") {
  const auto model = zoo::serial_chain(10);
  Data<double> data(model);
  Mechanism m = chain(10);
  const auto value = [](const Counting& x) { return x.value(); };
  const VectorX<double> q = m.q.unaryExpr(value), v = m.v.unaryExpr(value);
  run_coriolis(m);
  CHECK(MatrixX<double>(m.data.coriolis.C.unaryExpr(value)).isApprox(coriolis_matrix(model, data, q, v).C, 1e-13));
}

TEST_CASE("the operations of rnea are linear in the number of bodies, whatever the tree",
          "[algorithms][operation_count]") {
  const Growth g = growth(run_rnea);
  CHECK(g.per_pair == Operations{});
  for (Mechanism& m : mechanisms()) CHECK(operations_of([&] { run_rnea(m); }) == g.at(m));
}

TEST_CASE("the operations of aba are linear in the number of bodies, whatever the tree",
          "[algorithms][operation_count]") {
  const Growth g = growth(run_aba);
  CHECK(g.per_pair == Operations{});
  for (Mechanism& m : mechanisms()) CHECK(operations_of([&] { run_aba(m); }) == g.at(m));
}

TEST_CASE("crba takes one dot product per related pair, the rest is linear", "[algorithms][operation_count]") {
  const Growth g = growth(run_crba);
  CHECK(g.per_pair == Operations{.add = 5, .multiply = 6});
  for (Mechanism& m : mechanisms()) CHECK(operations_of([&] { run_crba(m); }) == g.at(m));
}

TEST_CASE("coriolis_matrix takes 21 multiplications and 19 additions per related pair, the rest is linear",
          "[algorithms][operation_count]") {
  // Three dot products of 6 and one of 3, one sum for C(j, i) and one for Mdot.
  const Growth g = growth(run_coriolis);
  CHECK(g.per_pair == Operations{.add = 19, .multiply = 21});
  for (Mechanism& m : mechanisms()) CHECK(operations_of([&] { run_coriolis(m); }) == g.at(m));
}

TEST_CASE("coriolis_matrix takes O(n d) operations: on trees of depth log n hardly more than linear",
          "[algorithms][operation_count]") {
  const auto count = [](Mechanism m) { return static_cast<double>(operations_of([&] { run_coriolis(m); }).total()); };
  const auto tree = [](int n) { return Mechanism(zoo::binary_tree<Counting>(n)); };
  // 63 -> 127 bodies: on the chain the pairs quadruple; on the tree they grow by 127 * 6 / (63 * 5) at most.
  CHECK(count(chain(127)) / count(chain(63)) > 2.6);
  CHECK(count(tree(127)) / count(tree(63)) < 2.2);
}

TEST_CASE("a second algorithm on the same state saves the kinematics and the composites",
          "[algorithms][operation_count]") {
  Mechanism m = chain(20);
  const Operations both = operations_of([&] { run_crba(m); });
  Mechanism other = chain(20);
  run_coriolis(other);
  const Operations again = operations_of([&] { crba(other.model, other.data); });
  // Left over are I^C Phi per body and the pairs.
  CHECK(again.function == 0);
  CHECK(2 * again.total() < both.total());
}

TEST_CASE("operations on a chain of 20 revolute joints stay within their budgets", "[algorithms][operation_count]") {
  // What they took when this was written, with some three percent to spare.
  struct Line {
    const char* name;
    void (*run)(Mechanism&);
    long limit;
  };
  const Line lines[] = {{"rnea", run_rnea, 7000},
                        {"crba", run_crba, 7900},
                        {"aba", run_aba, 13600},
                        {"coriolis_matrix", run_coriolis, 18900}};
  for (const Line& line : lines) {
    Mechanism m = chain(20);
    const Operations n = operations_of([&] { line.run(m); });
    std::cout << line.name << ", 20 revolute joints in series: " << n << '\n';
    CHECK(n.total() <= line.limit);
  }
}
