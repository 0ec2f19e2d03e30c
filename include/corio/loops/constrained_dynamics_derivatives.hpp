#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/loops/constraint_jacobian.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The result of constrained_forward_dynamics_derivatives: matrices of nv columns, with nv rows for a, and with a row
/// for each row of K for lambda.
template <class S>
struct ConstrainedMotionDerivatives {
  MatrixX<S> da_dq, da_dv, da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau;
};

/// Forces of loops, one for each row of K. A plain vector would be taken for forces on the joints.
template <class S>
struct LoopForces {
  Eigen::Ref<const VectorX<S>> lambda;
};

namespace algorithm {

template <class S>
struct ConstrainedForwardDynamicsDerivatives;

}  // namespace algorithm

/// Computes the derivatives of a and lambda of constrained_forward_dynamics with respect to q, v and tau. For x = q, v
/// or tau they solve
///   M da/dx - K^T dlambda/dx = dtau/dx - (M a + C v + g - K^T lambda)_x,
///   K da/dx = -(d2k/dt2 + 2 rate dk/dt + rate^2 k)_x,
/// where _x is the derivative at constant a and lambda, and rate is the argument. Derivatives with respect to q are
/// along all degrees of freedom, including those that open the loops. If conditions are redundant, da/dq is valid for
/// motions that keep the loops closed, and dlambda/dx is the solution of least norm, with each row scaled by its
/// mobility.
///
/// This form takes the acceleration of the state, and the forces that belong to it.
///
/// @param forces  lambda, loops.rows()
/// @param external  wrenches on bodies, held as in inverse_dynamics_derivatives
/// @returns {da_dq, da_dv, da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau}, valid until the next call
/// @throws as constrained_forward_dynamics; ModelError for users' joints with axes that move in the body and members
/// that are not templates. O(n^2 (d + m) + m^3) for m rows. Source: the derivatives of the equations of
/// constrained_forward_dynamics; for the tree see inverse_dynamics_derivatives.
template <std::floating_point S>
const ConstrainedMotionDerivatives<S>& constrained_forward_dynamics_derivatives(
    const Model<S>& model, Data<S>& data, const Loops<S>& loops, const LoopForces<std::type_identity_t<S>>& forces,
    double rate = 0.0, ExternalForces<S> external = {}) {
  loops.check_fits(model, "constrained_forward_dynamics_derivatives");
  detail::check_motion(model, data.q, data.v);
  detail::check_finite_speeds("the acceleration", data.a, model);
  detail::check_finite_vector("lambda", forces.lambda, loops.rows());
  detail::require_finite("rate", rate);
  return data
      .template run<algorithm::ConstrainedForwardDynamicsDerivatives<S>>(model, loops, forces.lambda, rate, external)
      .result;
}
/// This form first computes a and lambda from tau.
template <std::floating_point S>
const ConstrainedMotionDerivatives<S>& constrained_forward_dynamics_derivatives(const Model<S>& model, Data<S>& data,
                                                                                const Loops<S>& loops, VectorIn<S> q,
                                                                                VectorIn<S> v, VectorIn<S> tau,
                                                                                double rate = 0.0,
                                                                                ExternalForces<S> external = {}) {
  detail::check_motion<S>(model, q, v);
  detail::check_finite_speeds("tau", tau, model);
  detail::require_finite("rate", rate);
  const auto& motion = constrained_forward_dynamics<S>(model, forward_kinematics<S>(model, data, q, v, __func__), loops,
                                                       tau, rate, external);
  forward_kinematics<S>(model, data, data.q, data.v, motion.a, __func__);
  return constrained_forward_dynamics_derivatives<S>(model, data, loops, {motion.lambda}, rate, external);
}

namespace algorithm {

template <class S>
struct ConstrainedForwardDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "constrained_forward_dynamics_derivatives", .regular = true};
  InverseDynamicsDerivatives<S> inverse;
  MassMatrixInverse<S> mass;
  detail::Delassus<S> delassus;
  MatrixX<S> K, rate_dq, second_dv, second_dq, force, M_inverse_K, error;
  ConstrainedMotionDerivatives<S> result;

  explicit ConstrainedForwardDynamicsDerivatives(const Model<S>& m) : inverse(m), mass(m), delassus(m) {
    for (auto* x : {&result.da_dq, &result.da_dv, &result.da_dtau}) *x = detail::nv_by_nv(m);
  }
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> lambda, double rate,
           ExternalForces<S> external = {}) {
    const int n = model.nv(), m = loops.rows();
    const S once = static_cast<S>(2 * rate), twice = static_cast<S>(rate * rate);
    K.resize(m, n);
    constraint_jacobian<S>(model, data, loops, K);
    for (auto* x : {&rate_dq, &second_dv, &second_dq}) x->setZero(m, n);
    for (const auto& loop : loops.all())
      detail::LoopAtState<S>(model, data, loop, Pass::acceleration)
          .for_each_rate_derivative([&](int i, int j, const S& x, const S& by_v, const S& by_q) {
            rate_dq(loop.begin + i, j) = x, second_dv(loop.begin + i, j) = by_v, second_dq(loop.begin + i, j) = by_q;
          });

    // Derivatives of the tree without loops.
    inverse.run(model, data, external);
    mass.run(model, data);
    force = inverse.result.dtau_dq;
    for (const auto& loop : loops.all())
      detail::for_each_force_derivative<S>(model, data, loop, lambda,
                                           [&](int i, int j, const S& x) { force(i, j) -= x; });
    mass.columns.template solve<-1>(model, data, mass.factor, force, result.da_dq);
    mass.columns.template solve<-1>(model, data, mass.factor, inverse.result.dtau_dv, result.da_dv);
    result.da_dtau = mass.M_inverse;

    delassus.compute(model, data, loops, mass.factor);
    M_inverse_K.noalias() = mass.M_inverse * K.transpose();
    const auto close = [&](MatrixX<S>& da, MatrixX<S>& dlambda) {
      error.noalias() -= K * da;
      delassus.solve(error, dlambda);
      da.noalias() += M_inverse_K * dlambda;
    };
    error = -second_dq - once * rate_dq - twice * K;
    close(result.da_dq, result.dlambda_dq);
    error = -second_dv - once * K;
    close(result.da_dv, result.dlambda_dv);
    error.setZero();
    close(result.da_dtau, result.dlambda_dtau);
  }
};

}  // namespace algorithm

}}  // namespace corio
