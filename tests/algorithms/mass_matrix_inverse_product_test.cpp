#include "corio/algorithms/dynamics/mass_matrix_inverse_product.hpp"

#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/counting_scalar.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// A few roundings of M become an error that is cond(M) times as large.
double product_bound(const Matrixd& M) { return 1e-13 * std::max(10.0, condition(M)); }

}  // namespace

TEST_EACH(Sample& s, "mass_matrix_inverse_product is what a factorization of M gives",
          "[algorithms][mass_matrix_inverse_product]") {
  const int n = s.model.nv();
  const Matrixd M = s.oracle.mass_matrix();
  const Vectord expected = solve(M, s.a);
  CHECK(relative_error(mass_matrix_inverse_product(s.model, s.data, s.q, s.a), expected) < product_bound(M));
  // Passes its own result as its argument.
  const Vectord twice = mass_matrix_inverse_product(s.model, s.data, mass_matrix_inverse_product(s.model, s.data, s.a));
  CHECK(relative_error(twice, solve(M, expected)) < product_bound(M) * std::max(10.0, condition(M)));

  const Matrixd X = Matrixd::NullaryExpr(n, 3, [&] { return s.random.real(); });
  Matrixd out(n, 3);
  mass_matrix_inverse_products(s.model, s.data, s.q, X, out);
  CHECK(relative_error(out, solve(M, X)) < product_bound(M));
  // Solves in place, and in the rows of another matrix.
  Matrixd in_place = X;
  mass_matrix_inverse_products(s.model, s.data, in_place, in_place);
  CHECK(in_place == out);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(n, 3);
  mass_matrix_inverse_products(s.model, s.data, X, rows);
  CHECK(Matrixd(rows) == out);
}

TEST_CASE("mass_matrix_inverse_product takes O(n) operations", "[algorithms][mass_matrix_inverse_product]") {
  // Each further body of a chain adds the same count, and calls after the first allocate nothing.
  const auto count = [](int n) {
    const auto model = zoo::serial_chain<Counting>(n);
    Data<Counting> data(model);
    const VectorX<Counting> q = Vectord::LinSpaced(n, 0.1, 1.0).cast<Counting>(), x = q;
    forward_kinematics(model, data, q);
    return operations_of([&] { mass_matrix_inverse_product(model, data, x); });
  };
  const Operations ten = count(10), eleven = count(11), forty = count(40);
  CHECK(forty == ten + 30 * (eleven - ten));
  const auto model = zoo::humanoid();
  Data<double> data(model);
  const test::State s(model);
  const Vectord first = mass_matrix_inverse_product(model, data, s.q, s.a);
  Eigen::internal::set_is_malloc_allowed(false);
  const bool same = mass_matrix_inverse_product(model, data, s.q, s.a) == first;
  Eigen::internal::set_is_malloc_allowed(true);
  CHECK(same);
}

TEST_CASE("mass_matrix_inverse_products rejects matrices of other sizes",
          "[algorithms][mass_matrix_inverse_product][errors]") {
  Sample s(random_plan(2), 2);
  const int n = s.model.nv();
  forward_kinematics(s.model, s.data, s.q);
  Matrixd X = Matrixd::Zero(n, 2), wrong = Matrixd::Zero(n, 3), taller = Matrixd::Zero(n + 1, 2);
  CHECK_THROWS_AS(mass_matrix_inverse_products(s.model, s.data, X, wrong), SizeError);
  CHECK_THROWS_AS(mass_matrix_inverse_products(s.model, s.data, taller, X), SizeError);
}
