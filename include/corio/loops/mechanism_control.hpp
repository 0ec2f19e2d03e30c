#pragma once

#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/algorithms/dynamics/generalized_momentum.hpp"
#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/loops/mechanism_kinematics.hpp"
#include "corio/simulation/step.hpp"

/// What controllers and observers ask of a mechanism: slotine_li_inverse_dynamics, generalized_momentum and
/// passive_forces of the tree, projected. O(n).
namespace corio {
namespace algorithm {

/// G^T (M a_r + C v_r + g) for the motion v_r = G y_r of the tree with dv_r/dt = a_r: M dy_r/dt + C y_r + g with the C
/// of coriolis_matrix.
template <class S, class Factorization>
struct for_mechanism<slotine_li_inverse_dynamics<S, Factorization>>
    : detail::ProjectedForces<S, slotine_li_inverse_dynamics<S, Factorization>> {
  using Base = detail::ProjectedForces<S, slotine_li_inverse_dynamics<S, Factorization>>;
  using Base::Base;
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r, VectorIn<S> ydot_r,
           const Factorization& B) {
    detail::check_references(mechanism, y_r, ydot_r, "slotine_li_inverse_dynamics");
    tree_accelerations(mechanism, data, y_r, ydot_r, data.dv);  // data.v is then the reference velocity
    Base::run(mechanism, data, data.v, data.dv, B);
  }
};

template <class S>
struct for_mechanism<generalized_momentum<S>> {
  GeneralizedMomentum<S> result;
  explicit for_mechanism(const Mechanism<S>& m) : result{zeros<S>(m.nv()), zeros<S>(m.nv())} {}
  /// G^T p and G^T drift + dG/dt^T p of the tree.
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const auto& [p, drift] = corio::generalized_momentum(mechanism.tree(), data.tree);
    speed_momenta(mechanism, data, p, drift, result.p, result.drift);
  }
};

template <class S>
struct for_mechanism<passive_forces<S>> : detail::ProjectedForces<S, passive_forces<S>> {
  using detail::ProjectedForces<S, passive_forces<S>>::ProjectedForces;
};

}  // namespace algorithm

/// As resistances of a tree: the diagonal of G^T D G for those of its joints.
template <class S>
void resistances(const Mechanism<S>& mechanism, const MechanismData<S>& data, double smoothing, VectorX<S>& out) {
  out.setZero();
  for (int r = 0; r < mechanism.tree().nv(); ++r) {
    const S d = detail::resistance<S>(mechanism.tree(), r, data.tree.v[r], smoothing);
    mechanism.for_each_entry(r, [&](int c, int e) { out[c] += data.G[e] * d * data.G[e]; });
  }
}

}  // namespace corio
