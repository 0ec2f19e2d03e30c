#include <iostream>

#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"
#include "guide/pages_support.hpp"

// The code of the pages in include/corio/guide, line by line, in a folder with the robots that they name.

namespace guide_test {

TEST_CASE("the page of robots", "[guide]") {
  const Folder folder;
  std::stringstream shown;
  std::streambuf* const before = std::cout.rdbuf(shown.rdbuf());
  const auto model = corio::urdf::load("robot.urdf");
  std::cout << corio::describe(model);  // tree, inertias, limits, notes on the file
  const VectorXd q = corio::neutral(model);
  const VectorXd moved = corio::integrate(model, q, VectorXd::Constant(model.nv(), 0.1));
  const VectorXd way = corio::difference(model, q, moved);  // the step of 0.1 again
  std::cout.rdbuf(before);
  CHECK(shown.str().find("elbow") != std::string::npos);
  CHECK(same(way, VectorXd::Constant(model.nv(), 0.1)));
}

TEST_CASE_METHOD(Given, "the page of motions", "[guide]") {
  const auto& tool = model.frame("tool0");
  corio::forward_kinematics(model, data, q, v, a);
  const corio::Pose<double> X = corio::body_pose(model, data, tool);        // X.rotation, X.translation
  const corio::Motion<double> V = corio::body_velocity(model, data, tool);  // .angular, .linear, in its own axes
  const corio::Vector3<double> com = corio::center_of_mass(model, data);
  const corio::Force<double> momentum = corio::centroidal_momentum(model, data);  // .moment, .force
  CHECK(X.rotation.isUnitary(rounding));
  MatrixXd J(6, model.nv());
  corio::body_jacobian(model, data, tool, J);
  CHECK(same(J * v, V.vector()));
  CHECK(same(com, corio::center_of_mass<double>(model, data)));
  CHECK(same(momentum.vector(), corio::centroidal_momentum_matrix<double>(model, data) * v));
}

TEST_CASE_METHOD(Given, "the page of torques and accelerations", "[guide]") {
  const VectorXd tau = corio::rnea(model, data, q, v, a);
  const corio::Force<double> push{{0, 0, 0}, {0, 0, -10}};  // 10 N downwards at the tool
  const corio::ExternalForce<double> load{{model.frame("tool0"), corio::ReferenceFrame::world_aligned}, push};
  const VectorXd with_load = corio::rnea(model, data, q, v, a, {load});
  const VectorXd again = corio::aba(model, data, q, v, with_load, {load});  // a
  VectorXd q_next = q, v_next = v;
  corio::step(model, data, q_next, v_next, tau, 1e-3);  // integrates over a millisecond
  CHECK(same(again, a));
  MatrixXd J(6, model.nv());
  corio::forward_kinematics(model, data, q);
  corio::body_jacobian(model, data, {model.frame("tool0"), corio::ReferenceFrame::world_aligned}, J);
  CHECK(same(with_load, tau - J.transpose() * push.vector()));
  CHECK((v_next - v - 1e-3 * a).norm() < 1e-3);  // second order: squares of 1e-3 times some hundred
}

TEST_CASE_METHOD(Given, "the page of matrices", "[guide]") {
  const VectorXd tau = corio::rnea(model, data, q, v, a);
  const auto& [C, M, Mdot] = corio::coriolis_matrix(model, data, q, v);                  // Mdot = C + C^T
  const VectorXd x = corio::mass_matrix_inverse_product(model, data, tau);               // M^-1 tau, without M^-1
  const VectorXd by_observer = corio::coriolis_transpose_product(model, data, q, v, v);  // C^T v
  CHECK(same(M * x, tau));
  CHECK(same(by_observer, C.transpose() * v));
  CHECK((Mdot - C - C.transpose()).norm() < rounding);
}

TEST_CASE_METHOD(Given, "the page of derivatives", "[guide]") {
  const VectorXd tau = corio::rnea(model, data, q, v, a);
  const VectorXd dq = 1e-6 * v, dv = 1e-6 * a, da = 1e-6 * q;
  const auto& [dtau_dq, dtau_dv, M] = corio::inverse_dynamics_derivatives(model, data, q, v, a);
  const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(model, data, q, v, tau);
  const VectorXd change = dtau_dq * dq + dtau_dv * dv + M * da;  // of rnea, to first order
  const VectorXd moved = corio::rnea(model, data, q + dq, v + dv, a + da);
  CHECK((moved - tau - change).norm() < 1e-9);  // second order: some hundred times the square of 3e-6
  CHECK(same(da_dq * dq, -(da_dtau * (dtau_dq * dq))));
}

TEST_CASE_METHOD(Given, "the page of geometry", "[guide]") {
  corio::ChristoffelTensor<double> Gamma(model);
  corio::christoffel_symbols(model, data, q, Gamma);
  MatrixXd C(model.nv(), model.nv());
  Gamma.contract(v, C);  // C(i,j) = sum_k Gamma(i,j,k) v_k: the C of coriolis_matrix
  const double symbol = Gamma(0, 1, 2);
  CHECK((C - corio::coriolis_matrix(model, data, q, v).C).norm() < rounding);
  CHECK(symbol == Gamma(0, 1, 2));
}

TEST_CASE_METHOD(Given, "the page of identification", "[guide]") {
  const VectorXd pi = corio::inertial_parameters(model);
  MatrixXd Y(model.nv(), corio::num_inertial_parameters(model));
  corio::inverse_dynamics_regressor(model, data, q, v, a, Y);
  const VectorXd tau = Y * pi;  // the result of rnea minus armature times a
  const corio::BaseParameters<double> base(Y);
  const VectorXd expected = corio::rnea(model, data, q, v, a);
  CHECK(same(tau, expected - model.armature().cwiseProduct(a)));
  CHECK(base.size() == model.nv());
}

TEST_CASE("the page of projects", "[guide]") {
  const Folder folder;
  const Eigen::Vector3d com(0, 0, 0.1);
  const Matrix3d inertia = 1e-3 * Matrix3d::Identity();
  auto arm = corio::urdf::load("arm.urdf");  // #include <corio/io/urdf.hpp>
  auto walker = corio::urdf::load("walker.urdf", corio::joint::FreeFlyer{});
  auto ant = corio::mjcf::load("ant.xml");   // #include <corio/io/mjcf.hpp>
  int elbow = arm.joint("elbow").v_index();  // joints and bodies are addressed by name
  const VectorXd q = VectorXd::Zero(arm.nv());
  auto held =
      corio::lock_joints(arm, {"wrist_pitch"}, q);  // where they are at q; the bodies that they carried become frames
  auto both = corio::attach(held, "tool0", corio::urdf::load("gripper.urdf"), "left_");  // with a prefix for its names
  auto loaded = corio::with_payload(both, "left_palm", {0.5, com, inertia});
  auto limp = corio::replace_joint(arm, "wrist_pitch", corio::joint::Spherical());  // another joint in its place
  auto maps = corio::index_maps(arm, loaded);  // indices of the new q and v in the old ones
  const auto& model = arm;
  corio::Data data(model);
  corio::reserve<corio::algorithm::Rnea, corio::algorithm::Aba>(model, data);  // these two
  corio::reserve_all(model, data);                                             // every algorithm of corio.hpp
  {
    arm.set_damping(VectorXd::Constant(arm.nv(), 2));
    const VectorXd v = VectorXd::LinSpaced(arm.nv(), -1, 2), a = VectorXd::LinSpaced(arm.nv(), 3, -1);
    corio::forward_kinematics(model, data, q, -v);
    VectorXd motors = corio::rnea(model, data, q, v, a);  // a copy
    motors -= corio::passive_forces(model, data);         // after it, so at q and v
    const VectorXd moving = corio::aba(model, data, q, v, motors + corio::passive_forces(model, data, q, v));
    CHECK(same(moving, a));
    corio::forward_kinematics(model, data, q, v, a);
    CHECK(same(motors, corio::rnea(model, data) + 2 * v));
  }

  CHECK(walker.nv() == arm.nv() + 12 - 1);
  CHECK(elbow == 3);
  CHECK(limp.nv() == arm.nv() + 2);
  CHECK(ant.nv() == 1);
  CHECK(maps.v.size() == 6);
  CHECK(loaded.total_mass() == Approx(arm.total_mass() + 0.4 + 0.5));
}

TEST_CASE_METHOD(Given, "the page of conventions", "[guide]") {
  const corio::interop::Conversion to_mujoco(model, corio::interop::mujoco);  // or pinocchio, drake, idyntree, ..
  Eigen::VectorXd qpos = to_mujoco.q_to(q), qacc = to_mujoco.a_to(q, v, a), back = to_mujoco.q_from(qpos);
  const auto& [C, M, Mdot] = corio::coriolis_matrix(model, data, q, v);
  Eigen::MatrixXd C_mujoco = to_mujoco.C_to(q, v, M, C);  // Mdot_to(q, v, M, Mdot) is C_mujoco + C_mujoco^T
  CHECK((to_mujoco.Mdot_to(q, v, M, Mdot) - C_mujoco - C_mujoco.transpose()).norm() < rounding * (1 + Mdot.norm()));
  CHECK(same(back, q));
  CHECK(qacc.size() == model.nv());
}

TEST_CASE_METHOD(Given, "the page of other libraries", "[guide]") {
  MatrixXd J(6, model.nv());
  const corio::FramePoint<double> tool(model.frame("tool0"), corio::ReferenceFrame::world_aligned);
  corio::forward_kinematics(model, data, q, v, a);                                  // computeAllTerms
  const MatrixXd& M = corio::crba(model, data);                                     // data.M, both triangles
  const VectorXd& h = corio::nonlinear_effects(model, data);                        // data.nle
  const Eigen::Vector3d com = corio::center_of_mass(model, data);                   // data.com[0]
  corio::body_jacobian(model, data, tool, J);                                       // getFrameJacobian
  const MatrixXd J_linear = J.bottomRows(3);                                        // J.topRows(3)
  const auto velocity = corio::body_velocity(model, data, tool);                    // getFrameVelocity
  const auto acceleration = corio::body_classical_acceleration(model, data, tool);  // getFrameClassicalAcceleration
  MatrixXd Jdot(6, model.nv());
  corio::body_jacobian_dot(model, data, tool, Jdot);
  CHECK(same(J * a + Jdot * v, acceleration.vector()));
  CHECK(same(J_linear * v, velocity.linear));
  const VectorXd tau = M * a + h;
  CHECK(same(tau, corio::rnea<double>(model, data, q, v, a)));
  CHECK(same(com, corio::center_of_mass<double>(model, data, q)));
}

TEST_CASE("all code of the pages stands here", "[guide]") {
  for (const char* page : {"robots", "motion", "dynamics", "matrices", "derivatives", "geometry", "identification"})
    CHECK(check_blocks(std::string("include/corio/guide/") + page + ".md", "tests/guide/pages_test.cpp") == 1);
  CHECK(check_blocks("include/corio/guide/project.md", "tests/guide/pages_test.cpp") == 4);
  CHECK(check_blocks("include/corio/guide/conventions.md", "tests/guide/pages_test.cpp") == 1);
  CHECK(check_blocks("include/corio/guide/coming_from.md", "tests/guide/pages_test.cpp") == 1);
  CHECK(check_blocks("include/corio/guide/optimal_control.md", "examples/optimal_control.cpp") == 1);
  // Recipes are examples with a page.
  CHECK(check_blocks("examples/whole_body_qp/README.md", "examples/whole_body_qp.cpp") == 5);
  CHECK(check_blocks("examples/state_estimation/README.md", "examples/state_estimation.cpp") == 4);
  CHECK(check_blocks("examples/adaptation_gains/README.md", "examples/adaptation_gains.cpp") == 3);
  CHECK(check_blocks("examples/closing_loops/README.md", "examples/closing_loops.cpp") == 6);
}

}  // namespace guide_test
