#include <array>
#include <iostream>

#include "contracts/table.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Checks how costs grow, by exact counts of operations, which do not depend on a clock.

namespace {

/// Holds one line of claims: the operations of a function per related pair and triple of degrees of freedom, for any
/// mechanism.
struct Cost {
  const char* name;
  Operations per_pair, per_triple;
  /// The operations for a chain of 20 may exceed the first count by three percent. Sums about the origins of the nodes
  /// take 3 to 20 percent more operations than sums about the base of the tree, which lost up to five digits on hands.
  long budget = 0;
};

const Operations none{};

// A dot product of six numbers takes 6 multiplications and 5 additions, one of three takes 3 and 2.
const std::vector<Cost>& costs() {
  static const std::vector<Cost> all = {
      // The cost is linear in the number of bodies, for every tree.
      {"rnea", none, none, 7600},
      {"aba", none, none, 15900},
      {"coriolis_product (Christoffel)", none, none},
      {"coriolis_transpose_product (Christoffel)", none, none},
      {"gravity_dot", none, none},
      {"inverse_dynamics_regressor_product", none, none},
      {"inverse_dynamics_regressor_transpose_product", none, none},
      {"kinetic_energy_regressor", none, none},
      {"centroidal_momentum_matrix", none, none},
      {"centroidal_momentum_matrix_dot", none, none},
      {"com_jacobian_dot", none, none},
      {"centroidal_momentum", none, none},
      // There is one dot product per related pair.
      {"crba", {.add = 5, .multiply = 6}, none, 8400},
      {"mass_matrix_dot", {.add = 11, .multiply = 12}, none},
      {"gravity_derivatives", {.add = 2, .multiply = 3}, none},
      // There are three dot products of 6 and one of 3, one sum for C(j, i) and one for Mdot. A dense B has a force
      // part in B^T Phi: three more multiplications.
      {"coriolis_matrix (Christoffel)", {.add = 19, .multiply = 21}, none, 21900},
      {"coriolis_matrix (Plain)", {.add = 22, .multiply = 24}, none},
      // There are five dot products of six and two of three, and two sums of these.
      {"inverse_dynamics_derivatives", {.add = 31, .multiply = 36}, none, 37200},
      // There are six dot products of six and four of three, and four sums of these.
      {"inverse_dynamics_hessian", {.add = 6 * 5 + 4 * 2 + 4, .multiply = 6 * 6 + 4 * 3}, none, 54300},
      // There are four columns of six numbers, and six of three.
      {"inverse_dynamics_regressor", {.add = 32, .multiply = 42}, none},
      {"slotine_li_regressor", {.add = 32, .multiply = 42}, none},
      // These are the dot products of Phi_i with a force and with a couple. A pair j above k takes 18 multiplications
      // and 14 additions for B_k Phi_j, 18 and 17 for B_k^T Phi_j, and the same dot products for i = j and, with j = k,
      // for i above both. Dense symbols are copies of the packed ones.
      {"christoffel_symbols (packed)",
       {.add = 14 + 17 + 2 * 7, .multiply = 18 + 18 + 2 * 9},
       {.add = 7, .multiply = 9}},
      {"christoffel_symbols (dense)", {.add = 14 + 17 + 2 * 7, .multiply = 18 + 18 + 2 * 9}, {.add = 7, .multiply = 9}},
  };
  return all;
}

const std::string& print(const std::string& name, const Growth& g) {
  std::cout << name << ": a n + b pairs + t triples + c with\n  a = " << g.per_body << "\n  b = " << g.per_pair
            << "\n  t = " << g.per_triple << "\n  c = " << g.constant << '\n';
  return name;
}

/// Counts the operations of the first form for a mechanism, without external forces.
Operations operations_of(const std::string& name, const Mechanism& m, bool reuse = false,
                         const char* before = nullptr) {
  const Arguments<Counting> x(m.model, m.numbers());
  Data<Counting> data(m.model);
  const auto& f = operation<Counting>(name);
  const auto call = f.prepare(m.model);
  if (before) operation<Counting>(before).prepare(m.model)->complete(m.model, data, x);
  return corio::test::operations_of([&] { reuse ? call->reuse(m.model, data, x) : call->complete(m.model, data, x); });
}
Growth growth_of(const std::string& name) {
  return growth([&](const Mechanism& m) { return operations_of(name, m); });
}
double total(const char* name, const Mechanism& m) { return static_cast<double>(operations_of(name, m).total()); }
Mechanism tree(int n, int branching = 2) { return Mechanism(zoo::tree<Counting>(n, branching)); }

/// Checks that the growth found on short chains holds exactly for all mechanisms.
void check_everywhere(const std::string& name, const Growth& g) {
  for (const Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies(), m.related_pairs(), m.related_triples());
    CHECK(operations_of(name, m) == g.at(m));
  }
}

}  // namespace

TEST_CASE("counting operations changes no result", "[scalars][operation_count]") {
  const Mechanism m = tree(9);
  const auto model = zoo::binary_tree(9);
  const Arguments<Counting> x(m.model, m.numbers());
  const Arguments<double> y(model, m.numbers());
  for (const auto& f : operations<Counting>()) {
    INFO(f.name());
    if (!suits(f, m.model)) continue;
    Data<Counting> data(m.model);
    Data<double> plain(model);
    const auto counted = f.prepare(m.model);
    const auto call = operation<double>(f.name()).prepare(model);
    counted->complete(m.model, data, x);
    call->complete(model, plain, y);
    const Vectord values = counted->numbers().unaryExpr([](const Counting& number) { return number.value(); });
    // The limit allows for a condition number of some 1e3.
    const double limit = f.conditioned == Conditioned::not_at_all ? 1e-13 : 1e-10;
    CHECK((values - call->numbers()).norm() <= limit * call->numbers().norm());
  }
}

TEST_CASE("every function takes what is claimed per related pair and triple, the rest is linear, and keeps its budget",
          "[scalars][operation_count]") {
  const Cost& cost = costs()[static_cast<std::size_t>(GENERATE(range(0, static_cast<int>(costs().size()))))];
  const Growth g = growth_of(cost.name);
  INFO(print(cost.name, g));
  CHECK(g.per_pair == cost.per_pair);
  CHECK(g.per_triple == cost.per_triple);
  check_everywhere(cost.name, g);
  if (cost.budget > 0) CHECK(operations_of(cost.name, chain(20)).total() <= cost.budget);
}

TEST_CASE("rates of M and C take dot products per related pair, no triples", "[scalars][operation_count]") {
  // Dot products of six numbers are M, the C above, one of the two for the C below, then two and two for Cdot; the
  // other dot products have three numbers.
  const Growth g = growth_of("coriolis_matrix_dot (Christoffel)"), plain = growth_of("coriolis_matrix_dot (Plain)");
  CHECK(g.per_triple == none);
  CHECK(g.per_pair.multiply == 7 * 6 + 2 * 3);
  CHECK(plain.per_triple == none);
  CHECK(plain.per_pair.multiply == 9 * 6);
  check_everywhere("coriolis_matrix_dot (Christoffel)", g);
  check_everywhere("coriolis_matrix_dot (Plain)", plain);
}

TEST_CASE("rates take about the operations of two evaluations of M and C, but sines and cosines once",
          "[scalars][operation_count]") {
  for (const Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies());
    const Operations one = operations_of("coriolis_matrix (Christoffel)", m),
                     rates = operations_of("coriolis_matrix_dot (Christoffel)", m);
    CHECK(rates.function == one.function);
    // A pair takes 92 operations instead of 2 x 39.
    CHECK(static_cast<double>(rates.total()) < 2.4 * static_cast<double>(one.total()));
  }
}

TEST_CASE("D M takes the operations of the Christoffel symbols, and two additions per triple if dense",
          "[scalars][operation_count]") {
  const Growth dense = growth_of("mass_matrix_derivatives (dense)"),
               packed = growth_of("mass_matrix_derivatives (packed)");
  CHECK(packed.per_triple == Operations{.add = 7, .multiply = 9});
  CHECK(dense.per_triple == Operations{.add = 9, .multiply = 9});
  check_everywhere("mass_matrix_derivatives (dense)", dense);
  check_everywhere("mass_matrix_derivatives (packed)", packed);
}

TEST_CASE("D C takes 36 multiplications per related triple", "[scalars][operation_count]") {
  // D_k C takes 6 + 3 and 6; D_a C takes 3 for two entries; D_g C takes 6 and 6 + 6.
  for (const char* name : {"coriolis_matrix_derivatives (packed)", "coriolis_matrix_derivatives (dense)"}) {
    const Growth g = growth_of(name);
    CHECK(g.per_triple.multiply == 36);
    check_everywhere(name, g);
  }
}

TEST_CASE("second derivatives take 108 products and 92 sums per related triple", "[scalars][operation_count]") {
  // The Hessian's pair counts three times, once for each component of a triple; two of these times it counts without
  // its three dot products with the virtual motion of the row, because the row does not move.
  const Growth g = growth_of("inverse_dynamics_second_derivatives");
  const Growth hessian = growth_of("inverse_dynamics_hessian");
  const Operations of_rows{.add = 17, .multiply = 18};
  CHECK(g.per_triple == 3 * hessian.per_pair - 2 * of_rows);
  check_everywhere("inverse_dynamics_second_derivatives", g);
}

TEST_CASE("mass_matrix_inverse takes 13 products per related pair and 12 per pair", "[scalars][operation_count]") {
  // The inward sweep has a dot product, a column times its result for all degrees of freedom above, and a product with
  // the reciprocal inertia. The outward sweep has the same without the reciprocal inertia, for all previous degrees of
  // freedom, related or not. On chains all pairs are related.
  const Growth g = growth_of("mass_matrix_inverse");
  const Operations related{.add = 12, .multiply = 13}, any{.add = 12, .multiply = 12};
  CHECK(g.per_triple == none);
  CHECK(g.per_pair == related + any);
  for (const Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies());
    const long n = m.bodies(), pairs = n * (n - 1) / 2;
    CHECK(operations_of("mass_matrix_inverse", m) ==
          g.constant + n * g.per_body + m.related_pairs() * related + pairs * any);
  }
}

TEST_CASE("on trees of depth log n functions of pairs and triples take hardly more than O(n)",
          "[scalars][operation_count]") {
  // 63 -> 127 bodies: on the chain pairs grow by 4 and triples by 8; on the binary tree, where depths are 5 and 6,
  // pairs grow by 127 * 6 / (63 * 5) = 2.42 and triples by (6 * 5) / (5 * 4) * 127 / 63 = 3.02 at most.
  struct Line {
    const char* name;
    double chain, tree;
  };
  const Line lines[] = {{"coriolis_matrix (Christoffel)", 2.6, 2.2},
                        {"inverse_dynamics_derivatives", 2.6, 2.4},
                        {"inverse_dynamics_hessian", 2.6, 2.42},
                        {"christoffel_symbols (dense)", 6, 2.74},
                        {"inverse_dynamics_second_derivatives", 6, 3.02}};
  for (const Line& line : lines) {
    INFO(line.name);
    CHECK(total(line.name, chain(127)) / total(line.name, chain(63)) > line.chain);
    CHECK(total(line.name, tree(127)) / total(line.name, tree(63)) < line.tree);
  }
  // 85 -> 341 bodies with four children each have depths 4 and 5: (5 / 4)^2 341 / 85 = 6.3.
  CHECK(total("christoffel_symbols (dense)", tree(341, 4)) / total("christoffel_symbols (dense)", tree(85, 4)) < 6.3);
}

TEST_CASE("a second function on the same state saves the kinematics and the composites", "[scalars][operation_count]") {
  const Mechanism m = chain(20);
  const Operations again = operations_of("crba", m, true, "coriolis_matrix (Christoffel)");
  // I^C Phi per body, and the pairs, are left over.
  CHECK(again.function == 0);
  CHECK(2 * again.total() < operations_of("crba", m).total());
  const char* symbols = "christoffel_symbols (packed)";
  const Operations reused = operations_of(symbols, m, true, "coriolis_matrix (Christoffel)");
  CHECK(reused.function == 0);
  // The saving is the common part of coriolis_matrix and the symbols, at most the kinematics and the sums over
  // subtrees.
  const Operations saved = operations_of(symbols, m) - reused;
  CHECK(saved.function == 2 * 20);
  CHECK(operations_of(symbols, m, true, symbols) == reused);
}

TEST_CASE("the articulated route takes 50 n^2 products, the dense one 2 n^3", "[scalars][operation_count]") {
  // A dense derivative has two products of n x n matrices, for n a multiple of the four columns of a tile.
  const char *articulated = "forward_dynamics_derivatives (articulated)",
             *dense = "forward_dynamics_derivatives (dense)";
  // Third differences vanish for even n, because no column of a pair is idle then.
  const auto at = [&](int n) { return operations_of(articulated, chain(n)); };
  CHECK((at(10) - at(8)) - (at(8) - at(6)) == (at(8) - at(6)) - (at(6) - at(4)));
  for (const int n : {4, 8, 20, 40}) {
    CAPTURE(n);
    CHECK(at(n).multiply - operations_of(dense, chain(n)).multiply == 50L * n * n - 2L * n * n * n);
  }
}

TEST_CASE("one kinematics pass and one elimination serve all of a derivative", "[scalars][operation_count]") {
  // There is a sine and a cosine per joint, and, if M is inverted, the reciprocal of its articulated inertia.
  for (const char* name : {"inverse_dynamics_hessian", "inverse_dynamics_second_derivatives"}) {
    CHECK(operations_of(name, chain(20)).function == 2 * 20);
    CHECK(operations_of(name, chain(20)).divide == 0);
  }
  for (const char* name : {"forward_dynamics_derivatives (dense)", "forward_dynamics_derivatives (articulated)",
                           "forward_dynamics_hessian"}) {
    CHECK(operations_of(name, chain(20)).function == 2 * 20);
    CHECK(operations_of(name, chain(20)).divide == 20);
  }
}

TEST_CASE("the Hessian of lambda^T tau takes hardly more than the first derivatives", "[scalars][operation_count]") {
  // There are 48 products, compared with 36, per related pair, and three more forces or moments per degree of freedom.
  for (const int n : {10, 40, 80})
    CHECK(total("inverse_dynamics_hessian", chain(n)) / total("inverse_dynamics_derivatives", chain(n)) < 1.5);
}

TEST_CASE("the Hessian of lambda^T a takes one matrix product more than the derivatives of a",
          "[scalars][operation_count]") {
  // The Hessian has three products, but not the two of da_dq and da_dv. It also multiplies by a vector.
  const auto of_product = [](const Mechanism& m) {
    const int n = m.model.nv();
    const long first = operations_of("forward_dynamics_derivatives (automatic)", m).multiply;
    // The state already has its composites. It lacks the forces of the bodies that rnea computes: aba has found them,
    // so rnea's projection, with six products per degree of freedom and one for the armature, is left out.
    const long second = operations_of("inverse_dynamics_hessian", m, true, "inverse_dynamics_derivatives").multiply;
    const long forces = operations_of("rnea", m, true, "rnea").multiply - 7 * n;
    return operations_of("forward_dynamics_hessian", m).multiply - first - second + forces - n * n;
  };
  // n is a multiple of the four columns of a tile.
  for (const int n : {4, 8, 20, 40}) {
    CAPTURE(n);
    CHECK(of_product(chain(n)) == 1L * n * n * n);
    // On a tree all skip unrelated degrees of freedom, as da_dq and da_dv do, which sweeps take 25 n^2 for.
    const long dense = operations_of("forward_dynamics_derivatives (dense)", tree(n)).multiply;
    const long sweeps = operations_of("forward_dynamics_derivatives (articulated)", tree(n)).multiply;
    CHECK(2 * of_product(tree(n)) == dense - sweeps + 50L * n * n);
  }
  CHECK(of_product(tree(40)) < 40L * 40 * 40 / 2);
}

TEST_CASE("derivatives that invert M and second ones keep their budgets on a chain of 20",
          "[scalars][operation_count]") {
  const std::pair<const char*, long> lines[] = {{"mass_matrix_inverse", 21000},
                                                {"forward_dynamics_derivatives (dense)", 87700},
                                                {"forward_dynamics_derivatives (articulated)", 97200},
                                                {"forward_dynamics_hessian", 149900},
                                                {"inverse_dynamics_second_derivatives", 535700}};
  for (const auto& [name, limit] : lines) {
    INFO(name);
    CHECK(operations_of(name, chain(20)).total() <= limit);
  }
}

TEST_CASE("the operations of a Jacobian are those of the columns that move the body", "[scalars][operation_count]") {
  const auto count = [](int n) {
    const Mechanism m = chain(n);
    const Arguments<Counting> x(m.model, m.numbers());
    Data<Counting> data(m.model);
    run_pass(m.model, data, x, Pass::acceleration);
    MatrixX<Counting> J(6, n);
    JacobianDerivatives<Counting> D(m.model);
    const FramePoint<Counting> where(m.model.bodies()[5], ReferenceFrame::world_aligned);
    using corio::test::operations_of;
    return std::array{operations_of([&] { body_jacobian(m.model, data, where, J); }),
                      operations_of([&] { body_jacobian_dot(m.model, data, where, J); }),
                      operations_of([&] { body_jacobian_ddot(m.model, data, where, J); }),
                      operations_of([&] { body_jacobian_derivatives(m.model, data, where, D); })};
  };
  const auto few = count(6);
  CHECK(few[0].total() > 0);
  CHECK(count(40) == few);
}

TEST_CASE("contraction of packed symbols takes related triples, not n^3", "[scalars][operation_count]") {
  for (const Mechanism& m : mechanisms()) {
    CAPTURE(m.bodies());
    const PackedChristoffelTensor<Counting> Gamma(m.model);
    const VectorX<Counting> v = VectorX<Counting>::Constant(m.model.nv(), Counting(0.3));
    MatrixX<Counting> C;
    const long multiply = corio::test::operations_of([&] { Gamma.contract(v, C); }).multiply;
    // Each triple of different degrees of freedom has six orders, each pair six with one of them twice.
    CHECK(multiply <= m.bodies() + 6 * m.related_pairs() + 6 * m.related_triples());
    CHECK(multiply >= 6 * m.related_triples());
  }
}
