#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// A few roundings of M become an error that is cond(M) times as large.
double bound(const Matrixd& M) { return 1e-13 * std::max(10.0, condition(M)); }

/// Returns the error W M - 1 at a random state, over its bound.
double defect(const Model<double>& model) {
  Data<double> data(model);
  const test::State s(model);
  const Matrixd M = crba(model, data, s.q), one = Matrixd::Identity(model.nv(), model.nv());
  return max_magnitude(Matrixd(mass_matrix_inverse(model, data, s.q) * M - one)) / bound(M);
}

/// Tells whether one degree of freedom lies on the way from the ground to the other.
bool related(const Model<double>& model, int i, int j) {
  for (int k = std::max(i, j); k >= 0; k = model.parent_dof(k))
    if (k == std::min(i, j)) return true;
  return false;
}

/// Returns the first degree of freedom on the way from the ground to k: it is the same for all of one tree.
int root_of(const Model<double>& model, int k) {
  while (model.parent_dof(k) >= 0) k = model.parent_dof(k);
  return k;
}

}  // namespace

TEST_EACH(Sample& s, "mass_matrix_inverse times the M of point masses is the identity",
          "[algorithms][mass_matrix_inverse]") {
  const Matrixd M = s.oracle.mass_matrix(), one = Matrixd::Identity(s.model.nv(), s.model.nv());
  CHECK(max_magnitude(Matrixd(mass_matrix_inverse(s.model, s.data, s.q) * M - one)) < bound(M));
}

TEST_EACH(Sample& s, "mass_matrix_inverse is symmetric to the bit, with a positive diagonal",
          "[algorithms][mass_matrix_inverse]") {
  const Matrixd& W = mass_matrix_inverse(s.model, s.data, s.q);
  CHECK(W == W.transpose());
  CHECK(W.diagonal().minCoeff() > 0);
}

TEST_CASE("neither gravity nor velocity enters mass_matrix_inverse", "[algorithms][mass_matrix_inverse]") {
  Sample s(3);
  const Matrixd W = mass_matrix_inverse(s.model, s.data, s.q);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  CHECK(mass_matrix_inverse(s.model, s.data) == W);
  s.model.set_gravity({5, 6, 7});
  CHECK(mass_matrix_inverse(s.model, s.data, s.q) == W);
}

TEST_CASE("mass_matrix_inverse of chains of every small size", "[algorithms][mass_matrix_inverse]") {
  // These sizes give blocks of 2, 4 or 8 columns and every remainder.
  const int n = GENERATE(range(1, 20));
  CAPTURE(n);
  CHECK(defect(zoo::serial_chain(n)) < 1);
}

TEST_CASE("mass_matrix_inverse of random trees", "[algorithms][mass_matrix_inverse]") {
  const int seed = GENERATE(range(1, 13));
  CAPTURE(seed);
  CHECK(defect(zoo::random_tree(
            static_cast<std::uint64_t>(seed),
            {.bodies = 15, .floating_base = seed % 2 == 1, .chain_bias = 0.3, .armature = seed % 3 == 0})) < 1);
}

TEST_CASE("mass_matrix_inverse of a model with a user's joint", "[algorithms][mass_matrix_inverse]") {
  CHECK(defect(tree_on<double>(EulerZyx())) < 1);
  CHECK(defect(tree_on<double>(ParentBall())) < 1);
}

TEST_CASE("trees on the ground do not move each other, branches of one tree do", "[algorithms][mass_matrix_inverse]") {
  PlanMaker maker("three trees", 8);
  for (const Kind kind : {Kind::revolute, Kind::spherical, Kind::universal}) maker.add(-1, kind);
  for (const int parent : {0, 0, 1, 1, 2, 2}) maker.add(parent, Kind::revolute);
  Sample s(maker.plan(), 8);
  const Matrixd& W = mass_matrix_inverse(s.model, s.data, s.q);
  int branches = 0;
  for (int i = 0; i < s.model.nv(); ++i)
    for (int j = 0; j < s.model.nv(); ++j) {
      CAPTURE(i, j);
      if (root_of(s.model, i) != root_of(s.model, j)) {
        CHECK(W(i, j) == 0);
      } else if (!related(s.model, i, j)) {
        // At such a pair M(i, j) is zero, but the inverse is not.
        ++branches;
        CHECK(std::abs(W(i, j)) > 1e-6);
      }
    }
  CHECK(branches == 6);
}

TEST_EACH(Sample& s, "nothing of a configuration that was not finite is left by another function",
          "[algorithms][mass_matrix_inverse]") {
  const Matrixd fresh = mass_matrix_inverse(s.model, s.data, s.q);
  const Vectord bad = Vectord::Constant(s.model.nv(), std::nan(""));
  inverse_dynamics_derivatives(s.model, s.data, Vectord::Constant(s.model.nq(), std::nan("")), bad, bad);
  mass_matrix_inverse(s.model, s.data);
  CHECK(mass_matrix_inverse(s.model, s.data, s.q) == fresh);
}

TEST_CASE("mass_matrix_inverse is the same to the bit for a base 10 km away", "[algorithms][mass_matrix_inverse]") {
  Sample s(PlanMaker("floating", 7).chain(-1, {Kind::free_flyer, Kind::spherical, Kind::revolute}).plan(), 7);
  const Matrixd near = mass_matrix_inverse(s.model, s.data, s.q);
  s.q.head<3>() += Vector3<double>(8e3, -5e3, 3e3);
  CHECK(mass_matrix_inverse(s.model, s.data, s.q) == near);
}
