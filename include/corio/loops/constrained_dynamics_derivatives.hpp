#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/loops/constraint_derivatives.hpp"

namespace corio {

/// What constrained_forward_dynamics_derivatives returns: nv rows for a, one for each row of K for lambda, nv columns.
template <class S>
struct ConstrainedMotionDerivatives {
  MatrixX<S> da_dq, da_dv, da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau;
};

namespace algorithm {

template <class S>
struct constrained_forward_dynamics_derivatives {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "constrained_forward_dynamics_derivatives",
                                                     true};
  inverse_dynamics_derivatives<S> inverse;
  detail::ConstraintSolver<S> solver;
  detail::ConstraintRateDerivatives<S> constraints;
  MatrixX<S> Kdot, Kddot;
  ConstrainedMotionDerivatives<S> result;

  explicit constrained_forward_dynamics_derivatives(const Model<S>& m) : inverse(m), solver(m) {}
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> lambda, double rate);
};
template <class S>
void constrained_forward_dynamics_derivatives<S>::run(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                      VectorIn<S> lambda, double rate) {
  const int n = model.nv(), m = loops.rows();
  const S once = static_cast<S>(2 * rate), twice = static_cast<S>(rate * rate);
  inverse.run(model, data, {});
  solver.prepare(model, data, loops);
  Kdot.resize(m, n), Kddot.resize(m, n);
  constraint_jacobian_dot<S>(model, data, loops, Kdot);
  constraint_jacobian_ddot<S>(model, data, loops, Kddot);
  const auto for_each_dof = [&](auto&& f) {
    for (int k = 0; k < n; ++k) f(k);
  };
  constraints.run(model, data, solver.K, Kdot, Kddot, for_each_dof, [](int k) { return k; });
  // Right-hand sides by q, by v and by tau, side by side: the forces on the tree, and the conditions on a.
  auto& x = solver.x;
  x.resize(n, 3 * n), solver.error.resize(m, 3 * n);
  x.leftCols(n) = -inverse.result.dtau_dq, x.middleCols(n, n) = -inverse.result.dtau_dv;
  x.rightCols(n).setIdentity();
  detail::for_each_force_derivative<S>(model, data, loops, lambda, [&](int i, int j, const S& d) { x(i, j) += d; });
  solver.error.leftCols(n) = -constraints.second_dq - once * constraints.rate_dq - twice * solver.K;
  solver.error.middleCols(n, n) = -constraints.second_dv - once * solver.K;
  solver.error.rightCols(n).setZero();
  solver.solve(model);
  const auto& y = solver.lambda;
  result.da_dq = x.leftCols(n), result.da_dv = x.middleCols(n, n), result.da_dtau = x.rightCols(n);
  result.dlambda_dq = y.leftCols(n), result.dlambda_dv = y.middleCols(n, n), result.dlambda_dtau = y.rightCols(n);
}

}  // namespace algorithm

/// Derivatives by q, v and tau of the a and lambda of constrained_forward_dynamics with the same rate. For each x of q,
/// v and tau, with the derivatives of the tree's tau = M a + C v + g,
///   M da/dx - K^T dlambda/dx = dtau/dx - (M a + C v + g - K^T lambda)_x,
///   K da/dx = -(d2k/dt2 + 2 rate dk/dt + rate^2 k)_x,
/// where _x is the derivative at constant a and lambda. Derivatives by q are along all degrees of freedom, including
/// those that open the loops. Where conditions are redundant, da/dq is valid for motions that keep the loops closed,
/// and dlambda/dx is the solution of least norm, with each row scaled by its mobility.
///
/// @param lambda  loops.rows(), belonging to the acceleration of the state
/// @returns {da_dq, da_dv, da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau}, valid until the next call
/// @throws as constrained_forward_dynamics; ModelError for users' joints with axes that move in the body and members
/// that are not templates. O(n^2 (d + m) + m^3) for m rows.
/// Source: the derivatives of its equations; for those of the tree see inverse_dynamics_derivatives.
template <std::floating_point S>
const ConstrainedMotionDerivatives<S>& constrained_forward_dynamics_derivatives(const Model<S>& model, Data<S>& data,
                                                                                const Loops<S>& loops,
                                                                                VectorIn<S> lambda, double rate = 0.0) {
  loops.check_fits(model, "constrained_forward_dynamics_derivatives");
  detail::check_motion(model, data.q, data.v);
  detail::check_sample("the acceleration", data.dv, model.nv());
  detail::check_sample("lambda", lambda, loops.rows());
  detail::require_finite("rate", rate);
  return data.template run<algorithm::constrained_forward_dynamics_derivatives<S>>(model, loops, lambda, rate).result;
}
/// The same at the a and lambda that follow from tau.
template <std::floating_point S>
const ConstrainedMotionDerivatives<S>& constrained_forward_dynamics_derivatives(const Model<S>& model, Data<S>& data,
                                                                                const Loops<S>& loops, VectorIn<S> q,
                                                                                VectorIn<S> v, VectorIn<S> tau,
                                                                                double rate = 0.0) {
  const auto& motion = constrained_forward_dynamics<S>(model, data, loops, q, v, tau, rate);
  forward_kinematics<S>(model, data, data.q, data.v, motion.a);
  return constrained_forward_dynamics_derivatives<S>(model, data, loops, motion.lambda, rate);
}

}  // namespace corio
