#pragma once

#include "corio/algorithms/dynamics/passive_forces.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The integrator of step. Below, h is the length of a step, and m, d, k are inertia, damping and stiffness of a degree
/// of freedom.
enum class Integrator {
  /// Order 1, one evaluation of the dynamics. Damping, friction and springs are implicit: stable for any h d / m and
  /// h^2 k / m, but dissipates energy of stiff springs.
  semi_implicit_euler,
  /// Order 4, four evaluations, explicit: stable while h d / m < 2.8 and h^2 k / m < 8. Uses the commutator-free method
  /// for the configuration manifold, the classical Runge-Kutta method for velocities.
  rk4,
  /// Order 2, implicit, some five evaluations, time-reversible: the energy of a conservative motion does not drift, and
  /// the energy of a freely rotating body is conserved. Stable for any h d / m, but motions with time constants of
  /// damping much shorter than h decay slowly, with alternating signs.
  implicit_midpoint,
  /// Order 2, implicit, with the cost of implicit_midpoint: the discrete Euler-Lagrange equations of the Lagrangian in
  /// the middle of the step. For joints whose speeds are rates of coordinates it is symplectic, and conserves the
  /// momentum of a symmetry, such as the momentum of a robot that floats without gravity, to rounding; the energy
  /// oscillates, but does not drift. For groups (ball joints, floating bases) momenta are conserved to order 2.
  variational_midpoint
};

/// The Coulomb friction of the joints in step.
enum class Friction {
  /// f tanh(v / friction_smoothing), as in passive_forces: smooth in v, so that a loaded joint creeps.
  smooth,
  /// -f sign(v), and at rest the force up to f that holds the joint. The joint stops in finite time, and under a load
  /// below its friction it does not move by a single bit. A joint of a mechanism that depends on several independent
  /// speeds is held up to their rounding errors: some 1e-22 rad or m a step. The power of friction is never positive.
  exact
};

/// Energy exchanged in one step, or with += in several, J: the work of tau, and the losses by damping and friction. But
/// for the error of the integrator, the total energy rises by tau - losses.
template <class S>
struct StepWork {
  S tau{0}, losses{0};
  StepWork& operator+=(const StepWork& other) {
    tau += other.tau, losses += other.losses;
    return *this;
  }
  /// Adds the work of `forces` at speeds y, and the losses by passive forces at speeds v of the tree, over `duration`.
  void add(const VectorX<S>& forces, const VectorX<S>& y, const algorithm::PassiveForces<S>& passive,
           const VectorX<S>& v, const S& duration) {
    for (int k = 0; k < y.size(); ++k) tau += duration * forces[k] * y[k];
    for (int k = 0; k < v.size(); ++k) losses -= duration * (passive.tau[k] - passive.springs[k]) * v[k];
  }
};

}}  // namespace corio
