#include <cstdlib>
#include <functional>

#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/connection.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"

using namespace corio;

// No function changes the state or what another has returned, and arguments may be any result.

namespace {

struct Robot {
  Model<double> model = zoo::random_tree(4, {.bodies = 9, .floating_base = true});
  Data<double> data{model};
  Eigen::VectorXd q, v, a, pi;
  explicit Robot(int seed = 1) {
    std::srand(static_cast<unsigned>(seed));
    q = neutral(model);
    integrate(model, q, Eigen::VectorXd::Random(model.nv()), q);
    v = Eigen::VectorXd::Random(model.nv()), a = Eigen::VectorXd::Random(model.nv());
    pi = Eigen::VectorXd::Random(10 * static_cast<int>(model.bodies().size()));
    forward_kinematics(model, data, q, v, a);
  }
};

}  // namespace

TEST_CASE("the state and the results of others stay as they are", "[algorithms][own_results]") {
  Robot r;
  const Model<double>& model = r.model;
  Data<double>& data = r.data;
  const Eigen::VectorXd &v = r.v, &a = r.a, &pi = r.pi;
  ChristoffelTensor<double> Gamma(model);
  christoffel_symbols(model, data, Gamma);
  const Eigen::MatrixXd& M = crba(model, data);
  const CoriolisMatrices<double>& C = coriolis_matrix(model, data);
  const Eigen::VectorXd &bias = nonlinear_effects(model, data), &p = coriolis_product(model, data, a);
  const Eigen::VectorXd& covariant = covariant_derivative(model, data, v, a);
  const Eigen::VectorXd& momentum = momentum_regressor_product(model, data, pi);
  const Eigen::Matrix3Xd& J = com_jacobian(model, data);
  const Eigen::MatrixXd M0 = M, C0 = C.C, CM0 = C.M;
  const Eigen::VectorXd bias0 = bias, p0 = p, covariant0 = covariant, momentum0 = momentum;
  const Eigen::Matrix3Xd J0 = J;
  const Eigen::VectorXd tau = rnea(model, data);

  Tensor3<double> T;
  Eigen::MatrixXd by_differentiation;
  ComDecoupled<double> decoupled(model);
  LockedDecoupled<double> locked(model);
  const std::vector<std::pair<std::string, std::function<void()>>> all{
      {"contorsion", [&] { contorsion(model, data, factorization::Plain(), T); }},
      {"contorsion of Christoffel", [&] { contorsion(model, data, factorization::Christoffel(), T); }},
      {"com_decoupled", [&] { com_decoupled(model, data, decoupled); }},
      {"locked_decoupled", [&] { locked_decoupled(model, data, locked); }},
      {"covariant_derivative", [&] { covariant_derivative(model, data, v, a); }},
      {"geodesic_residual", [&] { geodesic_residual(model, data, a); }},
      {"christoffel_symbols_second_kind", [&] { christoffel_symbols_second_kind(model, data, Gamma, T); }},
      {"structure_constants_first_kind", [&] { structure_constants_first_kind(model, data, T); }},
      {"coriolis_matrix_by_differentiation",
       [&] { coriolis_matrix_by_differentiation(model, data, by_differentiation); }},
      {"centroidal_momentum_matrix", [&] { centroidal_momentum_matrix(model, data); }},
      {"gravity_regressor_product", [&] { gravity_regressor_product(model, data, pi); }}};
  for (const auto& [name, f] : all) {
    CAPTURE(name);
    f();
    CHECK(M == M0);
    CHECK(C.C == C0);
    CHECK(C.M == CM0);
    CHECK(bias == bias0);
    CHECK(p == p0);
    CHECK(covariant == covariant0);
    CHECK(momentum == momentum0);
    CHECK(J == J0);
    CHECK(rnea(model, data) == tau);
    CHECK(nonlinear_effects(model, data) == bias0);
  }
}

TEST_CASE("the forms for a state give what the complete ones give, and leave that state", "[algorithms][own_results]") {
  Robot r;
  const Model<double>& model = r.model;
  Data<double>& data = r.data;
  const Eigen::VectorXd &q = r.q, &v = r.v, &a = r.a;
  Eigen::MatrixXd C, complete;
  coriolis_matrix_by_differentiation(model, data, C);
  coriolis_matrix_by_differentiation(model, data, q, v, complete);
  CHECK(C == complete);
  CHECK((C - coriolis_matrix(model, data).C).cwiseAbs().maxCoeff() < 1e-12 * C.cwiseAbs().maxCoeff());
  CHECK(data.v == v);
  const Eigen::VectorXd residual = geodesic_residual(model, data, a);
  CHECK(geodesic_residual(model, data, q, v, a) == residual);
  Tensor3<double> K, of_complete;
  contorsion(model, data, factorization::Plain(), K);
  CHECK(data.v == v);
  contorsion(model, data, q, factorization::Plain(), of_complete);
  CHECK_THROWS_AS(coriolis_matrix(model, data), StateError);
  for (int i = 0; i < model.nv(); ++i) CHECK(K.page(i) == of_complete.page(i));
}

TEST_CASE("reuse forms before their pass are a StateError", "[algorithms][own_results][errors]") {
  Robot r;
  const Model<double>& model = r.model;
  const Eigen::VectorXd &q = r.q, &a = r.a;
  Data<double> fresh(model);
  Eigen::MatrixXd C;
  Tensor3<double> K;
  CHECK_THROWS_AS(contorsion(model, fresh, factorization::Plain(), K), StateError);
  forward_kinematics(model, fresh, q);
  CHECK_THROWS_AS(coriolis_matrix_by_differentiation(model, fresh, C), StateError);
  CHECK_THROWS_AS(geodesic_residual(model, fresh, a), StateError);
}

TEST_CASE("a covariant derivative along a product with C, and along its own result", "[algorithms][own_results]") {
  Robot r;
  const Model<double>& model = r.model;
  Data<double>& data = r.data;
  const Eigen::VectorXd& a = r.a;
  const Eigen::VectorXd& p = coriolis_product(model, data, a);
  const Eigen::VectorXd copy = p;
  const Eigen::VectorXd expected = covariant_derivative(model, data, copy, copy);
  CHECK(covariant_derivative(model, data, p, p) == expected);
  const Eigen::VectorXd twice = covariant_derivative(model, data, expected, expected);
  const Eigen::VectorXd& result = covariant_derivative(model, data, copy, copy);
  CHECK(covariant_derivative(model, data, result, result) == twice);
}

TEST_CASE("a change of coordinates in place, with A and its rate anywhere", "[algorithms][own_results]") {
  std::srand(3);
  const int n = 5;
  const Eigen::MatrixXd M = Eigen::MatrixXd::Random(n, n), C = Eigen::MatrixXd::Random(n, n);
  const Eigen::VectorXd g = Eigen::VectorXd::Random(n), tau = Eigen::VectorXd::Random(n);
  const int columns = GENERATE(5, 3, 1);
  CAPTURE(columns);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(n, columns), Adot = Eigen::MatrixXd::Random(n, columns);
  const EquationsOfMotion<double> from{M, C, g, tau};
  const auto check = [&](const EquationsOfMotion<double>& to) {
    const auto near = [](const auto& x, const auto& y) { return (x - y).cwiseAbs().maxCoeff() < 1e-14; };
    CHECK(near(to.M, (A.transpose() * M * A).eval()));
    CHECK(near(to.C, (A.transpose() * (C * A + M * Adot)).eval()));
    CHECK(near(to.g, (A.transpose() * g).eval()));
    CHECK(near(to.tau, (A.transpose() * tau).eval()));
  };
  Eigen::MatrixXd work;
  EquationsOfMotion<double> to = from;
  change_of_coordinates(to, A, Adot, work, to);
  check(to);
  work = A, to.M = Adot;
  change_of_coordinates(from, work, to.M, work, to);
  check(to);
  to.C = A, work = Adot;
  change_of_coordinates(from, to.C, work, work, to);
  check(to);
  to.M = A;
  change_of_coordinates(from, to.M, Adot, to.C, to);
  check(to);
  EquationsOfMotion<double> own = from;
  change_of_coordinates(own, A, Adot, own.M, to);
  check(to);
}
