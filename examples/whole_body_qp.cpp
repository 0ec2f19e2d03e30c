// A humanoid sways on both feet faster than friction and the size of its feet allow: a quadratic program finds, a
// thousand times a second, the accelerations, the forces at the corners of the feet and the torques that follow the
// desired motion best, once without and once with the conditions of contact.
//
//   whole_body_qp [folder] [--check]
//
// prints the errors of both, the least vertical force and the largest share of friction at a corner, and the time of a
// tick; writes data, and figures if there is gnuplot, into the folder (default whole_body_qp_output). --check: exit
// status 1 if a condition is violated, or if the accelerations of the program differ from the robot's.

#include <chrono>
#include <corio/algorithms/dynamics/com_jacobian.hpp>
#include <corio/algorithms/dynamics/crba.hpp>
#include <corio/algorithms/dynamics/jacobian.hpp>
#include <corio/algorithms/dynamics/position_jacobian.hpp>
#include <corio/algorithms/dynamics/rnea.hpp>
#include <corio/loops/constrained_dynamics.hpp>
#include <corio/spatial/groups.hpp>
#include <corio/zoo/zoo.hpp>
#include <cstdio>
#include <numbers>

#include "support/figures.hpp"
#include "support/output.hpp"
#include "whole_body_qp/quadratic_program.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using corio::ReferenceFrame;
using support::demand, support::small_enough;
constexpr double dt = 1e-3, end = 2.5;                           // time step, end; s
constexpr double friction = 0.5, least_normal = 5, effort = 80;  // N, N m
constexpr const char* soles[] = {"left_sole", "right_sole"};
const Vector3d corners[] = {{0.1, 0.04, 0}, {0.1, -0.04, 0}, {-0.1, 0.04, 0}, {-0.1, -0.04, 0}};  // in a sole, m

/// The desired motion of the centre of mass in y at time t, with two derivatives: it oscillates at 0 to 1.3 Hz.
Vector3d sway(double t) {
  const double y = 0.04, k = 2 * std::numbers::pi * 1.3 / end, w = k * t, p = w * t / 2;
  return {y * std::sin(p), y * w * std::cos(p), y * (k * std::cos(p) - w * w * std::sin(p))};
}

class Controller {
 public:
  Controller(const corio::Model<double>& model, const VectorXd& q, bool cones)
      : cones_(cones), model_(model), data_(model), home_(q), n_(model.nv()), J6_(6, n_), Jdot6_(6, n_) {
    corio::forward_kinematics(model, data_, q);
    com_ = corio::center_of_mass(model, data_);
    upright_ = corio::body_pose(model, data_, torso_).rotation;
  }

  /// Torques at the state q, v for the desired motion of the centre of mass in y.
  const VectorXd& update(const VectorXd& q, const VectorXd& v, const Vector3d& wanted) {
    const int contacts = 8, forces = 3 * contacts, size = n_ + forces, joints = n_ - 6;
    corio::forward_kinematics(model_, data_, q, v);
    const MatrixXd& M = corio::crba(model_, data_);
    const VectorXd& h = corio::nonlinear_effects(model_, data_);

    // The feet do not move, J a + Jdot v = 0, and forces f at their corners act as J_c^T f.
    MatrixXd J_feet(12, n_), J_c(forces, n_);
    VectorXd drift(12);
    for (int foot = 0; foot < 2; ++foot) {
      const auto& sole = model_.frame(soles[foot]);
      corio::body_jacobian(model_, data_, {sole, ReferenceFrame::world_aligned}, J6_);
      corio::body_jacobian_dot(model_, data_, {sole, ReferenceFrame::world_aligned}, Jdot6_);
      J_feet.middleRows(6 * foot, 6) = J6_;
      drift.segment(6 * foot, 6) = Jdot6_ * v;
      for (int k = 0; k < 4; ++k) {
        const corio::FramePoint<double> corner(sole, ReferenceFrame::world_aligned, corners[k]);
        corio::body_position_jacobian<double>(model_, data_, corner, J_c.middleRows(12 * foot + 3 * k, 3));
      }
    }

    // Least squares: weight |J a + Jdot v - a_d|^2 of the centre of mass, the torso and a posture, and small forces.
    MatrixXd H = MatrixXd::Zero(size, size);
    VectorXd g = VectorXd::Zero(size);
    const auto task = [&](double weight, const MatrixXd& J, const VectorXd& rest) {
      H.topLeftCorner(n_, n_) += weight * J.transpose() * J;
      g.head(n_) -= weight * J.transpose() * rest;
    };
    const corio::Matrix3X<double>& J_com = corio::com_jacobian(model_, data_);
    com_error_ = com_ + Vector3d(0, wanted[0], 0) - corio::center_of_mass(model_, data_);
    const Vector3d com_rate = Vector3d(0, wanted[1], 0) - J_com * v;
    task(100, J_com,
         Vector3d(0, wanted[2], 0) + 100 * com_error_ + 20 * com_rate - corio::com_jacobian_dot(model_, data_) * v);
    const corio::FramePoint<double> torso(torso_);  // in the axes of the torso, like its error log3(R^T R_d)
    corio::body_jacobian(model_, data_, torso, J6_);
    corio::body_jacobian_dot(model_, data_, torso, Jdot6_);
    const auto R = corio::body_pose(model_, data_, torso_).rotation;
    const Vector3d turn = corio::log3<double>(R.transpose() * upright_);
    task(10, J6_.topRows(3), 100 * turn - 20 * J6_.topRows(3) * v - Jdot6_.topRows(3) * v);
    const VectorXd posture = 50 * corio::difference(model_, q, home_) - 15 * v;
    H.diagonal().segment(6, joints).array() += 0.1;
    g.segment(6, joints) -= 0.1 * posture.tail(joints);
    H.diagonal().head(n_).array() += 1e-4;
    H.diagonal().tail(forces).array() += 1e-5;

    // The base has no motor: the first six rows of M a + h - J_c^T f are zero.
    MatrixXd A = MatrixXd::Zero(18, size);
    VectorXd b(18);
    A.topLeftCorner(6, n_) = M.topRows(6);
    A.topRightCorner(6, forces) = -J_c.leftCols(6).transpose();
    A.bottomLeftCorner(12, n_) = J_feet;
    b << -h.head(6), -drift;

    // C x >= d: each force is within a pyramid inside its cone of friction, and torques are within their limits.
    const int rows = cones_ ? 5 * contacts + 2 * joints : 0;  // no conditions in the run for comparison
    MatrixXd C = MatrixXd::Zero(rows, size);
    VectorXd d = VectorXd::Zero(rows);
    for (int k = 0; cones_ && k < contacts; ++k) {
      auto cone = C.block(5 * k, n_ + 3 * k, 5, 3);
      const double mu = friction / std::numbers::sqrt2;
      cone << 1, 0, mu, -1, 0, mu, 0, 1, mu, 0, -1, mu, 0, 0, 1;
      d[5 * k + 4] = least_normal;
    }
    if (cones_) {
      auto torques = C.middleRows(5 * contacts, joints);
      torques << M.bottomRows(joints), -J_c.rightCols(joints).transpose();
      C.bottomRows(joints) = -torques;
      d.segment(5 * contacts, joints) = -h.tail(joints).array() - effort;
      d.tail(joints) = h.tail(joints).array() - effort;
    }
    if (!program_.solve(H, g, A, b, C, d)) throw std::runtime_error("no forces of the ground fit the conditions");
    a = program_.x.head(n_), f = program_.x.tail(forces);
    tau = M * a + h - J_c.transpose() * f;
    tau.head(6).setZero();     // they are zero up to rounding
    if (ticks_++ % 50 == 0) {  // at the minimum the gradient is a combination of the rows of A
      const VectorXd gradient = H * program_.x + g - C.transpose() * program_.multipliers;
      const VectorXd left = gradient - A.transpose() * A.transpose().householderQr().solve(gradient);
      off_minimum_ = std::max(off_minimum_, left.norm() / g.norm());
    }
    return tau;
  }
  VectorXd a, f, tau;
  const Vector3d& com_error() const { return com_error_; }
  int steps() const { return program_.steps; }
  double off_minimum() const { return off_minimum_; }  // relative residual of the conditions of Karush, Kuhn and Tucker

 private:
  const bool cones_;
  const corio::Model<double>& model_;
  corio::Data<double> data_;
  const VectorXd home_;
  const int n_;
  MatrixXd J6_, Jdot6_;
  const corio::Body<double>& torso_ = model_.body("waist_pitch_link");
  Vector3d com_, com_error_;
  corio::Matrix3<double> upright_;
  support::QuadraticProgram program_;
  int ticks_ = 0;
  double off_minimum_ = 0;
};

/// A humanoid on bent legs. Its soles are held to the ground by multipliers, which may also pull.
class Ground {
 public:
  explicit Ground(const corio::Model<double>& model) : model_(model), data_(model), loops_(model) {
    q = corio::neutral(model), v = VectorXd::Zero(model.nv());
    for (const std::string side : {"left_", "right_"}) {
      const double bend = 0.8;
      for (const auto& [joint, angle] : {std::pair("hip_pitch", -bend / 2), {"knee", bend}, {"ankle_pitch", -bend / 2}})
        q[model.joint(side + joint).q_index()] = angle;
      q[model.joint(side + "elbow").q_index()] = -0.6;
    }
    corio::forward_kinematics(model, data_, q);
    for (const char* sole : soles) {
      const auto& frame = model.frame(sole);
      loops_.close(sole, model.ground_frame(corio::body_pose(model, data_, frame)), frame, corio::closure::Weld{});
    }
  }
  /// A step of the midpoint rule. @returns the accelerations at its beginning
  VectorXd advance(const VectorXd& tau) {
    const VectorXd a = corio::constrained_forward_dynamics(model_, data_, loops_, q, v, tau).a;
    const VectorXd q_half = corio::integrate(model_, q, dt / 2 * v), v_half = v + dt / 2 * a;
    v += dt * corio::constrained_forward_dynamics(model_, data_, loops_, q_half, v_half, tau, 20).a;
    q = corio::integrate(model_, q, dt * v_half);
    return a;
  }
  VectorXd q, v;

 private:
  const corio::Model<double>& model_;
  corio::Data<double> data_;
  corio::Loops<double> loops_;
};

struct Result {
  double error = 0, least = 1e9, share = 0, torque = 0, difference = 0, tick = 0, longest = 0, off_minimum = 0;
};

Result run(const corio::Model<double>& model, bool cones, const fs::path& file) {
  Ground ground(model);
  Controller controller(model, ground.q, cones);
  auto log = support::output(file);
  log << "# time (s), desired and actual y of the centre of mass (m), vertical forces on the left and right foot, "
         "least "
         "vertical force at a corner (N), largest share of friction, largest torque (N m), steps of the program\n";
  Result result;
  std::vector<double> ticks;
  for (int i = 0; i * dt < end; ++i) {
    const Vector3d wanted = sway(i * dt);
    const auto begin = std::chrono::steady_clock::now();
    const VectorXd& tau = controller.update(ground.q, ground.v, wanted);
    ticks.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    result.difference = std::max(result.difference, (ground.advance(tau) - controller.a).cwiseAbs().maxCoeff());

    const auto f = controller.f.reshaped(3, 8);
    double share = 0;
    for (int k = 0; k < 8; ++k)
      share =
          std::max(share, f(2, k) > 0 ? f.col(k).head<2>().norm() / f(2, k) : std::numeric_limits<double>::infinity());
    result.error = std::max(result.error, controller.com_error().norm());
    result.least = std::min(result.least, f.row(2).minCoeff());
    result.share = std::max(result.share, share);
    result.torque = std::max(result.torque, tau.cwiseAbs().maxCoeff());
    if (i % 5 == 0)
      log << i * dt << ' ' << wanted[0] << ' ' << wanted[0] - controller.com_error()[1] << ' ' << f.row(2).head(4).sum()
          << ' ' << f.row(2).tail(4).sum() << ' ' << f.row(2).minCoeff() << ' ' << share << ' '
          << tau.cwiseAbs().maxCoeff() << ' ' << controller.steps() << '\n';
  }
  result.off_minimum = controller.off_minimum();
  result.longest = *std::max_element(ticks.begin(), ticks.end());
  std::nth_element(ticks.begin(), ticks.begin() + ticks.size() / 2, ticks.end());
  result.tick = ticks[ticks.size() / 2];
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("whole_body_qp", argc, argv, [](const fs::path& folder) {
    const auto model = corio::zoo::humanoid();
    std::printf("A humanoid of %.0f kg sways, at 1.3 Hz after %g s, friction %g\n\n", model.total_mass(), end,
                friction);
    std::printf(
        "                 centre of mass    corners: least       friction    largest     tick, median, worst\n");
    std::printf("                 off by (m)        vertical force (N)   share       torque (N m) (us)\n");
    const Result free = run(model, false, folder / "free.dat"), held = run(model, true, folder / "cones.dat");
    for (const auto& [name, r] : {std::pair("without cones", free), {"with cones", held}})
      std::printf("  %-14s %9.3f %17.1f %19.2f %11.1f %15.0f %6.0f\n", name, r.error, r.least, r.share, r.torque,
                  r.tick, r.longest);
    std::printf("\n");
    bool good = demand("without cones the feet would have to pull at the ground", free.least < 0);
    good &= demand("with cones no corner carries less than its least force", held.least > least_normal - 1e-6);
    good &= small_enough("share of friction with cones", held.share, friction + 1e-6, "");
    good &= small_enough("largest torque", held.torque, effort + 1e-6, "N m");
    good &= small_enough("gradient that no condition balances, of that of the tasks", held.off_minimum, 1e-9, "");
    good &= small_enough("accelerations of the robot, less those of the program", held.difference, 1e-6, "rad/s^2");
    return good;
  });
}
