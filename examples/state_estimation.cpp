// A free-floating satellite with an arm estimates its state by an extended Kalman filter on the configuration manifold:
// poses are measured a few times a second, joint angles often, velocities never; they follow from the torques by the
// dynamics.
//
//   state_estimation [folder] [--check]
//
// prints errors and their consistency with the covariance over several runs with other noise, also for a filter that
// treats the manifold as a vector space; writes data, and figures if there is gnuplot, into the folder (default
// state_estimation_output). --check: exit status 1 if errors disagree with the covariance.

#include <Eigen/Cholesky>
#include <corio/algorithms/derivatives/forward_dynamics_derivatives.hpp>
#include <corio/algorithms/dynamics/jacobian.hpp>
#include <corio/algorithms/dynamics/position_jacobian.hpp>
#include <corio/kinematics/configuration_derivatives.hpp>
#include <corio/model/builder.hpp>
#include <corio/simulation/step.hpp>
#include <corio/spatial/groups.hpp>
#include <cstdio>
#include <numbers>
#include <random>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using corio::ReferenceFrame;
using support::demand;
constexpr double dt = 1e-2, end = 8;  // time step and duration of the filter, s
constexpr int joints = 4, runs = 10;

// Standard deviations of the star tracker, largest about its line of sight (rad), of the camera that looks at the hand
// (m), of encoders (rad), and of the differences between actual and commanded forces on satellite and joints (N m, N).
const Vector3d sigma_star(1e-3, 1e-3, 1e-2);
constexpr double sigma_hand = 5e-3, sigma_encoder = 1e-3, sigma_force = 0.2;

corio::Model<double> satellite_with_arm() {
  corio::ModelBuilder<double> builder("satellite_with_arm");
  builder.set_gravity({0, 0, 0});
  const auto box = [](double m, const Vector3d& s, const Vector3d& center) {
    const Vector3d squares = s.cwiseAbs2();
    const Vector3d diagonal = m / 12 * (Vector3d::Constant(squares.sum()) - squares);
    return corio::InertialParameters<double>{m, center, diagonal.asDiagonal()};
  };
  builder.add_body(
      {.name = "satellite", .joint = corio::joint::FreeFlyer{}, .inertia = box(60, {0.5, 0.6, 0.8}, {0, 0, 0})});
  corio::Parent parent = "satellite";
  for (int i = 0; i < joints; ++i)
    parent = builder.add_body({.name = "link" + std::to_string(i + 1),
                               .parent = parent,
                               .joint = i % 2 == 0 ? corio::joint::Revolute::z() : corio::joint::Revolute::y(),
                               .placement = {Eigen::Matrix3d::Identity(), {0, 0, 0.4}},
                               .inertia = box(5 - i, {0.08, 0.08, 0.4}, {0, 0, 0.2}),
                               .armature = {0.1}});
  builder.add_frame("hand", parent, {Eigen::Matrix3d::Identity(), {0, 0, 0.4}});
  return builder.build();
}

class Noise {
 public:
  explicit Noise(unsigned seed) : generator_(seed) {}
  VectorXd operator()(const VectorXd& sigma) {
    return sigma.unaryExpr([&](double s) { return s * normal_(generator_); });
  }

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
};

/// The state q, v and the covariance P of its error (difference(estimate, truth), true v minus estimated v).
class Filter {
 public:
  Filter(const corio::Model<double>& model, const VectorXd& q0, const VectorXd& v0, const VectorXd& sigma,
         bool manifold)
      : q(q0),
        v(v0),
        P(sigma.cwiseAbs2().asDiagonal()),
        manifold_(manifold),
        model_(model),
        data_(model),
        n_(model.nv()) {}

  void predict(const VectorXd& tau) {
    const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(model_, data_, q, v, tau);
    // F maps the error to the end of the step. Its lower half is the derivative of v + dt a.
    MatrixXd F(2 * n_, 2 * n_);
    F.bottomLeftCorner(n_, n_) = dt * da_dq;
    F.bottomRightCorner(n_, n_) = MatrixXd::Identity(n_, n_) + dt * da_dv;
    const MatrixXd B = dt * da_dtau;
    const VectorXd before = q;
    corio::step(model_, data_, q, v, tau, dt, corio::Integrator::rk4);
    // The upper half is the derivative of integrate(q, dt v) with respect to q and v.
    corio::integrate_derivatives<double>(model_, before, corio::difference(model_, before, q), by_q_, by_dv_);
    if (!manifold_) by_q_.setIdentity(), by_dv_.setIdentity();
    F.topRows(n_) = dt * by_dv_ * F.bottomRows(n_);
    F.topLeftCorner(n_, n_) += by_q_;
    MatrixXd G(2 * n_, n_);  // for the noise of forces
    G << dt * by_dv_ * B, B;
    P = F * P * F.transpose() + sigma_force * sigma_force * G * G.transpose();
  }

  /// @param residual  measured minus expected value, H times the error to first order
  void correct(const VectorXd& residual, const MatrixXd& H_q, const VectorXd& sigma) {
    const MatrixXd PH = P.leftCols(n_) * H_q.transpose();
    MatrixXd S = H_q * PH.topRows(n_);
    S.diagonal() += sigma.cwiseAbs2();
    const MatrixXd K = S.llt().solve(PH.transpose()).transpose();
    const VectorXd step = K * residual;
    P -= K * PH.transpose();
    // The error is now counted from another q: by_dv is the change of coordinates.
    corio::integrate_derivatives<double>(model_, q, step.head(n_), by_q_, by_dv_);
    if (manifold_) {
      P.topRows(n_) = (by_dv_ * P.topRows(n_)).eval();
      P.leftCols(n_) = (P.leftCols(n_) * by_dv_.transpose()).eval();
    }
    P = (0.5 * (P + P.transpose())).eval();
    q = corio::integrate(model_, q, step.head(n_));
    v += step.tail(n_);
  }

  void see_stars(const Eigen::Matrix3d& measured) {
    const auto& body = model_.body("satellite");
    MatrixXd J(6, n_);
    corio::body_jacobian(model_, data_, q, body, J);  // in the axes of the body, like log3(R^T ..)
    const Eigen::Matrix3d R = corio::body_pose(model_, data_, body).rotation;
    correct(corio::log3<double>(R.transpose() * measured), J.topRows(3), sigma_star);
  }
  void see_hand(const Vector3d& measured) {
    const auto& hand = model_.frame("hand");
    MatrixXd J(3, n_);
    corio::body_position_jacobian(model_, data_, q, {hand, ReferenceFrame::world_aligned}, J);
    correct(measured - corio::body_pose(model_, data_, hand).translation, J, Vector3d::Constant(sigma_hand));
  }
  void read_encoders(const VectorXd& measured) {
    correct(measured - q.tail(joints), MatrixXd::Identity(n_, n_).bottomRows(joints),
            VectorXd::Constant(joints, sigma_encoder));
  }

  VectorXd error(const VectorXd& true_q, const VectorXd& true_v) const {
    VectorXd e(2 * n_);
    e << corio::difference(model_, q, true_q), true_v - v;
    return e;
  }

  VectorXd q, v;
  MatrixXd P;

 private:
  const bool manifold_;
  const corio::Model<double>& model_;
  corio::Data<double> data_;
  const int n_;
  MatrixXd by_q_, by_dv_;
};

/// One run, and the squares of its errors relative to their covariance over time, on average 2 nv if P is right.
VectorXd run(const corio::Model<double>& model, unsigned seed, bool manifold, std::ostream* log) {
  const int n = model.nv(), steps = static_cast<int>(end / dt);
  Noise noise(seed);
  corio::Data data(model);
  VectorXd q = corio::neutral(model), v = VectorXd::Zero(n), sigma(2 * n);
  q.tail(joints) << 0.3, 0.8, -0.4, 0.9;
  v.head(6) << 0.5, 0.3, -0.4, 0.05, 0, 0.02;  // the satellite tumbles
  sigma << VectorXd::Constant(3, 0.3), VectorXd::Constant(3, 0.1), VectorXd::Constant(joints, 1e-2),
      VectorXd::Constant(n, 0.05);
  const VectorXd wrong = noise(sigma), home = q.tail(joints);
  Filter filter(model, corio::integrate(model, q, wrong.head(n)), v + wrong.tail(n), sigma, manifold);

  VectorXd squares(steps);
  for (int i = 0; i < steps; ++i) {
    // The arm swings, controlled by the estimated state.
    VectorXd tau = VectorXd::Zero(n);
    for (int k = 0; k < joints; ++k) {
      const double swing = 0.5 * std::sin((0.8 + 0.3 * k) * i * dt);
      tau[6 + k] = 4 * (home[k] + swing - filter.q[7 + k]) - 3 * filter.v[6 + k];
    }
    VectorXd driven = tau;
    driven += noise(VectorXd::Constant(n, sigma_force));
    for (int k = 0; k < 2; ++k) corio::step(model, data, q, v, driven, dt / 2, corio::Integrator::rk4);

    filter.predict(tau);
    filter.read_encoders(q.tail(joints) + noise(VectorXd::Constant(joints, sigma_encoder)));
    corio::forward_kinematics(model, data, q);
    if (i % 20 == 0) {
      const auto R = corio::body_pose(model, data, model.body("satellite")).rotation;
      filter.see_stars(R * corio::exp3<double>(noise(sigma_star)));
    }
    if (i % 20 == 10) {
      const Vector3d hand = corio::body_pose(model, data, model.frame("hand")).translation;
      filter.see_hand(hand + noise(Vector3d::Constant(sigma_hand)));
    }
    const VectorXd e = filter.error(q, v), s = filter.P.diagonal().cwiseSqrt();
    squares[i] = e.dot(filter.P.llt().solve(e));
    if (log)
      *log << (i + 1) * dt << ' ' << e[2] << ' ' << 3 * s[2] << ' ' << e[n + 1] << ' ' << 3 * s[n + 1] << ' '
           << e[n + 6] << ' ' << 3 * s[n + 6] << '\n';
  }
  return squares;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("state_estimation", argc, argv, [](const fs::path& folder) {
    const auto model = satellite_with_arm();
    const int size = 2 * model.nv();
    auto log = support::output(folder / "errors.dat"), squares = support::output(folder / "squares.dat");
    log << "# time (s), errors and three standard deviations: attitude about z (rad), its rate about y, joint 1 "
           "(rad/s)\n";
    VectorXd on_manifold, flat;
    for (unsigned i = 0; i < runs; ++i)
      for (const bool manifold : {true, false}) {
        const VectorXd x = run(model, i + 1, manifold, i == 0 && manifold ? &log : nullptr) / runs;
        VectorXd& sum = manifold ? on_manifold : flat;
        sum = sum.size() == 0 ? x : VectorXd(sum + x);
      }
    squares << "# time (s), mean squares of errors by their covariance: on the manifold, as a vector space\n";
    for (Eigen::Index i = 0; i < flat.size(); ++i)
      squares << static_cast<double>(i + 1) * dt << ' ' << on_manifold[i] << ' ' << flat[i] << '\n';
    const Eigen::Index settled = flat.size() / 4;
    const double right = on_manifold.tail(flat.size() - settled).mean(),
                 wrong = flat.tail(flat.size() - settled).mean();
    std::printf("Errors by their covariance, %d numbers, mean of %d runs: %.1f, and %.1f for a vector space\n", size,
                runs, right, wrong);
    const bool good = demand("errors are what the covariance says, to a fifth", std::abs(right - size) < 0.2 * size);
    return demand("they are not where q is taken for a vector", wrong > 1.5 * size) && good;
  });
}
