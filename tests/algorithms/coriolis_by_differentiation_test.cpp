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

template <class S>
Model<S> cams() {
  ModelBuilder<S> builder("cams");
  const auto inertia = InertialParameters<double>(Random<double>(4).inertia()).template cast<S>();
  const Pose<S> placement = Random<double>(5).pose().template cast<S>();
  builder.add_body({.name = "first", .joint = Cam(0.4), .placement = placement, .inertia = inertia});
  builder.add_body(
      {.name = "second", .parent = "first", .joint = Cam(-0.6), .placement = placement, .inertia = inertia});
  builder.add_body({.name = "third", .parent = "first", .joint = Cam(0.2), .placement = placement, .inertia = inertia});
  return builder.build();
}

struct UserModel {
  const char* name;
  Model<double> model;
  Model<Complex> twin;
};
UserModel user_model(int i) {
  if (i == 0) return {"cams", cams<double>(), cams<Complex>()};
  if (i == 1) return {"Euler angles", tree_on<double>(EulerZyx()), tree_on<Complex>(EulerZyx())};
  return {"ball in the parent's axes", tree_on<double>(ParentBall()), tree_on<Complex>(ParentBall())};
}

}  // namespace

TEST_EACH(Sample& s, "C by differentiation is the matrix of coriolis_matrix", "[algorithms][by_differentiation]") {
  Matrixd C;
  coriolis_matrix_by_differentiation(s.model, s.data, s.q, s.v, C);
  CHECK(relative_error(C, coriolis_matrix(s.model, s.data, s.q, s.v).C) < tolerance<double>());
}

TEST_EACH(Sample& s, "C by differentiation is that of point masses", "[algorithms][by_differentiation]") {
  Matrixd C;
  coriolis_matrix_by_differentiation(s.model, s.data, s.q, s.v, C);
  CHECK(relative_error(C, s.oracle.coriolis_matrix(s.v)) < tolerance<double>());
}

TEST_EACH(Sample& s, "C from the complex step of nonlinear_effects", "[algorithms][by_differentiation]") {
  const Matrixd D = by_complex_step(s.model.cast<Complex>(), s.q, s.v);
  const Matrixd C = (D + correction(s.model, s.data, s.q, s.v)) / 2;
  CHECK(relative_error(C, s.oracle.coriolis_matrix(s.v)) < tolerance<double>());
}

TEST_EACH(Sample& s, "half the derivative alone is C exactly where all motions commute",
          "[algorithms][by_differentiation]") {
  const Matrixd half = by_complex_step(s.model.cast<Complex>(), s.q, s.v) / 2;
  const double error = relative_error(half, s.oracle.coriolis_matrix(s.v));
  if (all_commute(s.model))
    CHECK(error < tolerance<double>());
  else
    CHECK(error > 1e-3);
}

TEST_EACH(Sample& s, "half the derivative gives the right C v in any case", "[algorithms][by_differentiation]") {
  // Euler's theorem applies: C v is homogeneous of degree two in v. The correction is K v = [v, v] = 0.
  const Matrixd half = by_complex_step(s.model.cast<Complex>(), s.q, s.v) / 2;
  CHECK(relative_error(half * s.v, s.oracle.coriolis_matrix(s.v) * s.v) < tolerance<double>());
}

TEST_CASE("C by differentiation for joints whose columns move", "[algorithms][by_differentiation][custom]") {
  const auto [name, model, twin] = user_model(GENERATE(0, 1, 2));
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

TEST_CASE("C by differentiation does not depend on gravity", "[algorithms][by_differentiation]") {
  Plan plan = random_plan(4);
  Sample with(plan, 4);
  plan.gravity.setZero();
  Sample without(plan, 4);
  Matrixd C, D;
  coriolis_matrix_by_differentiation(with.model, with.data, with.q, with.v, C);
  coriolis_matrix_by_differentiation(without.model, without.data, without.q, without.v, D);
  // The forces of gravity cancel in the difference, up to their rounding.
  CHECK(relative_error(C, D) < tolerance<double>() * 10);
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
