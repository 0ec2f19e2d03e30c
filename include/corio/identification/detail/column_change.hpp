#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/identification/bounded_least_squares.hpp"
#include "corio/identification/recording.hpp"

/// Changes of the columns of a recording, and with which of them a model explains the recorded torques best.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Positions with their rates, torques, or both, of joints i and j are exchanged or, for i = j, multiplied by `scale`,
/// after which `offset` is added to the position, and `late` instants earlier.
struct ColumnChange {
  bool of_position, of_torque;
  int i, j;
  double scale = 1, offset = 0;
  int late = 0;

  /// Changes a JointRecording or PreparedRecording. @param step  samples between two instants
  void apply(auto& s, Eigen::Index step = 1) const {
    const auto change = [&](MatrixX<double>& x, double plus) {
      if (x.size() == 0) return;
      if (i != j) x.row(i).swap(x.row(j));
      const VectorX<double> old = scale * x.row(i).array() + plus;
      for (Eigen::Index k = 0; k < old.size(); ++k)
        x(i, k) = old[std::clamp<Eigen::Index>(k + late * step, 0, old.size() - 1)];
    };
    if (of_position) change(s.q, offset), change(s.v, 0);
    if constexpr (requires { s.a; })
      if (of_position) change(s.a, 0);
    if (of_torque) change(s.tau, 0);
  }
};

/// The changes that are tried: axes, positions and torques with the opposite sign, exchanged, or late; angles in deg or
/// turns if their ranges allow it, and angles that begin a quarter or half of a turn elsewhere.
/// @param spans  the ranges of angles; NaN for lengths
inline std::vector<ColumnChange> column_changes(const std::vector<double>& spans) {
  std::vector<ColumnChange> changes;
  const double turn = 2 * std::numbers::pi;
  for (int k = 0; k < static_cast<int>(spans.size()); ++k) {
    const double span = spans[static_cast<std::size_t>(k)];
    changes.push_back({true, true, k, k, -1});
    for (const bool of_torque : {true, false}) {
      changes.push_back({!of_torque, of_torque, k, k, -1});
      for (int j = 0; j < k; ++j) changes.push_back({!of_torque, of_torque, j, k});
      for (const int late : {-4, -3, -2, -1, 1, 2, 3, 4}) changes.push_back({!of_torque, of_torque, k, k, 1, 0, late});
    }
    if (span > 2 * turn) changes.push_back({true, false, k, k, turn / 360});
    if (span < 1) changes.push_back({true, false, k, k, turn});
    for (const int quarters : {-1, 1, 2})
      if (!std::isnan(span)) changes.push_back({true, false, k, k, 1, quarters * turn / 4});
  }
  return changes;
}

/// The fit of recorded torques by those of the model, beside armature, damping, Coulomb friction and an offset, with
/// coefficients that are not negative: that of the model's torque, and the share of the variance that is left.
struct TorqueFit {
  double slope = 0, left = 1;
};

/// The median of factors; of two in the middle the one that is nearer to 1.
inline double median_factor(std::vector<double> x) {
  std::ranges::sort(x);
  const double low = x[(x.size() - 1) / 2], high = x[x.size() / 2];
  return low * high < 1 ? high : low;
}

/// Compares recorded torques with those of the model at instants that are 0.1 s apart.
class TorqueComparison {
 public:
  static constexpr double distance = 0.1, smoothing = 0.05;

  TorqueComparison(const Model<double>& model, const PreparedRecording& s)
      : model_(model), data_(model), driven_(driven_joints(model)) {
    const auto stride = (std::max<Eigen::Index>)(1, std::llround(distance / (s.t[1] - s.t[0])));
    s_ = s.part(Eigen::seq(0, (std::min)(s.t.size() - 1, 2000 * stride), stride));
    compare();
  }

  const PreparedRecording& instants() const { return s_; }
  const TorqueFit& operator[](int k) const { return fits_[static_cast<std::size_t>(k)]; }
  /// The root mean square of the model's torque about its mean.
  double variation(int k) const { return std::sqrt((ours_.row(k).array() - ours_.row(k).mean()).square().mean()); }

  /// The increase of the sum over joints of log(1 / left) by a change. Shares of a thousandth count as noise.
  /// O(instants n).
  double gain(const ColumnChange& change) {
    PreparedRecording changed = s_;
    change.apply(changed);
    return gain(fits(changed, change.of_position ? torques(changed) : ours_));
  }
  void apply(const ColumnChange& change) {
    change.apply(s_);
    compare();
  }

  /// The same by another comparison.
  double gain(const TorqueComparison& other) const { return gain(other.fits_); }
  /// Compares with another gravity of the model.
  void apply(const Vector3<double>& gravity) {
    model_.set_gravity(gravity);
    compare();
  }
  /// The gravity of the model's size along the direction dg that explains the torques of all joints best, each divided
  /// by its size: the least squares of tau_k = ours_k + sum_i G_ki dg_i beside armature, friction and an offset, where
  /// G_ki is the torque by a unit acceleration along axis i. O(instants n).
  Vector3<double> best_gravity() {
    const Vector3<double> now = model_.gravity();
    const Eigen::Index m = s_.q.cols();
    PreparedRecording still = s_;
    still.v.setZero(), still.a.setZero();
    MatrixX<double> G[3], X(m, 4), y(m, 4), all(0, 4), x;
    for (int i = 0; i < 3; ++i) model_.set_gravity(Vector3<double>::Unit(i)), G[i] = torques(still);
    model_.set_gravity(now);
    LeastSquares<double> solver;
    for (Eigen::Index k = 0; k < s_.q.rows(); ++k) {
      if (!is_compared(k)) continue;
      X << motion(s_, k), VectorX<double>::Ones(m);
      for (int i = 0; i < 3; ++i) y.col(i) = G[i].row(k);
      y.col(3) = s_.tau.row(k) - ours_.row(k);
      solver.compute(X), solver.solve(y, x);
      const Eigen::Index left = m - solver.rank();  // rows of the residual
      all.conservativeResize(all.rows() + left, 4);
      all.bottomRows(left) = y.bottomRows(left) / s_.tau.row(k).norm();
    }
    y = all.col(3);
    solver.compute(all.leftCols(3), 0.03), solver.solve(y, x);  // gravity stays along axes that do not matter
    return (now + x).normalized() * now.norm();
  }
  /// Whether a joint moves in half of the instants; else its friction is anywhere within its bounds.
  bool is_compared(Eigen::Index k) const {
    return 2 * s_.moving.row(k).sum() >= static_cast<double>(s_.v.cols()) &&
           s_.tau.row(k).maxCoeff() > s_.tau.row(k).minCoeff();
  }
  const Model<double>& model() const { return model_; }

 private:
  void compare() { ours_ = torques(s_), fits_ = fits(s_, ours_); }
  double gain(const std::vector<TorqueFit>& after) const {
    double sum = 0;
    for (std::size_t k = 0; k < after.size(); ++k) sum += std::log((fits_[k].left + 1e-3) / (after[k].left + 1e-3));
    return sum;
  }
  /// The torques of a unit armature, damping and friction.
  static MatrixX<double> motion(const PreparedRecording& s, Eigen::Index k) {
    MatrixX<double> X(s.v.cols(), 3);
    X << s.a.row(k).transpose(), s.v.row(k).transpose(), (s.v.row(k).array() / smoothing).tanh().matrix().transpose();
    return X;
  }
  MatrixX<double> torques(const PreparedRecording& s) {
    MatrixX<double> tau(s.q.rows(), s.q.cols());
    for (Eigen::Index i = 0; i < s.q.cols(); ++i)
      tau.col(i) = rnea<double>(model_, data_, s.q.col(i), s.v.col(i), s.a.col(i));
    for (const DrivenJoint<double>& one : driven_) one.transfer(tau);
    return tau;
  }
  std::vector<TorqueFit> fits(const PreparedRecording& s, const MatrixX<double>& ours) const {
    std::vector<TorqueFit> all(static_cast<std::size_t>(s.v.rows()));
    MatrixX<double> X(s.v.cols(), 4);
    for (Eigen::Index k = 0; k < s.v.rows(); ++k) {
      if (!is_compared(k)) continue;
      const VectorX<double> y = s.tau.row(k).array() - s.tau.row(k).mean();
      X << ours.row(k).transpose(), motion(s, k);
      X.rowwise() -= X.colwise().mean().eval();
      const VectorX<double> x = bounded_least_squares<double>(X, y, VectorX<double>::Zero(4));
      all[static_cast<std::size_t>(k)] = {x[0], (y - X * x).squaredNorm() / y.squaredNorm()};
    }
    return all;
  }

  Model<double> model_;
  Data<double> data_;
  std::vector<DrivenJoint<double>> driven_;
  PreparedRecording s_;
  MatrixX<double> ours_;
  std::vector<TorqueFit> fits_;
};

}}}  // namespace corio::detail
