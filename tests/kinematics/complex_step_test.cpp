#include "corio/kinematics/complex_step.hpp"

#include <random>

#include "corio/corio.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/dynamics_support.hpp"

// Tests trees; tests/loops/mechanism_scalars_test.cpp tests mechanisms.

namespace {

using namespace corio::test;
using Catch::Contains;
using corio::ComplexStep;
using corio::MatrixX;
using corio::VectorX;

const auto mass = [](const auto& robot, auto& data, const auto& q, const auto&) -> MatrixX<Complex> {
  return corio::crba<Complex>(robot, data, q);
};

}  // namespace

TEST_CASE("complex steps give derivatives of any result, along any joint", "[kinematics]") {
  const auto model = corio::zoo::random_tree<double>(3, {.bodies = 12});
  corio::Data<double> data(model);
  std::mt19937 generator(5);
  const Eigen::VectorXd q = corio::random_configuration(model, generator), v = Eigen::VectorXd::Random(model.nv()),
                        a = Eigen::VectorXd::Random(model.nv());
  const auto derivatives = corio::inverse_dynamics_derivatives<double>(model, data, q, v, a);
  const Eigen::MatrixXd Mdot = corio::coriolis_matrix(model, data, q, v).Mdot;
  ComplexStep step(model);
  const auto tau = [&](const auto& robot, auto& d, const auto& at, const auto& speeds) -> VectorX<Complex> {
    return corio::rnea<Complex>(robot, d, at, speeds, a.cast<Complex>());
  };
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(model.nv(), model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    // Allow some hundred operations on numbers up to some hundred.
    CHECK(relative_error(step.along_q(q, v, k, tau), Eigen::VectorXd(derivatives.dtau_dq.col(k))) < 1e-11);
    CHECK(relative_error(step.along_v(q, v, k, tau), Eigen::VectorXd(derivatives.dtau_dv.col(k))) < 1e-11);
    sum += v[k] * step.along_q(q, v, k, mass);
  }
  CHECK(relative_error(sum, Mdot) < 1e-11);
  CHECK(relative_error(step.along(q, v, v, a, mass), Mdot) < 1e-11);
  // The function returns a number: torques minus the torques of gravity change the kinetic energy.
  const double power = step.along(q, v, v, a, [](const auto& robot, auto& d, const auto& at, const auto& speeds) {
    corio::forward_kinematics<Complex>(robot, d, at, speeds);
    return corio::kinetic_energy(robot, d);
  });
  const Eigen::VectorXd g = corio::generalized_gravity<double>(model, data, q);
  const double expected = v.dot(corio::rnea<double>(model, data, q, v, a) - g);
  CHECK(std::abs(power - expected) < 1e-11 * (std::abs(expected) + v.norm() * g.norm()));
}

TEST_CASE("complex steps reject arguments of wrong sizes and directions that are not there", "[kinematics]") {
  const auto model = corio::zoo::serial_chain<double>(3);
  ComplexStep step(model);
  const Eigen::VectorXd three = Eigen::VectorXd::Zero(3), two = Eigen::VectorXd::Zero(2);
  CHECK_THROWS_WITH(step.along_q(two, three, 0, mass), Contains("ComplexStep: q"));
  CHECK_THROWS_WITH(step.along_q(three, two, 0, mass), Contains("ComplexStep: v"));
  CHECK_THROWS_WITH(step.along(three, three, two, three, mass), Contains("ComplexStep: dq"));
  CHECK_THROWS_WITH(step.along(three, three, three, two, mass), Contains("ComplexStep: dv"));
  CHECK_THROWS_AS(step.along_q(three, three, 3, mass), corio::ModelError);
  CHECK_THROWS_AS(step.along_v(three, three, -1, mass), corio::ModelError);
}
