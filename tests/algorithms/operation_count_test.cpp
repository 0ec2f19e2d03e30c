#include <iostream>

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/counting_scalar.hpp"

using namespace corio;
using namespace corio::test;

// Costs are claims about growth: exact counts of operations, which no clock disturbs. All mechanisms here
// consist of revolute joints and hang on the ground by one of them, so that a count is per_body n + per_pair
// p + constant with p the number of related pairs: one degree of freedom strictly above the other.

namespace {

struct Mechanism {
  explicit Mechanism(const Model<Counting>& m) : model(m), data(m), q(m.nq()), v(m.nv()) {
    for (int i = 0; i < q.size(); ++i) q[i] = Counting(0.1 + 0.07 * i), v[i] = Counting(0.3 - 0.02 * i);
  }
  Model<Counting> model;
  Data<Counting> data;
  VectorX<Counting> q, v;

  long bodies() const { return model.num_nodes(); }
  long related_pairs() const {
    long pairs = 0;
    for (int b = 0; b < model.num_nodes(); ++b)
      for (int above = model.node(b).parent; above >= 0; above = model.node(above).parent) ++pairs;
    return pairs;
  }
};

Mechanism chain(int n) { return Mechanism(zoo::serial_chain<Counting>(n)); }

/// The terms of per_body n + per_pair p + constant.
struct Growth {
  Operations constant, per_body, per_pair;
  Operations at(const Mechanism& m) const { return constant + m.bodies() * per_body + m.related_pairs() * per_pair; }
};

/// Found from chains of 3, 4 and 5 bodies with 3, 6 and 10 related pairs: second differences are per_pair.
template <class F>
Growth growth(F&& algorithm) {
  const auto count = [&](int n) {
    Mechanism m = chain(n);
    return operations_of([&] { algorithm(m); });
  };
  const Operations three = count(3), four = count(4), five = count(5);
  Growth g;
  g.per_pair = (five - four) - (four - three);
  g.per_body = (four - three) - 3 * g.per_pair;
  g.constant = three - 3 * g.per_body - 3 * g.per_pair;
  return g;
}

void run_rnea(Mechanism& m) { rnea(m.model, m.data, m.q, m.v, m.v); }
void run_aba(Mechanism& m) { aba(m.model, m.data, m.q, m.v, m.v); }
void run_crba(Mechanism& m) { crba(m.model, m.data, m.q); }
void run_coriolis(Mechanism& m) { coriolis_matrix(m.model, m.data, m.q, m.v); }

/// Chains, and trees of logarithmic depth with a branching factor of two and four.
std::vector<Mechanism> mechanisms() {
  std::vector<Mechanism> all;
  for (const int n : {10, 20, 40, 80}) all.push_back(chain(n));
  for (const int branching : {2, 4})
    for (const int n : {7, 20, 85, 127}) all.emplace_back(zoo::tree<Counting>(n, branching));
  return all;
}

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
                        {"aba", run_aba, 12900},
                        {"coriolis_matrix", run_coriolis, 18900}};
  for (const Line& line : lines) {
    Mechanism m = chain(20);
    const Operations n = operations_of([&] { line.run(m); });
    std::cout << line.name << ", 20 revolute joints in series: " << n << '\n';
    CHECK(n.total() <= line.limit);
  }
}
