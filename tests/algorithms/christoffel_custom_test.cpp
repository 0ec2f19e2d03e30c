#include <Eigen/Core>
// After Eigen/Core, which it needs and does not include.
#include <unsupported/Eigen/AutoDiff>

#include "corio/algorithms/crba.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Christoffel symbols of users' joints whose columns move in the body, and over scalars other than double.

namespace {

/// Joints of every sort above and below each other: moving columns on moving columns, of one and of three degrees of
/// freedom, on a floating base and under ball joints.
template <class S>
Model<S> tower() {
  Random<double> random(33);
  ModelBuilder<S> builder("tower");
  const auto add = [&](const char* name, Parent parent, joint::Any<S> any) {
    const Pose<double> placement = random.pose();
    const InertialParameters<double> inertia(random.inertia());
    builder.add_body(
        {.name = name, .parent = parent, .joint = any, .placement = placement.cast<S>(), .inertia = inertia.cast<S>()});
  };
  add("base", {}, joint::FreeFlyer{});
  add("euler", "base", EulerZyx());
  add("hinge", "euler", joint::Revolute(Vector3<double>(1, 2, 3)));
  add("parent_ball", "hinge", ParentBall());
  add("cam", "parent_ball", Cam(0.4));
  add("ball", "cam", joint::Spherical{});
  add("second_cam", "hinge", Cam(-0.3));
  add("second_euler", "second_cam", EulerZyx());
  add("plane", "second_euler", joint::Planar(Vector3<double>(0, 1, 2)));
  return builder.build();
}

/// The same model over double and over complex numbers.
struct Twins {
  std::string name;
  Model<double> real;
  Model<Complex> complex;
};
template <class J>
Twins tree_twins(const J& joint) {
  return {J::type, tree_on<double>(joint), tree_on<Complex>(joint)};
}
constexpr int all_twins = 4;
Twins twins(int i) {
  if (i == 0) return tree_twins(Cam(0.4));
  if (i == 1) return tree_twins(EulerZyx());
  if (i == 2) return tree_twins(ParentBall());
  return {"tower", tower<double>(), tower<Complex>()};
}

/// [E_a, E_b] by joint type. Rotations composed from the left have the brackets of so(3) with the opposite sign;
/// coordinates have none.
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
  const Twins models = twins(GENERATE(range(0, all_twins)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, GENERATE(range(1, 5)));
  const Symbols Gamma(models.real, data, s.q);
  CHECK(relative_error(Gamma.dense.tensor(), along_units(models.real, data, s.q)) < tolerance<double>());
}

TEST_CASE("moving columns: Gamma is Koszul's, from derivatives of M and brackets",
          "[algorithms][christoffel][custom]") {
  const Twins models = twins(GENERATE(range(0, all_twins)));
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
  // Without the complex step. h = 1e-5: h^2 and eps / h are 1e-10, times third derivatives of order one.
  const Twins models = twins(GENERATE(range(0, all_twins)));
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
  const Twins models = twins(GENERATE(range(0, all_twins)));
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
  const Twins models = twins(GENERATE(range(0, all_twins)));
  INFO(models.name);
  Data<double> data(models.real);
  const State s(models.real, 2);
  CHECK(Symbols(models.real, data, s.q).difference() < tolerance<double>());
}

TEST_CASE("moving columns: symbols of a second configuration hold nothing of the first",
          "[algorithms][christoffel][custom]") {
  // What moving columns add is added to numbers that must have been written anew.
  const Twins models = twins(GENERATE(range(0, all_twins)));
  INFO(models.name);
  Data<double> data(models.real);
  const State first(models.real, 2), second(models.real, 3);
  const Symbols expected(models.real, data, second.q);
  Symbols used(models.real, data, first.q);
  christoffel_symbols(models.real, data, second.q, used.dense);
  christoffel_symbols(models.real, data, second.q, used.packed);
  int different = 0;
  for_each_triple(models.real.nv(), [&](int i, int j, int k) {
    different += used(i, j, k) != expected(i, j, k) || used.packed(i, j, k) != expected.packed(i, j, k);
  });
  CHECK(different == 0);
}

TEST_CASE("moving columns: contraction gives C and C v_r", "[algorithms][christoffel][custom]") {
  const Twins models = twins(GENERATE(range(0, all_twins)));
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
  // Coordinates and their rates are the same; only how the joint tells of its motion differs.
  const auto hinges = [] {
    Random<double> random(21);
    ModelBuilder<double> builder;
    Parent parent;
    const auto add = [&](const char* name, const joint::Any<double>& any, bool massive = true, bool placed = true) {
      BodySpec<double> spec{.name = name, .parent = parent, .joint = any};
      if (placed) spec.placement = random.pose();
      if (massive) spec.inertia = InertialParameters<double>(random.inertia());
      builder.add_body(spec);
      parent = name;
    };
    const auto about = [](int i) { return joint::Revolute(Vector3<double>::Unit(i)); };
    // Poses and inertias are drawn in pairs, one per body of tree_on: z has the pose, x the inertia.
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

// ---- Scalars

namespace {

/// All symbols of a random robot over S, in double.
template <class S>
Tensor3<double> symbols_over(const Model<double>& model, const Vectord& q) {
  const auto twin = model.cast<S>();
  Data<S> data(twin);
  const VectorX<S> twin_q = q.cast<S>();
  ChristoffelTensor<S> dense(twin);
  PackedChristoffelTensor<S> packed(twin);
  christoffel_symbols(twin, data, twin_q, dense);
  christoffel_symbols(twin, data, twin_q, packed);
  Tensor3<double> out(model.nv()), of_packed(model.nv());
  for_each_triple(model.nv(), [&](int i, int j, int k) {
    out(i, j, k) = value_of(dense(i, j, k)), of_packed(i, j, k) = value_of(packed(i, j, k));
  });
  // Sums of products in another order: hundreds of units in the last place where two or three digits cancel.
  CHECK(relative_error(of_packed, out) < 1e3 * static_cast<double>(Eigen::NumTraits<S>::epsilon()));
  return out;
}

}  // namespace

TEST_CASE("symbols over other scalars are those over double", "[algorithms][christoffel][scalars]") {
  const int seed = GENERATE(range(0, 6));
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.floating_base = seed % 2 == 1});
  const State s(model, seed);
  const Tensor3<double> expected = symbols_over<double>(model, s.q);
  CHECK(relative_error(symbols_over<long double>(model, s.q), expected) < tolerance<double>());
  CHECK(relative_error(symbols_over<Complex>(model, s.q), expected) < tolerance<double>());
  // Trees are some ten metres deep: as for C over float, two or three digits go to squares of distances.
  CHECK(relative_error(symbols_over<float>(model, s.q), expected) < 1e-4);
}

TEST_CASE("derivatives of the symbols: AutoDiffScalar, complex step, differences",
          "[algorithms][christoffel][scalars]") {
  using AutoDiff = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  const auto model = zoo::random_tree(4, {.bodies = 8});
  const State s(model, 4);
  const auto complex = model.cast<Complex>();
  Data<Complex> complex_data(complex);
  ChristoffelTensor<Complex> by_step(complex);
  christoffel_symbols(complex, complex_data, step(complex, s.q, s.v), by_step);

  const auto automatic = model.cast<AutoDiff>();
  Data<AutoDiff> automatic_data(automatic);
  ChristoffelTensor<AutoDiff> by_automatic(automatic);
  VectorX<AutoDiff> q = s.q.cast<AutoDiff>(), dv(model.nv());
  for (int i = 0; i < model.nv(); ++i) dv[i] = AutoDiff(0, Eigen::Matrix<double, 1, 1>(s.v[i]));
  christoffel_symbols(automatic, automatic_data, integrate(automatic, q, dv), by_automatic);

  Data<double> data(model);
  constexpr double h = 1e-5;
  const Vectord ahead = h * s.v, behind = -h * s.v;
  const Symbols after(model, data, integrate(model, s.q, ahead)), before(model, data, integrate(model, s.q, behind));
  Tensor3<double> complex_rate(model.nv()), automatic_rate(model.nv()), difference(model.nv());
  for_each_triple(model.nv(), [&](int i, int j, int k) {
    complex_rate(i, j, k) = by_step(i, j, k).imag() / complex_step;
    automatic_rate(i, j, k) = by_automatic(i, j, k).derivatives()[0];
    difference(i, j, k) = (after(i, j, k) - before(i, j, k)) / (2 * h);
  });
  CHECK(relative_error(automatic_rate, complex_rate) < tolerance<double>());
  // h^2 and eps / h are 1e-10 of third derivatives of order one.
  CHECK(relative_error(difference, complex_rate) < 1e-7);
}
