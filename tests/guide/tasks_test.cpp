#include <complex>
#include <iostream>
#include <numbers>

#include "corio/control/momentum_observer.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/corio.hpp"
#include "corio/io/urdf.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/kinematics.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/spatial/euler_rates.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "guide/pages_support.hpp"

// The code of the page of tasks, line by line.

namespace guide_test {

/// Blocks that each stand in a scope of their own: they are of different tasks.
TEST_CASE("the page of tasks", "[guide]") {
  const Folder folder;
  const auto model = corio::urdf::load("robot.urdf");  // #include <corio/io/urdf.hpp>
  corio::Data data(model);                             // one for each thread
  const VectorXd q = VectorXd::LinSpaced(model.nv(), 0.1, 0.7), v = VectorXd::LinSpaced(model.nv(), 1.0, -1.0);
  const VectorXd tau = VectorXd::LinSpaced(model.nv(), 3.0, -2.0), lambda = VectorXd::Ones(model.nv());
  {
    const VectorXd hold = corio::generalized_gravity(model, data, q);
    CHECK(same(hold, corio::rnea(model, data, q, 0 * v, 0 * v)));
  }
  {
    const corio::Pose<double> wall{corio::rotation_rpy(0.0, std::numbers::pi / 2, 0.0), {0, 0, 1.2}};
    const auto on_wall = corio::with_base(model, wall);  // z of the base is x of the world
    corio::Data wall_data(on_wall);
    const VectorXd holding = corio::generalized_gravity(on_wall, wall_data, q);
    auto tilted = model;
    tilted.set_gravity(wall.rotation.transpose() * model.gravity());
    CHECK(same(holding, corio::generalized_gravity(tilted, data, q)));
    CHECK_FALSE(same(holding, corio::generalized_gravity(model, data, q)));
    const corio::Pose<double> tool = corio::body_pose(tilted, data, tilted.frame("tool0"));
    const corio::Pose<double> in_world = corio::body_pose(on_wall, wall_data, on_wall.frame("tool0"));
    CHECK((in_world.translation - (wall * tool).translation).norm() < rounding);
    CHECK((in_world.rotation - (wall * tool).rotation).norm() < rounding);
  }
  {
    const std::string robot_description = contents("robot.urdf");
    const auto from_ros = corio::urdf::parse(robot_description);  // #include <corio/io/urdf.hpp>
    CHECK(from_ros.nv() == model.nv());
    CHECK(same(corio::inertial_parameters(from_ros), corio::inertial_parameters(model)));
  }
  {
    const corio::Pose<double> target{corio::rotation_rpy(0.0, 3.0, 0.0), {0.4, 0.2, 0.5}};
    const auto found =
        corio::inverse_kinematics(model, data, {{model.frame("tool0"), target}}, q, {.posture = q, .restarts = 10});
    if (!found.reached) std::cerr << found.worst << " is off by " << found.residual << '\n';
    CHECK(found.reached);
    CHECK((corio::body_pose<double>(model, data, model.frame("tool0")).translation - target.translation).norm() <
          1e-10);
  }
  {
    const auto& tool = model.frame("tool0");
    MatrixXd J(6, model.nv()), J_analytical(6, model.nv());
    corio::body_jacobian(model, data, q, {tool, corio::ReferenceFrame::world_aligned}, J);
    const Matrix3d R = corio::body_pose(model, data, tool).rotation;
    const Eigen::Vector3d angles = corio::joint::SphericalEuler<'z', 'y', 'x'>::configuration(R);  // yaw, pitch, roll
    const auto [E, Gamma] = corio::euler_rates<double>({2, 1, 0}, angles);  // d angles/dt = Gamma w in axes of the tool
    J_analytical << Gamma * R.transpose() * J.topRows(3), J.bottomRows(3);  // of angles, of position
    const auto angles_at = [&](const VectorXd& at) {
      const Matrix3d turned =
          corio::body_pose<double>(model, corio::forward_kinematics(model, data, at), tool).rotation;
      return Eigen::Vector3d(corio::joint::SphericalEuler<'z', 'y', 'x'>::configuration(turned));
    };
    for (int k = 0; k < model.nv(); ++k) {
      const VectorXd h = 1e-5 * VectorXd::Unit(model.nv(), k);
      const Eigen::Vector3d rate = (angles_at(q + h) - angles_at(q - h)) / 2e-5;
      // The third derivative of the angles is of the size of 10: 1e-10 / 6 of it, and rounding, 1e-16 / 1e-5.
      CHECK((rate - J_analytical.col(k).head(3)).norm() < 1e-8);
    }
    CHECK((corio::rotation_rpy(angles[2], angles[1], angles[0]) - R).norm() < rounding);
  }
  {
    MatrixXd J_position(3, model.nv());
    corio::body_position_jacobian(model, data, q, model.frame("tool0"), J_position);
    const Eigen::SelfAdjointEigenSolver<Matrix3d> ellipsoid(J_position * J_position.transpose());
    const Eigen::Vector3d radii = ellipsoid.eigenvalues().cwiseSqrt();  // of .eigenvectors(), the shortest first
    const double manipulability = radii.prod(), dexterity = radii[0] / radii[2];
    CHECK(manipulability == Approx(std::sqrt((J_position * J_position.transpose()).determinant())));
    const double largest = (J_position.transpose() * ellipsoid.eigenvectors().col(2)).norm();
    CHECK(largest == Approx(radii[2]));
    CHECK(dexterity < 1);
  }
  {
    const auto walker = corio::urdf::load("walker.urdf", corio::joint::FreeFlyer{});
    const VectorXd standing = corio::neutral(walker);
    const VectorXd next = corio::integrate(walker, standing, 1e-3 * VectorXd::Ones(walker.nv()));
    const VectorXd still = VectorXd::Zero(walker.nv()), torques = still;
    corio::Loops<double> feet(walker);  // #include <corio/loops/constrained_dynamics.hpp>
    corio::Data stance(walker);
    corio::forward_kinematics(walker, stance, standing);
    for (const std::string name : {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"}) {
      const auto& foot = walker.frame(name);
      feet.close(name, walker.ground_frame(corio::body_pose(walker, stance, foot)), foot, corio::closure::Point{});
    }
    const auto& motion = corio::constrained_forward_dynamics(walker, stance, feet, standing, still, torques, 20.0);
    const corio::Force<double> push = corio::closure_force(walker, stance, feet, "rear_left_foot", motion.lambda);
    Eigen::Vector3d forces = push.force;
    for (const char* name : {"front_left_foot", "front_right_foot", "rear_right_foot"})
      forces += corio::closure_force(walker, stance, feet, name, motion.lambda).force;
    const VectorXd moved = motion.a;
    const auto rate = corio::centroidal_momentum_dot(walker, stance, standing, still, moved);
    CHECK(same(forces + walker.total_mass() * walker.gravity(), rate.force));
    CHECK(corio::body_classical_acceleration<double>(walker, stance, walker.frame("rear_left_foot")).linear.norm() <
          rounding);
    CHECK(next.segment<4>(3).norm() == Approx(1.0));
  }
  {
    const auto with_gripper = corio::attach(model, "tool0", corio::urdf::load("gripper.urdf"), "left_");
    const auto loaded = corio::with_payload(with_gripper, "left_palm", {0.5, {0, 0, 0.1}, 1e-3 * Matrix3d::Identity()});
    corio::write_urdf(loaded, "robot_with_gripper.urdf");
    const auto again = corio::urdf::load("robot_with_gripper.urdf");
    CHECK(same(corio::inertial_parameters(again), corio::inertial_parameters(loaded)));
    CHECK(loaded.total_mass() == Approx(model.total_mass() + 0.4 + 0.5));
  }
  {
    const auto leg = corio::zoo::four_bar_leg();
    const corio::Mechanism<double> mechanism(leg);
    corio::MechanismData<double> loop_data(mechanism);
    const auto closing = corio::assemble(mechanism, loop_data, corio::neutral(leg));
    if (!closing.closed) throw std::runtime_error("the loop " + closing.worst + " stays open");
    const auto& M = corio::crba(mechanism, loop_data, closing.q);  // of the independent speeds
    CHECK(M.rows() == mechanism.nv());
    CHECK(mechanism.nv() < leg.nv());
  }
  {
    const corio::Pose<double> target{corio::rotation_rpy(0.3, 2.0, -0.4), {0.4, 0.2, 0.5}};
    const Matrix3d K_R = Eigen::Vector3d(30, 20, 10).asDiagonal();
    const double k = 400, D = 20;
    const VectorXd D_posture = VectorXd::LinSpaced(model.nv(), 1, 7);
    const auto& tool = model.frame("tool0");
    corio::forward_kinematics(model, data, q, v);
    MatrixXd J(6, model.nv()), Jdot(6, model.nv());
    corio::body_jacobian(model, data, tool, J);  // in axes of the tool
    corio::body_jacobian_dot(model, data, tool, Jdot);
    const corio::Pose<double> X = corio::body_pose(model, data, tool);
    const Matrix3d turn = target.rotation.transpose() * X.rotation;
    VectorXd F(6);  // the wrench of the spring, [moment; force]; K_R is a matrix, k a number
    F << -corio::Jlog3(turn).transpose() * K_R * corio::log3(turn),
        -k * X.rotation.transpose() * (X.translation - target.translation);
    const MatrixXd N = corio::operational_space_dynamics<>(model, data, J, Jdot).N;  // 1 - Jbar J
    const VectorXd damped = N.transpose() * (D_posture.asDiagonal() * (N * v));      // N^T D N v
    const VectorXd command = corio::generalized_gravity(model, data) + J.transpose() * (F - D * (J * v)) - damped;
    const auto energy = [&](const VectorXd& at) {
      const corio::Pose<double> there =
          corio::body_pose<double>(model, corio::forward_kinematics(model, data, at), tool);
      const Eigen::Vector3d error = corio::log3(Matrix3d(target.rotation.transpose() * there.rotation));
      return 0.5 * error.dot(K_R * error) + 0.5 * k * (there.translation - target.translation).squaredNorm();
    };
    const double rate = (energy(q + 1e-5 * v) - energy(q - 1e-5 * v)) / 2e-5;
    CHECK(-F.dot(J * v) == Approx(rate).epsilon(1e-7));  // rounding of energies of 100 J: 1e-14 / 1e-5, and h^2
    CHECK(v.dot(damped) > 0);
    // Damping of the null space does not accelerate the tool.
    const VectorXd moved = corio::mass_matrix_inverse_product(model, data, q, damped);
    CHECK((J * moved).norm() < rounding * (1 + moved.norm()));
    CHECK(moved.norm() > 1e-3);
    CHECK(command.allFinite());
  }
  {
    corio::MomentumObserver observer(model, VectorXd::Constant(model.nv(), 40));  // 1/s
    const VectorXd outside = observer.update(model, data, q, v, tau, 1e-3);       // in every tick of the loop
    CHECK(outside.isZero(0));                                                     // the first tick only initialises
  }
  {
    VectorXd x = q, y = v;
    corio::step(model, data, x, y, tau, 1e-3, corio::Integrator::semi_implicit_euler, corio::Friction::exact);
    corio::Simulation plant(model, q, v, 1e-3);
    plant.advance(tau);
    CHECK(plant.time() == 1e-3);
    CHECK(x != q);
  }
  {
    const auto rollout = [&](corio::Data<double>& own, const MatrixXd& torques) {
      VectorXd x = q, y = v;
      double cost = 0;
      for (Eigen::Index t = 0; t < torques.cols(); ++t) {
        corio::step(model, own, x, y, torques.col(t), 0.01);
        cost += x.squaredNorm() + 1e-3 * torques.col(t).squaredNorm();
      }
      return cost;
    };
    CHECK(rollout(data, MatrixXd::Zero(model.nv(), 10)) > 0);
    CHECK(q[0] == 0.1);
  }
  {
    std::vector<std::tuple<VectorXd, VectorXd, VectorXd, VectorXd>> samples;
    for (int k = 0; k < 60; ++k) {
      const VectorXd q_k = random_vector<double>(model.nv(), k), v_k = random_vector<double>(model.nv(), k + 100);
      const VectorXd a_k = random_vector<double>(model.nv(), k + 200);
      // The robot has friction, dampers and offsets.
      const VectorXd losses = 0.2 * v_k.array() + 0.7 * (v_k / corio::friction_smoothing).array().tanh() + 0.1;
      samples.emplace_back(q_k, v_k, a_k, corio::rnea(model, data, q_k, v_k, a_k) + losses);
    }
    MatrixXd Y_bodies(model.nv(), corio::num_inertial_parameters(model)), Y_joints(model.nv(), 4 * model.nv());
    MatrixXd Y(model.nv(), Y_bodies.cols() + Y_joints.cols());
    corio::StreamingLeastSquares<double> stream(static_cast<int>(Y.cols()));
    for (const auto& [q_k, v_k, a_k, tau_k] : samples) {
      corio::inverse_dynamics_regressor(model, data, q_k, v_k, a_k, Y_bodies);
      corio::joint_regressor(model, v_k, a_k, Y_joints);
      Y << Y_bodies, Y_joints;
      stream.add(Y, tau_k);
    }
    const corio::BaseParameters<double> base(stream);
    const auto estimate = corio::estimate(stream, base);  // .beta, .standard_deviation()
    CHECK(estimate.residual < 1e-15);
    CHECK((Y * VectorXd::Zero(Y.cols())).isZero(0));
  }
  {
    const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(model, data, q, v, tau);
    const auto& [qq, vq, vv, tau_q] = corio::forward_dynamics_hessian(model, data, q, v, tau, lambda);
    CHECK(qq.rows() == model.nv());
    CHECK((da_dq.transpose() * lambda).allFinite());
  }
  {
    const VectorXd goal = q + VectorXd::LinSpaced(model.nv(), 0.6, -0.5);
    auto coasting = model;
    coasting.set_gravity({0, 0, 0});
    coasting.set_damping(0 * q), coasting.set_friction(0 * q);
    corio::Data flow(coasting);
    const auto shoot = [&](const VectorXd& first) {  // the configuration after a second
      VectorXd x = q, y = first;
      for (int k = 0; k < 100; ++k) corio::step(coasting, flow, x, y, 0 * y, 0.01, corio::Integrator::rk4);
      return x;
    };
    VectorXd first = corio::difference(model, q, goal);
    MatrixXd slope(model.nv(), model.nv());
    for (int i = 0; i < 20; ++i) {
      const VectorXd there = shoot(first), miss = corio::difference(model, there, goal);
      if (miss.norm() < 1e-10) break;
      for (int k = 0; k < model.nv(); ++k)
        slope.col(k) = corio::difference(model, there, shoot(first + 1e-6 * VectorXd::Unit(model.nv(), k))) / 1e-6;
      first += slope.partialPivLu().solve(miss);
    }
    const double length = std::sqrt(2 * corio::kinetic_energy(coasting, flow, q, first));  // the distance
    CHECK((shoot(first) - goal).norm() < 1e-9);
    // The energy is kept by rk4 up to h^4 = 1e-8; the straight way in coordinates has the same ends and is longer.
    VectorXd x = q, y = first;
    for (int k = 0; k < 100; ++k) corio::step(coasting, flow, x, y, 0 * y, 0.01, corio::Integrator::rk4);
    CHECK(std::sqrt(2 * corio::kinetic_energy(coasting, flow, x, y)) == Approx(length).epsilon(1e-6));
    double straight = 0;
    for (int k = 0; k < 1000; ++k) {
      const VectorXd at = q + (k + 0.5) / 1000 * (goal - q);
      straight += std::sqrt(2 * corio::kinetic_energy(coasting, flow, at, goal - q)) / 1000;
    }
    CHECK(length < straight);
    CHECK(length > 0.5 * straight);
  }
  {
    using Complex = std::complex<double>;
    const auto complex_model = model.cast<Complex>();
    corio::Data<Complex> complex_data(complex_model);
    corio::VectorX<Complex> moved = q.cast<Complex>();
    moved[1] += Complex(0, 1e-30);
    const VectorXd dg = corio::generalized_gravity(complex_model, complex_data, moved).imag() / 1e-30;  // dg/dq_1
    CHECK(same(dg, corio::gravity_derivatives<double>(model, data, q).col(1)));
  }
}

TEST_CASE("all code of the page of tasks stands here", "[guide]") {
  CHECK(check_blocks("include/corio/guide/tasks.md", "tests/guide/tasks_test.cpp") == 21);
}

}  // namespace guide_test
