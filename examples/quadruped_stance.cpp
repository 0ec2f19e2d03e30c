// A quadruped stands on four point feet and moves its trunk: it sways, bows and twists under operational space control
// with contacts as constraints. The ground is simulated by constraints with multipliers; the controller finds torques
// of the legs that give the trunk its desired motion without moving the feet, and no torques on the trunk.
//
//   quadruped_stance [folder] [--check]
//
// prints the tracking error of the trunk, the drift of the feet, and the friction that the ground forces need; writes
// data, and figures if there is gnuplot, into the folder (default quadruped_stance_output). --check: exit status 1 if
// one of these is larger than it should be.

#include <corio/algorithms/dynamics/jacobian.hpp>
#include <corio/control/operational_space.hpp>
#include <corio/io/urdf.hpp>
#include <corio/loops/constrained_dynamics.hpp>
#include <cstdio>
#include <numbers>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::small_enough;
constexpr double dt = 1e-3;  // time step of simulation and control, s
constexpr const char* feet[] = {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"};

/// A quadruped on bent legs. Its feet are held to the ground by multipliers.
class Ground {
 public:
  explicit Ground(const corio::Model<double>& model) : model_(model), data_(model), loops_(model) {
    q = corio::neutral(model), v = VectorXd::Zero(model.nv());
    for (int leg = 0; leg < 4; ++leg) q.segment<3>(7 + 3 * leg) << 0.0, 0.6, -1.2;
    corio::forward_kinematics(model, data_, q);
    for (const char* foot : feet) {
      const corio::Pose<double> spot{Matrix3d::Identity(), foot_position(foot)};
      const corio::Frame<double> on_ground("ground", -1, spot, model.topology_id());
      loops_.close(foot, on_ground, model.frame(foot), corio::closure::Point{});
    }
  }
  const corio::Loops<double>& loops() const { return loops_; }

  /// A step of the midpoint rule. Drift of the feet is stabilised with the rate 20/s (Baumgarte, 1972).
  /// @returns the forces on the feet, 3 each, at the beginning of the step
  VectorXd advance(const VectorXd& tau) {
    const auto now = corio::constrained_forward_dynamics(model_, data_, loops_, q, v, tau, 20);
    const VectorXd q_half = corio::integrate(model_, q, dt / 2 * v), v_half = v + dt / 2 * now.a;
    v += dt * corio::constrained_forward_dynamics(model_, data_, loops_, q_half, v_half, tau, 20).a;
    q = corio::integrate(model_, q, dt * v_half);
    return now.lambda;
  }
  /// The largest drift of a foot, m.
  double drift() {
    corio::forward_kinematics(model_, data_, q);
    double largest = 0;
    for (const auto& loop : loops_.all())
      largest = std::max(largest, (foot_position(loop.name) - Vector3d(loop.frames[0].placement().translation)).norm());
    return largest;
  }
  VectorXd q, v;

 private:
  Vector3d foot_position(const std::string& foot) const {
    return corio::body_pose(model_, data_, model_.frame(foot)).translation;
  }
  const corio::Model<double>& model_;
  corio::Data<double> data_;
  corio::Loops<double> loops_;
};

/// One of three motions of 3 s: 8 cm to both sides, 0.25 rad up and down, 0.3 rad to both sides.
struct Wanted {
  Vector3d axis, size;  // axis of the rotation, amplitudes of the shift
  double angle, rate, second;
};
Wanted motion_at(double t) {
  constexpr double T = 3, w = 2 * std::numbers::pi / T;
  const int which = std::min(static_cast<int>(t / T), 2);
  const double s = std::sin(w * t), c = std::cos(w * t);
  // sin^3 begins and ends at rest, without acceleration.
  const double x = s * s * s, x_dot = 3 * w * s * s * c, x_ddot = w * w * (6 * s * c * c - 3 * s * s * s);
  const Vector3d axis[] = {Vector3d::Zero(), {0, 0.25, 0}, {0, 0, 0.3}};
  const Vector3d shift[] = {{0, 0.08, 0}, {0.02, 0, 0}, Vector3d::Zero()};
  return {axis[which], shift[which], x, x_dot, x_ddot};
}
/// The rotation by a vector along one axis, by Rodrigues' formula.
Matrix3d turned(const Vector3d& by) {
  const double angle = by.norm();
  Matrix3d X;
  X << 0, -by[2], by[1], by[2], 0, -by[0], -by[1], by[0], 0;
  if (angle == 0) return Matrix3d::Identity();
  return Matrix3d::Identity() + std::sin(angle) / angle * X + (1 - std::cos(angle)) / (angle * angle) * X * X;
}
/// The rotation from R to R_d as a vector, for small rotations.
Vector3d turn_left(const Matrix3d& R_d, const Matrix3d& R) {
  const Matrix3d X = R_d * R.transpose();
  return 0.5 * Vector3d(X(2, 1) - X(1, 2), X(0, 2) - X(2, 0), X(1, 0) - X(0, 1));
}

struct Result {
  double error = 0, turn = 0, drift = 0, friction = 0, least_normal = 1e9, on_trunk = 0, force_error = 0;
  int rank = 6;
};

Result stand_and_move(const corio::Model<double>& model, const fs::path& folder) {
  Ground ground(model);
  corio::Data data(model);
  const int n = model.nv(), rows = ground.loops().rows();
  corio::OperationalSpace control(model, {"root_joint"});
  std::vector<corio::OperationalTask<double>> tasks{{MatrixXd(6, n), MatrixXd(6, n), VectorXd(6)}};
  corio::OperationalTask<double> contacts{MatrixXd(rows, n), MatrixXd(rows, n), VectorXd::Zero(rows)};
  const corio::FramePoint<double> trunk(model.body("trunk"), corio::ReferenceFrame::world_aligned);
  corio::forward_kinematics(model, data, ground.q, ground.v);
  const auto home = corio::body_pose(model, data, model.body("trunk"));

  auto log = support::output(folder / "stance.dat");
  log << "# time, position (m) and turn (rad) of the trunk, wanted ones, errors (m, rad), drift (m), vertical forces "
         "(N), shares of friction, torques of a leg (N m)\n";
  Result result;
  for (int i = 0; i <= 9000; ++i) {
    const double t = dt * i;
    const Wanted wanted = motion_at(t);
    corio::forward_kinematics(model, data, ground.q, ground.v);
    auto& [J, Jdot, acceleration, rotations] = tasks.front();
    corio::body_jacobian(model, data, trunk, J);
    corio::body_jacobian_dot(model, data, trunk, Jdot);
    corio::constraint_jacobian(model, data, ground.loops(), contacts.J);
    corio::constraint_jacobian_dot(model, data, ground.loops(), contacts.Jdot);
    const auto pose = corio::body_pose(model, data, model.body("trunk"));
    const Vector3d shift = home.translation + wanted.angle * wanted.size - pose.translation;
    const Vector3d turn = turn_left(turned(wanted.angle * wanted.axis) * home.rotation, pose.rotation);
    const VectorXd velocity = J * ground.v;
    acceleration.head(3) =
        wanted.second * wanted.axis + 225 * turn + 30 * (wanted.rate * wanted.axis - velocity.head(3));
    acceleration.tail(3) =
        wanted.second * wanted.size + 225 * shift + 30 * (wanted.rate * wanted.size - velocity.tail(3));
    const VectorXd tau = control.update(model, data, tasks, VectorXd::Zero(n), contacts);

    const VectorXd forces = ground.advance(tau);
    const double drift = ground.drift();
    result.error = std::max(result.error, shift.norm()), result.turn = std::max(result.turn, turn.norm());
    result.drift = std::max(result.drift, drift);
    result.on_trunk = std::max(result.on_trunk, tau.head(6).cwiseAbs().maxCoeff());
    result.force_error = std::max(result.force_error, (forces - control.contact_forces()).norm());
    result.rank = std::min({result.rank, control.levels()[0].rank, control.contact_rank() - 6});
    Eigen::Vector4d normal, friction;
    for (int foot = 0; foot < 4; ++foot) {
      const Vector3d f = forces.segment<3>(3 * foot);
      normal[foot] = f[2], friction[foot] = f.head<2>().norm() / f[2];
    }
    result.least_normal = std::min(result.least_normal, normal.minCoeff());
    result.friction = std::max(result.friction, friction.maxCoeff());
    if (i % 10 != 0) continue;
    const Vector3d turn_now = turn_left(pose.rotation, home.rotation), turn_wanted = wanted.angle * wanted.axis;
    log << t << ' ' << (pose.translation - home.translation).transpose() << ' ' << turn_now.transpose() << ' '
        << wanted.angle * wanted.size.transpose() << ' ' << turn_wanted.transpose() << ' ' << shift.norm() << ' '
        << turn.norm() << ' ' << drift << ' ' << normal.transpose() << ' ' << friction.transpose() << ' '
        << tau.segment<3>(6).transpose() << '\n';
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("quadruped_stance", argc, argv, [](const fs::path& folder) {
    const auto model = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/quadruped.urdf", corio::joint::FreeFlyer{});
    const Result r = stand_and_move(model, folder);
    std::printf("%s sways, bows and twists for 9 s on four feet; its weight is %.1f N\n", model.name().c_str(),
                9.81 * model.total_mass());
    std::printf("  least vertical force on a foot %.1f N; motions of the trunk that the legs can make: %d\n",
                r.least_normal, r.rank);
    // The error comes from torques held for a millisecond, and from the integrator.
    const bool good[] = {small_enough("largest error of the trunk", r.error, 1e-3, "m"),
                         small_enough("largest error of its turn", r.turn, 1e-3, "rad"),
                         small_enough("largest drift of a foot", r.drift, 1e-5, "m"),
                         small_enough("largest share of horizontal in vertical force on a foot", r.friction, 0.6, ""),
                         small_enough("largest torque and force on the trunk", r.on_trunk, 0, "N m, N"),
                         small_enough("forces of the ground, less those that control expected", r.force_error, 1, "N"),
                         r.least_normal > 0,
                         r.rank == 6};
    return std::all_of(std::begin(good), std::end(good), [](bool x) { return x; });
  });
}
