#include "corio/algorithms/coriolis/coriolis_product.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/mass_matrix_dot.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "coriolis_product is C v_r, for every factorization", "[algorithms][coriolis_product]") {
  const Vectord& v_r = s.a;
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Vectord expected = coriolis_matrix(s.model, s.data, s.q, s.v, B).C * v_r;
    CHECK(relative_error(coriolis_product(s.model, s.data, s.q, s.v, v_r, B), expected) < tolerance<double>());
  });
}

TEST_EACH(Sample& s, "coriolis_transpose_product is C^T x, for every factorization", "[algorithms][coriolis_product]") {
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Vectord expected = coriolis_matrix(s.model, s.data, s.q, s.v, B).C.transpose() * s.a;
    CHECK(relative_error(coriolis_transpose_product(s.model, s.data, s.q, s.v, s.a, B), expected) <
          tolerance<double>());
  });
}

TEST_EACH(Sample& s, "mass_matrix_dot is the derivative of crba along integrate(q, v t)",
          "[algorithms][mass_matrix_dot]") {
  const Matrixd expected = mass_matrix_rate(s.model.cast<Complex>(), s.q, s.v);
  CHECK(relative_error(mass_matrix_dot(s.model, s.data, s.q, s.v), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "mass_matrix_dot has both triangles with the same numbers", "[algorithms][mass_matrix_dot]") {
  const Matrixd& rate = mass_matrix_dot(s.model, s.data, s.q, s.v);
  CHECK(rate == rate.transpose());
}

TEST_CASE("products and mass_matrix_dot for joints whose columns move", "[algorithms][coriolis_product][custom]") {
  const auto model = GENERATE(0, 1) == 0 ? tree_on<double>(EulerZyx()) : tree_on<double>(ParentBall());
  Data<double> data(model);
  const State s(model, GENERATE(range(1, 4)));
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Matrixd C = coriolis_matrix(model, data, s.q, s.v, B).C;
    CHECK(relative_error(coriolis_product(model, data, s.q, s.v, s.a, B), C * s.a) < tolerance<double>());
    CHECK(relative_error(coriolis_transpose_product(model, data, s.q, s.v, s.a, B), C.transpose() * s.a) <
          tolerance<double>());
  });
  const Matrixd expected = coriolis_matrix(model, data, s.q, s.v).Mdot;
  CHECK(relative_error(mass_matrix_dot(model, data, s.q, s.v), expected) < tolerance<double>());
}
