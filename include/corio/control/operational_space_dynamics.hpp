#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/solvers/truncated_inverse.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The result of operational_space_dynamics, for a task of m rows.
template <class S>
struct OperationalSpaceDynamicsResult {
  MatrixX<S> Lambda;          // m x m, inertia of the task
  MatrixX<S> mu;              // m x m, Coriolis matrix of the task
  MatrixX<S> Jbar;            // nv x m, dynamically consistent inverse of J
  MatrixX<S> N;               // nv x nv, projector on velocities that do not move the task
  VectorX<S> coriolis_force;  // m, mu J v and the term of motions in the null space
  VectorX<S> p;               // m, gravity
  int rank = 0;               // number of directions in which the task can move
};

namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct OperationalSpaceDynamics;

}  // namespace algorithm

/// The operational space dynamics of a task of m rows with the velocity xdot = J v, such as the twist of a hand, under
/// forces F on it, tau = J^T F:
///
///   Lambda d(xdot)/dt + mu xdot + (Jbar^T C - Lambda Jdot) N v + p = F,
///   Lambda = (J M^-1 J^T)^-1,   Jbar = M^-1 J^T Lambda,   N = 1 - Jbar J,
///   mu = Jbar^T C Jbar - Lambda Jdot Jbar,   p = Jbar^T g,
///
/// where coriolis_force is the sum of the terms with mu and N. If the factorization of C is admissible, dLambda/dt = mu
/// + mu^T, so that passivity-based control works in task space as in joint space. Jbar is the generalized inverse of J
/// with the least kinetic energy, and torques N^T tau do not accelerate the task: J M^-1 N^T = 0.
///
/// Near a singularity, J M^-1 J^T is inverted only for rows whose mobility, with the rows before them held, exceeds a
/// tolerance. Then J Jbar is the projector on the feasible directions, of the given rank. Over a scalar that records
/// (codegen) rank and pivots are chosen at the nominal inputs.
///
///   const auto& [Lambda, mu, Jbar, N, coriolis_force, p, rank] = operational_space_dynamics(model, data, J, Jdot);
///
/// @param J, Jdot    m x nv, as from body_jacobian and body_jacobian_dot in the state of data
/// @param tolerance  as a share of the largest element of the diagonal of J M^-1 J^T; by default sqrt(eps). Rows are
///                   compared without scaling: multiply rows of rotations by a length if that matters
/// @param B          the factorization, as for coriolis_matrix
/// @returns valid until the next call
/// @throws SizeError; ModelError for a joint that moves no inertia; Error for a J that is not finite or a
/// tolerance out of (0, 1). O(n d m + n^2 m + m^3). No allocation after the first call with m rows.
/// Source: Khatib (1987); mu by inserting v = Jbar xdot + N v.
template <class Factorization = factorization::Christoffel, FloatingPointOrRecorded S>
const OperationalSpaceDynamicsResult<S>& operational_space_dynamics(
    const Model<S>& model, Data<S>& data, MatrixIn<S> J, MatrixIn<S> Jdot,
    std::type_identity_t<S> tolerance = detail::mobility_tolerance<S>, const Factorization& B = {}) {
  using Algorithm = algorithm::OperationalSpaceDynamics<S, Factorization>;
  detail::check_shape("J", J.rows(), J.cols(), J.rows(), model.nv(), Algorithm::needs.name);
  detail::check_shape("Jdot", Jdot.rows(), Jdot.cols(), J.rows(), model.nv(), Algorithm::needs.name);
  detail::check_mobility_tolerance(Algorithm::needs.name, tolerance);
  return data.template run<Algorithm>(model, J, Jdot, tolerance, B).result;
}

namespace algorithm {

template <class S, class Factorization>
struct OperationalSpaceDynamics {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "operational_space_dynamics", .regular = true};
  CoriolisMatrix<S, Factorization> coriolis;
  GeneralizedGravity<S> gravity;
  detail::TruncatedInverse<S> inverse;
  MatrixX<S> factor, A, velocity_force;  // velocity_force = Jbar^T C - Lambda Jdot, m x nv
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> X;
  VectorX<S> mobility;
  OperationalSpaceDynamicsResult<S> result;

  explicit OperationalSpaceDynamics(const Model<S>& m) : coriolis(m), gravity(m) {}
  void run(const Model<S>& model, Data<S>& data, MatrixIn<S> J, MatrixIn<S> Jdot, S tolerance,
           const Factorization& B = {});
};
template <class S, class Factorization>
void OperationalSpaceDynamics<S, Factorization>::run(const Model<S>& model, Data<S>& data, MatrixIn<S> J,
                                                     MatrixIn<S> Jdot, S tolerance, const Factorization& B) {
  coriolis.run(model, data, B);
  gravity.run(model, data);
  factor = coriolis.result.M;
  detail::factorize_mass_matrix(model, factor);
  X = J.transpose();
  detail::solve_mass_matrix(model, factor, X.data(), X.cols());
  A.noalias() = J * X;
  auto& [Lambda, mu, Jbar, N, coriolis_force, p, rank] = result;
  mobility.setConstant(A.rows(), A.size() > 0 ? A.diagonal().maxCoeff() : S(0));
  rank = inverse.compute(A, mobility, tolerance, Lambda, needs.name);
  Jbar.noalias() = X * Lambda;
  N.setIdentity(model.nv(), model.nv());
  N.noalias() -= Jbar * J;
  velocity_force.noalias() = Jbar.transpose() * coriolis.result.C;
  velocity_force.noalias() -= Lambda * Jdot;
  mu.noalias() = velocity_force * Jbar;
  coriolis_force.noalias() = velocity_force * data.v;
  p.noalias() = Jbar.transpose() * gravity.tau;
}

}  // namespace algorithm

}}  // namespace corio
