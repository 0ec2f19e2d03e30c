#include <iostream>

#include "corio/corio.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Costs of the Christoffel symbols and of what is done with C and without it.

namespace {

void run_dense(Mechanism& m) {
  ChristoffelTensor<Counting> Gamma(m.model);
  christoffel_symbols(m.model, m.data, m.q, Gamma);
}
void run_packed(Mechanism& m) {
  PackedChristoffelTensor<Counting> Gamma(m.model);
  christoffel_symbols(m.model, m.data, m.q, Gamma);
}
void run_product(Mechanism& m) { coriolis_product(m.model, m.data, m.q, m.v, m.v); }
void run_transpose_product(Mechanism& m) { coriolis_transpose_product(m.model, m.data, m.q, m.v, m.v); }
void run_rate(Mechanism& m) { mass_matrix_dot(m.model, m.data, m.q, m.v); }
void run_coriolis(Mechanism& m) { coriolis_matrix(m.model, m.data, m.q, m.v); }
void run_plain(Mechanism& m) { coriolis_matrix<factorization::Plain>(m.model, m.data, m.q, m.v); }

/// Whether the growth found on short chains is that of all mechanisms, exactly.
void check_everywhere(void (*run)(Mechanism&), const Growth& g) {
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.bodies(), m.related_pairs(), m.related_triples());
    CHECK(operations_of([&] { run(m); }) == g.at(m));
  }
}

}  // namespace

TEST_CASE("packed symbols take 9 multiplications and 7 additions per related triple",
          "[algorithms][christoffel][operation_count]") {
  // The dot products of Phi_i with a force, 6 5, and with a moment, 3 2. Per pair j above k: B_k Phi_j, 15 9 with
  // tr(P) 1 - P kept, B_k^T Phi_j, 15 12, and the same dot products for i = j and, with j = k, for i above both.
  const Growth g = growth(run_packed);
  CHECK(g.per_triple == Operations{.add = 7, .multiply = 9});
  CHECK(g.per_pair == Operations{.add = 9 + 12 + 2 * 7, .multiply = 15 + 15 + 2 * 9});
  check_everywhere(run_packed, g);
}

TEST_CASE("all n^3 symbols page by page take 9 multiplications and 6 additions per related triple",
          "[algorithms][christoffel][operation_count]") {
  // A dot product with a moment, 3 2, on the pages of each of the three. Per pair the moments B_j^T Phi_k and
  // B_k^T Phi_j, 15 12, and two dot products on the page of each.
  const Growth g = growth(run_dense);
  std::cout << "christoffel_symbols, per related triple: " << g.per_triple << "\n  per related pair: " << g.per_pair
            << "\n  per body: " << g.per_body << '\n';
  CHECK(g.per_triple == Operations{.add = 3 * 2, .multiply = 3 * 3});
  CHECK(g.per_pair == Operations{.add = 2 * 12 + 4 * 2, .multiply = 2 * 15 + 4 * 3});
  check_everywhere(run_dense, g);
}

TEST_CASE("the symbols take O(n d^2) operations: on trees of depth log n hardly more than linear",
          "[algorithms][christoffel][operation_count]") {
  const auto count = [](Mechanism m) { return static_cast<double>(operations_of([&] { run_dense(m); }).total()); };
  const auto tree = [](int n, int branching) { return Mechanism(zoo::tree<Counting>(n, branching)); };
  // 63 -> 127 bodies: on the chain triples grow by 8.4; on the binary tree at most as (7 / 6)^2 127 / 63 = 2.74.
  CHECK(count(chain(127)) / count(chain(63)) > 6);
  CHECK(count(tree(127, 2)) / count(tree(63, 2)) < 2.74);
  // 85 -> 341 bodies with four children each: depths 4 and 5, (5 / 4)^2 341 / 85 = 6.3.
  CHECK(count(tree(341, 4)) / count(tree(85, 4)) < 6.3);
}

TEST_CASE("the products with C take O(n) operations, whatever the tree", "[algorithms][operation_count]") {
  const auto run = GENERATE(run_product, run_transpose_product);
  const Growth g = growth(run);
  std::cout << "product with C, per body: " << g.per_body << '\n';
  CHECK(g.per_pair == Operations{});
  CHECK(g.per_triple == Operations{});
  check_everywhere(run, g);
}

TEST_CASE("mass_matrix_dot takes two dot products per related pair", "[algorithms][operation_count]") {
  const Growth g = growth(run_rate);
  CHECK(g.per_pair == Operations{.add = 11, .multiply = 12});
  CHECK(g.per_triple == Operations{});
  check_everywhere(run_rate, g);
}

TEST_CASE("coriolis_matrix takes O(n d) operations for any factorization", "[algorithms][operation_count]") {
  // A dense B has a force part in B^T Phi: three more multiplications per pair.
  const Growth christoffel = growth(run_coriolis), plain = growth(run_plain);
  CHECK(christoffel.per_triple == Operations{});
  CHECK(plain.per_triple == Operations{});
  CHECK(plain.per_pair - christoffel.per_pair == Operations{.add = 3, .multiply = 3});
  check_everywhere(run_coriolis, christoffel);
  check_everywhere(run_plain, plain);
  CHECK(plain.per_body.total() > christoffel.per_body.total());
}

TEST_CASE("contraction of packed symbols takes related triples, not n^3",
          "[algorithms][christoffel][operation_count]") {
  const auto count = [](Mechanism m) {
    const PackedChristoffelTensor<Counting> Gamma(m.model);
    MatrixX<Counting> C;
    return operations_of([&] { Gamma.contract(m.v, C); });
  };
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.bodies());
    // Each triple of different degrees of freedom has six orders, each pair six with one of them twice.
    const long entries = m.bodies() + 6 * m.related_pairs() + 6 * m.related_triples();
    CHECK(count(m).multiply <= entries);
    CHECK(count(m).multiply >= 6 * m.related_triples());
  }
}

TEST_CASE("counting operations changes no symbol", "[algorithms][christoffel][operation_count]") {
  const auto model = zoo::serial_chain(10);
  Data<double> data(model);
  Mechanism m = chain(10);
  const VectorX<double> q = m.q.unaryExpr([](const Counting& x) { return x.value(); });
  ChristoffelTensor<double> expected(model);
  christoffel_symbols(model, data, q, expected);
  ChristoffelTensor<Counting> Gamma(m.model);
  christoffel_symbols(m.model, m.data, m.q, Gamma);
  for (int k = 0; k < 10; ++k) {
    const MatrixX<double> page = Gamma.along(k).unaryExpr([](const Counting& x) { return x.value(); });
    CHECK(page.isApprox(expected.along(k), 1e-13));
  }
}

TEST_CASE("the symbols after other results save the kinematics and composites",
          "[algorithms][christoffel][operation_count]") {
  Mechanism m = chain(20), other = chain(20);
  const Operations all = operations_of([&] { run_packed(m); });
  run_coriolis(other);
  PackedChristoffelTensor<Counting> Gamma(other.model);
  const Operations again = operations_of([&] { christoffel_symbols(other.model, other.data, Gamma); });
  CHECK(again.function == 0);
  Mechanism third = chain(20);
  const Operations saved = operations_of([&] {
    forward_kinematics(third.model, third.data, third.q);
    detail::composite_inertias(third.model, third.data);
  });
  CHECK(again + saved == all);
}
