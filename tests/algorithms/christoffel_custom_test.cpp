#include "corio/algorithms/dynamics/crba.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks Christoffel symbols for users' joints whose columns move in the body. tests/contracts has the other scalars.

namespace {

constexpr int all_models = all_twins + 1;

/// Returns [E_a, E_b] by joint type. Rotations composed from the left have the brackets of so(3) with the opposite
/// sign; the brackets of coordinates are zero.
Tensor3<double> brackets(const Model<double>& model) {
  Tensor3<double> c(model.nv());
  const auto unit = [](int i) -> Vector3<double> { return Vector3<double>::Unit(i); };
  for (const Joint& joint : model.joints()) {
    const int v = joint.v_index();
    const auto set = [&](int l, int a, int b, double x) { c(v + l, v + a, v + b) = x, c(v + l, v + b, v + a) = -x; };
    const double sign = joint.type() == "parent_ball" ? -1 : 1;
    if (joint.type() == "parent_ball" || joint.type() == "spherical")
      for (int i = 0; i < 3; ++i) set((i + 2) % 3, i, (i + 1) % 3, sign);
    if (joint.type() == "planar") set(2, 0, 1, 1), set(1, 0, 2, -1);
    if (joint.type() == "free_flyer")
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          for (int l = 0; l < 3; ++l) {
            c(v + l, v + a, v + b) = unit(a).cross(unit(b))[l];
            set(3 + l, a, 3 + b, unit(a).cross(unit(b))[l]);
          }
  }
  return c;
}

}  // namespace

TEST_CASE("moving columns: Gamma is Koszul's, from derivatives of M and brackets",
          "[algorithms][christoffel][custom]") {
  const Twins models = moving_models(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, GENERATE(range(1, 5)));
  const Symbols Gamma(models.real, data, s.q);
  const auto D = mass_matrix_derivatives(models.complex, s.q);
  const Tensor3<double> y = lowered(crba(models.real, data, s.q), brackets(models.real));
  CHECK(relative_error(Gamma.dense.tensor(), koszul(D, y)) < tolerance<double>());
}

TEST_CASE("moving columns: both storages hold the same numbers", "[algorithms][christoffel][custom]") {
  const Twins models = moving_models(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, 2);
  CHECK(Symbols(models.real, data, s.q).difference() < tolerance<double>());
}

TEST_CASE("moving columns: contraction gives C and C v_r", "[algorithms][christoffel][custom]") {
  const Twins models = moving_models(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, 4);
  const Symbols Gamma(models.real, data, s.q);
  const Matrixd expected = coriolis_matrix(models.real, data, s.q, s.v).C;
  Matrixd C;
  Vectord c;
  Gamma.dense.contract(s.v, C);
  CHECK(relative_error(C, expected) < tolerance<double>());
  Gamma.packed.contract(s.v, C);
  CHECK(relative_error(C, expected) < tolerance<double>());
  Gamma.packed.contract(s.v, s.a, c);
  CHECK(relative_error(c, expected * s.a) < tolerance<double>());
}
