#include "support/bad_input.hpp"
#include <random>

#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/excitation_monitor.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

// Checks the tables for controllers and observers in the page on bad input.

namespace bad_input_test {

using namespace corio;
using namespace corio::test;

/// A robot, its Data, and a controller for the robot.
template <class R, class Controller>
struct Loop {
  R robot;
  DataOf<R> data;
  Controller controller;
  Vectord dt = Vectord::Constant(1, 1e-3);

  template <class Make>
  Loop(const R& r, const Make& make) : robot(r), data(robot), controller(make(robot)) {}
};

/// Adds a class with its update, as (loop, given) for all arguments and (loop, given) for those after q and v.
template <class R, class Make, class Complete, class Reuse>
Subject subject(const std::string& name, const R& robot, const R& other, Given arguments, const Make& make_controller,
                const Complete& complete, const Reuse& reuse, bool has_time) {
  using L = Loop<R, decltype(make_controller(robot))>;
  const auto begin = [=] { return std::make_shared<L>(robot, make_controller); };
  Subject s{.name = name, .arguments = std::move(arguments), .make = [=]() -> Function {
              return [loop = begin(), complete](const Given& x) { return complete(*loop, x); };
            }};
  if (has_time) s.single = {s.arguments.size() - 1};
  const auto add = [&](const char* column, auto change, auto call) {
    s.others.emplace_back(column, [=]() -> Function {
      return [loop = begin(), change, call](const Given& x) {
        Given given = x;
        change(*loop, given);
        return call(*loop, given);
      };
    });
  };
  add(
      "no pass", [](L&, Given&) {}, reuse);
  if constexpr (std::is_same_v<R, Model<double>>)
    add(
        "inertia changed",
        [](L& loop, Given& x) {
          forward_kinematics<double>(loop.robot, loop.data, x[0], x[1]);
          loop.robot.set_inertia(loop.robot.bodies().back(), ball(3.0));
        },
        reuse);
  add(
      "other Data", [=](L& loop, Given&) { loop.data = DataOf<R>(other); }, complete);
  add(
      "other robot", [=](L& loop, Given&) { loop.robot = other, loop.data = DataOf<R>(other); }, complete);
  add(
      "moved from", [](L& loop, Given&) { const auto kept = std::move(loop.data); }, complete);
  add(
      "moved from", [](L& loop, Given&) { const auto kept = std::move(loop.robot); }, complete);
  if constexpr (std::is_class_v<decltype(L::controller)>)
    add(
        "moved from",
        [=](L& loop, Given& x) {
          complete(loop, x);
          const auto kept = std::move(loop.controller);
        },
        complete);
  if (has_time)
    for (const double time : {0.0, -1e-3, 1.0})
      add(
          "time 0, -1 ms, 1 s", [time](L&, Given& x) { x.back()[0] = time; }, complete);
  return s;
}

template <class R>
void check(const std::string& heading, const R& robot, const R& other, const Vectord& q, Eigen::Index quaternion) {
  const int n = robot.nv();
  const Vectord k = Vectord::Ones(n), x = 0.1 * k, time = Vectord::Constant(1, 1e-3);
  BadInput table(
      {"no pass", "inertia changed", "other Data", "other robot", "moved from", "time 0, -1 ms, 1 s", "gain NaN, 0"});
  const auto add = [&](const std::string& name, const Given& arguments, const auto& make, const auto& complete,
                       const auto& reuse, bool has_time) {
    Subject s = subject(name, robot, other, arguments, make(k), complete, reuse, has_time);
    s.quaternion = quaternion;
    for (const double gain : {std::nan(""), 0.0}) {
      if (name == "step") continue;
      Vectord bad = k;
      bad[n - 1] = gain;
      s.others.emplace_back("gain NaN, 0", [&, bad]() -> Function {
        make(bad)(robot);
        return [](const Given& given) { return given[0]; };
      });
    }
    table.add(s);
  };
  // Classes that follow a motion take q, v, q_d, v_d, a_d.
  const auto tracks = [&]<class Controller>(const std::string& name, std::type_identity<Controller>) {
    add(
        name, {q, x, q, x, x},
        [](const Vectord& gain) {
          return [gain](const R& r) { return Controller(r, {Vectord::Ones(gain.size()), gain}); };
        },
        [](auto& l, const Given& g) -> Vectord {
          return l.controller.update(l.robot, l.data, g[0], g[1], g[2], g[3], g[4]);
        },
        [](auto& l, const Given& g) -> Vectord { return l.controller.update(l.robot, l.data, g[2], g[3], g[4]); },
        false);
  };
  tracks("SlotineLi", std::type_identity<SlotineLi<double>>());
  tracks("PDPlus", std::type_identity<PDPlus<double>>());
  tracks("ComputedTorque", std::type_identity<ComputedTorque<double>>());
  add(
      "AdaptiveSlotineLi", {q, x, q, x, x, time},
      [](const Vectord& gain) {
        return [gain](const R& r) {
          return AdaptiveSlotineLi<double>(r, {Vectord::Ones(gain.size()), gain},
                                           {.parameters = Vectord::Ones(std::ssize(r.tree().bodies()))});
        };
      },
      [](auto& l, const Given& g) -> Vectord {
        return l.controller.update(l.robot, l.data, g[0], g[1], g[2], g[3], g[4], g[5][0]);
      },
      [](auto& l, const Given& g) -> Vectord {
        return l.controller.update(l.robot, l.data, g[2], g[3], g[4], g[5][0]);
      },
      true);
  // Classes that observe take q, v, tau, and a duration.
  add(
      "MomentumObserver", {q, x, x, time},
      [](const Vectord& gain) { return [gain](const R& r) { return MomentumObserver<double>(r, gain); }; },
      [](auto& l, const Given& g) -> Vectord {
        return l.controller.update(l.robot, l.data, g[0], g[1], g[2], g[3][0]);
      },
      [](auto& l, const Given& g) -> Vectord { return l.controller.update(l.robot, l.data, g[2], g[3][0]); }, true);
  add(
      "FilteredRegressors", {q, x, x, time},
      [n](const Vectord& gain) { return [gain, n](const R& r) { return FilteredRegressors<double>(r, gain[n - 1]); }; },
      [](auto& l, const Given& g) -> Vectord {
        l.controller.update(l.robot, l.data, g[0], g[1], g[2], g[3][0]);
        return l.controller.W().reshaped();
      },
      [](auto& l, const Given& g) -> Vectord {
        l.controller.update(l.robot, l.data, g[2], g[3][0]);
        return l.controller.W().reshaped();
      },
      true);
  add(
      "OperationalSpace", {q, x, x},
      [n](const Vectord& gain) {
        return [gain, n](const R& r) { return OperationalSpace<double>(r, {}, gain[n - 1] == 1 ? 1e-6 : gain[n - 1]); };
      },
      [](auto& l, const Given& g) -> Vectord {
        forward_kinematics<double>(l.robot, l.data, g[0], g[1]);
        return l.controller.update(l.robot, l.data, {}, g[2]);
      },
      [](auto& l, const Given& g) -> Vectord { return l.controller.update(l.robot, l.data, {}, g[2]); }, false);
  const auto found = [](const Collision& c) { return Vectord::Constant(1, double(c.joints.size())).eval(); };
  // The detector watches the observer in the same loop.
  struct Both {
    MomentumObserver<double> observer;
    CollisionDetector<double> detector;
  };
  add(
      "CollisionDetector", {q, x, x, time},
      [k](const Vectord& gain) {
        return [gain, k](const R& r) {
          return Both{MomentumObserver<double>(r, k), CollisionDetector<double>(r, {gain, k}, k)};
        };
      },
      [found](auto& l, const Given& g) -> Vectord {
        l.controller.observer.update(l.robot, l.data, g[0], g[1], g[2], g[3][0]);
        return found(l.controller.detector.detect(l.robot, l.data, l.controller.observer));
      },
      [found](auto& l, const Given& g) -> Vectord {
        l.controller.observer.update(l.robot, l.data, g[2], g[3][0]);
        return found(l.controller.detector.detect(l.robot, l.data, l.controller.observer));
      },
      true);
  // step has no state of its own: the state is that of the plant, and the loop gives the time.
  add(
      "step", {q, x, x, time}, [](const Vectord&) { return [](const R&) { return 0; }; },
      [](auto& l, const Given& g) -> Vectord {
        Vectord q0 = g[0], v0 = g[1];
        step<double>(l.robot, l.data, q0, v0, g[2], g[3][0]);
        return q0;
      },
      [](auto& l, const Given& g) -> Vectord {
        Vectord q0 = g[0], v0 = g[1];
        step<double>(l.robot, l.data, q0, v0, g[2], g[3][0]);
        return q0;
      },
      true);
  for (const std::string& name : table.subjects()) {
    CAPTURE(name);
    CHECK(table.at(name, "wrong size") == "SizeError");
    // A number that is not finite never enters a torque, nor the state of a controller.
    CHECK(table.at(name, "NaN, inf") == "Error");
    CHECK(table.at(name, "denormal") == "works");
    for (const std::string& column : table.columns()) {
      CAPTURE(column);
      CHECK(table.at(name, column).find("shows") == std::string::npos);
      CHECK(table.at(name, column).find("stays") == std::string::npos);
      CHECK(table.at(name, column).find("another") == std::string::npos);
    }
  }
  write_page(heading, table.markdown());
  CHECK(table.markdown() == table_of_page(heading));
}

TEST_CASE("controllers and observers do with bad input what their tables say", "[control][bad_input]") {
  std::mt19937 generator(1);
  const auto arm = zoo::random_tree(9, {.bodies = 4, .floating_base = true, .passive = true});
  const auto same_size = zoo::random_tree(9, {.bodies = 4, .floating_base = true, .passive = true});
  check("Controllers and observers of a tree", arm, same_size, random_configuration(arm, generator), 3);
  ModelBuilder<double> base("base");
  base.add_body({.name = "base", .joint = joint::FreeFlyer(), .inertia = ball(3.0)});
  const auto flying = attach(base.build(), "base", zoo::four_bar_leg<double>());
  const Mechanism<double> leg(flying), other(flying);
  check("Controllers and observers of a mechanism", leg, other, neutral(leg.tree()), 3);
}

}  // namespace bad_input_test
