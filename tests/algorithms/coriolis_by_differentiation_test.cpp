#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// C = (d(C v)/dv + M K) / 2 with K(l,j) = sum_a c(l,a,j) v_a: "Coriolis Factorizations and their Connections to
// Riemannian Geometry", eqs. 27-30. The library and the complex step take the derivative here; AutoDiffScalar takes it
// in tests/contracts.

namespace {

/// Returns d(C v)/dv by the complex step.
Matrixd by_complex_step(const Model<Complex>& model, const Vectord& q, const Vectord& v) {
  Data<Complex> data(model);
  Matrixd D(model.nv(), model.nv());
  for (int j = 0; j < model.nv(); ++j) {
    VectorX<Complex> moved = v.cast<Complex>();
    moved[j] += Complex(0, complex_step);
    D.col(j) = nonlinear_effects(model, data, q.cast<Complex>(), moved).imag() / complex_step;
  }
  return D;
}

/// Returns M K, with M without the armature.
Matrixd correction(const Model<double>& model, Data<double>& data, const Vectord& q, const Vectord& v) {
  Tensor3<double> y;
  structure_constants_first_kind(model, data, q, y);
  Matrixd MK = Matrixd::Zero(model.nv(), model.nv());
  for (int i = 0; i < model.nv(); ++i)
    for (int j = 0; j < model.nv(); ++j)
      for (int a = 0; a < model.nv(); ++a) MK(i, j) += y(i, a, j) * v[a];
  return MK;
}

}  // namespace

TEST_EACH(Sample& s, "C by differentiation is that of point masses", "[algorithms][by_differentiation]") {
  Matrixd C;
  coriolis_matrix_by_differentiation(s.model, s.data, s.q, s.v, C);
  CHECK(relative_error(C, s.oracle.coriolis_matrix(s.v)) < tolerance<double>());
}

TEST_CASE("C by differentiation for joints whose columns move", "[algorithms][by_differentiation][custom]") {
  const auto [name, model, twin] = twins(GENERATE(range(0, all_twins)));
  INFO(name);
  Data<double> data(model);
  const State s(model, GENERATE(range(1, 4)));
  Matrixd C;
  coriolis_matrix_by_differentiation(model, data, s.q, s.v, C);
  const Matrixd expected = coriolis_matrix(model, data, s.q, s.v).C;
  CHECK(relative_error(C, expected) < tolerance<double>());
  const Matrixd D = by_complex_step(twin, s.q, s.v);
  CHECK(relative_error(Matrixd((D + correction(model, data, s.q, s.v)) / 2), expected) < tolerance<double>());
  const double alone = relative_error(Matrixd(D / 2), expected);
  if (all_commute(model))
    CHECK(alone < tolerance<double>());
  else
    CHECK(alone > 1e-3);
}

TEST_CASE("C by differentiation over complex numbers", "[algorithms][by_differentiation]") {
  // The derivative of C along a change of v is C at that change, because C is linear in v.
  Sample s(random_plan(3), 3);
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const VectorX<Complex> v = s.v.cast<Complex>() + Complex(0, 1) * s.a.cast<Complex>();
  MatrixX<Complex> C;
  coriolis_matrix_by_differentiation(model, data, s.q.cast<Complex>(), v, C);
  CHECK(relative_error(Matrixd(C.real()), s.oracle.coriolis_matrix(s.v)) < tolerance<double>());
  CHECK(relative_error(Matrixd(C.imag()), s.oracle.coriolis_matrix(s.a)) < tolerance<double>());
}

TEST_CASE("C by differentiation resizes a matrix of another size", "[algorithms][by_differentiation]") {
  Sample s(random_plan(1), 1);
  Matrixd C = Matrixd::Constant(2, 5, 7.0);
  coriolis_matrix_by_differentiation(s.model, s.data, s.q, s.v, C);
  CHECK((C.rows() == s.model.nv() && C.cols() == s.model.nv()));
}
