#include "corio/mechanism/regressors.hpp"

#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "loops/mechanism_in_motion.hpp"
#include "support/catch.hpp"

// Compares regressors of mechanisms, and their derivatives with respect to parameters, with the equations of motion of
// the same mechanism without armature.

namespace loops_test {

TEST_CASE("regressors of a mechanism times its parameters are the terms of its equations of motion", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const Mechanism<double> other = s.unarmed();
  REQUIRE(other.independent() == s.mechanism.independent());
  MechanismData<double> data(other);
  const VectorXd tau = rnea<double>(other, data, s.q, s.y, s.ydot);
  const VectorXd y_r = random_vector<double>(other.nv(), 7), ydot_r = random_vector<double>(other.nv(), 8);
  const VectorXd &y = s.y, &pi = s.pi;
  const VectorXd g = generalized_gravity<double>(other, data);
  const CoriolisMatrices<double> christoffel = coriolis_matrix(other, data);
  const CoriolisMatrices<double> plain = coriolis_matrix(other, data, factorization::Plain{});
  const auto& M = christoffel.M;

  MatrixXd Y = MatrixXd::Ones(other.nv(), pi.size());  // every entry is written
  inverse_dynamics_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, tau) < bound);
  momentum_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, M * y) < bound);
  coriolis_transpose_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, christoffel.C.transpose() * y) < bound);
  gravity_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, g) < bound);
  slotine_li_regressor(s.mechanism, s.data, y_r, ydot_r, Y);
  CHECK(relative_error(Y * pi, M * ydot_r + christoffel.C * y_r + g) < bound);
  slotine_li_regressor(s.mechanism, s.data, y_r, ydot_r, Y, {}, factorization::Plain{});
  CHECK(relative_error(Y * pi, M * ydot_r + plain.C * y_r + g) < bound);

  VectorXd of_energy = VectorXd::Ones(pi.size());
  kinetic_energy_regressor(s.mechanism, s.data, of_energy);
  CHECK(relative_error(of_energy.dot(pi), 0.5 * y.dot(M * y)) < bound);
  potential_energy_regressor(s.mechanism, s.data, of_energy);
  CHECK(relative_error(of_energy.dot(pi), potential_energy(s.mechanism, s.data)) < bound);
}

namespace {

/// Checks a regressor and its products: Y, its columns for a selection, row by row; Y pi and Y^T x for both.
template <class F, class Product, class Transpose>
void check_products(InMotion& s, F&& regressor, Product&& product, Transpose&& transpose) {
  const int n = s.mechanism.nv();
  const auto& bodies = s.model.bodies();
  const BodySelection two(s.model, {bodies.back().name(), bodies.front().name()});
  const VectorXd x = random_vector<double>(n, 11);
  MatrixXd Y(n, s.pi.size());
  regressor(Y, BodySelection());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Y_two(n, 20);
  regressor(Y_two, two);
  CHECK(Y_two.leftCols(10) == Y.rightCols(10));
  CHECK(Y_two.rightCols(10) == Y.leftCols(10));

  const VectorXd pi = random_vector<double>(static_cast<int>(s.pi.size()), 12);  // need not be physical
  CHECK(relative_error(product(pi, BodySelection()), Y * pi) < bound);
  CHECK(relative_error(product(pi.head(20), two), Y_two * pi.head(20)) < bound);
  VectorXd out = VectorXd::Ones(pi.size());
  transpose(x, out, BodySelection());
  CHECK(relative_error(out, Y.transpose() * x) < bound);
  transpose(x, out.head(20), two);
  CHECK(relative_error(out.head(20), Y_two.transpose() * x) < bound);
}

}  // namespace

TEST_CASE("products with regressors of a mechanism need not form them, and selections have their columns", "[loops]") {
  InMotion s(GENERATE(0, 2, 6, 7, 10));
  CAPTURE(s.model.name());
  const auto& m = s.mechanism;
  auto& data = s.data;
  const VectorXd y_r = random_vector<double>(m.nv(), 7), ydot_r = random_vector<double>(m.nv(), 8);
  using In = VectorIn<double>;
  using Out = VectorOut<double>;
  using Matrix = MatrixOut<double>;
  using Some = BodySelection;
  check_products(
      s, [&](Matrix Y, const Some& of) { inverse_dynamics_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return inverse_dynamics_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { inverse_dynamics_regressor_transpose_product(m, data, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { slotine_li_regressor(m, data, y_r, ydot_r, Y, of); },
      [&](In pi, const Some& of) { return slotine_li_regressor_product(m, data, y_r, ydot_r, pi, of); },
      [&](In x, Out out, const Some& of) { slotine_li_regressor_transpose_product(m, data, y_r, ydot_r, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { momentum_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return momentum_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { momentum_regressor_transpose_product(m, data, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { coriolis_transpose_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return coriolis_transpose_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { coriolis_transpose_regressor_transpose_product(m, data, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { gravity_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return gravity_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { gravity_regressor_transpose_product(m, data, x, out, of); });
}

TEST_CASE("M, C and g of a mechanism are sums of their derivatives with parameters of its bodies", "[loops]") {
  InMotion s(GENERATE(0, 2, 6, 7, 8, 9));
  CAPTURE(s.model.name());
  const Mechanism<double> other = s.unarmed();
  MechanismData<double> data(other);
  forward_kinematics<double>(other, data, s.q, s.y);
  const CoriolisMatrices<double> plain = coriolis_matrix(other, data, factorization::Plain{});
  const MatrixXd C = coriolis_matrix(other, data).C;
  MatrixXd sum_M = MatrixXd::Zero(other.nv(), other.nv()), sum_C = sum_M, sum_plain = sum_M;
  VectorXd sum_g = VectorXd::Zero(other.nv());
  BodyParameterDerivatives derivatives(s.mechanism), of_plain(s.mechanism);
  for (const Body<double>& body : s.model.bodies()) {
    body_parameter_derivatives(s.mechanism, s.data, body, derivatives);
    body_parameter_derivatives<factorization::Plain, double>(s.mechanism, s.data, s.q, s.y, body, of_plain);
    for (int h = 0; h < 10; ++h) {
      const double pi = s.pi[10 * body.index() + h];
      const auto at = static_cast<std::size_t>(h);
      sum_M += pi * derivatives.dM[at], sum_C += pi * derivatives.dC[at], sum_plain += pi * of_plain.dC[at];
      sum_g += pi * derivatives.dg.col(h);
    }
  }
  CHECK(relative_error(sum_M, plain.M) < bound);
  CHECK(relative_error(sum_C, C) < bound);
  CHECK(relative_error(sum_plain, plain.C) < bound);
  CHECK(relative_error(sum_g, generalized_gravity<double>(other, data)) < bound);

  // Calls them one by one from a state, and with a matrix of the wrong size.
  const auto& body = s.model.bodies().back();
  MatrixXd one(other.nv(), other.nv());
  VectorXd dg(other.nv());
  body_parameter_derivatives(s.mechanism, s.data, body, derivatives);
  const auto mass = InertialParameter::mass;
  mass_matrix_parameter_derivative<double>(s.mechanism, s.data, s.q, body, mass, one);
  CHECK(relative_error(one, derivatives.dM[0]) < bound);
  coriolis_parameter_derivative<factorization::Christoffel, double>(s.mechanism, s.data, s.q, s.y, body, mass, one);
  CHECK(relative_error(one, derivatives.dC[0]) < bound);
  gravity_parameter_derivative<double>(s.mechanism, s.data, s.q, body, mass, dg);
  CHECK(relative_error(dg, derivatives.dg.col(0)) < bound);
  MatrixXd wrong(other.nv() + 1, other.nv() + 1);
  CHECK_THROWS_AS(mass_matrix_parameter_derivative<double>(s.mechanism, s.data, body, mass, wrong), SizeError);
}

TEST_CASE("parameters of all joints give the torques of a mechanism that its bodies do not", "[loops]") {
  InMotion s(GENERATE(0, 3, 6, 7, 8, 9));
  CAPTURE(s.model.name());
  const int n = s.model.nv();
  Model<double> model = s.model;
  const VectorXd terms = random_vector<double>(n, 3).cwiseAbs();
  model.set_armature(0.1 * terms);
  model.set_damping(terms);
  model.set_friction(2 * terms);
  const Mechanism<double> mechanism(model, s.loops, s.q), unarmed = s.unarmed();
  MechanismData<double> data(mechanism), of_unarmed(unarmed);
  const VectorXd inertial = rnea<double>(unarmed, of_unarmed, s.q, s.y, s.ydot);
  MatrixXd Y;
  joint_regressor<double>(mechanism, data, s.q, s.y, s.ydot, Y, 0.05);
  const VectorXd tau = rnea<double>(mechanism, data) - passive_forces<double>(mechanism, data, 0.05);
  VectorXd p(4 * n);
  for (int k = 0; k < n; ++k) p.segment<4>(4 * k) << 0.1 * terms[k], terms[k], 2 * terms[k], 0.0;
  CHECK(relative_error(Y * p, tau - inertial) < bound);
  // Offsets are forces in joints.
  const VectorXd offset = random_vector<double>(n, 4);
  p.setZero();
  for (int k = 0; k < n; ++k) p[4 * k + static_cast<int>(JointParameter::offset)] = offset[k];
  VectorXd projected(mechanism.nv());
  project_forces<double>(mechanism, data, offset, projected);
  CHECK(relative_error(Y * p, projected) < bound);
  CHECK_THROWS_AS(joint_regressor<double>(mechanism, data, Y, -1.0), Error);
}

TEST_CASE("the parameters of a mechanism are identified from its motion, up to those that torques do not tell",
          "[loops]") {
  InMotion s(8);
  const Mechanism<double> mechanism = s.unarmed();
  MechanismData<double> data(mechanism);
  StreamingLeastSquares<double> stream(static_cast<int>(s.pi.size()));
  MatrixXd Y(mechanism.nv(), s.pi.size());
  const auto sample = [&](int seed) {
    forward_kinematics<double>(mechanism, data, s.q, 0.1 * random_vector<double>(mechanism.nv(), seed));
    const auto q = assemble<double>(mechanism, data, integrate<double>(s.model, s.q, data.tree.v)).q;
    inverse_dynamics_regressor<double>(mechanism, data, q, random_vector<double>(mechanism.nv(), seed + 1),
                                       random_vector<double>(mechanism.nv(), seed + 2), Y);
    return rnea<double>(mechanism, data);
  };
  for (int i = 0; i < 100; ++i) {
    const VectorXd tau = sample(10 * i);
    stream.add(Y, tau);
  }
  const BaseParameters<double> base(stream);
  CHECK(base.size() < s.pi.size());
  const auto found = estimate(stream, base);
  const VectorXd tau = sample(5005);
  CHECK(relative_error(base.reduce(Y) * found.beta, tau) < 1e-6);
}

TEST_CASE("regressors of a mechanism refuse sizes before they change its state", "[loops][errors]") {
  InMotion s(0);
  MatrixXd Y(s.mechanism.nv(), s.pi.size()), of_tree(s.model.nv(), s.pi.size());
  const VectorXd tau = rnea<double>(s.mechanism, s.data), elsewhere = VectorXd::Constant(3, 0.3);
  VectorXd out(s.pi.size());
  const auto& m = s.mechanism;
  CHECK_THROWS_AS(inverse_dynamics_regressor<double>(m, s.data, elsewhere, s.y, s.ydot, of_tree), SizeError);
  CHECK_THROWS_AS(slotine_li_regressor<double>(m, s.data, elsewhere, s.y, s.q, s.ydot, Y), SizeError);
  CHECK_THROWS_AS(momentum_regressor_product<double>(m, s.data, elsewhere, s.y, s.y), SizeError);
  CHECK_THROWS_AS(gravity_regressor_transpose_product<double>(m, s.data, elsewhere, s.q, out), SizeError);
  CHECK_THROWS_AS(kinetic_energy_regressor<double>(m, s.data, elsewhere, s.y, s.q), SizeError);
  CHECK(tau == rnea<double>(s.mechanism, s.data));
  const Model<double> other = zoo::four_bar_leg();
  const BodySelection foreign(other, other.bodies().front());
  CHECK_THROWS_AS(gravity_regressor<double>(m, s.data, Y, foreign), ModelError);
}

}  // namespace loops_test
