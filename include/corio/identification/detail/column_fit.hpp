#pragma once

#include <cmath>
#include <optional>

#include "corio/identification/detail/column_change.hpp"
#include "corio/identification/streaming_least_squares.hpp"

/// Errors of single columns of a recording that no bodies of the robot explain.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// A correction of one column, and the fault in words.
struct ColumnFault {
  ColumnChange correction;
  std::string text;
};

/// Fits bodies and joints, p, together with an error of one column, by the Gauss-Newton method:
///
///   tau_k = g_k (Y(s q + z, s v, s a) p)_k.
///
/// Bodies have a prior, the model times a factor common to all torques, with deviations of 30 % of the mass and 5 cm of
/// its centre. Since p is free, wrong bodies do not look like errors of columns, while a wrong zero or size changes the
/// kinematics that all joints share. The first steps leave all g free, which gives the common factor, the deviations of
/// the torques, and the joints whose torques the model explains.
class ColumnFit {
 public:
  /// @param s  some 7,000 torques of it are used
  ColumnFit(const Model<double>& model, const PreparedRecording& s)
      : n_(model.nv()),
        regressor_(model),
        s_(s.part(Eigen::seq(0, Eigen::last, 1 + s.q.size() / 7000))),
        weights_(s_.moving),
        errors_(n_, 3) {
    const int bodies = num_inertial_parameters(model);
    p_.resize(bodies + 4 * n_), p_ << inertial_parameters(model), joint_parameters(model);
    spread_ = p_;
    const double least = 1e-9 + 0.005 * p_.head(bodies).reshaped(10, bodies / 10).row(0).sum();
    for (int b = 0; b < bodies; b += 10) {
      const double m = (std::max)(p_[b], least), r2 = (std::max)(0.5 * p_.segment<3>(b + 4).sum() / m, 1e-4);
      spread_.segment<10>(b) << 0.3 * m, VectorX<double>::Constant(3, m * (0.3 * std::sqrt(r2) + 0.05)),
          VectorX<double>::Constant(6, 0.5 * m * (r2 + 0.0025));
    }
    const VectorX<double> size = rms(s_.tau);
    for (int k = 0; k < n_; ++k) spread_.segment<4>(bodies + 4 * k) << size[k] / 3, size[k], size[k], size[k];
    deviation_ = 0.1 * size;
    errors_ << VectorX<double>::Ones(n_), VectorX<double>::Zero(n_), VectorX<double>::Ones(n_);
    prior_ = p_;
    for (int pass = 0; pass < 4; ++pass) step(n_);
    std::vector<double> factors;
    const VectorX<double> variation = rms(s_.tau.colwise() - s_.tau.rowwise().mean());
    for (int k = 0; k < n_; ++k)
      if (deviation_[k] < 0.4 * variation[k] && weights_.row(k).sum() > 20)
        factors.push_back(errors_(k, torque_size));
      else
        weights_.row(k).setZero();
    if (is_empty_ = factors.empty(); is_empty_) return;
    const double common = median_factor(factors);
    p_ *= common, prior_ *= common, spread_ *= common;
    errors_.col(torque_size).setOnes();
    for (int pass = 0; pass < 2; ++pass) step(0);
  }

  /// Returns the error that explains most of what is left, if it does so by five standard deviations and is larger than
  /// 0.1 rad or, as a factor, 1.5 for torques and 1.3 for positions.
  std::optional<ColumnFault> find() {
    if (is_empty_) return std::nullopt;
    step(0);
    constexpr double least[] = {0.5, 0.1, 0.3};
    Eigen::Index best;
    for (Eigen::Index j = 0; j < gains_.size(); ++j)
      if (std::abs(changes_[j]) < 0.5 * least[j / n_] || scale_[j] > 1) gains_[j] = 0;  // small, or not determined
    if (!(gains_.maxCoeff(&best) > 2)) return std::nullopt;
    for (int pass = 0; pass < 5; ++pass) step(0, best);
    const int k = static_cast<int>(best % n_);
    const double x = errors_.reshaped()[best], deviation = scale_[best], neutral = best / n_ == zero ? 0 : 1;
    const bool is_large = best / n_ == zero ? std::abs(x) > least[zero] : (std::max)(x, 1 / x) > 1 + least[best / n_];
    if (!is_large || std::abs(x - neutral) < 5 * deviation || weights_.row(k).isZero(0)) return std::nullopt;
    const auto figure = [&](double value) { return "is " + number(value) + " +- " + number(deviation); };
    if (best / n_ == torque_size) return other_torque_size(k, x, " +- " + number(deviation));
    if (best / n_ == zero)
      return ColumnFault{{true, false, k, k, 1, x}, figure(-x) + " rad off, as torques of all joints tell"};
    return ColumnFault{{true, false, k, k, x}, figure(1 / x) + " times as large as torques of all joints tell"};
  }
  static ColumnFault other_torque_size(int k, double x, const std::string& deviation = "") {
    return {{false, true, k, k, 1 / x},
            join({"is ", number(x), deviation, " times as large as torques of the other joints tell: is it before the ",
                  "gear, a current, or in another unit?"})};
  }

 private:
  enum Column { torque_size, zero, position_size };  // of errors_

  /// The root mean square over the instants in which a joint moves.
  VectorX<double> rms(const MatrixX<double>& x) const {
    const VectorX<double> count = weights_.rowwise().sum().cwiseMax(1);
    return x.cwiseAbs2().cwiseProduct(weights_).rowwise().sum().cwiseQuotient(count).cwiseSqrt().cwiseMax(1e-9);
  }

  /// Steps in p, in the first `free` numbers of errors_, and in the number `also`, -1 for none. Computes for every
  /// number of errors_ what it explains of the rest, and its deviation, alone.
  void step(int free, Eigen::Index also = -1) {
    constexpr double h = 1e-5;
    const Eigen::Index p = p_.size(), all = p + 3 * n_;
    StreamingLeastSquares<double> stream(all);
    VectorX<double> prior = VectorX<double>::Zero(p + n_), spread = VectorX<double>::Ones(p + n_);
    prior.head(p) = prior_ - p_, spread.head(p) = spread_;
    prior.tail(n_) = 1 - errors_.col(torque_size).array();
    stream.add(MatrixX<double>::Identity(p + n_, all), prior, spread.cwiseAbs2().cwiseInverse());
    MatrixX<double> rows(n_, all), rest(n_, s_.q.cols());
    const VectorX<double> g = errors_.col(torque_size), size = errors_.col(position_size);
    for (Eigen::Index i = 0; i < s_.q.cols(); ++i) {
      VectorX<double> q = size.cwiseProduct(s_.q.col(i)) + errors_.col(zero), v = size.cwiseProduct(s_.v.col(i)),
                      a = size.cwiseProduct(s_.a.col(i));
      const VectorX<double> direction = (s_.v.col(i) / friction_smoothing).array().tanh();  // has no size
      const auto Y = [&]() -> const MatrixX<double>& { return regressor_(q, v, a, direction); };
      rows.leftCols(p) = Y();
      const VectorX<double> torque = rows.leftCols(p) * p_;
      rows.middleCols(p, n_) = MatrixX<double>(torque.asDiagonal());
      for (Eigen::Index k = 0; k < n_; ++k) {
        const double at = q[k], rate = v[k], second = a[k];
        q[k] += h;
        rows.col(p + n_ + k) = g.cwiseProduct(Y() * p_ - torque) / h;
        q[k] = at + h * s_.q(k, i), v[k] += h * s_.v(k, i), a[k] += h * s_.a(k, i);
        rows.col(p + 2 * n_ + k) = g.cwiseProduct(Y() * p_ - torque) / h;
        q[k] = at, v[k] = rate, a[k] = second;
      }
      rows.leftCols(p) = g.asDiagonal() * rows.leftCols(p);
      rest.col(i) = s_.tau.col(i) - g.cwiseProduct(torque);
      stream.add(rows, rest.col(i), weights_.col(i).cwiseQuotient(deviation_.cwiseAbs2()));
    }
    // gains_ are the changes over their deviations. Below the rows for p, R has the columns of the errors orthogonal to
    // those of p.
    const MatrixX<double> R = stream.R();
    const VectorX<double> z = stream.z();
    const auto below = R.bottomRightCorner(3 * n_, 3 * n_);
    scale_ = below.colwise().norm().cwiseMax(1e-12).cwiseInverse();
    const VectorX<double> share = below.transpose() * z.tail(3 * n_);
    gains_ = share.cwiseProduct(scale_).cwiseAbs();
    changes_ = share.cwiseProduct(scale_.cwiseAbs2());
    const Eigen::Index steps = p + free;
    VectorX<double> right = z.head(steps);
    if (also >= 0) {
      right -= changes_[also] * R.col(p + also).head(steps);
      errors_.reshaped()[also] += changes_[also];
    }
    const VectorX<double> x = R.topLeftCorner(steps, steps).triangularView<Eigen::Upper>().solve(right);
    p_ += x.head(p);
    errors_.reshaped().head(free) += x.tail(free);
    if (free > 0) deviation_ = rms(rest);
  }

  int n_;
  TorqueRegressor<double> regressor_;
  PreparedRecording s_;
  MatrixX<double> weights_;
  VectorX<double> p_, prior_, spread_, deviation_, scale_, changes_, gains_;
  MatrixX<double> errors_;  // g, z and s of each joint
  bool is_empty_;           // no torque is explained
};

}}}  // namespace corio::detail
