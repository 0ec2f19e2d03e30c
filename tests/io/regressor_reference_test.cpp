#include <cstdlib>
#include <iostream>
#include <limits>

#include "corio/algorithms/regressors/energy_regressors.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/io/urdf.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "support/catch.hpp"
#include "support/reference_robot.hpp"

// Compares the inverse dynamics regressor of published robots with that of Pinocchio 3.7.0, from the folder that
// CORIO_ROBOT_MODELS names (NAME.urdf and NAME.ref). Errors are the largest difference over the largest entry.

namespace {

using corio::test::error;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class RegressorRobot : public corio::test::ReferenceRobot {
 public:
  using ReferenceRobot::ReferenceRobot;
  double energy(std::size_t k, int i) const { return raw(k, "energy")(i); }

  /// Returns their regressor with rows, bodies and parameters in our order. Their blocks follow their joints, whose
  /// frames are those of the bodies here too: a URDF gives one frame for both. Parameters are [m, h, Ixx, Ixy, Iyy,
  /// Ixz, Iyz, Izz] there.
  MatrixXd regressor(std::size_t k) const {
    constexpr int parameter[] = {0, 1, 2, 3, 4, 7, 5, 8, 9, 6};
    const MatrixXd& theirs = raw(k, "regressor");
    REQUIRE(theirs.cols() == corio::num_inertial_parameters(model));
    MatrixXd ours = MatrixXd::Constant(theirs.rows(), theirs.cols(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t j = 0; j < joints().size(); ++j)
      for (int h = 0; h < 10; ++h)
        for (Eigen::Index row = 0; row < theirs.rows(); ++row)
          ours(v_index(static_cast<int>(row)), 10 * body_of(joints()[j].name) + parameter[h]) =
              theirs(row, 10 * static_cast<Eigen::Index>(j) + h);
    return ours;
  }

 private:
  int body_of(const std::string& joint) const {
    for (std::size_t b = 0; b < model.bodies().size(); ++b)
      if (model.joints()[static_cast<std::size_t>(model.bodies()[b].joint())].name() == joint)
        return static_cast<int>(b);
    FAIL("no body on joint " << joint);
    return -1;
  }
};

void check(const char* name) {
  const char* folder = std::getenv("CORIO_ROBOT_MODELS");
  if (!folder || !*folder) {
    std::cout << "SKIPPED: CORIO_ROBOT_MODELS names no folder of robots\n";
    return;
  }
  const RegressorRobot robot(folder, name);
  const auto& model = robot.model;
  corio::Data<double> data(model);
  const VectorXd pi = corio::inertial_parameters(model);
  MatrixXd Y(model.nv(), pi.size());
  VectorXd y(pi.size());
  double worst = 0;
  for (std::size_t k = 0; k < robot.states(); ++k) {
    CAPTURE(k);
    corio::inverse_dynamics_regressor(model, data, robot.q(k), robot.v(k, "v"), robot.v(k, "a"), Y);
    const double e = error(Y, robot.regressor(k));
    worst = std::max(worst, e);
    CHECK(e < 1e-8);
    CHECK(error(Y * pi, robot.v(k, "tau")) < 1e-8);
    corio::gravity_regressor(model, data, Y);
    CHECK(error(Y * pi, robot.v(k, "gravity")) < 1e-8);
    corio::kinetic_energy_regressor(model, data, y);
    CHECK(y.dot(pi) == Approx(robot.energy(k, 0)).epsilon(1e-9));
    corio::potential_energy_regressor(model, data, y);
    CHECK(y.dot(pi) == Approx(robot.energy(k, 1)).epsilon(1e-9));
  }
  std::cout << name << ", worst error of the regressor: " << worst << '\n';
}

}  // namespace

TEST_CASE("panda: the regressor equals the reference", "[robots]") { check("panda"); }
TEST_CASE("ur5: the regressor equals the reference", "[robots]") { check("ur5_robot"); }
TEST_CASE("anymal: the regressor equals the reference", "[robots]") { check("anymal"); }
TEST_CASE("solo12: the regressor equals the reference", "[robots]") { check("solo12"); }
TEST_CASE("talos: the regressor equals the reference", "[robots]") { check("talos_reduced"); }
