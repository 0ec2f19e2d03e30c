// Joints that couplings move need no columns in a recording, and the rows of TorqueRegressor are those of the
// mechanism.

#include "corio/identification/base_parameters.hpp"
#include "corio/identification/recording.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/model/builder.hpp"
#include "corio/model/edit.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

using namespace corio;

namespace {

/// Three links in a row; j follows k, and k follows l.
Model<double> chain() {
  ModelBuilder<double> builder("chain");
  const auto add = [&](const char* joint, const char* parent, double mass) {
    Pose<double> placement = Pose<double>::identity();
    placement.rotation = rotation_x(0.4) * rotation_y(0.2), placement.translation = {0.3, 0.0, 0.1};
    builder.add_body({.name = joint,
                      .parent = parent,
                      .joint = joint::Continuous({0, 1, 0}),
                      .placement = placement,
                      .inertia = {mass, {0.1, 0.02, 0.03}, Vector3<double>(0.02, 0.03, 0.04).asDiagonal()},
                      .joint_name = joint});
  };
  add("j", "", 2), add("k", "j", 1.5), add("l", "k", 1);
  builder.couple("j", {{"j", 1.0}, {"k", 2.0}}, 0.5, {"j"});
  builder.couple("k", {{"k", 1.0}, {"l", -0.5}}, 0.1, {"k"});
  return builder.build();
}

}  // namespace

TEST_CASE("the rows of joints that move others are those of the mechanism") {
  auto model = chain();
  model.set_armature(Eigen::Vector3d(0.1, 0.2, 0.3));
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  const auto driven = driven_joints(model);
  REQUIRE(driven.size() == 2);
  CHECK(driven[0].factors.isApprox(Eigen::Vector3d(0, 0, -1), 1e-14));
  CHECK(std::abs(driven[0].offset - 0.3) < 1e-14);
  TorqueRegressor regressor(model);
  Eigen::VectorXd p(42);
  p << inertial_parameters(model), joint_parameters(model);
  for (const double l : {-1.0, 0.3, 2.0}) {
    const double k = 0.5 * l + 0.1;
    const Eigen::Vector3d q(-2 * k + 0.5, k, l), G(-1, 0.5, 1);
    const Eigen::VectorXd rate = Eigen::VectorXd::Constant(1, 0.7), second = Eigen::VectorXd::Constant(1, -1.2);
    const double torque = rnea<double>(mechanism, data, q, rate, second)[0];
    const Eigen::VectorXd found = regressor(q, 0.7 * G, -1.2 * G) * p;
    CHECK(std::abs(found[2] - torque) < 1e-12 * (1 + std::abs(torque)));  // rounding of some 100 operations
    CHECK(found.head(2).isZero(0));
  }
  // One motor sees fewer combinations than three.
  CHECK(structural_base_parameters(model).size() < 42 - 10);
}

TEST_CASE("loops other than couplings that drive a joint are rejected, unless their joints are locked") {
  const auto leg = zoo::four_bar_leg();
  const auto message = [&](const auto& f) { return test::message_of<ModelError>(f); };
  CHECK(test::mentions(message([&] { structural_base_parameters(leg); }), {"loop '", "four_bar_leg", "lock_joints"}));
  CHECK(test::mentions(message([&] { TorqueRegressor<double> regressor(leg); }), {"loop '", "Mechanism"}));
  std::vector<std::string> names;
  for (const auto& joint : leg.joints()) names.push_back(joint.name());
  names.erase(names.begin());
  CHECK(driven_joints(lock_joints<double>(leg, names, neutral(leg))).empty());
  ModelBuilder<double> open = to_builder(chain());
  auto loops = open.loops();
  loops[0].dependent.clear();
  open.set_loops(loops);
  CHECK_THROWS_AS(structural_base_parameters(open.build()), ModelError);
}

TEST_CASE("joints without columns move with those that drive them") {
  const auto model = chain();
  std::string text = "time,q_l,v_l,tau_l\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(0.01 * i) + "," + std::to_string(0.02 * i) + ",2," + std::to_string(i) + "\n";
  const corio::test::TemporaryFile file(text, "log.csv");
  const bool by_number = GENERATE(false, true);
  RecordingColumns columns;
  if (by_number) columns.q = {"2"}, columns.v = {"3"}, columns.tau = {"4"};
  const auto log = read_recording(model, LogTable(file.path().string()), columns);
  const Eigen::ArrayXd l = log.q.row(2);
  CHECK((log.q.row(1).transpose().array() - (0.5 * l + 0.1)).abs().maxCoeff() < 1e-14);
  CHECK((log.q.row(0).transpose().array() - (0.3 - l)).abs().maxCoeff() < 1e-14);
  CHECK(log.v.col(3).isApprox(Eigen::Vector3d(-2, 1, 2), 1e-14));
  CHECK(log.tau.row(2).allFinite());
  CHECK(log.tau.topRows(2).array().isNaN().all());
  CHECK(prepare(log, {.cutoff = 10, .idle = 0}).moving.topRows(2).isZero(0));
}
