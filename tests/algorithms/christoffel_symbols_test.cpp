#include "corio/algorithms/geometry/christoffel_symbols.hpp"

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

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

TEST_EACH(Sample& s, "Gamma is the sum over point masses of m (E_i x).(E_k E_j x)", "[algorithms][christoffel]") {
  const Symbols Gamma(s);
  const std::vector<Matrixd> expected = s.oracle.christoffel_symbols();
  double error = 0;
  for (int k = 0; k < s.model.nv(); ++k)
    error = std::max(error, max_magnitude(Gamma.dense.along(k) - expected[static_cast<std::size_t>(k)]));
  CHECK(error < tolerance<double>() * Gamma.scale());
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
