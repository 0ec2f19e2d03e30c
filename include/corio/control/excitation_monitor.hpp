#pragma once

#include <optional>

#include "corio/control/detail/checks.hpp"
#include "corio/solvers/jacobi.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Monitors whether a motion excites the parameters: the mean of W^T W over the past, with weights exp(-age / memory),
/// projected on the directions of interest,
///
///   Q(t) = int B^T W^T W B exp(-(t - s) / memory) ds / memory,   W: rows of FilteredRegressors or of regressors.
///
/// A motion excites persistently if the smallest eigenvalue of Q stays above some bound: a unit error in any direction
/// in the span of B then causes a root mean square error of the rows of at least the root of that eigenvalue. If it is
/// zero, estimates along least_excited() are arbitrary.
///
/// The columns of B scale parameters of different units: each is an error of the size that matters. Some combinations
/// of parameters of a robot are never excited; BaseParameters finds the excited combinations. For one body, a payload,
/// B is zero except in its ten rows.
///
///   corio::ExcitationMonitor monitor(B, 2.0);
///   loop: monitor.add(filtered.W(), dt);          // each tick
///         if (monitor.smallest_eigenvalue() < bound) ...   // not every tick
///
/// Source: Slotine and Li, Applied Nonlinear Control (1991), section 8.3 on persistent excitation.
template <std::floating_point S = double>
class ExcitationMonitor {
 public:
  /// @param directions  B, p x k: possible errors of the parameters as columns, each scaled to a relevant size
  /// @param memory      s
  /// @throws SizeError without directions; Error for numbers that are not finite or a memory that is not positive
  ExcitationMonitor(MatrixIn<S> directions, double memory)
      : B_(directions), Q_(MatrixX<S>::Zero(B_.cols(), B_.cols())), memory_(memory) {
    if (B_.cols() < 1) throw SizeError(detail::join({name, ": directions has no columns"}));
    if (!detail::all_finite(B_)) throw Error(detail::join({name, ": the directions are not finite"}));
    if (!(memory > 0.0 && std::isfinite(memory)))
      throw Error(detail::join({name, ": the memory is ", detail::number(memory), " s, must be positive"}));
  }

  /// Adds rows that hold for the time dt. O(rows p k + rows k^2); no allocation for the same number of rows.
  /// @throws SizeError; Error for a number that is not finite, or a dt that is not in (0, 0.1] s; nothing changes then
  void add(MatrixIn<S> W, double dt) {
    detail::check_size("a row of W", W.cols(), B_.rows(), name);
    detail::check_tick(name, dt);
    seen_.noalias() = W * B_;
    if (!std::isfinite(value_of(seen_.squaredNorm())))
      throw Error(detail::join({name, ": W is not finite, or too large; nothing was changed"}));
    const S share = S(-std::expm1(-dt / memory_));
    solved_.reset();
    Q_ *= S(1) - share;
    Q_.noalias() += share * seen_.transpose() * seen_;
  }
  void reset() { solved_.reset(), Q_.setZero(); }

  /// Returns Q, k x k.
  const MatrixX<S>& information() const { return Q_; }
  /// Returns the smallest eigenvalue of Q, at least zero. O(k^3) after an add; allocates: not meant for every tick.
  S smallest_eigenvalue() { return (std::max)(S(0), solved().values[0]); }
  /// Returns the eigenvector of the smallest eigenvalue, a unit vector of k coefficients of B.
  auto least_excited() { return solved().vectors.col(0); }

 private:
  static constexpr const char* name = "ExcitationMonitor";
  const detail::SymmetricEigen<MatrixX<S>>& solved() {
    if (!solved_) solved_.emplace(Q_);
    return *solved_;
  }

  MatrixX<S> B_, Q_, seen_;
  std::optional<detail::SymmetricEigen<MatrixX<S>>> solved_;  // eigenvalues of Q; empty after a change of Q
  double memory_;
};

}}  // namespace corio
