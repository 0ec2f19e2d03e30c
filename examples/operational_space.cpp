// The hand of an arm follows a circle by operational space control (Khatib, 1987), and a momentum observer (De Luca,
// 2003) estimates external forces without accelerations. Exit status 1 unless the hand stays on the circle and the
// observer finds the push.

#include <corio/control/momentum_observer.hpp>
#include <corio/control/operational_space.hpp>
#include <corio/corio.hpp>
#include <cstdio>

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double dt = 5e-4;

Vector3d on_circle(const Vector3d& center, double t, Vector3d& velocity, Vector3d& acceleration) {
  constexpr double radius = 0.1, w = 2;
  const Vector3d x(0, std::sin(w * t), 1 - std::cos(w * t)), y(0, std::cos(w * t), std::sin(w * t));
  velocity = radius * w * y;
  acceleration = radius * w * w * Vector3d(0, -std::sin(w * t), std::cos(w * t));
  return center + radius * x;
}

}  // namespace

int main() {
  const auto model = corio::zoo::serial_chain(7);
  const int n = model.nv();
  corio::Data data(model);
  const corio::FramePoint<double> hand(model.bodies().back(), corio::ReferenceFrame::world_aligned, {0, 0, 0.3});
  const VectorXd posture = VectorXd::LinSpaced(n, 0.3, 0.9);
  corio::Simulation<double> plant(model, posture, VectorXd::Zero(n), dt);
  VectorXd tau = VectorXd::Zero(n);
  const auto position = [&] {
    return Vector3d(corio::body_pose(model, data, model.bodies().back()).point(Vector3d(0, 0, 0.3)));
  };
  corio::forward_kinematics(model, data, posture);
  const Vector3d center = position(), push(15, -10, 20);

  corio::MomentumObserver<double> observer(model, VectorXd::Constant(n, 50));
  corio::OperationalSpace control(model);
  std::vector<corio::OperationalTask<double>> tasks(1);
  MatrixXd J(6, n), J_dot(6, n);
  double on_track = 0, before_push = 0, found = 0, size = 0;
  for (int i = 0; i < 6000; ++i) {
    const double t = plant.time();
    const VectorXd &q = plant.q(), &v = plant.v();
    const bool pushed = t >= 2 && t < 2.5;
    corio::forward_kinematics(model, data, q, v);
    corio::body_jacobian(model, data, hand, J);
    corio::body_jacobian_dot(model, data, hand, J_dot);
    const VectorXd outside = pushed ? VectorXd(J.bottomRows(3).transpose() * push) : VectorXd::Zero(n);
    const VectorXd& r = observer.update(model, data, tau, dt);

    // The hand gets the desired acceleration; the null space of the arm is drawn to a posture.
    Vector3d velocity, acceleration;
    const Vector3d target = on_circle(center, t, velocity, acceleration), error = target - position();
    auto& task = tasks.front();
    task.J = J.bottomRows(3), task.Jdot = J_dot.bottomRows(3);
    task.acceleration = acceleration + 400 * error + 40 * (velocity - task.J * v);
    const VectorXd command = control.update(model, data, tasks, 20 * (posture - q) - 8 * v);

    if (t > 0.5 && t < 2) on_track = std::max(on_track, error.norm()), before_push = std::max(before_push, r.norm());
    if (pushed && t > 2.4) found = std::max(found, (r - outside).norm()), size = outside.norm();
    plant.advance(command + outside);
    tau = command;
  }
  std::printf("hand off the circle by %.2e m at most\n", on_track);
  std::printf("observer: %.2e N m at most before the push, then wrong by %.2e of %.1f N m\n", before_push, found, size);
  // The observer follows a changing torque with a delay of 1 / gain = 20 ms.
  const bool good = on_track < 1e-3 && before_push < 0.02 * size && found < 0.05 * size;
  std::printf("%s\n", good ? "ok" : "FAILED");
  return good ? 0 : 1;
}
