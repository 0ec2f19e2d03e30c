#include "corio/algorithms/derivatives/factorized_coriolis_derivatives.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Computes D_l C for all l, over the results of an earlier state.
template <class B>
CoriolisMatrixDerivativesResult<double> factorized_derivatives(Sample& s, const B& factorization) {
  CoriolisMatrixDerivativesResult<double> D(s.model);
  coriolis_matrix_derivatives(s.model, s.data, integrate(s.model, s.q, s.v), s.a, D, factorization);
  coriolis_matrix_derivatives(s.model, s.data, s.q, s.v, D, factorization);
  return D;
}

}  // namespace

TEST_EACH(Sample& s, "dC/dq of (V x*) I is the complex step of its C",
          "[algorithms][factorized_coriolis_derivatives]") {
  const int n = s.model.nv();
  const auto complex = s.model.cast<Complex>();
  Data<Complex> ahead(complex);
  const VectorX<Complex> v = s.v.cast<Complex>();
  const auto D = factorized_derivatives(s, factorization::Plain{});
  // The error is relative to the largest entry of all: along a root joint, terms as large as those of C cancel to zero.
  Tensor3<double> expected(n);
  for (int l = 0; l < n; ++l) {
    const VectorX<Complex> q = step(complex, s.q, Vectord::Unit(n, l));
    const Matrixd page = coriolis_matrix<factorization::Plain>(complex, ahead, q, v).C.imag() / complex_step;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) expected(i, j, l) = page(i, j);
  }
  CHECK(relative_error(D.tensor(), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "dC/dq of a dense Christoffel factorization is that of its own algorithm",
          "[algorithms][factorized_coriolis_derivatives]") {
  CoriolisMatrixDerivativesResult<double> expected(s.model);
  coriolis_matrix_derivatives(s.model, s.data, s.q, s.v, expected);
  CHECK(relative_error(factorized_derivatives(s, dense_christoffel()).tensor(), expected.tensor()) <
        tolerance<double>());
  CHECK(relative_error(factorized_derivatives(s, factorization::Christoffel{}).tensor(), expected.tensor()) <
        tolerance<double>());
}

TEST_CASE("dC/dq of any factorization is what central differences give",
          "[algorithms][factorized_coriolis_derivatives]") {
  // With h = 1e-5 the errors are 1e-10 times third derivatives (h^2) and 1e-10 times C (eps / h).
  Sample s(random_plan(GENERATE(1, 2)), 4);
  INFO(s.name());
  const int n = s.model.nv();
  constexpr double h = 1e-5;
  const auto check = [&](const auto& B) {
    const auto D = factorized_derivatives(s, B);
    for (int l = 0; l < n; ++l) {
      const auto C = [&](double x) -> Matrixd {
        return coriolis_matrix(s.model, s.data, integrate(s.model, s.q, Vectord(x * Vectord::Unit(n, l))), s.v, B).C;
      };
      CHECK(relative_error(Matrixd((C(h) - C(-h)) / (2 * h)), Matrixd(D.along(l))) < 1e-7);
    }
  };
  check(twisted(0.7, -0.4)), check(momentum_cross()), check(blend(0.3));
}

TEST_CASE("moving axes: dC/dq of (V x*) I is the complex step of its C",
          "[algorithms][factorized_coriolis_derivatives][custom]") {
  const Twins twins = moving_models(GENERATE(range(0, all_moving_models)));
  INFO(twins.name);
  const int n = twins.real.nv();
  Data<double> data(twins.real);
  Data<Complex> ahead(twins.complex);
  const test::State x(twins.real);
  CoriolisMatrixDerivativesResult<double> D(twins.real);
  coriolis_matrix_derivatives(twins.real, data, x.q, x.v, D, factorization::Plain{});
  const double scale = std::max(1.0, max_magnitude(D.tensor()));
  for (int l = 0; l < n; ++l) {
    const VectorX<Complex> q = step(twins.complex, x.q, Vectord::Unit(n, l)), v = x.v.cast<Complex>();
    const Matrixd expected = coriolis_matrix<factorization::Plain>(twins.complex, ahead, q, v).C.imag() / complex_step;
    CHECK(relative_error(D.along(l), expected, scale) < tolerance<double>());
  }
}

TEST_CASE("what dC/dq of a factorization rejects", "[algorithms][factorized_coriolis_derivatives][errors]") {
  Sample s(random_plan(1), 1), other(random_plan(2), 2);
  CoriolisMatrixDerivativesResult<double> D(s.model), of_other(other.model);
  const factorization::Plain plain;
  CHECK_THROWS_AS(coriolis_matrix_derivatives(s.model, s.data, s.q, s.v, of_other, plain), SizeError);
  forward_kinematics(s.model, s.data, s.q);
  CHECK(mentions(message_of<StateError>([&] { coriolis_matrix_derivatives(s.model, s.data, D, plain); }),
                 {"coriolis_matrix_derivatives(", "forward_kinematics(model, data, q, v)"}));
  ModelBuilder<double> builder("cam");
  builder.add_body({.name = "cam", .joint = CamOfDoubles(), .inertia = InertialParameters<double>(s.random.inertia())});
  const auto moving = builder.build();
  Data<double> data(moving);
  CoriolisMatrixDerivativesResult<double> of_moving(moving);
  const Vectord one = Vectord::Ones(1);
  CHECK(mentions(message_of<ModelError>([&] { coriolis_matrix_derivatives(moving, data, one, one, of_moving, plain); }),
                 {"coriolis_matrix_derivatives", "joint 'cam_joint'", "move in its body", "Dual"}));
}
