#include <iostream>

#include "corio/algorithms/coriolis/jacobian_form.hpp"
#include "corio/codegen/recording.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "corio/joints/composite.hpp"
#include "corio/kinematics/complex_step.hpp"
#include "corio/kinematics/taylor_motion.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/model/body_selection.hpp"
#include "corio/model/edit_maps.hpp"
#include "model/edit_support.hpp"
#include "support/catch.hpp"
#include "support/guide.hpp"

// The code in the comments of headers, as it stands there, on robots that have what it names.

namespace snippets_test {

using namespace corio;
using corio::test::ball;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A chain of hinges with everything that a joint can have, and a frame on each body.
Model<double> chain(const std::vector<std::string>& bodies, const std::vector<std::string>& joints,
                    const std::vector<std::string>& frames = {}) {
  ModelBuilder<double> builder;
  Parent parent;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    builder.add_body({.name = bodies[i],
                      .parent = parent,
                      .joint = joint::Revolute::y(),
                      .placement = {identity3<double>(), {0.1, 0, 0.2}},
                      .inertia = ball(),
                      .joint_name = joints[i],
                      .armature = {0.1},
                      .limits = edit_test::some_limits(1, 1),
                      .safety = edit_test::some_safety(1, 1),
                      .passive = {{1}, {2}, {3}, {0.4}}});
    parent = bodies[i];
    if (i < frames.size()) builder.add_frame(frames[i], bodies[i]);
  }
  return builder.build();
}

TEST_CASE("models: the code in comments", "[model][usage]") {
  const auto robot =
      chain({"upper arm", "forearm", "hand", "left_finger", "right_finger"}, {"a", "b", "c", "d", "ball"});
  SECTION("a builder") {
    const Vector3<double> com(0.1, 0, 0);
    const Matrix3<double> inertia = identity3<double>();
    corio::ModelBuilder<double> builder("pendulum");
    builder.add_body({.name = "rod", .joint = corio::joint::Revolute::y(), .inertia = {1.0, com, inertia}});
    const corio::Model<double> model = builder.build();
    CHECK(model.nv() == 1);
  }
  SECTION("loops of a builder") {
    auto builder = to_builder(chain({"crank", "rod", "rotor", "gear"}, {"crank_joint", "rod_joint", "motor", "link"},
                                    {"shank_pin", "rod_tip"}));
    builder.close_loop("knee", "rod_tip", "shank_pin", corio::closure::Revolute{{0, 1, 0}}, {"rod_joint"});
    builder.couple("gear", {{"motor", 1.0}, {"link", -100.0}}, 0.0, {"motor"});  // motor = 100 link
    CHECK(builder.build().loops().size() == 2);
  }
  SECTION("a builder of a model") {
    const auto& model = robot;
    auto builder = corio::to_builder(model);
    builder.body("forearm").joint = corio::joint::Universal();
    const auto changed = builder.build();
    CHECK(changed.nv() == 6);
    CHECK(changed.notes().size() == model.notes().size() + 1);
  }
  SECTION("maps of indices") {
    const auto& arm = robot;
    const auto locked = lock_joints(arm, {"b"}, neutral(arm));
    const VectorXd v_of_arm = VectorXd::LinSpaced(5, 1, 5), zeros = VectorXd::Zero(4);
    const auto maps = corio::index_maps(arm, locked);
    const Eigen::VectorXd v = corio::remap(maps.v, v_of_arm, zeros);
    CHECK(v == Eigen::Vector4d(1, 3, 4, 5));
  }
  SECTION("another joint") {
    const auto& model = robot;
    const auto still = corio::replace_joint(model, "ball", corio::joint::Universal({1, 0, 0}, {0, 1, 0}));
    CHECK(still.nv() == 6);
  }
  SECTION("another base") {
    const auto& model = robot;
    const auto on_wall = corio::with_base(model, {corio::rotation_rpy(0.0, 1.57, 0.0), {0, 0, 1.2}});
    CHECK(on_wall.nv() == model.nv());
  }
  SECTION("a selection of bodies") {
    const auto& model = robot;
    const BodySelection payload(model, {"hand", "left_finger", "right_finger"});
    MatrixXd Y(model.nv(), payload.num_parameters(model));
    CHECK(Y.cols() == 30);
  }
  SECTION("conversions") {
    const auto& model = robot;
    const corio::interop::Conversion to_mujoco(model, corio::interop::mujoco);
    CHECK(to_mujoco.q_to(VectorXd::Ones(5)) == VectorXd::Ones(5));
  }
  SECTION("a composite joint") {
    joint::Composite<> leg{joint::Prismatic::z(), joint::Universal(), joint::Revolute::x()};
    CHECK(joint::JointSpec<double>(leg).nv() == 4);
  }
}

TEST_CASE("loops and mechanisms: the code in comments", "[model][usage]") {
  SECTION("loops") {
    const auto model = chain({"1", "2", "3", "4"}, {"motor", "link", "shaft", "lifter"}, {"shank_pin", "rod_tip"});
    corio::Loops<double> loops(model);
    loops.close("knee", model.frame("rod_tip"), model.frame("shank_pin"), corio::closure::Revolute{{0, 1, 0}});
    loops.couple("gear", {{"motor", 1.0}, {"link", -100.0}});  // motor = 100 link
    loops.relate("cam", {"shaft", "lifter"}, [](const auto& x) { return x[1] - 0.01 * cos(x[0]); });
    CHECK(loops.rows() == 7);
  }
  SECTION("mechanisms") {
    const auto model = chain({"1", "2", "3"}, {"hip", "knee_motor", "knee"});
    Loops<double> loops(model);
    loops.couple("belt", {{"knee", 1.0}, {"knee_motor", -1.0}});
    const VectorXd q = VectorXd::Zero(3), y = VectorXd::Zero(2), ydot = VectorXd::Zero(2);
    const corio::Mechanism leg(model, loops, {"hip", "knee_motor"});
    corio::MechanismData data(leg);
    const auto& tau = corio::rnea(leg, data, q, y, ydot);  // forces of hip and knee motor
    CHECK(tau.size() == 2);
  }
}

TEST_CASE("algorithms: the code in comments", "[model][usage]") {
  const auto model = chain({"1", "2", "3"}, {"a", "b", "c"});
  Data<double> data(model);
  const VectorXd q = VectorXd::LinSpaced(3, 0.1, 0.3), v = VectorXd::Ones(3), a = v;
  const auto my_B = [](const Motion<double>& V, const Inertia<double>& I) -> Matrix6<double> {
    return factorization::Christoffel{}(V, I);
  };
  const MatrixXd C_of_model = coriolis_matrix(model, data, q, v).C, zero = MatrixXd::Zero(3, 3);
  SECTION("memory") {
    corio::reserve<corio::algorithm::Rnea, corio::algorithm::Aba>(model, data);
    CHECK(rnea(model, data, q, v, a).size() == 3);
  }
  SECTION("factorizations") {
    coriolis_matrix(model, data, q, v);                        // Christoffel
    coriolis_matrix<factorization::Plain>(model, data, q, v);  // another factorization
    coriolis_matrix(model, data, q, v, my_B);                  // your own
    CHECK(test::relative_error(coriolis_matrix(model, data, q, v, my_B).C, C_of_model) < 1e-12);
  }
  SECTION("rates of factorizations") {
    coriolis_matrix_dot(model, data, q, v, a);                        // Christoffel
    coriolis_matrix_dot<factorization::Plain>(model, data, q, v, a);  // another factorization
    coriolis_matrix_dot(model, data, q, v, a, my_B);                  // your own
    const MatrixXd Cdot = coriolis_matrix_dot(model, data, q, v, a).Cdot;
    CHECK(test::relative_error(coriolis_matrix_dot(model, data, q, v, a, my_B).Cdot, Cdot) < 1e-12);
  }
  SECTION("bodies one by one") {
    MatrixXd J(6, 3), Jdot(6, 3), M = zero, C = zero;
    for (const Body<double>& body : model.bodies()) {
      body_jacobian(model, data, body, J), body_jacobian_dot(model, data, body, Jdot);
      add_jacobian_form(ReferenceFrame::body, Inertia<double>(model.inertia(body)), v, J, Jdot, M, C);
    }
    CHECK(test::relative_error(C, C_of_model) < 1e-12);
  }
  SECTION("tasks") {
    MatrixXd J(6, 3), Jdot(6, 3);
    const auto& hand = model.body("3");
    body_jacobian(model, data, hand, J), body_jacobian_dot(model, data, hand, Jdot);
    const auto& [Lambda, mu, Jbar, N, coriolis_force, p, rank] = operational_space_dynamics(model, data, J, Jdot);
    CHECK((Lambda.rows() == 6 && mu.rows() == 6 && Jbar.rows() == 3 && N.rows() == 3));
    CHECK((coriolis_force.size() == 6 && p.size() == 6 && rank == 3));
  }
}

TEST_CASE("code in the comments of external forces", "[model][usage]") {
  const auto model = chain({"1", "2", "3"}, {"a", "b", "c"}, {"shoulder", "elbow", "tool0"});
  Data<double> data(model);
  const Vector3<double> moment(0, 0, 0), force(1, 2, 3);
  ExternalForce<double> load{{model.frame("tool0"), ReferenceFrame::world_aligned, {0, 0, 0.1}}, {moment, force}};
  const VectorXd q = VectorXd::Constant(3, 0.2), none = VectorXd::Zero(3);
  MatrixXd J(6, 3);
  forward_kinematics(model, data, q);
  body_jacobian(model, data, {model.frame("tool0"), ReferenceFrame::world_aligned, {0, 0, 0.1}}, J);
  const VectorXd free = rnea(model, data, q, none, none);
  CHECK(test::relative_error(VectorXd(free - rnea(model, data, q, none, none, {load})),
                             VectorXd(J.bottomRows(3).transpose() * force)) < 1e-13);
}

TEST_CASE("code in the comments of inverse kinematics", "[model][usage]") {
  const auto model = chain({"1", "2", "3"}, {"a", "b", "c"}, {"shoulder", "elbow", "tool0"});
  Data<double> data(model);
  const VectorXd q = VectorXd::Constant(3, 0.2), near = VectorXd::Constant(3, 0.3);
  forward_kinematics(model, data, near);
  const Pose<double> pose = body_pose(model, data, model.frame("tool0"));
  const auto found = inverse_kinematics<double>(model, data, {{model.frame("tool0"), pose}}, q);
  if (!found.reached) std::cerr << found.worst << " is off by " << found.residual << '\n';
  CHECK(found.reached);
}

TEST_CASE("code in the comments of mechanisms", "[model][usage]") {
  auto builder = to_builder(chain({"upper_arm", "forearm"}, {"shoulder", "elbow"}));
  builder.add_rotor({.joint = "elbow", .inertia = 2e-5, .ratio = 100.0});
  const Mechanism<double> leg(builder.build());
  CHECK(leg.nv() == 2);
  VectorXd q = VectorXd::Zero(3);
  const VectorXd none = VectorXd::Zero(2);
  {
    const VectorXd y = VectorXd::Ones(2);
    corio::ComplexStep step(leg);
    const auto C = [](const auto& robot, auto& work, const auto& q_c, const auto& y_c) {
      return corio::coriolis_matrix(robot, work, q_c, y_c).C;
    };
    const MatrixXd dC = step.along_q(q, y, 1, C);
    CHECK((dC.rows() == 2 && dC.cols() == 2));
  }
  Mechanism<double> crank = leg;
  MechanismData<double> data(crank);
  VectorXd y = VectorXd::Ones(2);
  const double dt = 1e-3;
  try {
    corio::step(crank, data, q, y, none, dt);
  } catch (const corio::ModelError&) {
    y = corio::change_speeds(crank, data, q, y);
  }
  CHECK(y.size() == 2);
}

TEST_CASE("other scalars: the code in comments", "[model][usage]") {
  const auto model = chain({"upper_arm", "forearm"}, {"shoulder", "elbow"});
  SECTION("a power series in time") {
    const VectorXd q = VectorXd::Ones(2), v = q, a = 2 * q, jerk = 3 * q, snap = 4 * q;
    using T = corio::Taylor<double, 3>;
    const auto series = model.cast<T>();
    corio::Data<T> data(series);
    const std::vector<VectorXd> rates{v, a, jerk, snap};
    const auto motion = corio::taylor_motion(series, data, q, std::span(rates));
    const corio::VectorX<T> tau = corio::rnea(series, data, motion.q, motion.v, motion.a);
    const double tau_dot = tau[0].derivative(1), tau_ddot = tau[0].derivative(2);
    CHECK((std::isfinite(tau_dot) && std::isfinite(tau_ddot)));
  }
  SECTION("a recording") {
    codegen::Recording f("power");
    const auto q = f.input("q", model.nq()), v = f.input("v", model.nv()), tau = f.input("tau", model.nv());
    const auto robot = model.cast<codegen::Recorded>();
    Data<codegen::Recorded> data(robot);
    f.output("a", aba(robot, data, q, v, tau));
    f.output("power", tau.dot(v));
    CHECK(f.outputs().size() == 2);
  }
}

TEST_CASE("all code in the comments of headers is in a test", "[model][usage]") {
  CHECK(corio::test::check_snippets("include/corio", "tests/model/snippets_test.cpp", "/corio/io/") == 24);
}

}  // namespace snippets_test
