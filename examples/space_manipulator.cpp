// A free-floating satellite with an arm of seven joints: only the arm acts on the satellite, so that their total
// momentum is conserved. First the joints of the arm follow a motion by passivity-based control in their own dynamics,
// from which the satellite has been eliminated; then the hand moves on a circle in space by operational space control,
// while the satellite drifts, turns and recoils.
//
//   space_manipulator [folder] [--check]
//
// prints the tracking errors of both, the error of the Lyapunov function's balance, the motion of the satellite, and
// the drift of the momentum; writes data, and figures if there is gnuplot, into the folder (default
// space_manipulator_output). --check: exit status 1 if one of these is larger than it should be.

#include <corio/algorithms/dynamics/jacobian.hpp>
#include <corio/control/operational_space.hpp>
#include <corio/control/operational_space_dynamics.hpp>
#include <corio/model/builder.hpp>
#include <corio/simulation/simulation.hpp>
#include <cstdio>
#include <numbers>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::small_enough;
constexpr double dt = 1e-3;  // time step of control, s
constexpr int joints = 7;

corio::InertialParameters<double> box(double mass, const Vector3d& size, const Vector3d& center) {
  const Vector3d squares = size.cwiseProduct(size);
  const Vector3d diagonal = mass / 12 * (Vector3d::Constant(squares.sum()) - squares);
  return {mass, center, diagonal.asDiagonal()};
}

/// A satellite of 200 kg with an arm of 1.6 m and 21 kg, whose joints turn about z and y alternately, without gravity.
corio::Model<double> satellite_with_arm() {
  corio::ModelBuilder<double> builder("satellite_with_arm");
  builder.set_gravity({0, 0, 0});
  builder.add_body({.name = "satellite",
                    .joint = corio::joint::FreeFlyer{},
                    .inertia = box(200, {0.8, 0.8, 0.8}, {0, 0, 0}),
                    .joint_name = "root_joint"});
  constexpr double mass[] = {4, 4, 4, 3, 3, 2, 1}, length[] = {0.1, 0.25, 0.25, 0.25, 0.2, 0.1, 0.1};
  corio::Parent parent = "satellite";
  for (int i = 0; i < joints; ++i) {
    const Vector3d from = {0, 0, i == 0 ? 0.4 : length[i - 1]};
    parent = builder.add_body({.name = "link" + std::to_string(i + 1),
                               .parent = parent,
                               .joint = i % 2 == 0 ? corio::joint::Revolute::z() : corio::joint::Revolute::y(),
                               .placement = {Eigen::Matrix3d::Identity(), from},
                               .inertia = box(mass[i], {0.08, 0.08, length[i]}, {0, 0, length[i] / 2}),
                               .armature = {0.05}});
  }
  builder.add_frame("hand", parent, {Eigen::Matrix3d::Identity(), {0, 0, length[joints - 1]}});
  return builder.build();
}

/// Initial state: floating and slowly turning, with the arm bent.
corio::Simulation<double> adrift(const corio::Model<double>& model) {
  VectorXd q = corio::neutral(model), v = VectorXd::Zero(model.nv());
  q.tail(joints) << 0.2, 0.3, -0.3, 1.6, 0.4, 0.9, 0;
  v.head(6) << 0.02, -0.01, 0.02, 0.01, 0.005, -0.01;
  return {model, q, v, dt};
}

/// The common results of both motions.
class Balance {
 public:
  explicit Balance(corio::Simulation<double>& plant)
      : plant_(plant), momentum_(plant.momentum().vector()), base_(base()) {}

  void look(const VectorXd& tau) {
    change = (plant_.momentum().vector() - momentum_).norm();
    largest_change = std::max(largest_change, change);
    force_on_base = std::max(force_on_base, tau.head(6).cwiseAbs().maxCoeff());
    const auto now = base();
    shift = (now.translation - base_.translation).norm();
    turn = std::acos(std::clamp(((base_.rotation.transpose() * now.rotation).trace() - 1) / 2, -1.0, 1.0));
  }
  double change = 0, largest_change = 0;  // momentum about the world's origin, N s and N m s
  double force_on_base = 0;
  double shift = 0, turn = 0;  // motion of the satellite, m, rad

 private:
  corio::Pose<double> base() {
    return corio::body_pose(plant_.model(), plant_.data(), plant_.model().body("satellite"));
  }
  corio::Simulation<double>& plant_;
  Eigen::Matrix<double, 6, 1> momentum_;
  corio::Pose<double> base_;
};

bool balanced(const Balance& balance) {
  std::printf("  at the end the satellite has moved %.3f m and turned %.1f deg\n", balance.shift,
              balance.turn * 180 / std::numbers::pi);
  // Rounding and the integrator's error. The torques of the base are exactly zero.
  const bool momentum = small_enough("change of the momentum", balance.largest_change, 1e-8, "N s, N m s");
  return small_enough("largest torque and force on the satellite", balance.force_on_base, 0, "N m, N") && momentum;
}

/// Runs 8 s in which the joints follow sines. With J = [0 1] the task velocities are the speeds of the joints, whose
/// dynamics on the free satellite are
///   Lambda dx/dt + mu x + (...) N v = F,   tau = [0; F].
/// With s = x - x_r the law
///   F = Lambda dx_r/dt + mu x_r + (...) N v - K s   gives   Lambda ds/dt + mu s = -K s,
/// so that V = s^T Lambda s / 2 falls as dV/dt = -s^T K s, because dLambda/dt = mu + mu^T.
bool follow_with_joints(const corio::Model<double>& model, const fs::path& folder) {
  constexpr double lambda = 3, K = 4;  // 1/s, N m s
  auto plant = adrift(model);
  corio::Data data(model);
  Balance balance(plant);
  MatrixXd J = MatrixXd::Zero(joints, model.nv()), Jdot = J;
  J.rightCols(joints).setIdentity();
  const VectorXd home = plant.q().tail(joints);
  auto log = support::output(folder / "joints.dat");
  log << "# time, errors of 7 joints (rad), V and V + losses (J), change of momentum, shift (m) and turn (rad) of the "
         "satellite\n";

  double first = 0, lost = 0, unaccounted = 0, error_of_end = 0;
  for (int i = 0; i <= 8000; ++i) {
    VectorXd e(joints), x_r(joints), a_r(joints);
    corio::forward_kinematics(model, data, plant.q(), plant.v());
    const VectorXd x = plant.v().tail(joints);
    for (int j = 0; j < joints; ++j) {
      const double w = 0.8 + 0.15 * j, amplitude = 0.35, t = plant.time();
      e[j] = plant.q()[7 + j] - home[j] - amplitude * std::sin(w * t) - (j == 1 ? 0.2 : 0);  // initial error
      const double v_d = amplitude * w * std::cos(w * t);
      x_r[j] = v_d - lambda * e[j];
      a_r[j] = -amplitude * w * w * std::sin(w * t) - lambda * (x[j] - v_d);
    }
    const VectorXd s = x - x_r;
    const auto& task = corio::operational_space_dynamics(model, data, J, Jdot);
    const VectorXd F = task.Lambda * a_r + task.coriolis_force - task.mu * s - K * s;
    const VectorXd tau = J.transpose() * F;

    const VectorXd momentum = task.Lambda * s;
    const double V = s.dot(momentum) / 2;
    if (i == 0) first = V;
    unaccounted = std::max(unaccounted, std::abs(V + lost - first) / first);
    if (plant.time() > 6) error_of_end = std::max(error_of_end, e.cwiseAbs().maxCoeff());
    balance.look(tau);
    if (i % 10 == 0)
      log << plant.time() << ' ' << e.transpose() << ' ' << V << ' ' << V + lost << ' ' << balance.change << ' '
          << balance.shift << ' ' << balance.turn << '\n';
    lost += dt * K * s.squaredNorm();
    plant.advance(tau);
  }
  std::printf("The joints follow sines, with %.1f J in V at first\n", first);
  // The torques are held for a millisecond, in which the reference changes.
  const bool follows = small_enough("largest error of a joint in the last 2 s", error_of_end, 1e-3, "rad");
  // The losses are integrated by rectangles, which adds half of the first one.
  const bool stable = small_enough("V + losses - V at first, relative to the latter", unaccounted, 0.05, "");
  return balanced(balance) && follows && stable;
}

/// Runs 8 s in which the hand draws a circle of 0.3 m in space, twice, without turning.
bool follow_with_hand(const corio::Model<double>& model, const fs::path& folder) {
  auto plant = adrift(model);
  corio::Data data(model);
  Balance balance(plant);
  corio::OperationalSpace control(model, {"root_joint"});
  std::vector<corio::OperationalTask<double>> tasks{{MatrixXd(6, model.nv()), MatrixXd(6, model.nv()), VectorXd(6)}};
  auto& [J, Jdot, acceleration, rotations] = tasks.front();
  const corio::FramePoint<double> hand(model.frame("hand"), corio::ReferenceFrame::world_aligned);
  corio::forward_kinematics(model, data, plant.q(), plant.v());
  const auto home = corio::body_pose(model, data, model.frame("hand"));
  auto log = support::output(folder / "hand.dat"), posture = support::output(folder / "posture.dat");
  log << "# time, hand and desired hand (m), error (m, rad), change of momentum, shift (m) and turn (rad) of the "
         "satellite, torques (N m)\n";

  double error_of_end = 0, worst_turn = 0;
  int least_rank = 6;
  for (int i = 0; i <= 8000; ++i) {
    // An angle that starts and ends at rest.
    const double T = 8, u = plant.time() / T, all = 4 * std::numbers::pi;
    const double angle = all * u * u * u * (10 - 15 * u + 6 * u * u), rate = all * 30 * u * u * (1 - u) * (1 - u) / T;
    const double second = all * 60 * u * (1 - u) * (1 - 2 * u) / (T * T), radius = 0.15;
    const Vector3d x_d = home.translation + radius * Vector3d(0, std::sin(angle), std::cos(angle) - 1);
    const Vector3d along = radius * Vector3d(0, std::cos(angle), -std::sin(angle));
    const Vector3d inward = radius * Vector3d(0, -std::sin(angle), -std::cos(angle));

    corio::forward_kinematics(model, data, plant.q(), plant.v());
    corio::body_jacobian(model, data, hand, J);
    corio::body_jacobian_dot(model, data, hand, Jdot);
    const auto pose = corio::body_pose(model, data, model.frame("hand"));
    // The remaining rotation error as a vector, for small angles.
    const Eigen::Matrix3d R = home.rotation * pose.rotation.transpose();
    const Vector3d turn = 0.5 * Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
    const VectorXd velocity = J * plant.v();
    acceleration.head(3) = 100 * turn - 20 * velocity.head(3);
    acceleration.tail(3) =
        second * along + rate * rate * inward + 100 * (x_d - pose.translation) + 20 * (rate * along - velocity.tail(3));
    // The null space of the joints comes to rest.
    const VectorXd tau = control.update(model, data, tasks, -2 * plant.v());

    const double error = (x_d - pose.translation).norm();
    if (plant.time() > 1) error_of_end = std::max(error_of_end, error), worst_turn = std::max(worst_turn, turn.norm());
    least_rank = std::min(least_rank, control.levels()[0].rank);
    balance.look(tau);
    if (i % 10 == 0)
      log << plant.time() << ' ' << pose.translation.transpose() << ' ' << x_d.transpose() << ' ' << error << ' '
          << turn.norm() << ' ' << balance.change << ' ' << balance.shift << ' ' << balance.turn << ' '
          << tau.tail(joints).transpose() << '\n';
    if (i % 2000 == 0) {
      for (const auto& body : model.bodies()) {
        const auto p = corio::body_pose(model, data, body).translation;
        posture << p[1] << ' ' << p[2] << '\n';
      }
      posture << pose.translation[1] << ' ' << pose.translation[2] << "\n\n";
    }
    plant.advance(tau);
  }
  std::printf("The hand draws a circle in space and keeps its axes; least rank of the task %d\n", least_rank);
  // The initial error is the speed of the satellite; later errors come from torques held for a millisecond.
  const bool follows = small_enough("largest error of the hand after the first second", error_of_end, 1e-3, "m");
  const bool keeps = small_enough("largest turn of the hand after the first second", worst_turn, 1e-3, "rad");
  return balanced(balance) && follows && keeps && least_rank == 6;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("space_manipulator", argc, argv, [](const fs::path& folder) {
    const auto model = satellite_with_arm();
    const bool with_joints = follow_with_joints(model, folder), with_hand = follow_with_hand(model, folder);
    return with_joints && with_hand;
  });
}
