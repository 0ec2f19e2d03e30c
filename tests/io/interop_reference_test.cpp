#include <cstdlib>
#include <iostream>

#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "support/reference_robot.hpp"

using namespace corio;
using namespace corio::test;

// Real robots with values that Pinocchio computed (support/reference_robot.hpp).

namespace {

void check(const ReferenceRobot& robot) {
  INFO(robot.name);
  const auto& model = robot.model;
  std::vector<std::string> order;
  for (const auto& joint : robot.joints()) order.push_back(joint.name);
  const interop::Conversion to_pinocchio(model, interop::pinocchio);
  CHECK(to_pinocchio.order() == order);
  REQUIRE(to_pinocchio.nq() == model.nq());

  Data<double> data(model);
  for (std::size_t i = 0; i < robot.states(); ++i) {
    const auto theirs = [&](const char* what) -> const MatrixXd& { return robot.raw(i, what); };
    const VectorXd q = to_pinocchio.q_from(theirs("q")), v = to_pinocchio.v_from(q, theirs("v")),
                   a = to_pinocchio.a_from(q, v, theirs("a"));
    CHECK(error(to_pinocchio.q_to(q), theirs("q")) < 1e-15);
    // The limit is as in robot_reference_test: both sum up some hundred products.
    CHECK(error(to_pinocchio.tau_to(q, rnea(model, data, q, v, a)), theirs("tau")) < 1e-10);
    CHECK(error(to_pinocchio.M_to(q, crba(model, data)), theirs("M")) < 1e-10);
    const VectorXd tau = to_pinocchio.tau_from(q, theirs("tau_in"));
    CHECK(error(to_pinocchio.a_to(q, v, aba(model, data, tau)), theirs("aba")) < 1e-8);
    // The rows are [linear; angular], at the centre of mass.
    CHECK(error(to_pinocchio.jacobian_to(q, centroidal_momentum_matrix(model, data)), theirs("Ag")) < 1e-10);
  }
}

}  // namespace

TEST_CASE("Pinocchio's values are those of corio, converted", "[interop][urdf][robots]") {
  const char* folder = std::getenv("CORIO_ROBOT_MODELS");
  if (!folder) {
    std::cout << "SKIPPED: CORIO_ROBOT_MODELS names no folder of robots\n";
    return;
  }
  for (const char* name : {"panda", "ur5_robot", "anymal", "solo12", "talos_reduced"})
    check(ReferenceRobot(folder, name));
}
