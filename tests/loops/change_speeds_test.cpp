#include "corio/corio.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"

namespace loops_test {
namespace {

/// A crank that turns by gravity, a connecting rod, and a slider.
Model<double> slider_crank() {
  zoo::detail::Linkage linkage("slider_crank");
  const Vector3<double> tip(0.1, 0, 0.02), pin(0.4, 0, 0);
  linkage.add_rod("crank", "", joint::Revolute::y(), {0, 0, 0}, tip, 1.0);
  linkage.add_rod("rod", "crank", joint::Revolute::y(), tip, pin, 0.5);
  linkage.add("slider", "", joint::Prismatic::x(), pin, zoo::detail::box(0.3, {0.05, 0.05, 0.05}, {0, 0, 0}));
  linkage.close("pin", "rod", "slider", pin, closure::Revolute{{0, 1, 0}}, {"rod_joint", "slider_joint"});
  return linkage.builder.build();
}

}  // namespace

TEST_CASE("a mechanism goes on with other speeds through its dead centres", "[loops]") {
  const Model<double> model = slider_crank();
  const double dt = 4e-4;
  const VectorXd none = VectorXd::Zero(1);

  // Uses the angle of the crank, which is never singular.
  const Mechanism<double> by_crank(model);
  MechanismData<double> crank_data(by_crank);
  VectorXd q = neutral(model), y = VectorXd::Constant(1, 20.0);
  // Uses the slider as independent.
  Mechanism<double> mechanism(model, {"slider_joint"});
  MechanismData<double> data(mechanism);
  VectorXd q_changed = q;
  forward_kinematics<double>(by_crank, crank_data, q, y);
  VectorXd y_changed = VectorXd::Constant(1, crank_data.tree.v[model.joint("slider_joint").v_index()]);
  const double start = energy(mechanism, data, q_changed, y_changed).total();

  int changes = 0;
  double drift = 0.0;
  for (int i = 0; i < 2500; ++i) {
    step<double>(by_crank, crank_data, q, y, none, dt);
    try {
      step<double>(mechanism, data, q_changed, y_changed, none, dt);
    } catch (const ModelError&) {
      ++changes;
      y_changed = change_speeds<double>(mechanism, data, q_changed, y_changed);
      step<double>(mechanism, data, q_changed, y_changed, none, dt);
    }
    drift = std::max(drift, std::abs(energy(mechanism, data, q_changed, y_changed).total() - start));
  }
  REQUIRE(q[model.joint("crank_joint").q_index()] > 12.0);  // two turns
  CHECK(changes > 0);
  CHECK(mechanism.independent() != Mechanism<double>(model, {"slider_joint"}).independent());
  // Four steps before a dead centre the map changes by a quarter from step to step, which limits order four to this
  // error.
  const double kinetic = kinetic_energy(by_crank, crank_data);
  CHECK(drift < 1e-4 * kinetic);
  CHECK((q - q_changed).norm() < 1e-4 * q.norm());
}

TEST_CASE("speeds are not changed where the mechanism itself is singular", "[loops]") {
  // A parallelogram that lies in one line may go on as a parallelogram or as an antiparallelogram.
  zoo::detail::Linkage linkage("parallelogram");
  linkage.add_rod("left", "", joint::Revolute::y(), {0, 0, 0}, {0, 0, 1}, 1.0);
  linkage.add_rod("top", "left", joint::Revolute::y(), {0, 0, 1}, {2, 0, 1}, 1.0);
  linkage.add_rod("right", "", joint::Revolute::y(), {2, 0, 0}, {2, 0, 1}, 1.0);
  linkage.close("corner", "top", "right", {2, 0, 1}, closure::Revolute{{0, 1, 0}}, {"top_joint", "right_joint"});
  const Model<double> model = linkage.builder.build();
  Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  const auto at = [&](double left) {
    VectorXd q(3);
    q[model.joint("left_joint").q_index()] = q[model.joint("right_joint").q_index()] = left;
    q[model.joint("top_joint").q_index()] = -left;
    return q;
  };
  const VectorXd y = VectorXd::Ones(1);
  const auto before = mechanism.topology_id();
  CHECK_THROWS_AS(change_speeds<double>(mechanism, data, at(1.5707963267948966), y), ModelError);
  CHECK(mechanism.topology_id() == before);
  const double h = 1e-3;
  VectorXd q = at(1.5707963267948966 - h);
  const VectorXd changed = change_speeds<double>(mechanism, data, q, y);
  CHECK(changed.size() == 1);
  CHECK(std::abs(std::abs(changed[0]) - 1.0) < 1e-9);

  // The tolerance for open loops is still the one that was set.
  q[0] += 1e-4;
  CHECK_THROWS_AS(change_speeds<double>(mechanism, data, q, changed), StateError);
  mechanism.set_closing_tolerance(1e-3);
  change_speeds<double>(mechanism, data, q, changed);
  CHECK(mechanism.closing_tolerance() == 1e-3);
  CHECK_NOTHROW(forward_kinematics<double>(mechanism, data, q));
}

}  // namespace loops_test
