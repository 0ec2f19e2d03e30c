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

namespace {

/// A sample of a plan, and the same sample without rotors.
struct WithAndWithoutArmature {
  explicit WithAndWithoutArmature(int seed) : with(random_plan(seed), seed), without(bare(random_plan(seed)), seed) {}
  static Plan bare(Plan plan) {
    for (BodyPlan& body : plan.bodies) body.armature.clear();
    return plan;
  }
  Sample with, without;
};

}  // namespace

TEST_EACH(Sample& s, "coriolis_product is C v_r, for every factorization", "[algorithms][coriolis_product]") {
  const Vectord& v_r = s.a;
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Vectord expected = coriolis_matrix(s.model, s.data, s.q, s.v, B).C * v_r;
    CHECK(relative_error(coriolis_product(s.model, s.data, s.q, s.v, v_r, B), expected) < tolerance<double>());
  });
}

TEST_EACH(Sample& s, "coriolis_product is sum m (E_i x).(E_k E_j x) v_rj v_k of point masses",
          "[algorithms][coriolis_product]") {
  const Vectord expected = s.oracle.coriolis_matrix(s.v) * s.a;
  CHECK(relative_error(coriolis_product(s.model, s.data, s.q, s.v, s.a), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "coriolis_product with v_r = v is nonlinear_effects minus gravity",
          "[algorithms][coriolis_product]") {
  const Vectord expected = nonlinear_effects(s.model, s.data, s.q, s.v) - generalized_gravity(s.model, s.data, s.q);
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(relative_error(coriolis_product(s.model, s.data, s.q, s.v, s.v, B), expected) < tolerance<double>());
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

TEST_EACH(Sample& s, "C^T v is dM/dt v - C v: the same for every admissible factorization",
          "[algorithms][coriolis_product]") {
  // The expected force is the rate of the momenta M v at constant v, minus the velocity-product forces.
  const Matrixd rate = mass_matrix_rate(s.model.cast<Complex>(), s.q, s.v);
  const Vectord Cv = nonlinear_effects(s.model, s.data, s.q, s.v) - generalized_gravity(s.model, s.data, s.q);
  const Vectord expected = rate * s.v - Cv;
  // Each of the two terms may be larger than their difference.
  const double scale = std::max({1.0, max_magnitude(Cv), max_magnitude(expected)});
  for_each_admissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    const Vectord result = coriolis_transpose_product(s.model, s.data, s.q, s.v, s.v, B);
    CHECK(max_magnitude(result - expected) < tolerance<double>() * scale);
  });
}

TEST_CASE("C^T v depends on an inadmissible factorization", "[algorithms][coriolis_product]") {
  Sample s(random_plan(3), 3);
  const Vectord admissible = coriolis_transpose_product(s.model, s.data, s.q, s.v, s.v);
  for_each_inadmissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(relative_error(coriolis_transpose_product(s.model, s.data, s.q, s.v, s.v, B), admissible) > 0.1);
  });
}

TEST_EACH(Sample& s, "C^T v is the gradient of the kinetic energy where all motions commute",
          "[algorithms][coriolis_product]") {
  // (C^T v)_j = sum_ik Gamma(i,j,k) v_i v_k = E_j (v^T M v) / 2 if the symbols are symmetric in j, k.
  if (!all_commute(s.model)) return;
  const auto D = mass_matrix_derivatives(s.model.cast<Complex>(), s.q);
  Vectord expected(s.model.nv());
  for (int j = 0; j < s.model.nv(); ++j) expected[j] = s.v.dot(D[static_cast<std::size_t>(j)] * s.v) / 2;
  CHECK(relative_error(coriolis_transpose_product(s.model, s.data, s.q, s.v, s.v), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "x . C y by both products", "[algorithms][coriolis_product]") {
  const Vectord y = random_vector(s.random, s.model.nv());
  const Vectord Cy = coriolis_product(s.model, s.data, s.q, s.v, y);
  const Vectord CTx = coriolis_transpose_product(s.model, s.data, s.q, s.v, s.a);
  // The bound allows for sums of nv terms as large as the largest.
  const double scale = s.model.nv() * max_magnitude(Cy);
  CHECK(relative_error(s.a.dot(Cy), CTx.dot(y), scale) < tolerance<double>());
}

TEST_CASE("v and v_r play different parts in coriolis_product", "[algorithms][coriolis_product]") {
  // Exchanging v and v_r changes Christoffel's product by M [v, v_r], which is not zero in a tree with ball joints.
  Sample s(random_plan(3), 3);
  const Vectord one = coriolis_product(s.model, s.data, s.q, s.v, s.a);
  const Vectord other = coriolis_product(s.model, s.data, s.q, s.a, s.v);
  CHECK(relative_error(one, other) > 0.1);
}

TEST_EACH(Sample& s, "products are linear in both velocities", "[algorithms][coriolis_product]") {
  const Vectord w = random_vector(s.random, s.model.nv());
  const auto C = [&](const Vectord& v, const Vectord& x) -> Vectord {
    return coriolis_product(s.model, s.data, s.q, v, x);
  };
  const auto CT = [&](const Vectord& v, const Vectord& x) -> Vectord {
    return coriolis_transpose_product(s.model, s.data, s.q, v, x);
  };
  CHECK(relative_error(C(s.v + 2 * w, s.a), C(s.v, s.a) + 2 * C(w, s.a)) < tolerance<double>());
  CHECK(relative_error(C(s.v, s.a - 3 * w), C(s.v, s.a) - 3 * C(s.v, w)) < tolerance<double>());
  CHECK(relative_error(CT(s.v + 2 * w, s.a), CT(s.v, s.a) + 2 * CT(w, s.a)) < tolerance<double>());
  CHECK(relative_error(CT(s.v, s.a - 3 * w), CT(s.v, s.a) - 3 * CT(s.v, w)) < tolerance<double>());
}

TEST_EACH(Sample& s, "mass_matrix_dot is the derivative of crba along integrate(q, v t)",
          "[algorithms][mass_matrix_dot]") {
  const Matrixd expected = mass_matrix_rate(s.model.cast<Complex>(), s.q, s.v);
  CHECK(relative_error(mass_matrix_dot(s.model, s.data, s.q, s.v), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "mass_matrix_dot is the Mdot of coriolis_matrix", "[algorithms][mass_matrix_dot]") {
  const Matrixd expected = coriolis_matrix(s.model, s.data, s.q, s.v).Mdot;
  CHECK(relative_error(mass_matrix_dot(s.model, s.data, s.q, s.v), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "mass_matrix_dot has both triangles with the same numbers", "[algorithms][mass_matrix_dot]") {
  const Matrixd& rate = mass_matrix_dot(s.model, s.data, s.q, s.v);
  CHECK(rate == rate.transpose());
}

TEST_CASE("armature enters neither the products nor mass_matrix_dot", "[algorithms][coriolis_product]") {
  WithAndWithoutArmature x(6);
  Sample &with = x.with, &without = x.without;
  REQUIRE(with.model.armature().minCoeff() > 0);
  REQUIRE(without.model.armature().maxCoeff() == 0);
  const Vectord &q = with.q, &v = with.v, &w = with.a;
  CHECK(coriolis_product(with.model, with.data, q, v, w) == coriolis_product(without.model, without.data, q, v, w));
  CHECK(coriolis_transpose_product(with.model, with.data, q, v, w) ==
        coriolis_transpose_product(without.model, without.data, q, v, w));
  CHECK(mass_matrix_dot(with.model, with.data, q, v) == mass_matrix_dot(without.model, without.data, q, v));
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
