#include "corio/algorithms/regressors/regressors.hpp"

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/regressor_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

enum { inverse_dynamics, slotine_li, momentum, coriolis_transpose, gravity };

Matrixd without_armature(const Model<double>& model, Matrixd M) {
  M.diagonal() -= model.armature();
  return M;
}

/// Returns the expected Y pi, from algorithms that use no regressor.
Vectord expected(int i, Sample& s, const Regressor<double>::State& x) {
  const Vectord armature = s.model.armature();
  const Matrixd M = without_armature(s.model, crba(s.model, s.data, x.q));
  switch (i) {
    case inverse_dynamics: return rnea(s.model, s.data, x.q, x.v, x.a) - armature.cwiseProduct(x.a);
    case slotine_li:
      return M * x.a + coriolis_product(s.model, s.data, x.q, x.v, x.v_r) + generalized_gravity(s.model, s.data, x.q);
    case momentum: return M * x.v;
    case coriolis_transpose: return coriolis_transpose_product(s.model, s.data, x.q, x.v, x.v);
    default: return generalized_gravity(s.model, s.data, x.q);
  }
}

/// Numbers as large as the entries may cancel in the sum.
double error_of_product(const Matrixd& Y, const Vectord& pi, const Vectord& result) {
  return max_magnitude(Y * pi - result) / std::max(1.0, max_magnitude(Y.cwiseAbs() * pi.cwiseAbs()));
}

/// Makes balls heavy enough that changing a parameter by a tenth does not make them impossible.
Vectord robust_parameters(const Model<double>& model) {
  Vectord pi(num_inertial_parameters(model));
  for (Eigen::Index i = 0; i < pi.size(); i += 10) pi.segment(i, 10) << 2.5, 0.2, -0.3, 0.1, 1, 1.1, 1.2, 0, 0.1, 0;
  return pi;
}

}  // namespace

TEST_EACH(Sample& s, "Y pi holds for parameters that the model does not have", "[algorithms][regressors]") {
  const int i = GENERATE(range(0, regressor_count));
  INFO(regressor(i).name + " of " + s.name());
  const auto x = state_of(s);
  const Matrixd Y = filled(regressor(i), s.model, s.data, x);
  const Vectord pi = robust_parameters(s.model);
  set_inertial_parameters(s.model, pi);
  CHECK(error_of_product(Y, pi, expected(i, s, x)) < tolerance<double>());
}

TEST_CASE("columns of Y are what one more unit of a parameter takes", "[algorithms][regressors]") {
  const int i = GENERATE(range(0, regressor_count));
  Sample s(random_plan(GENERATE(range(0, 4))), 1);
  INFO(regressor(i).name + " of " + s.name());
  const auto x = state_of(s);
  const Matrixd Y = filled(regressor(i), s.model, s.data, x);
  const Vectord pi = robust_parameters(s.model);
  set_inertial_parameters(s.model, pi);
  const Vectord base = expected(i, s, x);
  // The function is linear, so no step is too large; the difference loses two digits.
  const double step = 0.05, scale = std::max({1.0, max_magnitude(base), max_magnitude(Y)});
  for (Eigen::Index c = 0; c < pi.size(); ++c) {
    CAPTURE(c);
    set_inertial_parameters<double>(s.model, pi + step * Vectord::Unit(pi.size(), c));
    CHECK(max_magnitude((expected(i, s, x) - base) / step - Y.col(c)) < 100 * tolerance<double>() * scale);
  }
}

TEST_EACH(Sample& s, "entries off a body's way to the ground are zero, all others are written",
          "[algorithms][regressors]") {
  const int i = GENERATE(range(0, regressor_count));
  INFO(regressor(i).name + " of " + s.name());
  const Matrixd Y = filled(regressor(i), s.model, s.data, state_of(s));
  for (std::size_t b = 0; b < s.model.bodies().size(); ++b)
    for (int k = 0; k < s.model.nv(); ++k) {
      const int end = s.model.node(s.model.node_of(k)).subtree_v_end;
      const int last = s.model.node(s.model.bodies()[b].node()).v_end;
      const auto row = Y.block(k, 10 * static_cast<Eigen::Index>(b), 1, 10);
      CAPTURE(b, k);
      if (k >= last || end < last)
        CHECK(row.isZero(0));
      else
        CHECK(row.cwiseAbs().maxCoeff() < 1e3);
    }
}

TEST_CASE("regressors of chains and trees of every number of degrees of freedom", "[algorithms][regressors]") {
  // These sizes give whole blocks of rows, overlapping blocks, and fewer rows than a block.
  const int n = GENERATE(range(1, 14));
  const bool branched = GENERATE(false, true);
  const auto model = branched ? zoo::tree(n, 2) : zoo::serial_chain(n);
  Data<double> data(model);
  Random<double> random(n);
  const Vectord q = random_vector(random, n), v = random_vector(random, n), a = random_vector(random, n);
  const Vectord pi = inertial_parameters(model);
  Matrixd Y = Matrixd::Constant(n, pi.size(), 1e3);
  inverse_dynamics_regressor(model, data, q, v, a, Y);
  CHECK(error_of_product(Y, pi, rnea(model, data, q, v, a)) < tolerance<double>());
}

TEST_CASE("regressors too large for the cache", "[algorithms][regressors]") {
  const auto model = GENERATE(0, 1) == 0 ? zoo::humanoid() : zoo::tree(50, 3);
  Data<double> data(model);
  Random<double> random(1);
  std::mt19937 generator(1);
  const int n = model.nv();
  const Vectord q = random_configuration(model, generator), v = random_vector(random, n), a = random_vector(random, n);
  const Vectord pi = inertial_parameters(model);
  REQUIRE(n * pi.size() > 10000);
  const Vectord tau = rnea(model, data, q, v, a);
  Matrixd Y = Matrixd::Constant(n, pi.size(), 1e3), part = Matrixd::Constant(n + 3, pi.size(), 1e3);
  inverse_dynamics_regressor(model, data, Y);
  CHECK(error_of_product(Y, pi, tau) < tolerance<double>());
  inverse_dynamics_regressor(model, data, part.middleRows(1, n));
  CHECK(part.middleRows(1, n) == Y);
  part.middleRows(1, n).setConstant(1e3);
  CHECK((part.array() == 1e3).all());
}

TEST_CASE("a user's joint whose axis moves in the body has its regressors", "[algorithms][regressors]") {
  ModelBuilder<double> builder;
  for (int i = 0; i < 5; ++i)
    builder.add_body({.name = "b" + std::to_string(i),
                      .parent = i == 0 ? "" : "b" + std::to_string(i - 1),
                      .joint = i % 2 == 0 ? joint::JointSpec<double>(Cam{}) : joint::JointSpec<double>(EulerZyx{}),
                      .placement = Random<double>(i).pose(),
                      .inertia = InertialParameters<double>(Random<double>(i).inertia())});
  const auto model = builder.build();
  Data<double> data(model);
  Random<double> random(1);
  const int n = model.nv();
  const Vectord q = random_vector(random, n), v = random_vector(random, n), a = random_vector(random, n);
  const Vectord pi = inertial_parameters(model);
  Matrixd Y = Matrixd::Constant(n, pi.size(), 1e3);
  inverse_dynamics_regressor(model, data, q, v, a, Y);
  CHECK(error_of_product(Y, pi, rnea(model, data, q, v, a)) < tolerance<double>());
  coriolis_transpose_regressor(model, data, Y);
  CHECK(error_of_product(Y, pi, coriolis_transpose_product(model, data, v)) < tolerance<double>());
}

TEST_EACH(Sample& s, "the momentum regressor is the gradient of that of the kinetic energy",
          "[algorithms][regressors]") {
  const auto x = state_of(s);
  const Matrixd Y = filled(regressor(momentum), s.model, s.data, x);
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  VectorX<Complex> y(Y.cols());
  for (int k = 0; k < s.model.nv(); ++k) {
    VectorX<Complex> v = x.v.cast<Complex>();
    v[k] += Complex(0, complex_step);
    kinetic_energy_regressor(model, data, x.q.cast<Complex>(), v, y);
    const Vectord derivative = y.imag() / complex_step;
    CHECK(relative_error(derivative.transpose(), Y.row(k)) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "the gravity regressor is the gradient of that of the potential energy",
          "[algorithms][regressors]") {
  const auto x = state_of(s);
  const Matrixd Y = filled(regressor(gravity), s.model, s.data, x);
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  VectorX<Complex> y(Y.cols());
  for (int k = 0; k < s.model.nv(); ++k) {
    potential_energy_regressor(model, data, step(model, x.q, Vectord::Unit(s.model.nv(), k)), y);
    const Vectord derivative = y.imag() / complex_step;
    CHECK(relative_error(derivative.transpose(), Y.row(k)) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "energies are y . pi, y being a row or a column", "[algorithms][regressors]") {
  const Vectord pi = inertial_parameters(s.model);
  Vectord y = Vectord::Constant(pi.size(), 1e3);
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Constant(pi.size(), 1e3);
  kinetic_energy_regressor(s.model, s.data, s.q, s.v, y);
  const double rotors = s.model.armature().dot(s.v.cwiseAbs2()) / 2;
  CHECK(relative_error(y.dot(pi) + rotors, s.oracle.kinetic_energy(s.v)) < tolerance<double>());
  potential_energy_regressor(s.model, s.data, row);
  CHECK(relative_error((row * pi).value(), potential_energy(s.model, s.data)) < tolerance<double>());
}
