#include <limits>

#include "corio/batch/pack.hpp"
#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/step.hpp"
#include "loops/mechanism_table.hpp"
#include "support/catch.hpp"

// Configurations in which the loops of a mechanism are open.

namespace loops_test {
namespace open_loops {

/// Returns the linkage of Closed(0), open by some amount.
VectorXd open(const Closed& s, double by) {
  VectorXd q = s.q;
  q[1] += by;
  return q;
}

/// A rotor that turns twice as fast as an arm, and in the other direction.
Model<double> geared() {
  ModelBuilder<double> builder("geared");
  const InertialParameters<double> inertia(1.0, {0.1, 0.2, 0.3}, 0.5 * Matrix3<double>::Identity());
  builder.add_body({.name = "arm", .joint = joint::Revolute({0, 1, 0}), .inertia = inertia});
  builder.add_body({.name = "rotor", .parent = "arm", .joint = joint::Revolute({0, 1, 0}), .inertia = inertia});
  builder.couple("gear", {{"rotor_joint", 1.0}, {"arm_joint", 2.0}}, 0.0, {"rotor_joint"});
  return builder.build();
}

}  // namespace open_loops

TEST_CASE("every function of a mechanism refuses open loops by name and gap", "[loops][errors]") {
  for (const auto& f : contracts::table()) {
    CAPTURE(f.name);
    Closed s(0);
    auto x = contracts::arguments(s, 31);
    x.q = open_loops::open(s, 0.1);
    CHECK(mentions(message_of<StateError>([&] { f.complete(s, x); }), {"loop 'pin'", "'four-bar'", "open by 0.0"}));
    // The second form has no state either.
    CHECK_THROWS_AS(f.reuse(s, x), StateError);
    x.q = s.q;
    CHECK_NOTHROW(f.complete(s, x));
  }
}

TEST_CASE("the gap is what assemble says that it could not close", "[loops][errors]") {
  Closed s(0);
  VectorXd far = s.q;
  far[0] = 0.0, far[1] = 2.5;
  // The coupler alone cannot reach the rocker's tip, because the rocker is held as well.
  const auto stuck = assemble<double>(s.model, s.data.tree, s.loops, far, {0, 2});
  REQUIRE_FALSE(stuck.closed);
  const std::string message = message_of<StateError>([&] { rnea<double>(s.mechanism, s.data, stuck.q, s.y, s.y); });
  CHECK(mentions(message, {"'" + stuck.worst + "'", detail::number(stuck.residual), "assemble"}));
}

TEST_CASE("how far loops may be open can be chosen", "[loops][errors]") {
  Closed s(0);
  const VectorXd near = open_loops::open(s, 1e-7), far = open_loops::open(s, 1e-3);
  CHECK_NOTHROW(rnea<double>(s.mechanism, s.data, near, s.y, s.y));
  CHECK_THROWS_AS(rnea<double>(s.mechanism, s.data, far, s.y, s.y), StateError);
  Mechanism<double> loose = s.mechanism;
  loose.set_closing_tolerance(0.01);
  MechanismData<double> data(loose);
  const VectorXd tau = rnea<double>(loose, data, far, s.y, s.y);
  CHECK((tau - rnea<double>(s.mechanism, s.data, s.q, s.y, s.y)).norm() < 0.1 * tau.norm());
  loose.set_closing_tolerance(std::numeric_limits<double>::infinity());
  CHECK(loose.cast<float>().closing_tolerance() == std::numeric_limits<double>::infinity());
  CHECK(s.mechanism.cast<float>().closing_tolerance() > 1e-3);
  loose.set_closing_tolerance(s.mechanism.closing_tolerance());  // sets the default of double explicitly
  CHECK(loose.cast<float>().closing_tolerance() == s.mechanism.closing_tolerance());
  for (const double bad : {-1.0, std::nan("")}) CHECK_THROWS_AS(loose.set_closing_tolerance(bad), Error);
}

TEST_CASE("couplings, senses of axes and idle conditions are judged as well", "[loops][errors]") {
  const Mechanism<double> geared(open_loops::geared());
  MechanismData<double> data(geared);
  const Eigen::Vector2d q(0.3, -0.6), off(0.3, -0.5);
  const VectorXd y = VectorXd::Ones(1);
  CHECK_NOTHROW(rnea<double>(geared, data, q, y, y));
  CHECK(mentions(message_of<StateError>([&] { rnea<double>(geared, data, off, y, y); }), {"'gear'", "0.1"}));

  // The pin is 2 cm beside its hole, out of the plane in which the linkage moves.
  const auto beside = four_bar(0.3, 0.9, 0.7, 0.8, 0.02);
  Loops<double> loops(beside);
  loops.close("pin", beside.frame("coupler_tip"), beside.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
  Closed s(0);
  const Mechanism<double> linkage(beside, loops, {"crank_joint"});
  MechanismData<double> of_linkage(linkage);
  CHECK(mentions(message_of<StateError>([&] { rnea<double>(linkage, of_linkage, s.q, y, y); }), {"'pin'", "0.02"}));
}

TEST_CASE("a state of a pack in which loops are open is NaN, and the others are as alone", "[loops][errors]") {
  using P = corio::Pack<double, 4>;
  const auto compare = [](const Mechanism<double>& mechanism, const VectorXd& closed, const VectorXd& open) {
    const Mechanism<P> packed = mechanism.cast<P>();
    MechanismData<P> data(packed);
    MechanismData<double> alone(mechanism);
    const VectorXd y = VectorXd::Ones(mechanism.nv());
    const VectorXd expected = rnea<double>(mechanism, alone, closed, y, y);
    VectorX<P> q(closed.size()), speeds(mechanism.nv());
    speeds.setConstant(P(1));
    for (int lane_of_open : {0, 2, -1}) {
      for (int lane = 0; lane < 4; ++lane)
        for (Eigen::Index i = 0; i < q.size(); ++i) q[i].set(lane, lane == lane_of_open ? open[i] : closed[i]);
      const VectorX<P> tau = rnea<P>(packed, data, q, speeds, speeds);
      for (int lane = 0; lane < 4; ++lane)
        for (Eigen::Index k = 0; k < tau.size(); ++k) {
          CAPTURE(lane_of_open, lane, k);
          if (lane == lane_of_open)
            CHECK(std::isnan(tau[k][lane]));
          else
            CHECK(std::abs(tau[k][lane] - expected[k]) < bound * (1 + std::abs(expected[k])));
        }
    }
  };
  Closed s(0);
  compare(s.mechanism, s.q, open_loops::open(s, 0.01));
  compare(Mechanism<double>(open_loops::geared()), Eigen::Vector2d(0.3, -0.6), Eigen::Vector2d(0.3, -0.5));
}

TEST_CASE("a step from an open configuration is refused and changes nothing", "[loops][errors]") {
  Closed s(0);
  VectorXd q = open_loops::open(s, 0.01), y = s.y;
  const VectorXd q_before = q, y_before = y;
  CHECK(mentions(message_of<StateError>([&] { step<double>(s.mechanism, s.data, q, y, y, 1e-3); }), {"'pin'"}));
  CHECK(q == q_before);
  CHECK(y == y_before);
  // The step's own stages are open by far more than the tolerance.
  q = s.q, y.setConstant(20.0);
  CHECK_NOTHROW(step<double>(s.mechanism, s.data, q, y, VectorXd::Zero(y.size()), 5e-3));
}

TEST_CASE("forces of loops are not taken for forces on the joints", "[loops][errors]") {
  const auto takes = [](const auto& forces) {
    return requires(const Model<double>& m, Data<double>& d, const Loops<double>& l) {
      constrained_forward_dynamics_derivatives<double>(m, d, l, forces);
    };
  };
  CHECK_FALSE(takes(VectorXd()));
  CHECK(takes(LoopForces<double>{VectorXd()}));
}

TEST_CASE("loops that are open farther than squares of numbers go are open", "[loops][errors]") {
  ModelBuilder<double> builder("sliders");
  for (const char* name : {"left", "right"})
    builder.add_body({.name = name, .joint = joint::Prismatic::x(), .inertia = ball(1.0)});
  builder.close_loop("pin", "left", "right", closure::Point{}, {"right_joint"});
  const auto model = builder.build();
  Data<double> data(model);
  const Eigen::Vector2d q(1e200, -1e200);
  CHECK(!assemble<double>(model, data, Loops<double>(model), q, {0, 1}).closed);
  const Mechanism<double> mechanism(model);
  MechanismData<double> of_mechanism(mechanism);
  CHECK_THROWS_AS(forward_kinematics<double>(mechanism, of_mechanism, q), StateError);
}

}  // namespace loops_test
