#include <iostream>

#include "corio/algorithms/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/coriolis_matrix_dot.hpp"
#include "corio/algorithms/gravity_derivatives.hpp"
#include "corio/algorithms/mass_matrix_derivatives.hpp"
#include "support/catch.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;

// Costs of the rates and derivatives of M, C and g, in exact counts.

namespace {

void run_rates(Mechanism& m) { coriolis_matrix_dot(m.model, m.data, m.q, m.v, m.v); }
void run_plain_rates(Mechanism& m) { coriolis_matrix_dot<factorization::Plain>(m.model, m.data, m.q, m.v, m.v); }
void run_coriolis(Mechanism& m) { coriolis_matrix(m.model, m.data, m.q, m.v); }
void run_gravity_rate(Mechanism& m) { gravity_dot(m.model, m.data, m.q, m.v); }
void run_gravity(Mechanism& m) { gravity_derivatives(m.model, m.data, m.q); }
template <class Tensor>
void run_mass(Mechanism& m) {
  Tensor out(m.model);
  mass_matrix_derivatives(m.model, m.data, m.q, out);
}
template <class Tensor>
void run_derivatives(Mechanism& m) {
  Tensor out(m.model);
  coriolis_matrix_derivatives(m.model, m.data, m.q, m.v, out);
}

void print(const char* name, const Growth& g) {
  std::cout << name << ": a n + b pairs + t triples with\n  a = " << g.per_body << "\n  b = " << g.per_pair
            << "\n  t = " << g.per_triple << '\n';
}

/// Whether the growth found on short chains is that of all mechanisms, exactly.
void check_everywhere(void (*run)(Mechanism&), const Growth& g) {
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies(), m.related_pairs(), m.related_triples());
    CHECK(operations_of([&] { run(m); }) == g.at(m));
  }
}

}  // namespace

TEST_CASE("rates of M and C take dot products per related pair, no triples",
          "[algorithms][coriolis_matrix_dot][operation_count]") {
  // Of six numbers M, C above and one of the two of C below, then two and two of Cdot; of three the other ones.
  const Growth g = growth(run_rates), plain = growth(run_plain_rates);
  print("coriolis_matrix_dot", g);
  CHECK(g.per_triple == Operations{});
  CHECK(g.per_pair.multiply == 7 * 6 + 2 * 3);
  CHECK(plain.per_triple == Operations{});
  CHECK(plain.per_pair.multiply == 9 * 6);
  check_everywhere(run_rates, g);
  check_everywhere(run_plain_rates, plain);
}

TEST_CASE("rates take about the operations of two evaluations of M and C, but sines and cosines once",
          "[algorithms][coriolis_matrix_dot][operation_count]") {
  for (Mechanism& m : mechanisms()) {
    CAPTURE(m.model.name(), m.bodies());
    const Operations one = operations_of([&] { run_coriolis(m); }), rates = operations_of([&] { run_rates(m); });
    CHECK(rates.function == one.function);
    // 92 instead of 2 x 39 per pair.
    CHECK(static_cast<double>(rates.total()) < 2.4 * static_cast<double>(one.total()));
  }
}

TEST_CASE("gdot takes O(n) operations, dg/dq three multiplications per related pair",
          "[algorithms][gravity_derivatives][operation_count]") {
  const Growth rate = growth(run_gravity_rate), g = growth(run_gravity);
  CHECK(rate.per_pair == Operations{});
  CHECK(rate.per_triple == Operations{});
  CHECK(g.per_pair == Operations{.add = 2, .multiply = 3});
  CHECK(g.per_triple == Operations{});
  check_everywhere(run_gravity_rate, rate);
  check_everywhere(run_gravity, g);
}

TEST_CASE("D M takes the operations of the Christoffel symbols, and two additions per triple if dense",
          "[algorithms][mass_matrix_derivatives][operation_count]") {
  const Growth dense = growth(run_mass<MassMatrixDerivatives<Counting>>),
               packed = growth(run_mass<PackedMassMatrixDerivatives<Counting>>);
  CHECK(packed.per_triple == Operations{.add = 7, .multiply = 9});
  CHECK(dense.per_triple == Operations{.add = 9, .multiply = 9});
  check_everywhere(run_mass<MassMatrixDerivatives<Counting>>, dense);
  check_everywhere(run_mass<PackedMassMatrixDerivatives<Counting>>, packed);
}

TEST_CASE("D C takes 36 multiplications per related triple",
          "[algorithms][coriolis_matrix_derivatives][operation_count]") {
  // D_k C: 6 + 3 and 6; D_a C: 3 for two entries; D_g C: 6 and 6 + 6.
  const Growth g = growth(run_derivatives<PackedCoriolisMatrixDerivatives<Counting>>),
               dense = growth(run_derivatives<CoriolisMatrixDerivatives<Counting>>);
  print("coriolis_matrix_derivatives", g);
  CHECK(g.per_triple.multiply == 36);
  CHECK(dense.per_triple.multiply == 36);
  check_everywhere(run_derivatives<PackedCoriolisMatrixDerivatives<Counting>>, g);
  check_everywhere(run_derivatives<CoriolisMatrixDerivatives<Counting>>, dense);
}
