#include "corio/algorithms/dynamics/crba.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks Christoffel symbols for users' joints whose columns move in the body. tests/contracts has the other scalars.

namespace {

constexpr int all_models = all_twins + 1;
Twins model_number(int i) { return moving_models(i); }

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

TEST_CASE("moving columns: Gamma(:,:,k) is C for the unit velocity of k", "[algorithms][christoffel][custom]") {
  const Twins models = model_number(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, GENERATE(range(1, 5)));
  const Symbols Gamma(models.real, data, s.q);
  CHECK(relative_error(Gamma.dense.tensor(), along_units(models.real, data, s.q)) < tolerance<double>());
}

TEST_CASE("moving columns: Gamma is Koszul's, from derivatives of M and brackets",
          "[algorithms][christoffel][custom]") {
  const Twins models = model_number(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, GENERATE(range(1, 5)));
  const Symbols Gamma(models.real, data, s.q);
  const auto D = mass_matrix_derivatives(models.complex, s.q);
  const Tensor3<double> y = lowered(crba(models.real, data, s.q), brackets(models.real));
  CHECK(relative_error(Gamma.dense.tensor(), koszul(D, y)) < tolerance<double>());
}

TEST_CASE("moving columns: Gamma(i,j,k) + Gamma(j,i,k) by central differences of M",
          "[algorithms][christoffel][custom]") {
  // Uses no complex step. With h = 1e-5, h^2 and eps / h are 1e-10, times third derivatives of order one.
  const Twins models = model_number(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, 3);
  const Symbols Gamma(models.real, data, s.q);
  constexpr double h = 1e-5;
  for (int k = 0; k < models.real.nv(); ++k) {
    const Vectord e = h * Vectord::Unit(models.real.nv(), k), back = -e;
    const Matrixd after = crba(models.real, data, integrate(models.real, s.q, e));
    const Matrixd before = crba(models.real, data, integrate(models.real, s.q, back));
    const Matrixd G = Gamma.dense.along(k);
    CAPTURE(k);
    CHECK(relative_error(G + G.transpose(), (after - before) / (2 * h)) < 1e-7);
  }
}

TEST_CASE("moving columns: Gamma is symmetric in j, k for coordinates and not for a ball",
          "[algorithms][christoffel][custom]") {
  const Twins models = model_number(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, 2);
  const Symbols Gamma(models.real, data, s.q);
  double asymmetry = 0;
  for (int i = 0; i < models.real.nv(); ++i)
    asymmetry = std::max(asymmetry, max_magnitude(Gamma.dense.page(i) - Gamma.dense.page(i).transpose()));
  if (all_commute(models.real))
    CHECK(asymmetry < tolerance<double>() * Gamma.scale());
  else
    CHECK(asymmetry > 0.1);
}

TEST_CASE("moving columns: both storages hold the same numbers", "[algorithms][christoffel][custom]") {
  const Twins models = model_number(GENERATE(range(0, all_models)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, 2);
  CHECK(Symbols(models.real, data, s.q).difference() < tolerance<double>());
}

TEST_CASE("moving columns: contraction gives C and C v_r", "[algorithms][christoffel][custom]") {
  const Twins models = model_number(GENERATE(range(0, all_models)));
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

TEST_CASE("a joint of Euler angles has the symbols of three hinges in a row", "[algorithms][christoffel][custom]") {
  // Coordinates and their rates are the same in both; only the way the joint describes its motion differs.
  const auto hinges = [] {
    Random<double> random(21);
    ModelBuilder<double> builder;
    Parent parent;
    const auto add = [&](const char* name, const joint::JointSpec<double>& any, bool massive = true,
                         bool placed = true) {
      BodySpec<double> spec{.name = name, .parent = parent, .joint = any};
      if (placed) spec.placement = random.pose();
      if (massive) spec.inertia = InertialParameters<double>(random.inertia());
      builder.add_body(spec);
      parent = name;
    };
    const auto about = [](int i) { return joint::Revolute(Vector3<double>::Unit(i)); };
    // Poses and inertias are drawn in pairs, one pair for each body of tree_on: z has the pose, x the inertia.
    add("base", joint::Revolute(Vector3<double>(1, 2, 3)));
    add("slider", joint::Prismatic(Vector3<double>(1, 2, -1)));
    add("z", about(2), false);
    add("y", about(1), false, false);
    add("middle", about(0), true, false);
    add("left", joint::Revolute(Vector3<double>(0, 1, 2)));
    parent = "middle";
    add("right", joint::Revolute(Vector3<double>(1, 0, -2)));
    return builder.build();
  }();
  const auto model = tree_on<double>(EulerZyx());
  Data<double> data(model), other(hinges);
  const State s(model, GENERATE(range(1, 5)));
  const Symbols Gamma(model, data, s.q), expected(hinges, other, s.q);
  CHECK(relative_error(Gamma.dense.tensor(), expected.dense.tensor()) < tolerance<double>());
}
