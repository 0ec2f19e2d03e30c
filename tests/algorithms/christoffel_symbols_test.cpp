#include "corio/algorithms/geometry/christoffel_symbols.hpp"

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Returns the twists along the degrees of freedom of a joint with non-commuting motions, in the axes of its body.
std::vector<Motion<double>> twists_of(const Joint& joint) {
  std::vector<Motion<double>> all;
  const auto turn = [&](int i) { all.push_back({Vector3<double>::Unit(i), Vector3<double>::Zero()}); };
  const auto slide = [&](int i) { all.push_back({Vector3<double>::Zero(), Vector3<double>::Unit(i)}); };
  if (joint.type() == "spherical") turn(0), turn(1), turn(2);
  if (joint.type() == "planar") turn(2), slide(0), slide(1);
  if (joint.type() == "free_flyer") turn(0), turn(1), turn(2), slide(0), slide(1), slide(2);
  return all;
}

/// [E_a, E_b] = sum_l c(l,a,b) E_l, from commutators of the 4 x 4 matrices of the twists, which are orthonormal.
Tensor3<double> constants(const Model<double>& model) {
  Tensor3<double> c(model.nv());
  for (const Joint& joint : model.joints()) {
    const std::vector<Motion<double>> twists = twists_of(joint);
    const int n = static_cast<int>(twists.size()), first = joint.v_index();
    const auto S = [&](int i) -> Matrix4<double> { return hat(twists[static_cast<std::size_t>(i)]); };
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        const Matrix4<double> commutator = S(a) * S(b) - S(b) * S(a);
        const Vector6<double> twist{commutator(2, 1), commutator(0, 2), commutator(1, 0),
                                    commutator(0, 3), commutator(1, 3), commutator(2, 3)};
        for (int l = 0; l < n; ++l)
          c(first + l, first + a, first + b) = twists[static_cast<std::size_t>(l)].vector().dot(twist);
      }
  }
  return c;
}

/// Returns M without the armature, which is added to M by definition and is no kinetic energy where motions do not
/// commute.
Matrixd mass_matrix_of_points(const Sample& s) {
  Matrixd M = s.oracle.mass_matrix();
  M -= s.model.armature().asDiagonal();
  return M;
}

/// Tells whether one body is moved by all the given degrees of freedom.
bool related(const Sample& s, std::initializer_list<int> dofs) {
  for (int b = 0; b < s.bodies(); ++b)
    if (std::all_of(dofs.begin(), dofs.end(), [&](int k) { return !s.oracle.first(b, k).isZero(0); })) return true;
  return false;
}

/// above(k, i) tells whether the joint of k is strictly above the joint of i, on the way to the ground.
class Above {
 public:
  explicit Above(const Model<double>& model) : model_(model), joint_of_(joints_of(model)) {}
  bool operator()(int k, int i) const {
    int above = i;
    while (above > k) above = model_.parent_dof(above);
    return above == k && joint_of_[static_cast<std::size_t>(k)] != joint_of_[static_cast<std::size_t>(i)];
  }

 private:
  const Model<double>& model_;
  std::vector<int> joint_of_;
};

}  // namespace

// ---- Three independent ways to compute the same numbers

TEST_EACH(Sample& s, "Gamma(:,:,k) is C for the unit velocity of k", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  CHECK(relative_error(Gamma.dense.tensor(), along_units(s.model, s.data, s.q)) < tolerance<double>());
}

TEST_EACH(Sample& s, "Gamma is the sum over point masses of m (E_i x).(E_k E_j x)", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const std::vector<Matrixd> expected = s.oracle.christoffel_symbols();
  double error = 0;
  for (int k = 0; k < s.model.nv(); ++k)
    error = std::max(error, max_magnitude(Gamma.dense.along(k) - expected[static_cast<std::size_t>(k)]));
  CHECK(error < tolerance<double>() * Gamma.scale());
}

TEST_EACH(Sample& s, "Gamma is Koszul's, from derivatives of M and brackets of twists", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const auto D = mass_matrix_derivatives(s.model.cast<Complex>(), s.q);
  const Tensor3<double> y = lowered(mass_matrix_of_points(s), constants(s.model));
  CHECK(relative_error(Gamma.dense.tensor(), koszul(D, y)) < tolerance<double>());
}

TEST_CASE("with rotors in M, Koszul's formula is off where motions do not commute", "[algorithms][christoffel]") {
  // This model, a free flyer and a ball with rotors, shows why the test above subtracts the armature.
  Sample s(PlanMaker("rotors", 3).chain(-1, {Kind::free_flyer, Kind::spherical}).armature().plan(), 3);
  const Symbols Gamma(s);
  const auto D = mass_matrix_derivatives(s.model.cast<Complex>(), s.q);
  const Tensor3<double> y = lowered(s.oracle.mass_matrix(), constants(s.model));
  CHECK(relative_error(Gamma.dense.tensor(), koszul(D, y)) > 0.01);
}

// ---- Properties

TEST_EACH(Sample& s, "Gamma is symmetric in j, k to the bit where these are of different joints",
          "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const std::vector<int> joint_of = joints_of(s.model);
  const auto joint = [&](int k) { return joint_of[static_cast<std::size_t>(k)]; };
  int different = 0;
  for_each_triple(s.model.nv(),
                  [&](int i, int j, int k) { different += joint(j) != joint(k) && Gamma(i, j, k) != Gamma(i, k, j); });
  CHECK(different == 0);
}

TEST_EACH(Sample& s, "Gamma(i,j,k) - Gamma(i,k,j) is <E_i, [E_k, E_j]>", "[algorithms][christoffel]") {
  // The symbols are zero, up to rounding, if the motions of one joint commute.
  const Symbols Gamma(s);
  const Tensor3<double> y = lowered(mass_matrix_of_points(s), constants(s.model));
  Tensor3<double> difference(s.model.nv());
  for_each_triple(s.model.nv(),
                  [&](int i, int j, int k) { difference(i, j, k) = Gamma(i, j, k) - Gamma(i, k, j) - y(i, k, j); });
  CHECK(max_magnitude(difference) < tolerance<double>() * Gamma.scale());
}

TEST_EACH(Sample& s, "Gamma(i,j,k) + Gamma(j,i,k) is the derivative of M(i,j) along k", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const auto D = mass_matrix_derivatives(s.model.cast<Complex>(), s.q);
  double error = 0;
  for (int k = 0; k < s.model.nv(); ++k) {
    const Matrixd G = Gamma.dense.along(k);
    error = std::max(error, max_magnitude(G + G.transpose() - D[static_cast<std::size_t>(k)]));
  }
  CHECK(error < tolerance<double>() * Gamma.scale());
}

TEST_EACH(Sample& s, "M(i,j) does not change along what moves i and j as one: exact zeros",
          "[algorithms][christoffel]") {
  // Gamma(i,j,k) = -Gamma(j,i,k) if the joint of k is strictly above the joints of i and j, and i and j differ in
  // joint.
  const Symbols Gamma(s);
  const Above above(s.model);
  const std::vector<int> joint_of = joints_of(s.model);
  const auto joint = [&](int k) { return joint_of[static_cast<std::size_t>(k)]; };
  int wrong = 0;
  for_each_triple(s.model.nv(), [&](int i, int j, int k) {
    wrong += above(k, i) && above(k, j) && joint(i) != joint(j) && Gamma(i, j, k) != -Gamma(j, i, k);
  });
  CHECK(wrong == 0);
}

TEST_EACH(Sample& s, "Gamma(k,k,i) is zero for i above k, to the bit", "[algorithms][christoffel]") {
  // M(k,k) is the inertia about k's axis of all that k moves: no joint above k changes it.
  const Symbols Gamma(s);
  const Above above(s.model);
  int wrong = 0;
  for (int k = 0; k < s.model.nv(); ++k)
    for (int i = 0; i < k; ++i) wrong += above(i, k) && (Gamma(k, k, i) != 0 || Gamma(k, i, k) != 0);
  CHECK(wrong == 0);
}

TEST_EACH(Sample& s, "Gamma(k,k,k) is zero: the inertia along k does not change along k", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  Vectord own(s.model.nv());
  for (int k = 0; k < s.model.nv(); ++k) own[k] = Gamma(k, k, k);
  CHECK(max_magnitude(own) < tolerance<double>() * Gamma.scale());
}

TEST_EACH(Sample& s, "Gamma of degrees of freedom that move no common body is zero to the bit",
          "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  int wrong = 0;
  for_each_triple(s.model.nv(), [&](int i, int j, int k) {
    wrong += !related(s, {i, j, k}) && (Gamma(i, j, k) != 0 || Gamma.packed(i, j, k) != 0);
  });
  CHECK(wrong == 0);
}

TEST_EACH(Sample& s, "both storages hold the same numbers", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  CHECK(Gamma.difference() < tolerance<double>());
}

// ---- C from Gamma

TEST_EACH(Sample& s, "C(i,j) is the sum of Gamma(i,j,k) v_k", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const Matrixd expected = coriolis_matrix(s.model, s.data, s.q, s.v).C;
  Matrixd sum = Matrixd::Zero(s.model.nv(), s.model.nv()), C;
  for_each_triple(s.model.nv(), [&](int i, int j, int k) { sum(i, j) += Gamma(i, j, k) * s.v[k]; });
  CHECK(relative_error(sum, expected) < tolerance<double>());
  Gamma.dense.contract(s.v, C);
  CHECK(relative_error(C, expected) < tolerance<double>());
  Gamma.packed.contract(s.v, C);
  CHECK(relative_error(C, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "C v_r by contraction with two velocities", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const Vectord expected = coriolis_product(s.model, s.data, s.q, s.v, s.a);
  Vectord c;
  Gamma.dense.contract(s.v, s.a, c);
  CHECK(relative_error(c, expected) < tolerance<double>());
  Gamma.packed.contract(s.v, s.a, c);
  CHECK(relative_error(c, expected) < tolerance<double>());
}

// ---- The two forms

TEST_CASE("armature does not enter the symbols", "[algorithms][christoffel]") {
  Plan plan = random_plan(6);
  Sample with(plan, 6);
  for (BodyPlan& body : plan.bodies) body.armature.clear();
  Sample without(plan, 6);
  REQUIRE(with.model.armature().minCoeff() > 0);
  CHECK(relative_error(Symbols(with).dense.tensor(), Symbols(without).dense.tensor()) == 0);
}

TEST_CASE("the symbols do not depend on gravity", "[algorithms][christoffel]") {
  Plan plan = random_plan(5);
  Sample one(plan, 5);
  plan.gravity = {1, 2, 3};
  Sample other(plan, 5);
  CHECK(relative_error(Symbols(one).dense.tensor(), Symbols(other).dense.tensor()) == 0);
}

TEST_CASE("a planar double pendulum has the symbols of the textbook", "[algorithms][christoffel]") {
  // M(0,0) = const + 2 m l c cos q1, M(0,1) = const + m l c cos q1: with h = -m l c sin q1 the symbols are
  // Gamma(0,0,1) = Gamma(0,1,0) = Gamma(0,1,1) = h and Gamma(1,0,0) = -h.
  const double m = 2.0, l = 0.7, c = 0.3, q1 = 0.8;
  ModelBuilder<double> builder;
  const InertialParameters<double> link(m, {c, 0, 0}, 0.05 * Matrix3<double>::Identity());
  builder.add_body({.name = "upper", .joint = joint::Revolute(Vector3<double>::UnitZ()), .inertia = link});
  builder.add_body({.name = "lower",
                    .parent = "upper",
                    .joint = joint::Revolute(Vector3<double>::UnitZ()),
                    .placement = {Matrix3<double>::Identity(), {l, 0, 0}},
                    .inertia = link});
  const auto model = builder.build();
  Data<double> data(model);
  const Symbols Gamma(model, data, Vectord(Eigen::Vector2d(0.4, q1)));
  const double h = -m * l * c * std::sin(q1);
  const Matrixd first = (Matrixd(2, 2) << 0, h, h, h).finished(), second = (Matrixd(2, 2) << -h, 0, 0, 0).finished();
  CHECK(relative_error(Gamma.dense.page(0), first) < tolerance<double>());
  CHECK(relative_error(Gamma.dense.page(1), second) < tolerance<double>());
}

TEST_CASE("a free rigid body has the symbols of Euler's equations", "[algorithms][christoffel]") {
  // For a body that turns about its centre of mass, with principal moments: 2 Gamma(i,j,k) = eps_ijk (I_k - I_i - I_j),
  // so that C w = w x I w.
  const Vector3<double> moments(0.2, 0.3, 0.4);
  ModelBuilder<double> builder;
  const InertialParameters<double> body(1.0, Vector3<double>::Zero(), moments.asDiagonal().toDenseMatrix());
  builder.add_body({.name = "body", .joint = joint::Spherical{}, .inertia = body});
  const auto model = builder.build();
  Data<double> data(model);
  const State s(model);
  const Symbols Gamma(model, data, s.q);
  for_each_triple(3, [&](int i, int j, int k) {
    CAPTURE(i, j, k);
    const double eps = (i - j) * (j - k) * (k - i) / 2.0;
    const double expected = eps * (moments[k] - moments[i] - moments[j]) / 2;
    CHECK(std::abs(Gamma(i, j, k) - expected) < tolerance<double>());
  });
  Vectord c;
  Gamma.dense.contract(s.v, s.v, c);
  const Vector3<double> w = s.v, expected = w.cross(moments.cwiseProduct(w));
  CHECK(relative_error(c, expected) < tolerance<double>());
}
