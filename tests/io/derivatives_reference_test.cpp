#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>

#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/io/urdf.hpp"
#include "corio/joints/free_flyer.hpp"
#include "support/catch.hpp"
#include "support/reference_robot.hpp"

// Compares derivatives of published robots with values of Pinocchio 3.7.0, from the folder that CORIO_ROBOT_MODELS
// names (NAME.urdf and NAME.ref). Errors are the largest difference over the largest entry of the reference.

namespace {

using corio::DerivativeRoute;
using corio::test::error;
using Robot = corio::test::ReferenceRobot;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Without a folder of robots, returns nothing and prints a line that marks the test as skipped.
std::optional<Robot> derivatives_robot(const std::string& name) {
  const char* folder = std::getenv("CORIO_ROBOT_MODELS");
  if (!folder || !*folder) {
    std::cout << "SKIPPED: CORIO_ROBOT_MODELS names no folder of robots\n";
    return std::nullopt;
  }
  return std::optional<Robot>(std::in_place, folder, name);
}

/// The largest error of one quantity over all states.
class Worst {
 public:
  double operator()(const MatrixXd& computed, const MatrixXd& reference) {
    const double e = error(computed, reference);
    largest_ = std::max(largest_, e);
    return e;
  }
  double largest() const { return largest_; }

 private:
  double largest_ = 0;
};

void check_inverse_dynamics(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  Worst dq, dv, M;
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const auto& d =
        corio::inverse_dynamics_derivatives(robot->model, data, robot->q(k), robot->v(k, "v"), robot->v(k, "a"));
    CHECK(dq(d.dtau_dq, robot->square(k, "dtau_dq")) < 1e-9);
    CHECK(dv(d.dtau_dv, robot->square(k, "dtau_dv")) < 1e-9);
    CHECK(M(d.M, robot->square(k, "M")) < 1e-9);
  }
  std::cout << robot->name << ", worst errors: dtau_dq " << dq.largest() << ", dtau_dv " << dv.largest() << ", M "
            << M.largest() << '\n';
}

/// Errors are multiplied by cond(M), some 1e5 for the hands of talos.
void check_forward_dynamics(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (const auto route : {DerivativeRoute::dense, DerivativeRoute::articulated}) {
    CAPTURE(static_cast<int>(route));
    Worst dq, dv, W, a;
    for (std::size_t k = 0; k < robot->states(); ++k) {
      CAPTURE(k);
      const auto& d = corio::forward_dynamics_derivatives(robot->model, data, robot->q(k), robot->v(k, "v"),
                                                          robot->v(k, "tau_in"), {}, route);
      CHECK(dq(d.da_dq, robot->square(k, "da_dq")) < 1e-7);
      CHECK(dv(d.da_dv, robot->square(k, "da_dv")) < 1e-7);
      CHECK(W(d.da_dtau, robot->square(k, "Minv")) < 1e-7);
      CHECK(a(corio::aba(robot->model, data, robot->v(k, "tau_in")), robot->v(k, "aba")) < 1e-7);
    }
    std::cout << robot->name << (route == DerivativeRoute::dense ? ", dense" : ", articulated")
              << ", worst errors: da_dq " << dq.largest() << ", da_dv " << dv.largest() << ", da_dtau " << W.largest()
              << ", a " << a.largest() << '\n';
  }
}

void check_inverse(const std::optional<Robot>& robot) {
  if (!robot) return;
  corio::Data<double> data(robot->model);
  for (std::size_t k = 0; k < robot->states(); ++k) {
    CAPTURE(k);
    const MatrixXd& W = corio::mass_matrix_inverse(robot->model, data, robot->q(k));
    CHECK(error(W, robot->square(k, "Minv")) < 1e-7);
    CHECK(error(W * robot->square(k, "M"), MatrixXd::Identity(W.rows(), W.cols())) < 1e-7);
  }
}

}  // namespace

TEST_CASE("panda: derivatives of inverse dynamics equal the reference", "[robots]") {
  check_inverse_dynamics(derivatives_robot("panda"));
}
TEST_CASE("panda: derivatives of forward dynamics equal the reference", "[robots]") {
  check_forward_dynamics(derivatives_robot("panda"));
}
TEST_CASE("panda: the inverse of M equals the reference", "[robots]") { check_inverse(derivatives_robot("panda")); }

TEST_CASE("ur5: derivatives of inverse dynamics equal the reference", "[robots]") {
  check_inverse_dynamics(derivatives_robot("ur5_robot"));
}
TEST_CASE("ur5: derivatives of forward dynamics equal the reference", "[robots]") {
  check_forward_dynamics(derivatives_robot("ur5_robot"));
}
TEST_CASE("ur5: the inverse of M equals the reference", "[robots]") { check_inverse(derivatives_robot("ur5_robot")); }

TEST_CASE("anymal: derivatives of inverse dynamics equal the reference", "[robots]") {
  check_inverse_dynamics(derivatives_robot("anymal"));
}
TEST_CASE("anymal: derivatives of forward dynamics equal the reference", "[robots]") {
  check_forward_dynamics(derivatives_robot("anymal"));
}
TEST_CASE("anymal: the inverse of M equals the reference", "[robots]") { check_inverse(derivatives_robot("anymal")); }

TEST_CASE("solo12: derivatives of inverse dynamics equal the reference", "[robots]") {
  check_inverse_dynamics(derivatives_robot("solo12"));
}
TEST_CASE("solo12: derivatives of forward dynamics equal the reference", "[robots]") {
  check_forward_dynamics(derivatives_robot("solo12"));
}
TEST_CASE("solo12: the inverse of M equals the reference", "[robots]") { check_inverse(derivatives_robot("solo12")); }

TEST_CASE("talos: derivatives of inverse dynamics equal the reference", "[robots]") {
  check_inverse_dynamics(derivatives_robot("talos_reduced"));
}
TEST_CASE("talos: derivatives of forward dynamics equal the reference", "[robots]") {
  check_forward_dynamics(derivatives_robot("talos_reduced"));
}
TEST_CASE("talos: the inverse of M equals the reference", "[robots]") {
  check_inverse(derivatives_robot("talos_reduced"));
}
