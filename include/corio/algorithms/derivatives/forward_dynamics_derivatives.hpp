#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/kernels/articulated_columns.hpp"
#include "corio/kernels/products.hpp"

namespace corio::inline CORIO_ABI {

/// What forward_dynamics_derivatives returns, each nv x nv.
template <class S>
struct ForwardDynamicsDerivatives {
  MatrixX<S> da_dq, da_dv, da_dtau;
};

/// How forward_dynamics_derivatives multiplies by M^-1.
enum class DerivativeRoute {
  automatic,    ///< whichever is faster for this model
  dense,        ///< DMM: products with M^-1, 2 nv^2 r multiplications: each degree of freedom has r related ones
  articulated,  ///< AZA: two sweeps of aba per column without velocity and gravity, about 50 nv^2 multiplications
};

namespace detail {

/// Rows in a product, on average over the columns, from which on the sweeps are faster than the products: as measured
/// for double 46, 48 and 42 with registers of 128, 256 and 512 bits.
inline constexpr int articulated_from = 46;

}  // namespace detail

namespace algorithm {

template <class S>
struct ForwardDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::velocity, .name = "forward_dynamics_derivatives", .inverse = true, .column_rates = true};
  corio::ForwardDynamicsDerivatives<S> result;
  Aba<S> forward;
  detail::ArticulatedColumns<S> columns;
  InverseDynamicsDerivatives<S> inverse;  // dtau_dq and dtau_dv at the accelerations found
  PerNode<Motion<S>> acceleration;        // of the bodies, without gravity
  PerNode<Force<S>> force;
  PerDof<int> end_of_four;

  explicit ForwardDynamicsDerivatives(const Model<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)},
        forward(m),
        columns(m),
        inverse(m),
        acceleration(m.num_nodes()),
        force(m.num_nodes()),
        end_of_four(detail::ends_of_four(m)) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> tau, ExternalForces<S> external,
           DerivativeRoute route = DerivativeRoute::automatic);
};
template <class S>
void ForwardDynamicsDerivatives<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                        ExternalForces<S> external, DerivativeRoute route) {
  detail::check_vector("tau", tau, model.nv(), needs.name);
  detail::composite_inertias(model, data);  // which contain those that aba needs
  forward.run(model, data, tau, external);
  detail::sum_outward(model, acceleration, data.phi, forward.a);
  for (int b = 0; b < model.num_nodes(); ++b) {
    force[b] = forward.force[b] + detail::at_node(data, data.inertia, b) * acceleration[b];
    acceleration[b] += data.bias[b];
  }
  detail::sum_inward(model, force);
  inverse.template differentiate<false>(model, data, {acceleration, forward.a, force}, external);
  columns.inverse(model, data, forward.factor, result.da_dtau);
  if (route == DerivativeRoute::automatic)
    route = model.mean_related() < detail::articulated_from ? DerivativeRoute::dense : DerivativeRoute::articulated;
  if (route == DerivativeRoute::dense) {
    const detail::RelatedRows<S> related{model, end_of_four};
    detail::negative_product(result.da_dtau, inverse.result.dtau_dq, result.da_dq, related);
    detail::negative_product(result.da_dtau, inverse.result.dtau_dv, result.da_dv, related);
  } else {
    columns.template solve<-1>(model, data, forward.factor, inverse.result.dtau_dq, result.da_dq);
    columns.template solve<-1>(model, data, forward.factor, inverse.result.dtau_dv, result.da_dv);
  }
}

}  // namespace algorithm

/// Derivatives of the forward dynamics a(q, v, tau) of aba:
///   da_dq = -M^-1 dtau_dq,   da_dv = -M^-1 dtau_dv,   da_dtau = M^-1,
/// with the derivatives of the inverse dynamics at that a. As q changes, what moves how and what is held is as for
/// inverse_dynamics_derivatives, with tau in place of a.
///
/// @param tau       nv generalized forces (N m, N)
/// @param external  wrenches on bodies
/// @param route     how to multiply by M^-1; the result is the same up to rounding
/// @returns {da_dq, da_dv, da_dtau}, each nv x nv; valid until the next call.
/// @throws SizeError; ModelError as inverse_dynamics_derivatives, and for a joint that moves no inertia. O(n^2), dense
/// route O(n^2 r). Source: Singh, Russell and Wensing (2022), eq. 5 and section V; Carpentier and Mansard (2018).
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                                                  ExternalForces<S> external = {},
                                                                  DerivativeRoute route = DerivativeRoute::automatic) {
  return data.template run<algorithm::ForwardDynamicsDerivatives<S>>(model, tau, external, route).result;
}
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                                  VectorIn<S> v, VectorIn<S> tau,
                                                                  ExternalForces<S> external = {},
                                                                  DerivativeRoute route = DerivativeRoute::automatic) {
  detail::check_vector("tau", tau, model.nv());
  return forward_dynamics_derivatives(model, forward_kinematics(model, data, q, v), tau, external, route);
}

}  // namespace corio
