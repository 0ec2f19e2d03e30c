#pragma once

#include <cmath>
#include <vector>

#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Solves for the speeds under Coulomb friction that can hold joints at rest. The contacts with friction have the
/// speeds w: first the n speeds x of a robot, w_k = x_k, then the speeds of r joints of a mechanism that depend on
/// several entries of x, w = H x - drift. The solution is
///   x = argmin x^T A x / 2 - b^T x + sum c_k |w_k|,   so that
///   A x = b + sum_k f_k dw_k/dx,   f_k = -c_k sign(w_k),   |f_k| <= c_k if w_k = 0,
/// for a positive definite A with the sparsity of M. This is a time step if A = M + .. and c are impulses, and an
/// acceleration if A is M and c are the forces of joints at rest. The solution is unique, and friction takes as much
/// energy as it can.
///
/// Values decide which contacts hold, and x is computed in the scalar. For held contacts w_k = 0 is an equation: rows
/// and columns of held speeds are replaced by rows and columns of 1, which keeps the sparsity of A; rows of H have
/// multipliers.
template <class S>
class FrictionSolver {
 public:
  MatrixX<S> H;  // r x n
  VectorX<S> drift;
  Table<char, struct OfContacts> held;              // whether w_k = 0 is an equation
  Table<signed char, struct OfContacts> direction;  // sign of w_k of a sliding contact, else 0

  /// @param rows  the number r of rows of H
  template <class Robot>
  FrictionSolver(const Robot& robot, int rows)
      : H(MatrixX<S>::Zero(rows, robot.nv())),
        drift(zeros<S>(rows)),
        held(robot.nv() + rows, 0),
        direction(robot.nv() + rows, 0),
        held_before_(held),
        carried_(zeros<S>(robot.nv() + rows)),
        force_(carried_),
        free_speed_(carried_),
        change_(carried_),
        gradient_(zeros<S>(robot.nv())),
        factor_(nv_by_nv(robot)),
        columns_(MatrixX<S>::Zero(robot.nv(), robot.nv() + rows)),
        mobility_(MatrixX<S>::Zero(held.size(), held.size())),
        block_(mobility_) {
    equations_.reserve(static_cast<std::size_t>(held.size()));
  }
  int contacts() const { return held.size(); }
  bool holds_any() const {
    return std::any_of(held.begin(), held.end(), [](char x) { return x != 0; });
  }
  /// Lets contacts with friction slide in the direction of x; contacts at rest neither slide nor hold.
  void release(const VectorX<S>& c, const VectorX<S>& x) {
    for (int k = 0; k < contacts(); ++k) {
      const double w = rubs(c, k) ? slip(k, x) : 0;
      held[k] = 0, direction[k] = static_cast<signed char>((w > 0) - (w < 0)), carried_[k] = S(0);
    }
  }
  /// Stops contact k: it is held, unless the held contacts determine its speed already.
  template <class Robot>
  void stop(const Robot& robot, const MatrixX<S>& A, int k) {
    const auto of_mobility = [&](int i, int j) { return row_times(i, columns_.col(j)); };
    held_before_ = held;
    for (char& x : held) x = 0;
    factorize(robot, A);
    for (int l = 0; l < contacts(); ++l)
      if (held_before_[l] || l == k) find_column(robot, l);
    for (int l = 0; l < contacts(); ++l)
      if (held_before_[l]) equations_.push_back(l);
    factorize_block(of_mobility);
    held = held_before_;
    held[k] = add_equation(k, of_mobility), direction[k] = 0;
  }
  /// Returns dw_k/dx x.
  template <class X>
  S row_times(int k, const X& x) const {
    const auto n = static_cast<int>(x.size());
    if (k < n) return x[k];
    S sum(0);
    for (int j = 0; j < n; ++j) sum += H(k - n, j) * x[j];
    return sum;
  }
  /// Returns the value of dw_k/dx x, exactly zero below the rounding errors of the sum.
  double slip(int k, const VectorX<S>& x) const {
    const auto n = static_cast<int>(x.size());
    if (k < n) return value_of(x[k]);
    double w = 0, size = 0;
    for (int j = 0; j < n; ++j) {
      const double term = value_of(H(k - n, j) * x[j]);
      w += term, size += std::abs(term);
    }
    return std::abs(w) > rank_tolerance<S>() * size ? w : 0;
  }

  /// Solves the problem, and sets held, direction and x.
  /// @param x  in: speeds whose directions are the first guess
  template <class Robot>
  void solve(const Robot& robot, const MatrixX<S>& A, const VectorX<S>& b, const VectorX<S>& c, VectorX<S>& x) {
    release(c, x);
    bool coupled = false;
    for (int k = 0; k < contacts(); ++k) {
      if (rubs(c, k) && direction[k] == 0) held[k] = 1;
      coupled |= k >= robot.nv() && rubs(c, k);
    }
    if (!coupled && change_all(robot, A, b, c, x)) return;
    change_one_by_one(robot, A, b, c);
    solve_as_set(robot, A, b, c, x);
  }
  /// Computes x for the present states of the contacts, held and direction.
  template <class Robot>
  void solve_as_set(const Robot& robot, const MatrixX<S>& A, const VectorX<S>& b, const VectorX<S>& c, VectorX<S>& x) {
    factorize(robot, A);
    x = b;
    add_forces(c, x);
    solve(robot, x);
  }
  /// Adds the forces on the robot of the contacts that slide to `out`.
  void add_forces(const VectorX<S>& c, VectorX<S>& out) const {
    const auto n = static_cast<int>(out.size());
    for (int k = 0; k < contacts(); ++k) {
      const S f = carried_[k] - c[k] * S(static_cast<double>(direction[k]));
      if (k < n)
        out[k] += f;
      else
        for (int j = 0; j < n; ++j) out[j] += f * H(k - n, j);
    }
  }
  template <class Robot>
  void factorize(const Robot& robot, const MatrixX<S>& A) {
    for (int i = 0; i < robot.nv(); ++i) {
      factor_(i, i) = held[i] ? S(1) : A(i, i);
      for (int j = robot.parent_dof(i); j >= 0; j = robot.parent_dof(j))
        factor_(i, j) = held[i] || held[j] ? S(0) : A(i, j);
    }
    factorize_mass_matrix(robot, factor_);
    equations_.clear();
    for (int k = robot.nv(); k < contacts(); ++k)
      if (held[k]) equations_.push_back(k), find_column(robot, k);
    factorize_block([&](int k, int l) { return row_times(k, columns_.col(l)); });
  }
  /// Sets x to A^-1 x with the last factorization, in which held contacts do not move.
  template <class Robot>
  void solve(const Robot& robot, VectorX<S>& x) {
    for (int i = 0; i < robot.nv(); ++i)
      if (held[i]) x[i] = S(0);
    solve_mass_matrix(robot, factor_, x.data(), 1);
    project(x);
  }
  /// Sets x to the nearest speeds in the metric A for which the held contacts of H hold. A value below the rounding
  /// errors of its sum becomes zero, so that a robot rests to the last bit if its joints are held.
  void project(VectorX<S>& x) {
    if (equations_.empty()) return;
    const auto n = x.size();
    for (std::size_t i = 0; i < equations_.size(); ++i)
      change_[index(i)] = row_times(equations_[i], x) - drift[equations_[i] - n];
    solve_block();
    for (Eigen::Index j = 0; j < n; ++j) {
      S change(0);
      double size = 0;
      for (std::size_t i = 0; i < equations_.size(); ++i) {
        const S term = change_[index(i)] * columns_(j, equations_[i]);
        change += term;
        if constexpr (states_of<S> == 1) size += std::abs(value_of(term));
      }
      x[j] -= change;
      if constexpr (states_of<S> == 1)
        if (std::abs(value_of(x[j])) <= rank_tolerance<S>() * size) x[j] -= S(value_of(x[j]));
    }
  }
  /// Computes out = A x.
  template <class Robot>
  static void times(const Robot& robot, const MatrixX<S>& A, const VectorX<S>& x, VectorX<S>& out) {
    for (int i = 0; i < robot.nv(); ++i) {
      out[i] = A(i, i) * x[i];
      for (int j = robot.parent_dof(i); j >= 0; j = robot.parent_dof(j))
        out[i] += A(i, j) * x[j], out[j] += A(i, j) * x[i];
    }
  }

 private:
  static Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }
  static bool rubs(const VectorX<S>& c, int k) { return value_of(c[k]) > 0; }
  /// Sets columns_ to A^-1 (dw_k/dx)^T with the last factorization.
  template <class Robot>
  void find_column(const Robot& robot, int k) {
    const int n = robot.nv();
    for (int j = 0; j < n; ++j) columns_(j, k) = k < n ? S(j == k ? 1 : 0) : held[j] ? S(0) : H(k - n, j);
    solve_mass_matrix(robot, factor_, &columns_(0, k), 1);
  }

  /// Semismooth Newton: changes all contacts that violate their condition at once, for a limited number of attempts.
  template <class Robot>
  bool change_all(const Robot& robot, const MatrixX<S>& A, const VectorX<S>& b, const VectorX<S>& c, VectorX<S>& x) {
    const double slack = 1 + 10 * rank_tolerance<S>();
    for (int attempt = 0; attempt < 10; ++attempt) {
      solve_as_set(robot, A, b, c, x);
      if (holds_any()) times(robot, A, x, gradient_);
      bool done = true;
      for (int k = 0; k < robot.nv(); ++k) {
        if (!rubs(c, k)) continue;
        if (held[k]) {
          const double f = value_of(gradient_[k]) - value_of(b[k]);
          if (!(std::abs(f) > slack * value_of(c[k]))) continue;
          held[k] = 0, direction[k] = f > 0 ? -1 : 1;
          done = false;
        } else if (value_of(x[k]) * direction[k] <= 0) {
          held[k] = 1, direction[k] = 0;
          done = false;
        }
      }
      if (done) return true;
    }
    return false;
  }

  /// Computes the forces f that minimize f^T D f / 2 + w_0^T f under |f_k| <= c_k, where w = w_0 + D f, by the
  /// active-set method for this dual problem. Each turn either ends at a bound of a force, or reaches w = 0 for all
  /// equations and adds the contact that violates its condition most as an equation. The value falls strictly, so that
  /// no set of equations occurs twice. A new equation does not depend on the equations before it, because otherwise its
  /// w would be zero, too.
  template <class Robot>
  void change_one_by_one(const Robot& robot, const MatrixX<S>& A, const VectorX<S>& b, const VectorX<S>& c) {
    // Begin with all contacts sliding as before: forces at their bounds, no equations.
    const int m = contacts();
    for (int k = 0; k < m; ++k) {
      force_[k] = -c[k] * S(static_cast<double>(direction[k]));
      held[k] = 0, direction[k] = 0, carried_[k] = S(0);
    }
    // Compute the mobility D, and the speeds w_0 without friction.
    factorize(robot, A);
    for (int k = 0; k < m; ++k) find_column(robot, k);
    for (int k = 0; k < m; ++k) {
      free_speed_[k] = k < robot.nv() ? S(0) : S(-drift[k - robot.nv()]);
      for (int j = 0; j < robot.nv(); ++j) free_speed_[k] += columns_(j, k) * b[j];
      for (int l = 0; l < m; ++l) mobility_(k, l) = row_times(k, columns_.col(l));
    }
    const auto of_mobility = [&](int k, int l) -> const S& { return mobility_(k, l); };
    const auto speed = [&](int k, double& size) {
      S w = free_speed_[k];
      size = std::abs(value_of(w));
      for (int l = 0; l < m; ++l)
        w += mobility_(k, l) * force_[l], size += std::abs(value_of(mobility_(k, l) * force_[l]));
      return w;
    };
    equations_.clear();
    double size;
    for (int turn = 0; turn < 100 * (m + 1); ++turn) {
      // Change the forces so that w = 0 for all equations, or as far as the first force at its bound allows.
      factorize_block(of_mobility);
      for (std::size_t i = 0; i < equations_.size(); ++i) change_[index(i)] = -speed(equations_[i], size);
      solve_block();
      double share = 1;
      std::size_t first = equations_.size();
      for (std::size_t i = 0; i < equations_.size(); ++i) {
        const double f = value_of(force_[equations_[i]]), step = value_of(change_[index(i)]),
                     bound = std::copysign(value_of(c[equations_[i]]), step);
        if (std::abs(f + step) > std::abs(bound) && (bound - f) / step < share) share = (bound - f) / step, first = i;
      }
      for (std::size_t i = 0; i < equations_.size(); ++i) force_[equations_[i]] += S(share) * change_[index(i)];
      // Remove the equation of a contact whose force is at its bound.
      if (first < equations_.size()) {
        const int k = equations_[first];
        force_[k] = value_of(change_[index(first)]) > 0 ? c[k] : S(-c[k]);
        equations_.erase(equations_.begin() + static_cast<std::ptrdiff_t>(first));
        continue;
      }
      // Otherwise add an equation for the contact that violates its condition most.
      int worst = -1;
      double most = 0;
      for (int k = 0; k < m; ++k) {
        if (!rubs(c, k) || is_equation(k)) continue;
        const double w = value_of(speed(k, size));
        if (slides(c, k) * w > 0 || std::abs(w) <= 1e3 * rank_tolerance<S>() * size) continue;
        const double violation = std::abs(w) / std::sqrt(value_of(mobility_(k, k)));
        if (violation > most) most = violation, worst = k;
      }
      if (worst < 0) return set_contacts(c, of_mobility);
      equations_.push_back(worst);
    }
    throw Error("step: the friction of the joints cannot be computed, because v, tau or dt is too large");
  }
  /// Sets the state of the contacts from the forces: a contact whose force is within its bounds becomes an equation,
  /// or, if other equations hold it already, keeps its force.
  template <class Entry>
  void set_contacts(const VectorX<S>& c, const Entry& of_mobility) {
    for (int k = 0; k < contacts(); ++k) {
      if (!rubs(c, k) || is_equation(k)) continue;
      direction[k] = slides(c, k);
      if (direction[k] == 0 && !add_equation(k, of_mobility)) carried_[k] = force_[k];
    }
    for (const int k : equations_) held[k] = 1;
  }
  /// Adds an equation for contact k, unless it depends on the equations before. @returns whether it did
  template <class Entry>
  bool add_equation(int k, const Entry& of_mobility) {
    equations_.push_back(k);
    if (value_of(factorize_block(of_mobility)) > 1e3 * rank_tolerance<S>() * value_of(of_mobility(k, k))) return true;
    equations_.pop_back();
    return false;
  }
  bool is_equation(int k) const { return std::find(equations_.begin(), equations_.end(), k) != equations_.end(); }
  /// Returns the direction of a contact whose force is at its bound, or 0.
  signed char slides(const VectorX<S>& c, int k) const {
    const double f = value_of(force_[k]), bound = value_of(c[k]);
    return f >= bound ? -1 : f <= -bound ? 1 : 0;
  }

  /// Factorizes the matrix with these entries for the equations as L D L^T. @returns the last entry of D
  template <class Entry>
  S factorize_block(const Entry& entry) {
    const auto m = static_cast<Eigen::Index>(equations_.size());
    S last(0);
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) {
        S x = entry(equations_[static_cast<std::size_t>(i)], equations_[static_cast<std::size_t>(j)]);
        for (Eigen::Index l = 0; l < j; ++l) x -= block_(i, l) * block_(l, l) * block_(j, l);
        block_(i, j) = j < i ? S(x / block_(j, j)) : x;
        last = x;
      }
    return last;
  }
  /// Solves with this factorization: multiplies change_ by the inverse of the matrix.
  void solve_block() {
    const auto m = static_cast<Eigen::Index>(equations_.size());
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j < i; ++j) change_[i] -= block_(i, j) * change_[j];
    for (Eigen::Index i = m - 1; i >= 0; --i) {
      change_[i] /= block_(i, i);
      for (Eigen::Index j = i + 1; j < m; ++j) change_[i] -= block_(j, i) * change_[j];
    }
  }

  Table<char, struct OfContacts> held_before_;
  VectorX<S> carried_;                      // forces of contacts that others hold
  VectorX<S> force_, free_speed_, change_;  // f; w for f = 0; scratch
  VectorX<S> gradient_;
  MatrixX<S> factor_, columns_;  // factor of A; columns of A^-1 (dw/dx)^T
  MatrixX<S> mobility_, block_;  // D = dw/dx A^-1 (dw/dx)^T; its factor for the equations
  std::vector<int> equations_;   // contacts
};

}}}  // namespace corio::detail
