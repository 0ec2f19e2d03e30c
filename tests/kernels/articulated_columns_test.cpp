#include "corio/kernels/articulated_columns.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// A few roundings of M become an error that is its condition times as large.
double solution_bound(const Matrixd& M) { return 1e-13 * std::max(10.0, condition(M)); }

/// The factor and the columns of a robot at the last position in its Data.
struct Factorized {
  detail::ArticulatedFactor<double> factor;
  detail::ArticulatedColumns<double> columns;
  explicit Factorized(Sample& s) : factor(s.model), columns(s.model) {
    forward_kinematics(s.model, s.data, s.q);
    factor.compute(s.model, s.data);
  }
};

}  // namespace

TEST_EACH(Sample& s, "columns are solved one, some and all at a time", "[kernels][articulated_columns]") {
  const int n = s.model.nv();
  Factorized of(s);
  const Matrixd M = s.oracle.mass_matrix(), expected = inverse(M);
  Matrixd found(n, n);
  of.columns.inverse(s.model, s.data, of.factor, found);
  CHECK(found == found.transpose());
  CHECK(relative_error(found, expected) < solution_bound(M));
  // Tests blocks that are full, that have one column, and all sizes between.
  for (int m = 0; m <= 2 * 16 + 1; ++m) {
    CAPTURE(m);
    const Matrixd B = Matrixd::NullaryExpr(n, m, [&] { return s.random.real(); });
    Matrixd X = B;
    of.columns.solve<-1>(s.model, s.data, of.factor, X, X);
    REQUIRE(relative_error(X, -expected * B) < solution_bound(M));
  }
}

TEST_CASE("each column is solved as if it were alone", "[kernels][articulated_columns]") {
  // A column that is not finite leaves the other columns unchanged, to the last digit.
  Sample s(random_plan(3), 3);
  const int n = s.model.nv();
  Factorized of(s);
  const Matrixd B = Matrixd::NullaryExpr(n, 11, [&] { return s.random.real(); });
  Matrixd X(n, 11), Y(n, 11);
  of.columns.solve(s.model, s.data, of.factor, B, X);
  Matrixd spoilt = B;
  spoilt.col(4).setConstant(std::numeric_limits<double>::quiet_NaN());
  of.columns.solve(s.model, s.data, of.factor, spoilt, Y);
  CHECK(Y.col(4).hasNaN());
  Y.col(4) = X.col(4);
  CHECK(X == Y);
  // Blocks of other lengths differ by rounding, because the compiler fuses other products.
  for (int c = 0; c < 11; ++c) {
    Matrixd one(n, 1);
    of.columns.solve(s.model, s.data, of.factor, B.col(c), one);
    CHECK(relative_error(one, Matrixd(X.col(c))) < solution_bound(s.oracle.mass_matrix()));
  }
}
