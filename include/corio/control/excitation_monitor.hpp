#pragma once

#include <Eigen/Eigenvalues>

#include "corio/control/checks.hpp"

namespace corio {

/// Whether a motion tells parameters apart, while it goes on: the mean of W^T W over the past, which older rows enter
/// with weights exp(-age / memory), seen from the directions that are of interest,
///
///   Q(t) = int B^T W^T W B exp(-(t - s) / memory) ds / memory,   W: rows of FilteredRegressors or of regressors.
///
/// A motion excites persistently if the smallest eigenvalue of Q stays above some bound: an error of one unit of any
/// direction in the span of B then shows as an error of its root, in the mean of the rows. Estimates along
/// least_excited() are worth nothing where it is zero, whatever they are.
///
/// Parameters of different units are compared in multiples of the columns of B, which say what a large error of each
/// is. Of all parameters of a robot some are never excited; directions that are come from BaseParameters, and those of
/// one body, a payload, from a B of ten rows that are zero elsewhere.
///
///   corio::ExcitationMonitor monitor(B, 2.0);
///   loop: monitor.add(filtered.W(), dt);          // each tick
///         if (monitor.smallest_eigenvalue() < bound) ...   // now and then
///
/// Source: Slotine and Li, Applied Nonlinear Control (1991), section 8.3 on persistent excitation.
template <std::floating_point S = double>
class ExcitationMonitor {
 public:
  /// @param directions  B, p x k: columns of what may be wrong, each as much as matters
  /// @param memory      s
  /// @throws SizeError without directions; Error for numbers that are not finite or a memory that is not positive
  ExcitationMonitor(MatrixIn<S> directions, double memory)
      : B_(directions), Q_(MatrixX<S>::Zero(B_.cols(), B_.cols())), solver_(B_.cols()), memory_(memory) {
    if (B_.cols() < 1) throw SizeError(detail::join({name, ": there is no direction"}));
    if (!detail::all_finite(B_)) throw Error(detail::join({name, ": the directions are not finite"}));
    if (!(memory > 0.0 && std::isfinite(memory)))
      throw Error(detail::join({name, ": the memory is ", detail::number(memory), " s, must be positive"}));
  }

  /// Adds the rows of the time dt. O(rows p k + rows k^2); no allocation after the first call with so many rows.
  /// @throws SizeError; Error for a number that is not finite, or a dt that is not in (0, 0.1] s; all is then as it was
  void add(MatrixIn<S> W, double dt) {
    detail::check_size("a row of W", W.cols(), B_.rows(), name);
    detail::check_tick(name, dt);
    seen_.noalias() = W * B_;
    if (!std::isfinite(value_of(seen_.squaredNorm())))
      throw Error(detail::join({name, ": W is not finite, or too large; nothing was changed"}));
    const S share = S(-std::expm1(-dt / memory_));
    Q_ *= S(1) - share;
    Q_.noalias() += share * seen_.transpose() * seen_;
    solved_ = false;
  }
  void reset() { Q_.setZero(), solved_ = false; }

  /// k x k.
  const MatrixX<S>& information() const { return Q_; }
  /// Of Q, at least zero. O(k^3) after an add; allocates a few numbers: not meant for every tick.
  S smallest_eigenvalue() { return std::max(S(0), solved().eigenvalues()[0]); }
  /// The unit vector of coefficients of B that belongs to it, k.
  auto least_excited() { return solved().eigenvectors().col(0); }

 private:
  static constexpr const char* name = "ExcitationMonitor";
  const Eigen::SelfAdjointEigenSolver<MatrixX<S>>& solved() {
    if (!solved_) solver_.compute(Q_);
    solved_ = true;
    return solver_;
  }

  MatrixX<S> B_, Q_, seen_;
  Eigen::SelfAdjointEigenSolver<MatrixX<S>> solver_;
  double memory_;
  bool solved_ = false;
};

}  // namespace corio
