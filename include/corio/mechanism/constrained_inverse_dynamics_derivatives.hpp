#pragma once

#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/solvers/symmetric_factor.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The result of constrained_inverse_dynamics_derivatives: nv of the tree rows, nv of the mechanism columns.
template <class S>
struct DriveForceDerivatives {
  MatrixX<S> dtau_dq, dtau_dy, dtau_dydot;
};

namespace algorithm {

template <class S>
struct ConstrainedInverseDynamicsDerivatives;

}  // namespace algorithm

/// Computes the derivatives of the tau of constrained_inverse_dynamics with respect to q, y and dy/dt, where q moves as
/// in inverse_dynamics_derivatives of mechanisms. With W = diag(1 / effort), tau = W G mu and a derivative b of G^T
/// tau,
///   dtau = W (dG mu + G dmu),   G^T W G dmu = b - G^T W dG mu.
/// b follows as in inverse_dynamics_derivatives, but from the loop forces for these drives.
///
/// @param effort    as for constrained_inverse_dynamics; infinity for joints without a drive
/// @param external  wrenches on bodies, held as in inverse_dynamics_derivatives
/// @returns {dtau_dq, dtau_dy, dtau_dydot}, nv of the tree rows and nv of the mechanism columns; valid until the next
/// call
/// @throws as constrained_inverse_dynamics; ModelError if the drives cannot move all independent speeds, or for users'
/// joints in loops with axes that move in the body and members that are not templates. O(n^3).
template <std::floating_point S>
const DriveForceDerivatives<S>& constrained_inverse_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                         MechanismData<S>& data, VectorIn<S> effort,
                                                                         ExternalForces<S> external = {}) {
  detail::check_effort<S>(mechanism, effort);
  data.require(mechanism, Pass::acceleration, "constrained_inverse_dynamics_derivatives");
  const auto& drives = constrained_inverse_dynamics<S>(mechanism, data, effort, external);
  if (drives.rank < mechanism.nv())
    throw ModelError(
        detail::join({"constrained_inverse_dynamics_derivatives: the drives of model '", mechanism.tree().name(),
                      "' move ", std::to_string(drives.rank), " of ", std::to_string(mechanism.nv()),
                      " independent speeds, but have to move all; give further joints a finite effort"}));
  const auto& of_drives = data.template of<algorithm::ConstrainedInverseDynamics<S>>(mechanism);
  return data.template run<algorithm::ConstrainedInverseDynamicsDerivatives<S>>(mechanism, of_drives, external).result;
}
template <std::floating_point S>
const DriveForceDerivatives<S>& constrained_inverse_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                         MechanismData<S>& data, VectorIn<S> q,
                                                                         VectorIn<S> y, VectorIn<S> ydot,
                                                                         VectorIn<S> effort,
                                                                         ExternalForces<S> external = {}) {
  return constrained_inverse_dynamics_derivatives<S>(
      mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot, __func__), effort, external);
}

namespace algorithm {

template <class S>
struct ConstrainedInverseDynamicsDerivatives {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "constrained_inverse_dynamics_derivatives"};
  DriveForceDerivatives<S> result;
  ForMechanism<InverseDynamicsDerivatives<S>> inverse;
  detail::ConditionDerivatives<S> derivatives;
  MatrixX<S> WG, GWG, change;  // change: column j is D_j G mu
  VectorX<S> mu, change_entries;
  detail::SymmetricFactor<S> factor;

  explicit ConstrainedInverseDynamicsDerivatives(const Mechanism<S>& m)
      : inverse(m),
        WG(MatrixX<S>::Zero(m.tree().nv(), m.nv())),
        GWG(m.nv(), m.nv()),
        change(WG),
        mu(m.nv()),
        change_entries(VectorX<S>::Zero(m.constant_entries().size())) {
    factor.reserve(m.nv());
    result.dtau_dy = result.dtau_dydot = WG;
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const ConstrainedInverseDynamics<S>& of_drives,
           ExternalForces<S> external) {
    const VectorX<S>& tau = of_drives.result.tau;
    const VectorX<S>& weight = of_drives.weight;
    inverse.differentiate(mechanism, data, of_drives.result.lambda, external);
    GWG.setZero();
    for (int r = 0; r < WG.rows(); ++r)
      mechanism.for_each_entry(r, [&](int j, int g) {
        WG(r, j) = data.G[g] * weight[r];
        mechanism.for_each_entry(r, [&](int i, int e) { GWG(i, j) += data.G[e] * WG(r, j); });
      });
    detail::times_G_transpose(mechanism, data.G, tau, mu);
    factor.compute(GWG);
    factor.solve(mu.data());

    derivatives.differentiate_map(mechanism, data, mu, change_entries);
    for (int r = 0; r < change.rows(); ++r)
      mechanism.for_each_entry(r, [&](int j, int e) { change(r, j) = change_entries[e]; });
    auto& [by_q, by_y, by_ydot] = inverse.result;
    by_q.noalias() -= WG.transpose() * change;
    for (auto* x : {&by_q, &by_y, &by_ydot}) factor.solve_columns(*x);
    result.dtau_dq = weight.asDiagonal() * change;
    result.dtau_dq.noalias() += WG * by_q;
    result.dtau_dy.noalias() = WG * by_y;
    result.dtau_dydot.noalias() = WG * by_ydot;
  }
};

}  // namespace algorithm

}}  // namespace corio
