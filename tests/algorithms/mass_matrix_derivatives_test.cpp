#include "corio/algorithms/derivatives/mass_matrix_derivatives.hpp"

#include "corio/algorithms/coriolis/mass_matrix_dot.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/model_support.hpp"
#include "support/rates_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Holds D M in both storages.
struct Both {
  Both(const Model<double>& model, Data<double>& data, const Vectord& q) : dense(model), packed(model) {
    mass_matrix_derivatives(model, data, q, dense);
    mass_matrix_derivatives(model, data, q, packed);
  }
  explicit Both(Sample& s) : Both(s.model, s.data, s.q) {}
  MassMatrixDerivativesResult<double> dense;
  PackedMassMatrixDerivativesResult<double> packed;
};

Matrixd along(const PackedMassMatrixDerivativesResult<double>& T, int l) {
  return Matrixd::NullaryExpr(T.size(), T.size(), [&](Eigen::Index i, Eigen::Index j) {
    return T(static_cast<int>(i), static_cast<int>(j), l);
  });
}

void check_complex(const Model<double>& model, const Model<Complex>& complex, Data<double>& data, const Vectord& q) {
  const Both x(model, data, q);
  const std::vector<Matrixd> expected = test::mass_matrix_derivatives(complex, q);
  const double scale = max_magnitude(crba(model, data));
  for (int l = 0; l < model.nv(); ++l) {
    CAPTURE(l);
    CHECK(relative_error(x.dense.along(l), expected[static_cast<std::size_t>(l)], scale) < tolerance<double>());
    CHECK(relative_error(along(x.packed, l), expected[static_cast<std::size_t>(l)], scale) < tolerance<double>());
  }
}

}  // namespace

TEST_EACH(Sample& s, "D_l M is the complex step of crba along l", "[algorithms][mass_matrix_derivatives]") {
  check_complex(s.model, s.model.cast<Complex>(), s.data, s.q);
}

TEST_CASE("D_l M of joints with moving axes is the complex step", "[algorithms][mass_matrix_derivatives]") {
  const auto check = [](const Model<double>& model, const Model<Complex>& complex) {
    Data<double> data(model);
    check_complex(model, complex, data, test::State(model).q);
    check_complex(model, complex, data, test::State(model, 2).q);
  };
  check(tree_on<double>(Cam(0.4)), tree_on<Complex>(Cam(0.4)));
  check(tree_on<double>(EulerZyx()), tree_on<Complex>(EulerZyx()));
  check(tree_on<double>(ParentBall()), tree_on<Complex>(ParentBall()));
}

TEST_EACH(Sample& s, "D_l M is symmetric and sums up to Mdot", "[algorithms][mass_matrix_derivatives]") {
  const Both x(s);
  Matrixd dense, packed;
  x.dense.contract(s.v, dense);
  x.packed.contract(s.v, packed);
  const Matrixd Mdot = mass_matrix_dot(s.model, s.data, s.q, s.v);
  const double scale = max_magnitude(crba(s.model, s.data));
  CHECK(relative_error(dense, Mdot, scale) < tolerance<double>());
  CHECK(relative_error(packed, Mdot, scale) < tolerance<double>());
  for (int l = 0; l < s.model.nv(); ++l)
    CHECK(relative_error(x.dense.along(l), x.dense.along(l).transpose(), scale) < tolerance<double>());
}

TEST_EACH(Sample& s, "D_l M is exactly zero for all degrees of freedom of a root joint with constant columns",
          "[algorithms][mass_matrix_derivatives]") {
  const Both x(s);
  for (const Node<double>& node : s.model.nodes())
    for (int l = node.v_begin; l < node.v_end && node.parent < 0; ++l) CHECK(max_magnitude(x.dense.along(l)) == 0);
}

TEST_CASE("packed derivatives of M are of trees far fewer", "[algorithms][mass_matrix_derivatives]") {
  CHECK(PackedMassMatrixDerivativesResult<double>(zoo::serial_chain(20)).stored() < 20 * 20 * 20 / 2);
  CHECK(PackedMassMatrixDerivativesResult<double>(zoo::binary_tree(63)).stored() < 63 * 63 * 63 / 50);
}
