#include <complex>
#include <iostream>
#include <limits>

#include "corio/control/slotine_li.hpp"
#include "corio/identification/streaming_least_squares.hpp"
#include "corio/kinematics/complex_step.hpp"
#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/model/edit.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"
#include "support/guide.hpp"

// The code of include/corio/loops/README.md, line by line, on a leg with a four-bar knee, a geared crank and a lifter.

namespace loops_guide {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The leg of the zoo before its knee is closed, with a rotor for the crank and a lifter.
corio::ModelBuilder<double> open_leg() {
  auto builder = corio::to_builder(corio::zoo::four_bar_leg());
  builder.set_loops({});
  builder.add_frame("rod_tip", "rod", {corio::identity3<double>(), {0.04, 0, -0.41}});
  builder.add_frame("shank_pin", "shank", {corio::identity3<double>(), {-0.09, 0, -0.03}});
  const corio::InertialParameters<double> small(0.1, {0, 0, 0}, 1e-4 * corio::Matrix3<double>::Identity());
  builder.add_body({.name = "rotor", .parent = "thigh", .joint = corio::joint::Revolute::y(), .inertia = small});
  builder.add_body({.name = "lifter", .parent = "thigh", .joint = corio::joint::Prismatic::z(), .inertia = small});
  return builder;
}

TEST_CASE("the guide to loops", "[loops][usage]") {
  auto builder = open_leg();
  builder.close_loop("knee", "rod_tip", "shank_pin", corio::closure::Revolute{{0, 1, 0}}, {"shank_joint", "rod_joint"});
  builder.couple("gear", {{"rotor_joint", 1.0}, {"crank_joint", -50.0}}, 0.0, {"rotor_joint"});  // rotor = 50 crank
  const corio::Model<double> model = builder.build();

  const auto cam = [](const auto& x) { return x[1] - 0.01 * cos(x[0]); };
  corio::Loops<double> loops(model);  // starts with the loops of the model
  loops.relate("cam", {"crank_joint", "lifter_joint"}, cam);

  const corio::Mechanism<double> leg(model, loops, {"trunk_joint", "thigh_joint", "crank_joint"});
  corio::MechanismData<double> data(leg);
  const auto start = corio::assemble(leg, data, corio::neutral(model));
  if (!start.closed) throw std::runtime_error("the loop " + start.worst + " stays open");
  VectorXd q = start.q;
  VectorXd y = VectorXd::Constant(leg.nv(), 0.1);  // speeds of the independent joints
  const VectorXd tau = corio::rnea(leg, data, q, y, VectorXd::Zero(leg.nv()));
  const auto& [C, M, Mdot] = corio::coriolis_matrix(leg, data);
  const double energy = corio::kinetic_energy(leg, data);
  // The knee, the rotor and the lifter follow the crank.
  CHECK(leg.nv() == 3);
  CHECK((Mdot - C - C.transpose()).norm() < 1e-12);
  CHECK(std::abs(energy - 0.5 * y.dot(M * y)) < 1e-12);

  MatrixXd J(6, leg.nv());
  corio::body_jacobian(leg, data, {model.frame("foot"), corio::ReferenceFrame::world_aligned}, J);
  corio::forward_kinematics(leg, data, q, y);
  const auto velocity =
      corio::body_velocity(model, data.tree, {model.frame("foot"), corio::ReferenceFrame::world_aligned});
  CHECK((J * y - velocity.vector()).norm() < 1e-12);

  VectorXd motors = VectorXd::Zero(model.nv()), on_speeds(leg.nv());
  motors[model.joint("shank_joint").v_index()] = 2.0;  // N m
  corio::project_forces(leg, data, motors, on_speeds);
  // They have the same power.
  CHECK(std::abs(on_speeds.dot(y) - motors.dot(data.tree.v)) < 1e-12);

  const VectorXd before = y;
  corio::step(leg, data, q, y, tau, 1e-3);
  // tau is that of the same speeds, held while the leg moves on.
  CHECK((y - before).norm() < 1e-5);

  const auto closing = corio::assemble(model, data.tree, loops, corio::neutral(model));
  if (!closing.closed) std::cout << closing.worst << " is open by " << closing.residual << '\n';
  const corio::Mechanism<double> chosen(model, loops, {"trunk_joint", "thigh_joint", "crank_joint"}, closing.q);
  std::cout << corio::describe(chosen.notes());
  CHECK(closing.closed);
  CHECK(chosen.nv() == 3);

  VectorXd moved = closing.q;
  for (int i = 0; i < 10; ++i) {
    moved[model.joint("crank_joint").q_index()] += 0.02;
    const auto next = corio::assemble(leg, data, moved);  // trunk, thigh and crank are held
    if (!next.closed) break;                              // the linkage lets the crank turn no further
    moved = next.q;
  }
  CHECK(std::abs(moved[model.joint("crank_joint").q_index()] - closing.q[model.joint("crank_joint").q_index()] - 0.2) <
        1e-9);
  CHECK_NOTHROW(corio::rnea(leg, data, moved, y, y));

  corio::Mechanism<double> measured = leg;
  measured.set_closing_tolerance(1e-3);  // m and rad: the noise of its encoders
  moved[model.joint("crank_joint").q_index()] += 5e-6;
  CHECK_THROWS_AS(corio::rnea(leg, data, moved, y, y), corio::StateError);
  corio::MechanismData<double> of_measured(measured);
  CHECK_NOTHROW(corio::rnea(measured, of_measured, moved, y, y));

  corio::SlotineLi controller(leg, {VectorXd::Constant(3, 10.0), VectorXd::Constant(3, 5.0)});
  corio::Simulation plant(leg, q, y, 1e-3);
  for (int i = 0; i < 100; ++i)
    plant.advance(controller.update(leg, data, plant.q(), plant.v(), q, VectorXd::Zero(3), VectorXd::Zero(3)));
  // Pulled back to q, at least with the work that its speeds had.
  CHECK(plant.v().norm() < y.norm());
  CHECK(controller.error().e.norm() < 0.05);

  MatrixXd Y(leg.nv(), corio::num_inertial_parameters(model)), Y_joints;
  corio::inverse_dynamics_regressor(leg, data, q, y, VectorXd::Zero(leg.nv()), Y);
  corio::joint_regressor(leg, data, Y_joints);
  corio::StreamingLeastSquares<double> stream(static_cast<int>(Y.cols() + Y_joints.cols()));
  stream.add((MatrixXd(Y.rows(), stream.columns()) << Y, Y_joints).finished(), tau);  // and likewise for other samples
  // No joint has armature: the bodies need all torque.
  CHECK((Y * corio::inertial_parameters(model) - corio::rnea(leg, data)).norm() < 1e-10);
  CHECK(stream.rows() == 3);

  const corio::Mechanism<double> other(model, loops, q);
  CHECK(other.nv() == 3);

  const corio::Model<double> spatial = loops_test::spatial_four_bar();
  const corio::Mechanism<double> crank_and_spin(spatial, {"crank_joint", "rod_joint[1]"});
  const auto still = corio::replace_joint(spatial, "rod_joint", corio::joint::Universal({2, -1, 0}, {0, 0, 1}));
  CHECK(crank_and_spin.nv() == 2);
  CHECK(corio::Mechanism<double>(still, {"crank_joint"}).nv() == 1);

  corio::forward_kinematics(leg, data, q, y);
  VectorXd effort = VectorXd::Constant(model.nv(), std::numeric_limits<double>::infinity());
  for (const int k : model.v_indices({"trunk_joint", "thigh_joint", "shank_joint"})) effort[k] = 1.0;
  const auto& drives = corio::constrained_inverse_dynamics(leg, data, q, y, VectorXd::Zero(leg.nv()), effort);
  const corio::Force<double> pin = corio::closure_force(model, data.tree, loops, "knee", drives.lambda);
  CHECK(drives.missing < 1e-9);
  CHECK(pin.force.norm() > 1.0);
  // A torque in the knee replaces the one of the crank.
  VectorXd tau_y(3);
  corio::project_forces(leg, data, drives.tau, tau_y);
  CHECK((tau_y - corio::rnea(leg, data)).norm() < 1e-9);

  using Complex = std::complex<double>;
  const corio::Model<Complex> complex_model = model.cast<Complex>();
  corio::Loops<Complex> complex_loops(complex_model);
  complex_loops.relate("cam", {"crank_joint", "lifter_joint"}, cam);
  corio::ComplexStep step(
      corio::Mechanism<Complex>(complex_model, complex_loops, {"trunk_joint", "thigh_joint", "crank_joint"}));
  const auto C_of = [](const auto& robot, auto& work, const auto& q_c, const auto& y_c) {
    return corio::coriolis_matrix(robot, work, q_c, y_c).C;
  };
  const MatrixXd dC = step.along_q(q, y, 2, C_of);
  // Differences, to h^2.
  const auto at = [&](double h) -> MatrixXd {
    corio::forward_kinematics(leg, data, q, VectorXd::Unit(leg.nv(), 2));
    const auto near = corio::assemble(leg, data, corio::integrate(model, q, h * data.tree.v));
    return corio::coriolis_matrix(leg, data, near.q, y).C;
  };
  CHECK((dC - (at(1e-5) - at(-1e-5)) / 2e-5).norm() < 1e-7 * dC.norm());
}

TEST_CASE("all code of the guide to loops is in this file", "[loops][usage]") {
  CHECK(corio::test::check_blocks("include/corio/loops/README.md", "tests/loops/guide_test.cpp") == 16);
}

}  // namespace loops_guide
