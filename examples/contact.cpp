// A quadruped that stands on four point feet: accelerations and contact forces together, from
//   [ M  -J^T ] [ a ]   [ tau - C v - g ]
//   [ J    0  ] [ f ] = [   -dJ/dt v    ],
// while its legs crouch. Exit status 1 unless the feet stay in place, and forces and motion obey Newton's law and
// inverse dynamics.

#include <Eigen/LU>
#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>
#include <cstdio>
#include <numbers>

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

class Standing {
 public:
  explicit Standing(const corio::Model<double>& model) : model_(model), data_(model), J_(12, model.nv()), bias_(12) {
    for (const char* leg : {"front_left", "front_right", "rear_left", "rear_right"})
      feet_.emplace_back(model.frame(std::string(leg) + "_foot"), corio::ReferenceFrame::world_aligned);
  }

  /// The accelerations a and the forces of the ground on the feet, 3 each in world axes. Drift of the feet is
  /// stabilised as in Baumgarte (1972).
  void solve(const VectorXd& q, const VectorXd& v, const VectorXd& tau) {
    const int n = model_.nv();
    corio::forward_kinematics(model_, data_, q, v);
    MatrixXd J(6, n), J_dot(6, n);
    for (int i = 0; i < 4; ++i) {
      corio::body_jacobian(model_, data_, feet_[static_cast<std::size_t>(i)], J);
      corio::body_jacobian_dot(model_, data_, feet_[static_cast<std::size_t>(i)], J_dot);
      J_.middleRows<3>(3 * i) = J.bottomRows<3>();
      bias_.segment<3>(3 * i) = J_dot.bottomRows<3>() * v;
    }
    const VectorXd positions = foot_positions();
    if (home_.size() == 0) home_ = positions;
    MatrixXd kkt = MatrixXd::Zero(n + 12, n + 12);
    kkt << corio::crba(model_, data_), -J_.transpose(), J_, MatrixXd::Zero(12, 12);
    VectorXd right(n + 12);
    right << tau - corio::nonlinear_effects(model_, data_), -bias_ - 40 * J_ * v - 400 * (positions - home_);
    const VectorXd x = kkt.partialPivLu().solve(right);
    a = x.head(n), f = x.tail(12);
  }
  VectorXd foot_positions() const {
    VectorXd x(12);
    for (int i = 0; i < 4; ++i)
      x.segment<3>(3 * i) = corio::body_pose(model_, data_, model_.frame(name(i) + "_foot")).translation;
    return x;
  }
  double drift() const { return (foot_positions() - home_).cwiseAbs().maxCoeff(); }

  /// Residuals of Newton's law for the whole robot, relative to its weight, and of inverse dynamics with the forces on
  /// the feet, relative to the torques.
  double residual(const VectorXd& q, const VectorXd& v, const VectorXd& tau) {
    corio::forward_kinematics(model_, data_, q, v, a);
    Vector3d sum = Vector3d::Zero();
    std::vector<corio::ExternalForce<double>> forces;
    for (int i = 0; i < 4; ++i) {
      sum += f.segment<3>(3 * i);
      const corio::Force<double> on_foot{Vector3d::Zero(), f.segment<3>(3 * i)};
      forces.emplace_back(model_.frame(name(i) + "_foot"), on_foot, corio::ReferenceFrame::world_aligned);
    }
    const double m = model_.total_mass();
    const Vector3d law = m * (corio::center_of_mass_acceleration(model_, data_) - model_.gravity()) - sum;
    return std::max(law.norm() / (m * 9.81),
                    (corio::rnea(model_, data_, forces) - tau).norm() / std::max(1.0, tau.norm()));
  }

  VectorXd a, f;

 private:
  static std::string name(int i) {
    const char* names[] = {"front_left", "front_right", "rear_left", "rear_right"};
    return names[i];
  }
  const corio::Model<double>& model_;
  corio::Data<double> data_;
  std::vector<corio::FramePoint<double>> feet_;
  MatrixXd J_;
  VectorXd bias_, home_;
};

}  // namespace

int main() {
  const auto model = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/quadruped.urdf", corio::joint::FreeFlyer{});
  const int n = model.nv();
  VectorXd q = corio::neutral(model), v = VectorXd::Zero(n);
  for (int leg = 0; leg < 4; ++leg) q.segment<3>(7 + 3 * leg) << 0.0, 0.6, -1.2;
  VectorXd target = q.tail(12);
  const double height = q[2], dt = 1e-3;

  Standing standing(model);
  double worst = 0, drift = 0, least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    // Crouches and comes up again.
    for (int leg = 0; leg < 4; ++leg) {
      const double bend = 0.15 * (1 - std::cos(2 * std::numbers::pi * i * dt));
      target.segment<3>(3 * leg) << 0.0, 0.6 + bend, -1.2 - 2 * bend;
    }
    VectorXd tau = VectorXd::Zero(n);
    tau.tail(12) = 150 * (target - q.tail(12)) - 5 * v.tail(12);
    standing.solve(q, v, tau);
    if (i % 100 == 0) worst = std::max(worst, standing.residual(q, v, tau));
    for (int foot = 0; foot < 4; ++foot) least = std::min(least, standing.f[3 * foot + 2]);
    drift = std::max(drift, standing.drift());
    v += dt * standing.a;
    q = corio::integrate(model, q, dt * v);
    if (i % 250 == 0)
      std::printf("t = %.2f s: trunk %+.3f m, vertical forces %.1f %.1f %.1f %.1f N\n", i * dt, q[2] - height,
                  standing.f[2], standing.f[5], standing.f[8], standing.f[11]);
  }
  std::printf("feet drift by %.1e m at most, least vertical force %.1f N\n", drift, least);
  std::printf("residual of Newton's law and inverse dynamics %.1e\n", worst);
  // The bounds are rounding, the stabilised drift of Euler's method, and feet that do not pull.
  const bool good = worst < 1e-9 && drift < 1e-4 && least > 0;
  std::printf("%s\n", good ? "ok" : "FAILED");
  return good ? 0 : 1;
}
