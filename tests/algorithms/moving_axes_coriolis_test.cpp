#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"
#include "support/rates_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks dC/dq for users' joints, whose columns move in the body, against complex steps of C and by its relations to
// other rates and derivatives.

namespace {

struct MovingCoriolis {
  explicit MovingCoriolis(int i)
      : twins(moving_models(i)), model(twins.real), data(model), s(model), dense(model), packed(model) {
    coriolis_matrix_derivatives(model, data, s.q, s.v, dense);
    coriolis_matrix_derivatives(model, data, packed);
  }
  static int count() { return all_moving_models; }
  const std::string& name() const { return twins.name; }
  double scale() { return std::max(1.0, max_magnitude(dense.tensor())); }

  Twins twins;
  const Model<double>& model;
  Data<double> data;
  test::State s;
  CoriolisMatrixDerivativesResult<double> dense;
  PackedCoriolisMatrixDerivativesResult<double> packed;
};

}  // namespace

TEST_EACH(MovingCoriolis& x, "moving axes: D_l C is the complex step of C along l",
          "[algorithms][coriolis_matrix_derivatives][custom]") {
  const int n = x.model.nv();
  for (int l = 0; l < n; ++l) {
    CAPTURE(l);
    Instant at = complex_instant(x.twins.complex, x.s.q, Vectord::Unit(n, l), Vectord::Zero(n));
    at.v = x.s.v.cast<Complex>();
    CHECK(relative_error(x.dense.along(l), ComplexMatrices(x.twins.complex, at).C, x.scale()) < tolerance<double>());
  }
}

TEST_EACH(MovingCoriolis& x, "moving axes: packed derivatives of C are those of the dense tensor",
          "[algorithms][coriolis_matrix_derivatives][custom]") {
  double worst = 0;
  for_each_triple(x.model.nv(), [&](int i, int j, int l) {
    worst = std::max(worst, std::abs(x.packed(i, j, l) - x.dense(i, j, l)));
  });
  CHECK(worst < tolerance<double>() * x.scale());
  Matrixd sum, expected;
  x.packed.contract(x.s.a, sum);
  x.dense.contract(x.s.a, expected);
  CHECK(relative_error(sum, expected, x.scale()) < tolerance<double>());
}
