#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/kernels/articulated_columns.hpp"
#include "corio/kernels/products.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of forward_dynamics_derivatives, each nv x nv.
template <class S>
struct ForwardDynamicsDerivativesResult {
  MatrixX<S> da_dq, da_dv, da_dtau;
};

/// The method by which forward_dynamics_derivatives multiplies by M^-1.
enum class DerivativeRoute {
  automatic,  ///< the faster one for this model
  dense,  ///< products with M^-1 (DMM of the source): 2 nv^2 r multiplications if r degrees of freedom are related to
          ///< one on average
  articulated,  ///< two aba sweeps per column (AZA in the source): about 50 nv^2 multiplications
};

namespace algorithm {

template <class S>
struct ForwardDynamicsDerivatives;

}  // namespace algorithm

/// Computes derivatives of the forward dynamics a(q, v, tau) of aba:
///   da_dq = -M^-1 dtau_dq,   da_dv = -M^-1 dtau_dv,   da_dtau = M^-1,
/// with the derivatives of the inverse dynamics at that a. Derivatives along q are taken as in
/// inverse_dynamics_derivatives, with tau held in place of a.
///
/// @param tau       nv generalized forces (N m, N)
/// @param external  wrenches on bodies
/// @param route     how to multiply by M^-1; the result is the same up to rounding
/// @returns {da_dq, da_dv, da_dtau}, each nv x nv; valid until the next call.
/// @throws SizeError; ModelError as inverse_dynamics_derivatives, and for a joint that moves no inertia. O(n^2), dense
/// route O(n^2 r). Source: Singh, Russell and Wensing (2022), eq. 5 and section V; Carpentier and Mansard (2018).
template <class S>
const ForwardDynamicsDerivativesResult<S>& forward_dynamics_derivatives(
    const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external = {},
    DerivativeRoute route = DerivativeRoute::automatic) {
  return data.template run<algorithm::ForwardDynamicsDerivatives<S>>(model, tau, external, route).result;
}
template <class S>
const ForwardDynamicsDerivativesResult<S>& forward_dynamics_derivatives(
    const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
    ExternalForces<S> external = {}, DerivativeRoute route = DerivativeRoute::automatic) {
  detail::check_speeds("tau", tau, model);
  return forward_dynamics_derivatives(model, forward_kinematics(model, data, q, v, __func__), tau, external, route);
}

namespace detail {

/// Sweeps are faster than products from this average number of related degrees of freedom on. Measured for double: 46,
/// 48 and 42 with registers of 128, 256 and 512 bits.
inline constexpr int articulated_from = 46;

}  // namespace detail

namespace algorithm {

template <class S>
struct ForwardDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::velocity, .name = "forward_dynamics_derivatives", .regular = true, .column_rates = true};
  ForwardDynamicsDerivativesResult<S> result;
  Aba<S> aba;
  detail::ArticulatedColumns<S> solver;
  detail::RelatedProduct<S> product;
  InverseDynamicsDerivatives<S> inverse_dynamics;  // computed at the accelerations of aba
  PerNode<Motion<S>> acceleration;                 // acceleration of each body, without gravity
  PerNode<Force<S>> force;

  explicit ForwardDynamicsDerivatives(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)},
        aba(m),
        solver(m),
        product(m),
        inverse_dynamics(m),
        acceleration(m.num_nodes()),
        force(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external,
           DerivativeRoute route = DerivativeRoute::automatic);
  /// Computes the derivatives of the inverse dynamics at the a of aba, and M^-1.
  void differentiate(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external);
};
template <class S>
void ForwardDynamicsDerivatives<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                        ExternalForces<S> external, DerivativeRoute route) {
  detail::check_speeds("tau", tau, model, needs.name);
  differentiate(model, data, tau, external);
  const MatrixX<S>&dtau_dq = inverse_dynamics.result.dtau_dq, &dtau_dv = inverse_dynamics.result.dtau_dv;
  if (route == DerivativeRoute::automatic)
    route = model.mean_related() < detail::articulated_from ? DerivativeRoute::dense : DerivativeRoute::articulated;
  if (route == DerivativeRoute::dense) {
    product.negative(model, result.da_dtau, dtau_dq, result.da_dq);
    product.negative(model, result.da_dtau, dtau_dv, result.da_dv);
  } else {
    solver.template solve<-1>(model, data, aba.factor, dtau_dq, result.da_dq);
    solver.template solve<-1>(model, data, aba.factor, dtau_dv, result.da_dv);
  }
}
template <class S>
void ForwardDynamicsDerivatives<S>::differentiate(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                                  ExternalForces<S> external) {
  detail::compute_composite_inertias(model, data);  // also computes Data::inertia, which aba reads
  aba.run(model, data, tau, external);
  // Body accelerations and forces are the values at a = 0 (the bias and aba.force) plus the part due to aba.a.
  detail::sum_outward(model, acceleration, data.phi, aba.a);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto A = detail::load(acceleration[b]);
    const auto point = detail::load(data.pose[b].translation);
    detail::store(detail::load(aba.force[b]) + about(detail::load(data.inertia[b]) * about(A, point), -point),
                  force[b]);
    detail::store(A + detail::load(data.bias[b]), acceleration[b]);
  }
  detail::sum_inward(model, force);
  inverse_dynamics.template differentiate<false>(model, data, {acceleration, aba.a, force}, external);
  solver.inverse(model, data, aba.factor, result.da_dtau);
}

}  // namespace algorithm

}}  // namespace corio
