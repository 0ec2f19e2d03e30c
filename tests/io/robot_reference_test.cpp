#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>

#include "corio/corio.hpp"
#include "corio/io/urdf.hpp"
#include "support/catch.hpp"
#include "support/reference_robot.hpp"

// Compares published robots with values of Pinocchio 3.7.0, from the folder that CORIO_ROBOT_MODELS names (NAME.urdf
// and NAME.ref). Errors are the largest difference over the largest entry of the reference.

namespace {

using corio::test::error;
using Robot = corio::test::ReferenceRobot;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Without a folder of robots, returns nothing and prints a line that marks the test as skipped.
std::optional<Robot> robot(const std::string& name) {
  const char* folder = std::getenv("CORIO_ROBOT_MODELS");
  if (!folder || !*folder) {
    std::cout << "SKIPPED: CORIO_ROBOT_MODELS names no folder of robots\n";
    return std::nullopt;
  }
  return std::optional<Robot>(std::in_place, folder, name);
}

void check_dynamics(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const VectorXd q = robot->q(k), v = robot->v(k, "v"), a = robot->v(k, "a");
    CHECK(error(corio::rnea(robot->model, data, q, v, a), robot->v(k, "tau")) < 1e-9);
    CHECK(error(corio::nonlinear_effects(robot->model, data, q, v), robot->v(k, "bias")) < 1e-9);
    CHECK(error(corio::generalized_gravity(robot->model, data, q), robot->v(k, "gravity")) < 1e-9);
    CHECK(error(corio::crba(robot->model, data, q), robot->square(k, "M")) < 1e-9);
    CHECK(error(corio::aba(robot->model, data, q, v, robot->v(k, "tau_in")), robot->v(k, "aba")) < 1e-7);
  }
}

void check_coriolis(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const auto& [C, M, Mdot] = corio::coriolis_matrix(robot->model, data, robot->q(k), robot->v(k, "v"));
    const MatrixXd reference = robot->square(k, "C");
    CHECK(error(C, reference) < 1e-9);
    CHECK(error(M, robot->square(k, "M")) < 1e-9);
    CHECK(error(Mdot, reference + reference.transpose()) < 1e-9);
  }
}

/// Checks Gamma_k = C(q, e_k), which the files have for state 0 of robots with at most 24 degrees of freedom.
void check_christoffel(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  const int n = robot->model.nv();
  corio::ChristoffelTensor<double> dense(robot->model), unpacked(robot->model);
  corio::PackedChristoffelTensor<double> packed(robot->model);
  corio::christoffel_symbols(robot->model, data, robot->q(0), dense);
  corio::christoffel_symbols(robot->model, data, robot->q(0), packed);
  packed.unpack(unpacked);
  // Some Gamma_k of a robot are a thousand times smaller than others, so errors are relative to the largest.
  double largest = 0, difference = 0;
  for (int i = 0; i < n; ++i) {
    const std::string name = "Gamma" + std::to_string(i);
    REQUIRE(robot->has(0, name));
    const MatrixXd reference = robot->square(0, name);
    const int k = robot->v_index(i);
    REQUIRE((dense.along(k).allFinite() && unpacked.along(k).allFinite()));
    largest = std::max(largest, reference.cwiseAbs().maxCoeff());
    difference = std::max({difference, (dense.along(k) - reference).cwiseAbs().maxCoeff(),
                           (unpacked.along(k) - reference).cwiseAbs().maxCoeff()});
  }
  CHECK(largest > 0.1);
  CHECK(difference < 1e-9 * largest);
  // Contracted with v the symbols give the C of the reference.
  MatrixXd C;
  dense.contract(robot->v(0, "v"), C);
  CHECK(error(C, robot->square(0, "C")) < 1e-9);
}

/// Compares C v_r and C^T x with products with the C of the reference, and dM/dt.
void check_products(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const VectorXd q = robot->q(k), v = robot->v(k, "v"), x = robot->v(k, "a");
    const MatrixXd C = robot->square(k, "C");
    CHECK(error(corio::coriolis_product(robot->model, data, q, v, x), C * x) < 1e-9);
    CHECK(error(corio::coriolis_transpose_product(robot->model, data, q, v, x), C.transpose() * x) < 1e-9);
    CHECK(error(corio::mass_matrix_dot(robot->model, data, q, v), C + C.transpose()) < 1e-9);
  }
}

void check_energy(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const VectorXd q = robot->q(k), v = robot->v(k, "v");
    const MatrixXd& energy = robot->raw(k, "energy");
    CHECK(std::abs(corio::kinetic_energy(robot->model, data, q, v) - energy(0)) < 1e-9 * std::abs(energy(0)));
    // Links welded to the ground count neither here nor there.
    const double potential = corio::potential_energy(robot->model, data, q);
    const double weight = 9.81 * robot->model.total_mass();
    CHECK(std::abs(potential - energy(1)) < 1e-9 * std::max(weight, std::abs(energy(1))));
    CHECK(std::abs(potential - weight * robot->raw(k, "com")(2)) < 1e-9 * std::max(weight, std::abs(energy(1))));
    // The total mass resists the translation of a floating base.
    if (robot->floating()) CHECK(std::abs(robot->raw(k, "M")(0, 0) / robot->model.total_mass() - 1.0) < 1e-9);
  }
}

void check_centroidal(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const VectorXd q = robot->q(k), v = robot->v(k, "v");
    const MatrixXd J = robot->columns(k, "Jcom"), linear_first = robot->columns(k, "Ag");
    MatrixXd A(6, robot->model.nv());
    A << linear_first.bottomRows(3), linear_first.topRows(3);
    CHECK(error(corio::center_of_mass(robot->model, data, q), robot->raw(k, "com").reshaped()) < 1e-9);
    CHECK(error(corio::com_jacobian(robot->model, data, q), J) < 1e-9);
    CHECK(error(corio::centroidal_momentum_matrix(robot->model, data, q), A) < 1e-9);
    CHECK(error(corio::centroidal_momentum(robot->model, data, q, v).vector(), A * v) < 1e-9);
    CHECK(error(corio::center_of_mass_velocity(robot->model, data), J * v) < 1e-9);
  }
}

/// Compares with the reference at the same state with the base moved by 10 km: only the potential energy may change.
void check_far_away(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  const int x = robot->model.joint("root_joint").q_index();
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    VectorXd q = robot->q(k);
    q.segment<3>(x) += Eigen::Vector3d(8e3, -5e3, 3e3);
    const VectorXd v = robot->v(k, "v");
    CHECK(error(corio::rnea(robot->model, data, q, v, robot->v(k, "a")), robot->v(k, "tau")) < 1e-9);
    CHECK(error(corio::aba(robot->model, data, q, v, robot->v(k, "tau_in")), robot->v(k, "aba")) < 1e-7);
    const auto& [C, M, Mdot] = corio::coriolis_matrix(robot->model, data, q, v);
    CHECK(error(C, robot->square(k, "C")) < 1e-9);
    CHECK(error(M, robot->square(k, "M")) < 1e-9);
  }
}

}  // namespace

TEST_CASE("panda: M, gravity, bias, inverse and forward dynamics equal the reference", "[robots]") {
  check_dynamics(robot("panda"));
}
TEST_CASE("panda: the Coriolis matrix equals the reference", "[robots]") { check_coriolis(robot("panda")); }
TEST_CASE("panda: products with C and dM/dt are those of the reference", "[robots]") { check_products(robot("panda")); }
TEST_CASE("panda: the Christoffel symbols equal the reference", "[robots]") { check_christoffel(robot("panda")); }
TEST_CASE("panda: energies equal the reference", "[robots]") { check_energy(robot("panda")); }
TEST_CASE("panda: the centre of mass and the momentum matrix equal the reference", "[robots]") {
  check_centroidal(robot("panda"));
}

TEST_CASE("ur5: M, gravity, bias, inverse and forward dynamics equal the reference", "[robots]") {
  check_dynamics(robot("ur5_robot"));
}
TEST_CASE("ur5: the Coriolis matrix equals the reference", "[robots]") { check_coriolis(robot("ur5_robot")); }
TEST_CASE("ur5: products with C and dM/dt are those of the reference", "[robots]") {
  check_products(robot("ur5_robot"));
}
TEST_CASE("ur5: the Christoffel symbols equal the reference", "[robots]") { check_christoffel(robot("ur5_robot")); }
TEST_CASE("ur5: energies equal the reference", "[robots]") { check_energy(robot("ur5_robot")); }
TEST_CASE("ur5: the centre of mass and the momentum matrix equal the reference", "[robots]") {
  check_centroidal(robot("ur5_robot"));
}

TEST_CASE("anymal: M, gravity, bias, inverse and forward dynamics equal the reference", "[robots]") {
  check_dynamics(robot("anymal"));
}
TEST_CASE("anymal: the Coriolis matrix equals the reference", "[robots]") { check_coriolis(robot("anymal")); }
TEST_CASE("anymal: products with C and dM/dt are those of the reference", "[robots]") {
  check_products(robot("anymal"));
}
TEST_CASE("anymal: the Christoffel symbols equal the reference", "[robots]") { check_christoffel(robot("anymal")); }
TEST_CASE("anymal: energies and mass equal the reference", "[robots]") { check_energy(robot("anymal")); }
TEST_CASE("anymal: the centre of mass and the momentum matrix equal the reference", "[robots]") {
  check_centroidal(robot("anymal"));
}
TEST_CASE("anymal: dynamics do not decay 10 km from the origin", "[robots]") { check_far_away(robot("anymal")); }

TEST_CASE("solo12: M, gravity, bias, inverse and forward dynamics equal the reference", "[robots]") {
  check_dynamics(robot("solo12"));
}
TEST_CASE("solo12: the Coriolis matrix equals the reference", "[robots]") { check_coriolis(robot("solo12")); }
TEST_CASE("solo12: products with C and dM/dt are those of the reference", "[robots]") {
  check_products(robot("solo12"));
}
TEST_CASE("solo12: the Christoffel symbols equal the reference", "[robots]") { check_christoffel(robot("solo12")); }
TEST_CASE("solo12: energies and mass equal the reference", "[robots]") { check_energy(robot("solo12")); }
TEST_CASE("solo12: the centre of mass and the momentum matrix equal the reference", "[robots]") {
  check_centroidal(robot("solo12"));
}
TEST_CASE("solo12: dynamics do not decay 10 km from the origin", "[robots]") { check_far_away(robot("solo12")); }

TEST_CASE("talos: M, gravity, bias, inverse and forward dynamics equal the reference", "[robots]") {
  check_dynamics(robot("talos_reduced"));
}
TEST_CASE("talos: the Coriolis matrix equals the reference", "[robots]") { check_coriolis(robot("talos_reduced")); }
TEST_CASE("talos: products with C and dM/dt are those of the reference", "[robots]") {
  check_products(robot("talos_reduced"));
}
TEST_CASE("talos: energies and mass equal the reference", "[robots]") { check_energy(robot("talos_reduced")); }
TEST_CASE("talos: the centre of mass and the momentum matrix equal the reference", "[robots]") {
  check_centroidal(robot("talos_reduced"));
}
TEST_CASE("talos: dynamics do not decay 10 km from the origin", "[robots]") { check_far_away(robot("talos_reduced")); }
