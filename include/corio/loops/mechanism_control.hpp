#pragma once

#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/algorithms/dynamics/generalized_momentum.hpp"
#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/loops/mechanism_kinematics.hpp"
#include "corio/simulation/step.hpp"

/// What controllers and observers ask of a mechanism, as functions of the same names for the tree, projected. Forms,
/// results and errors as in mechanism_dynamics.hpp.
namespace corio {
namespace algorithm::of_mechanism {

template <class S>
struct generalized_momentum {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "generalized_momentum"};
  GeneralizedMomentum<S> result;
  explicit generalized_momentum(const Mechanism<S>& m) : result{zeros<S>(m.nv()), zeros<S>(m.nv())} {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const auto& [p, drift] = corio::generalized_momentum(mechanism.tree(), data.tree);
    speed_momenta(mechanism, data, p, drift, result.p, result.drift);
  }
};

}  // namespace algorithm::of_mechanism

/// M dy_r/dt + C y_r + g = G^T (M a_r + C v_r + g) for the motion v_r = G y_r of the tree with dv_r/dt = a_r, with the
/// C of coriolis_matrix.
/// @param y_r, ydot_r  nv of the mechanism, a reference speed, which need not be y, and its rate
/// @param B            the factorization of the tree's C
/// @returns nv of the mechanism. O(n).
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& slotine_li_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r,
                                              VectorIn<S> ydot_r, const Factorization& B = {}) {
  detail::check_input("y_r", y_r, mechanism.nv());
  detail::check_input("ydot_r", ydot_r, mechanism.nv());
  return detail::projected<algorithm::slotine_li_inverse_dynamics<S, Factorization>>(
      mechanism, data, [&]() -> auto& {
        tree_accelerations(mechanism, data, y_r, ydot_r, data.dv);  // data.v is then the reference velocity
        return slotine_li_inverse_dynamics<Factorization>(mechanism.tree(), data.tree, data.v, data.dv, B);
      });
}
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& slotine_li_inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                              VectorIn<S> y, VectorIn<S> y_r, VectorIn<S> ydot_r,
                                              const Factorization& B = {}) {
  return slotine_li_inverse_dynamics(mechanism, forward_kinematics<S>(mechanism, data, q, y), y_r, ydot_r, B);
}

/// p = M y and drift = C^T y - g, for which dp/dt = G^T tau + drift: of the tree, G^T p and G^T drift + dG/dt^T p.
/// @returns {p, drift}, nv of the mechanism each. O(n).
template <class S>
const GeneralizedMomentum<S>& generalized_momentum(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return data.template run<algorithm::of_mechanism::generalized_momentum<S>>(mechanism).result;
}
template <class S>
const GeneralizedMomentum<S>& generalized_momentum(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                   VectorIn<S> y) {
  return generalized_momentum(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

/// Forces of dampers, Coulomb friction and springs in all joints of the tree, as forces on the independent speeds.
/// @throws Error also for a negative smoothing. O(n).
template <class S>
const VectorX<S>& passive_forces(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                 double smoothing = friction_smoothing) {
  return detail::projected<algorithm::passive_forces<S>>(
      mechanism, data, [&]() -> auto& { return passive_forces(mechanism.tree(), data.tree, smoothing); });
}
template <class S>
const VectorX<S>& passive_forces(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                 double smoothing = friction_smoothing) {
  return passive_forces(mechanism, forward_kinematics<S>(mechanism, data, q, y), smoothing);
}

/// As resistances of a tree: the diagonal of G^T D G for those of its joints.
template <class S>
void resistances(const Mechanism<S>& mechanism, const MechanismData<S>& data, double smoothing, VectorX<S>& out) {
  out.setZero();
  for (int r = 0; r < mechanism.tree().nv(); ++r) {
    const S d = detail::resistance<S>(mechanism.tree(), r, data.tree.v[r], smoothing);
    mechanism.for_each_entry(r, [&](int c, int e) { out[c] += data.G[e] * d * data.G[e]; });
  }
}

/// Kinetic energy, armature included, potential energy and that of the springs.
template <class S>
Energy<S> energy(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  data.require(mechanism, Pass::velocity, "energy");
  return energy(mechanism.tree(), data.tree);
}
template <class S>
Energy<S> energy(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y) {
  return energy(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

}  // namespace corio
