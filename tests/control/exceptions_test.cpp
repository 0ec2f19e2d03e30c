#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"
#include "support/fuse.hpp"

// If the model throws in the middle of an update of a controller or observer, the update has not happened.

namespace control_exceptions {

using namespace corio;
using namespace corio::test;
using loops_test::MatrixXd;
using loops_test::VectorXd;

struct Robots {
  static Model<double> tree() {
    ModelBuilder<double> builder("pendulum and slider");
    const InertialParameters<double> inertia(1.0, {0.1, 0.2, 0.3}, 0.5 * Matrix3<double>::Identity());
    builder.add_body({.name = "pendulum", .joint = joint::Revolute({0, 1, 0}), .inertia = inertia});
    builder.add_body({.name = "slider", .parent = "pendulum", .joint = FusedSlider(), .inertia = inertia});
    return builder.build();
  }
  /// A slider that follows a pendulum by a relation, and an arm.
  static Mechanism<double> mechanism() {
    auto builder = to_builder(tree());
    builder.add_body({.name = "arm",
                      .parent = "slider",
                      .joint = joint::Revolute({1, 0, 0}),
                      .inertia = {0.5, {0, 0, 0.2}, 0.1 * Matrix3<double>::Identity()}});
    const auto model = builder.build();
    Loops<double> loops(model);
    loops.relate("cam", {"pendulum_joint", "slider_joint"}, [](const auto& x) {
      burn();
      return x[1] - 0.3 * sin(x[0]);
    });
    return Mechanism<double>(model, loops, std::vector<std::string>{"pendulum_joint"});
  }
  /// Returns the state at a tick.
  static VectorXd q(const Model<double>& m, int tick) { return VectorXd::LinSpaced(m.nq(), 0.1, 0.4 + 0.1 * tick); }
  static VectorXd q(const Mechanism<double>&, int tick) {
    const double x = 0.1 + 0.1 * tick;
    return Eigen::Vector3d(x, 0.3 * std::sin(x), 0.2 * tick);
  }
};

/// After three sound ticks the next one blows at each of its evaluations in turn; then the same call again gives what
/// it gives of a controller to which nothing happened.
/// @param update  update(controller, data, tick) returns all that can be seen of it
template <class R, class Controller, class Update>
void check(const char* name, const R& robot, const Controller& made, Update&& update) {
  CAPTURE(name);
  DataOf<R> data(robot), other(robot);
  Controller controller = made;
  for (int tick = 0; tick < 3; ++tick) update(controller, data, tick);
  Controller sound = controller;
  const VectorXd expected = update(sound, other, 3), after = update(sound, other, 4);
  long k = 0;
  for (bool blew = true; blew; ++k) {
    CAPTURE(k);
    REQUIRE(k < 10000);
    Controller tried = controller;
    blew = blows(k, [&] { update(tried, data, 3); });
    if (blew) CHECK(update(tried, data, 3) == expected);
    CHECK(update(tried, data, 4) == after);
  }
  CHECK(k > 1);  // at least one evaluation took place
}

template <class R>
void check_all(const R& robot) {
  const VectorXd ones = VectorXd::Ones(robot.nv());
  const auto q = [&](int tick) { return Robots::q(robot, tick); };
  const auto v = [&](int tick) -> VectorXd { return ones * (0.5 + 0.1 * tick); };
  const auto tracking = [&](auto& controller, auto& data, int tick) -> VectorXd {
    return controller.update(robot, data, q(tick), v(tick), q(0), ones, ones);
  };
  check("SlotineLi", robot, SlotineLi<double>(robot, {ones, ones}), tracking);
  check("PDPlus", robot, PDPlus<double>(robot, {ones, ones}), tracking);
  check("ComputedTorque", robot, ComputedTorque<double>(robot, {ones, ones}), tracking);
  const VectorXd gamma = VectorXd::Ones(std::ssize(robot.tree().bodies()));
  check("AdaptiveSlotineLi", robot, AdaptiveSlotineLi<double>(robot, {ones, ones}, {.parameters = gamma}),
        [&](auto& controller, auto& data, int tick) -> VectorXd {
          const VectorXd tau = controller.update(robot, data, q(tick), v(tick), q(0), ones, ones, 1e-3);
          VectorXd all(tau.size() + controller.parameters().size());
          all << tau, controller.parameters();
          return all;
        });
  check("MomentumObserver", robot, MomentumObserver<double>(robot, ones),
        [&](auto& observer, auto& data, int tick) -> VectorXd {
          return observer.update(robot, data, q(tick), v(tick), ones, 1e-3);
        });
  struct Detection {
    MomentumObserver<double> observer;
    CollisionDetector<double> detector;
  };
  check("CollisionDetector", robot,
        Detection{MomentumObserver<double>(robot, ones), CollisionDetector<double>(robot, {ones, ones}, ones)},
        [&](auto& d, auto& data, int tick) -> VectorXd {
          Detection next = d;  // an update and a detection are two calls
          next.observer.update(robot, data, q(tick), v(tick), 100 * ones, 1e-3);
          const auto& found = next.detector.detect(robot, data, next.observer);
          d = next;
          VectorXd all(2 * robot.nv() + 1);
          all << d.detector.threshold(), d.detector.standard_deviation(), static_cast<double>(found.joints.size());
          return all;
        });
  for (const auto balance : {BalanceEquation::momentum, BalanceEquation::energy})
    check("FilteredRegressors", robot, FilteredRegressors<double>(robot, 10.0, balance),
          [&](auto& filtered, auto& data, int tick) -> VectorXd {
            filtered.update(robot, data, q(tick), v(tick), ones, 1e-3);
            VectorXd all(filtered.W().size() + filtered.y().size());
            all << filtered.W().reshaped(), filtered.y();
            return all;
          });
  check("OperationalSpace", robot, OperationalSpace<double>(robot),
        [&](auto& controller, auto& data, int tick) -> VectorXd {
          forward_kinematics<double>(robot, data, q(tick), v(tick));
          return controller.update(robot, data, {}, ones);
        });
}

TEST_CASE("an update in which a joint throws has not happened", "[control][throws]") { check_all(Robots::tree()); }

TEST_CASE("an update of a mechanism in which a joint or relation throws has not happened", "[control][throws]") {
  check_all(Robots::mechanism());
}

}  // namespace control_exceptions
