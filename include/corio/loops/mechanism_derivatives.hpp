#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/loops/mechanism_symbols.hpp"

namespace corio {
namespace algorithm::of_mechanism {

template <class S>
struct inverse_dynamics_derivatives {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "inverse_dynamics_derivatives"};
  InverseDynamicsDerivatives<S> result;
  detail::ConstraintRateDerivatives<S> constraints;
  VectorX<S> lambda, v_q, a_q, a_y;  // the last three as entries of G
  detail::Projection<S> product;

  explicit inverse_dynamics_derivatives(const Mechanism<S>& m)
      : lambda(VectorX<S>::Zero(m.loops().rows())),
        v_q(VectorX<S>::Zero(m.constant_entries().size())),
        a_q(v_q),
        a_y(v_q),
        product(m) {
    for (auto* x : {&result.dtau_dq, &result.dtau_dv, &result.M}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    detail::solve_multipliers(mechanism, data, corio::rnea(mechanism.tree(), data.tree), lambda);
    differentiate(mechanism, data, lambda);
  }
  /// G^T times the derivatives of the tau in all joints of the tree that balance the given forces of the loops.
  void differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> forces);
};
template <class S>
void inverse_dynamics_derivatives<S>::differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                    VectorIn<S> forces) {
  const auto& tree = corio::inverse_dynamics_derivatives(mechanism.tree(), data.tree);
  const auto& loops = mechanism.loops();
  const VectorX<S>& G = data.G;
  if (mechanism.varies()) {
    constraints.run(mechanism.tree(), data.tree, loops, data.K, data.Kdot);
    const auto& [rate_dq, second_dv, second_dq] = constraints;
    detail::solve_dependent_rate<S>(mechanism, data, {{&rate_dq, &G}}, v_q);
    detail::solve_dependent_rate<S>(mechanism, data, {{&second_dq, &G}, {&second_dv, &v_q}}, a_q);
    detail::solve_dependent_rate<S>(mechanism, data, {{&second_dv, &G}}, a_y);
  }
  product.clear(mechanism, {&result.M, &result.dtau_dv, &result.dtau_dq});
  product.add(mechanism, G, tree.M, {{G, result.M}, {a_y, result.dtau_dv}, {a_q, result.dtau_dq}});
  product.add(mechanism, G, tree.dtau_dv, {{G, result.dtau_dv}, {v_q, result.dtau_dq}});
  product.add(mechanism, G, tree.dtau_dq, {{G, result.dtau_dq}});
  detail::for_each_force_derivative<S>(mechanism.tree(), data.tree, loops, forces, [&](int r, int s, const S& x) {
    mechanism.for_each_entry(r, [&](int i, int e) {
      mechanism.for_each_entry(s, [&](int j, int f) { result.dtau_dq(i, j) -= G[e] * x * G[f]; });
    });
  });
}

template <class S>
struct forward_dynamics_derivatives {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "forward_dynamics_derivatives"};
  ForwardDynamicsDerivatives<S> result;
  MatrixX<S> M;

  explicit forward_dynamics_derivatives(const Mechanism<S>& m) {
    for (auto* x : {&result.da_dq, &result.da_dv, &result.da_dtau, &M}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, const MechanismData<S>&, const InverseDynamicsDerivatives<S>& inverse) {
    M = inverse.M;
    detail::factorize_mass_matrix(mechanism, M);
    result.da_dq = -inverse.dtau_dq, result.da_dv = -inverse.dtau_dv, result.da_dtau.setIdentity();
    for (auto* x : {&result.da_dq, &result.da_dv, &result.da_dtau}) detail::solve_mass_matrix(mechanism, M, *x);
  }
};

}  // namespace algorithm::of_mechanism

/// dtau/dq, dtau/dy and M = dtau/d(dy/dt) for the tau of rnea(mechanism, ..), along motions that keep the loops closed:
/// column j of dtau/dq is the derivative of tau as q moves along G e_j, at constant y and dy/dt. With quantities of the
/// tree without index, and forces lambda of the loops that balance tau on the dependent joints, K_d^T lambda = tau_d,
/// since G^T K^T = 0 wherever q moves,
///   dtau_y/dq = G^T ((dtau/dq - d(K^T lambda)/dq) G + dtau/dv dv/dq + M da/dq),
///   dtau_y/dy = G^T (dtau/dv G + M da/dy).
/// The derivatives dv/dq, da/dq and da/dy of v = G y and a = G dy/dt + dG/dt y at constant y and dy/dt solve
///   K dv/dq + d(dk/dt)/dq G = 0,   K da/dq + d(d2k/dt2)/dq G + d(d2k/dt2)/dv dv/dq = 0,   K da/dy + d(d2k/dt2)/dv G =
///   0.
///
/// @returns {dtau_dq, dtau_dv, M}, each nv x nv of the mechanism; valid until the next call
/// @throws as forward_kinematics of the mechanism; ModelError for users' joints in loops with axes that move in the
/// body and members that are not templates. O(n d), and where G varies O(m n) for m conditions, times the number of
/// independent speeds in a cluster, and O(k^3) for every cluster of k degrees of freedom.
template <class S>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                  MechanismData<S>& data) {
  return data.template run<algorithm::of_mechanism::inverse_dynamics_derivatives<S>>(mechanism).result;
}
template <class S>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                  VectorIn<S> q, VectorIn<S> y, VectorIn<S> ydot) {
  return inverse_dynamics_derivatives<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot));
}

/// Derivatives of dy/dt = aba(mechanism, ..) by q, y and tau: -M^-1 dtau/dq, -M^-1 dtau/dy, M^-1 at the dy/dt of the
/// state. @returns {da_dq, da_dv, da_dtau}, as above; valid until the next call
/// @throws as inverse_dynamics_derivatives, and ModelError for a speed that moves no inertia
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                  MechanismData<S>& data) {
  const auto& inverse = inverse_dynamics_derivatives<S>(mechanism, data);
  return data.template run<algorithm::of_mechanism::forward_dynamics_derivatives<S>>(mechanism, inverse).result;
}
/// The same for given forces tau, nv of the mechanism.
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                  VectorIn<S> q, VectorIn<S> y, VectorIn<S> tau) {
  const VectorX<S>& ydot = aba<S>(mechanism, data, q, y, tau);
  return forward_dynamics_derivatives<S>(mechanism, forward_kinematics<S>(mechanism, data, data.tree.q, data.y, ydot));
}

}  // namespace corio
