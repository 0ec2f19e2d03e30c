#pragma once

#include <Eigen/Dense>
#include <limits>
#include <vector>

namespace support {

/// min x^T H x / 2 + g^T x  with  A x = b,  C x >= d,  H positive definite: the dual active-set method, which starts at
/// the minimum without conditions and adds violated conditions, one at a time. The method is dense, exact up to
/// rounding and has no parameters; some tens of variables and conditions take some tens of microseconds.
///
/// Source: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex quadratic programs (1983).
class QuadraticProgram {
 public:
  /// @returns whether there is an x with A x = b and C x >= d; redundant equations are ignored.
  bool solve(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
             const Eigen::MatrixXd& C, const Eigen::VectorXd& d) {
    const Eigen::Index n = g.size();
    factor_.compute(H);
    if (factor_.info() != Eigen::Success) return false;
    x = factor_.solve(-g);
    J_ = factor_.matrixU().solve(Eigen::MatrixXd::Identity(n, n));
    R_.setZero(n, n);
    u_.setZero(n + 1);
    active_.clear();
    steps = 0;

    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (!add(A.row(i).transpose(), b[i] - A.row(i) * x, equation)) return false;
    for (;;) {
      Eigen::Index worst = 0;
      rest_ = C * x - d;
      for (const Eigen::Index i : active_)
        if (i != equation) rest_[i] = 0;
      if (d.size() == 0 || rest_.minCoeff(&worst) >= -tolerance * (1 + std::abs(d[worst]))) break;
      if (!add(C.row(worst).transpose(), -rest_[worst], worst)) return false;
    }
    multipliers.setZero(d.size());
    for (Eigen::Index k = 0; k < count(); ++k)
      if (of(k) != equation) multipliers[of(k)] = u_[k];
    return true;
  }

  Eigen::VectorXd x, multipliers;  // multipliers of C x >= d are not negative, and positive only if C x = d
  int steps = 0;                   // number of changes of x and the multipliers

 private:
  static constexpr Eigen::Index equation = -1;
  static constexpr double tolerance = 1e-9;

  Eigen::Index count() const { return static_cast<Eigen::Index>(active_.size()); }
  Eigen::Index of(Eigen::Index k) const { return active_[static_cast<std::size_t>(k)]; }

  /// Increases row^T x by `missing`. Active conditions are kept, except conditions whose multipliers would change sign.
  bool add(const Eigen::VectorXd& row, double missing, Eigen::Index condition) {
    for (double multiplier = 0;;) {
      const Eigen::Index q = count(), free = J_.cols() - q;
      step_ = J_.transpose() * row;
      const double length = step_.tail(free).squaredNorm();
      const bool independent = length > 1e-20 * step_.squaredNorm();
      if (condition == equation && !independent) return std::abs(missing) < 1e-6;
      const Eigen::VectorXd r = R_.topLeftCorner(q, q).triangularView<Eigen::Upper>().solve(step_.head(q));
      const double whole = independent ? missing / length : std::numeric_limits<double>::infinity();
      double t = whole;
      Eigen::Index leaving = -1;
      for (Eigen::Index k = 0; condition != equation && k < q; ++k)
        if (of(k) != equation && r[k] > 0 && u_[k] < t * r[k]) t = u_[k] / r[k], leaving = k;
      if (!(t < std::numeric_limits<double>::infinity())) return false;
      ++steps;
      if (independent) x += t * (J_.rightCols(free) * step_.tail(free)), missing -= t * length;
      u_.head(q) -= t * r;
      multiplier += t;
      if (leaving >= 0) {
        remove(leaving);
        continue;
      }
      // A reflection of the free directions gives the new column of R.
      double factor = 0, diagonal = 0;
      auto tail = step_.tail(free);
      tail.makeHouseholderInPlace(factor, diagonal);
      work_.resize(J_.rows());
      J_.rightCols(free).applyHouseholderOnTheRight(tail.tail(free - 1), factor, work_.data());
      R_.col(q).head(q) = step_.head(q);
      R_(q, q) = diagonal;
      u_[q] = multiplier;
      active_.push_back(condition);
      return true;
    }
  }

  void remove(Eigen::Index k) {
    const Eigen::Index q = count();
    for (Eigen::Index j = k; j + 1 < q; ++j) {
      R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
      u_[j] = u_[j + 1];
      Eigen::JacobiRotation<double> G;
      G.makeGivens(R_(j, j), R_(j + 1, j));
      // Later columns are still one place to the right.
      R_.middleCols(j + 1, q - j - 1).applyOnTheLeft(j, j + 1, G.adjoint());
      R_.col(j).applyOnTheLeft(j, j + 1, G.adjoint());
      J_.applyOnTheRight(j, j + 1, G);
    }
    active_.erase(active_.begin() + k);
  }

  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::MatrixXd J_, R_;  // J^T N = [R; 0] for the active rows N^T, J J^T = H^-1
  Eigen::VectorXd u_, step_, rest_, work_;
  std::vector<Eigen::Index> active_;
};

}  // namespace support
