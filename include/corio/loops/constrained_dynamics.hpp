#pragma once

#include <concepts>

#include "corio/algorithms/dynamics/mass_matrix_factor.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/loops/constraint_jacobian.hpp"

/// Dynamics of a tree with closed loops, and impacts that close loops, in the coordinates of the tree.
namespace corio {

/// What constrained_forward_dynamics returns.
template <class S>
struct ConstrainedMotion {
  VectorX<S> a;       // nv, rate of v
  VectorX<S> lambda;  // forces of the loops, one a row; see closure_force
  int rank = 0;       // number of independent rows of K
};

/// What constrained_impulse returns.
template <class S>
struct ConstrainedImpulse {
  VectorX<S> v;       // nv, after the impact
  VectorX<S> Lambda;  // impulses of the loops, N s or N m s, one a row
  int rank = 0;
};

namespace detail {

template <class S>
void check_motion(const Model<S>& model, VectorIn<S> q, VectorIn<S> v, const char* function = __builtin_FUNCTION()) {
  check_sample("q", q, model.nq(), function);
  check_sample("v", v, model.nv(), function);
}

/// x = M^-1 (f + K^T lambda) with the lambda that makes K x = b: M = L^T D L has the zeros of the tree.
template <std::floating_point S>
struct ConstraintSolver {
  MassMatrixFactor<S> mass;
  MatrixX<S> K, A, error, lambda;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M_inverse_K, x;
  VectorX<S> scale;
  LeastSquares<S> solver;

  explicit ConstraintSolver(const Model<S>& m) : mass(m), x(m.nv(), 1) {}
  void prepare(const Model<S>& model, Data<S>& data, const Loops<S>& loops) {
    K.resize(loops.rows(), model.nv());
    constraint_jacobian<S>(model, data, loops, K);
    const MatrixX<S>& factor = mass.run(model, data);
    M_inverse_K = K.transpose();
    solve_mass_matrix(model, factor, M_inverse_K.data(), M_inverse_K.cols());
    A.noalias() = K * M_inverse_K;
    // Rows in m and in rad have different scales: the rank of A is found with its diagonal scaled to one.
    find_row_scales<S>(model, data, loops, K, loop_tolerance<S>(), scale);
    for (Eigen::Index i = 0; i < scale.size(); ++i)
      scale[i] = scale[i] > S(0) && A(i, i) > S(0) ? S(1) / std::sqrt(A(i, i)) : S(0);
    A.array().colwise() *= scale.array();
    A.array().rowwise() *= scale.transpose().array();
    solver.compute(A);
  }
  /// In: x = f, error = b. Out: x is the solution, error the residual of K x.
  void solve(const Model<S>& model) {
    solve_mass_matrix(model, mass.M, x.data(), x.cols());
    error.noalias() -= K * x;
    error.array().colwise() *= scale.array();
    solver.solve(error, lambda);
    lambda.array().colwise() *= scale.array();
    x.noalias() += M_inverse_K * lambda;
  }
};

}  // namespace detail

namespace algorithm {

template <class S>
struct constrained_forward_dynamics {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "constrained_forward_dynamics", true};
  nonlinear_effects<S> bias;
  detail::ConstraintSolver<S> solver;
  MatrixX<S> Kdot;
  VectorX<S> k;
  ConstrainedMotion<S> result;

  explicit constrained_forward_dynamics(const Model<S>& m) : bias(m), solver(m) {}
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> tau, double rate);
};
template <class S>
void constrained_forward_dynamics<S>::run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> tau,
                                          double rate) {
  Kdot.resize(loops.rows(), model.nv()), k.resize(loops.rows());
  constraint_residual<S>(model, data, loops, k);
  constraint_jacobian_dot<S>(model, data, loops, Kdot);
  bias.run(model, data);
  solver.prepare(model, data, loops);
  solver.x = tau - bias.tau;
  solver.error = static_cast<S>(-rate * rate) * k;
  solver.error.noalias() -= Kdot * data.v;
  solver.error.noalias() -= static_cast<S>(2 * rate) * (solver.K * data.v);
  solver.solve(model);
  result.a = solver.x.col(0), result.lambda = solver.lambda.col(0);
  result.rank = static_cast<int>(solver.solver.rank());
}

template <class S>
struct constrained_impulse {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "constrained_impulse", true};
  detail::ConstraintSolver<S> solver;
  ConstrainedImpulse<S> result;

  explicit constrained_impulse(const Model<S>& m) : solver(m) {}
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, double restitution);
};
template <class S>
void constrained_impulse<S>::run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, double restitution) {
  solver.prepare(model, data, loops);
  // The change of v, without other impulses.
  solver.x.setZero();
  solver.error.noalias() = static_cast<S>(-1 - restitution) * (solver.K * data.v);
  solver.solve(model);
  result.v = data.v + solver.x.col(0), result.Lambda = solver.lambda.col(0);
  result.rank = static_cast<int>(solver.solver.rank());
}

}  // namespace algorithm

/// Forward dynamics of a mechanism with closed loops, in the coordinates of its tree:
///   M a + C v + g = tau + K^T lambda,   K a + dK/dt v = -2 rate K v - rate^2 k.
///
/// With rate = 0 existing errors of the loops are not corrected; a positive rate (1/s) makes errors of integration
/// decay as exp(-rate t) (Baumgarte 1972). Redundant conditions, as in overconstrained mechanisms, are recognised by
/// the rank of K: a is unique, and of all lambda with the same effect the one of least norm is taken, with each row
/// scaled by its mobility. M is factorized with the zeros of the tree, K M^-1 K^T as a dense matrix.
///
/// @param tau  nv generalized forces (N m, N); passive forces are added by the caller
/// @returns {a, lambda, rank}, valid until the next call
/// @throws SizeError; Error for an argument that is not finite; ModelError for loops of another model, a relation whose
/// derivatives are not finite, or a joint that moves no inertia. O(n d^2 + m n d + m^3)
/// for m rows.
/// Source: Featherstone (2008), ch. 8.
template <std::floating_point S>
const ConstrainedMotion<S>& constrained_forward_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                         VectorIn<S> tau, double rate = 0.0) {
  loops.check_fits(model, "constrained_forward_dynamics");
  detail::check_motion(model, data.q, data.v);
  detail::check_sample("tau", tau, model.nv());
  detail::require_finite("rate", rate);
  return data.template run<algorithm::constrained_forward_dynamics<S>>(model, loops, tau, rate).result;
}
template <std::floating_point S>
const ConstrainedMotion<S>& constrained_forward_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                         VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                                                         double rate = 0.0) {
  detail::check_motion<S>(model, q, v);
  detail::check_sample("tau", tau, model.nv());
  detail::require_finite("rate", rate);
  return constrained_forward_dynamics<S>(model, forward_kinematics(model, data, q, v), loops, tau, rate);
}

/// The velocity after an impact that closes loops, such as feet that meet the ground, in the coordinates of the tree:
///   M (v+ - v) = K^T Lambda,   K v+ = -restitution K v.
/// Redundant conditions as for constrained_forward_dynamics.
///
/// @param restitution  0: the loops stay closed; 1: the frames separate as fast as they met, and no energy is lost
/// @returns {v+, Lambda, rank}, valid until the next call
/// @throws as constrained_forward_dynamics. O(n d^2 + m n d + m^3).
/// Source: Featherstone (2008), sec. 11.7.
template <std::floating_point S>
const ConstrainedImpulse<S>& constrained_impulse(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                 double restitution = 0.0) {
  loops.check_fits(model, "constrained_impulse");
  detail::check_motion(model, data.q, data.v);
  detail::require_finite("restitution", restitution);
  return data.template run<algorithm::constrained_impulse<S>>(model, loops, restitution).result;
}
template <std::floating_point S>
const ConstrainedImpulse<S>& constrained_impulse(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                 VectorIn<S> q, VectorIn<S> v, double restitution = 0.0) {
  detail::check_motion<S>(model, q, v);
  detail::require_finite("restitution", restitution);
  return constrained_impulse<S>(model, forward_kinematics(model, data, q, v), loops, restitution);
}

}  // namespace corio
