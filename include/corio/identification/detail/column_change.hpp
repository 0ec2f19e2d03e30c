#pragma once

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

  /// Changes matrices that have a row for each joint, or are empty.
  /// @param step  samples between two instants
  void apply(MatrixX<double>& q, MatrixX<double>& v, MatrixX<double>& a, MatrixX<double>& tau,
             Eigen::Index step = 1) const {
    for (MatrixX<double>* x : {&q, &v, &a, &tau}) {
      if (x->size() == 0 || !(x == &tau ? of_torque : of_position)) continue;
      if (i != j) x->row(i).swap(x->row(j));
      const VectorX<double> old = scale * x->row(i).array() + (x == &q ? offset : 0);
      for (Eigen::Index k = 0; k < old.size(); ++k)
        (*x)(i, k) = old[std::clamp<Eigen::Index>(k + late * step, 0, old.size() - 1)];
    }
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

/// Compares recorded torques with those of the model at instants that are 0.1 s apart.
class TorqueComparison {
 public:
  static constexpr double distance = 0.1, smoothing = 0.05;

  TorqueComparison(const Model<double>& model, const PreparedRecording& s) : model_(model), data_(model) {
    const auto stride = (std::max<Eigen::Index>)(1, std::llround(distance / (s.t[1] - s.t[0])));
    const auto some = [&](const MatrixX<double>& x) {
      return MatrixX<double>(x(Eigen::all, Eigen::seq(0, (std::min)(s.t.size() - 1, 2000 * stride), stride)));
    };
    q_ = some(s.q), v_ = some(s.v), a_ = some(s.a), tau_ = some(s.tau);
    moving_ = (v_.array().abs() > Preparation().idle).cast<double>().rowwise().sum();
    apply(ColumnChange{false, false, 0, 0});
  }

  const TorqueFit& operator[](int k) const { return fits_[static_cast<std::size_t>(k)]; }
  /// The root mean square of the model's torque about its mean.
  double variation(int k) const { return std::sqrt((ours_.row(k).array() - ours_.row(k).mean()).square().mean()); }

  /// The increase of the sum over joints of log(1 / left) by a change. Shares of a thousandth count as noise.
  /// O(instants n).
  double gain(const ColumnChange& change) {
    MatrixX<double> q = q_, v = v_, a = a_, tau = tau_;
    change.apply(q, v, a, tau);
    return gain(fits(v, a, tau, change.of_position ? torques(q, v, a) : ours_));
  }
  void apply(const ColumnChange& change) {
    change.apply(q_, v_, a_, tau_);
    ours_ = torques(q_, v_, a_), fits_ = fits(v_, a_, tau_, ours_);
  }

  /// The same by another comparison.
  double gain(const TorqueComparison& other) const { return gain(other.fits_); }
  /// Compares with another gravity of the model.
  void apply(const Vector3<double>& gravity) {
    model_.set_gravity(gravity);
    apply(ColumnChange{false, false, 0, 0});
  }
  /// The gravity of the model's size along the direction dg that explains the torques of all joints best, each divided
  /// by its size: the least squares of tau_k = ours_k + sum_i G_ki dg_i beside armature, friction and an offset, where
  /// G_ki is the torque by a unit acceleration along axis i. O(instants n).
  Vector3<double> best_gravity() {
    const Vector3<double> now = model_.gravity();
    const Eigen::Index m = q_.cols();
    const MatrixX<double> none = MatrixX<double>::Zero(q_.rows(), m);
    MatrixX<double> G[3], X(m, 4), y(m, 4), all(0, 4), x;
    for (int i = 0; i < 3; ++i) model_.set_gravity(Vector3<double>::Unit(i)), G[i] = torques(q_, none, none);
    model_.set_gravity(now);
    LeastSquares<double> solver;
    for (Eigen::Index k = 0; k < q_.rows(); ++k) {
      if (!is_compared(k)) continue;
      X << motion(v_, a_, k), VectorX<double>::Ones(m);
      for (int i = 0; i < 3; ++i) y.col(i) = G[i].row(k);
      y.col(3) = tau_.row(k) - ours_.row(k);
      solver.compute(X), solver.solve(y, x);
      const Eigen::Index left = m - solver.rank();  // rows of the residual
      all.conservativeResize(all.rows() + left, 4);
      all.bottomRows(left) = y.bottomRows(left) / tau_.row(k).norm();
    }
    y = all.col(3);
    solver.compute(all.leftCols(3), 0.03), solver.solve(y, x);  // gravity stays along axes that do not matter
    return (now + x).normalized() * now.norm();
  }
  /// Whether a joint moves in half of the instants; else its friction is anywhere within its bounds.
  bool is_compared(Eigen::Index k) const {
    return 2 * moving_[k] >= static_cast<double>(v_.cols()) && tau_.row(k).maxCoeff() > tau_.row(k).minCoeff();
  }

 private:
  double gain(const std::vector<TorqueFit>& after) const {
    double sum = 0;
    for (std::size_t k = 0; k < after.size(); ++k) sum += std::log((fits_[k].left + 1e-3) / (after[k].left + 1e-3));
    return sum;
  }
  /// The torques of a unit armature, damping and friction.
  static MatrixX<double> motion(const MatrixX<double>& v, const MatrixX<double>& a, Eigen::Index k) {
    MatrixX<double> X(v.cols(), 3);
    X << a.row(k).transpose(), v.row(k).transpose(), (v.row(k).array() / smoothing).tanh().matrix().transpose();
    return X;
  }
  MatrixX<double> torques(const MatrixX<double>& q, const MatrixX<double>& v, const MatrixX<double>& a) {
    MatrixX<double> tau(q.rows(), q.cols());
    for (Eigen::Index i = 0; i < q.cols(); ++i)
      tau.col(i) = rnea(model_, data_, VectorX<double>(q.col(i)), VectorX<double>(v.col(i)), VectorX<double>(a.col(i)));
    return tau;
  }
  std::vector<TorqueFit> fits(const MatrixX<double>& v, const MatrixX<double>& a, const MatrixX<double>& tau,
                              const MatrixX<double>& ours) const {
    std::vector<TorqueFit> all(static_cast<std::size_t>(v.rows()));
    MatrixX<double> X(v.cols(), 4);
    for (Eigen::Index k = 0; k < v.rows(); ++k) {
      if (!is_compared(k)) continue;
      const VectorX<double> y = tau.row(k).array() - tau.row(k).mean();
      X << ours.row(k).transpose(), motion(v, a, k);
      X.rowwise() -= X.colwise().mean().eval();
      const VectorX<double> x = bounded_least_squares<double>(X, y, VectorX<double>::Zero(4));
      all[static_cast<std::size_t>(k)] = {x[0], (y - X * x).squaredNorm() / y.squaredNorm()};
    }
    return all;
  }

  Model<double> model_;
  Data<double> data_;
  MatrixX<double> q_, v_, a_, tau_, ours_;
  VectorX<double> moving_;  // the number of instants in which a joint moves
  std::vector<TorqueFit> fits_;
};

}}}  // namespace corio::detail
