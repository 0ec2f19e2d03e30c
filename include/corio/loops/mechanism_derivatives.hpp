#pragma once

#include "corio/algorithms/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/loops/mechanism_symbols.hpp"

namespace corio {
namespace algorithm::of_mechanism {

template <class S>
struct inverse_dynamics_derivatives {
  static constexpr detail::Needs needs{Pass::acceleration, "inverse_dynamics_derivatives"};
  InverseDynamicsDerivatives<S> result;
  detail::MapDerivatives<S> derivatives;
  Data<S> probe;
  MatrixX<S> Kdot, Kddot, by_change_of_map;
  detail::Congruence<S> congruence;
  VectorX<S> y, v, a, ydot, Gdot, second, change, of_speeds, of_accelerations;

  explicit inverse_dynamics_derivatives(const Mechanism<S>& m)
      : derivatives(m),
        probe(m.tree()),
        Kdot(m.loops().rows(), m.tree().nv()),
        Kddot(Kdot),
        by_change_of_map(m.nv(), m.nv()),
        congruence(m),
        y(m.nv()),
        ydot(m.nv()),
        Gdot(VectorX<S>::Zero(m.constant_entries().size())),
        second(Gdot),
        change(Gdot),
        of_speeds(Gdot),
        of_accelerations(Gdot) {
    for (auto* x : {&result.dtau_dq, &result.dtau_dv, &result.M}) x->setZero(m.nv(), m.nv());
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data);

 private:
  /// d2G/dt2 along the motion with the constant speeds y of the clusters in which G varies:
  ///   G_d'' = -K_d^-1 (K'' G + 2 K' G').
  void second_rate(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const Model<S>& tree = mechanism.tree();
    detail::spread<S>(mechanism, data.G, y, v);
    corio::forward_kinematics<S>(tree, probe, data.tree.q, v);
    constraint_jacobian_dot<S>(tree, probe, mechanism.loops(), Kdot);
    detail::solve_dependent_rate(mechanism, data, Kdot, Gdot);
    detail::spread<S>(mechanism, Gdot, y, a);
    corio::forward_kinematics<S>(tree, probe, data.tree.q, v, a);
    constraint_jacobian_ddot<S>(tree, probe, mechanism.loops(), Kddot);
    detail::solve_dependent_rate(mechanism, data, Kddot, second, [&](int row, int k, int j) {
      return S(2) * Kdot(row, k) * Gdot[mechanism.entry(k) + j];
    });
  }
};

template <class S>
void inverse_dynamics_derivatives<S>::run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  const auto& tree = corio::inverse_dynamics_derivatives(mechanism.tree(), data.tree);
  const VectorX<S>& tau = corio::rnea(mechanism.tree(), data.tree);
  ydot = data.ydot;
  const VectorX<S>& G = data.G;
  // Entry (r, j) of these: the rate at which row r of D_j G y, and of D_j G dy/dt + D_j(dG/dt) y, drives the tree.
  of_speeds.setZero(), of_accelerations.setZero(), by_change_of_map.setZero();
  derivatives.for_each_column(mechanism, data, [&](std::size_t l) {
    // D_j(dG/dt) y as the mixed part of a quadratic form in the speeds of a cluster: G'' of y + e_j less that of
    // y - e_j.
    y.setZero();
    for (const auto& cluster : mechanism.clusters())
      for (const int c : cluster.columns) y[c] = data.y[c];
    mechanism.for_each_varying(l, [&](int j, const auto&) { y[j] += S(1); });
    second_rate(mechanism, data);
    change = second;
    mechanism.for_each_varying(l, [&](int j, const auto&) { y[j] -= S(2); });
    second_rate(mechanism, data);
    change -= second;
    mechanism.for_each_varying(l, [&](int j, const auto& cluster) {
      for (const int r : cluster.dependent) {
        S speed(0), acceleration(0);
        int own = -1;
        mechanism.for_each_entry(r, [&](int i, int e) {
          if (i == j) own = e;
          speed += derivatives.D[e] * data.y[i];
          acceleration += derivatives.D[e] * ydot[i] + change[e] / S(4) * data.y[i];
          by_change_of_map(i, j) += derivatives.D[e] * tau[r];
        });
        of_speeds[own] = speed, of_accelerations[own] = acceleration;
      }
    });
  });
  congruence.start();
  congruence.add(mechanism, tree.M, G);
  congruence.project(mechanism, G, result.M);
  congruence.start();
  congruence.add(mechanism, tree.dtau_dq, G);
  congruence.add(mechanism, tree.dtau_dv, of_speeds);
  congruence.add(mechanism, tree.M, of_accelerations);
  congruence.project(mechanism, G, result.dtau_dq);
  result.dtau_dq += by_change_of_map;
  of_speeds += data.Gdot;
  congruence.start();
  congruence.add(mechanism, tree.dtau_dv, G);
  congruence.add(mechanism, tree.M, of_speeds);
  congruence.project(mechanism, G, result.dtau_dv);
}

template <class S>
struct forward_dynamics_derivatives {
  static constexpr detail::Needs needs{Pass::acceleration, "forward_dynamics_derivatives"};
  ForwardDynamicsDerivatives<S> result;
  MatrixX<S> M;

  explicit forward_dynamics_derivatives(const Mechanism<S>& m) {
    for (auto* x : {&result.da_dq, &result.da_dv, &result.da_dtau, &M}) x->setZero(m.nv(), m.nv());
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
/// column j of dtau/dq is the change of tau as q moves along G e_j, with y and dy/dt held. With D_j G the derivative
/// along that motion, and those of the tree without index,
///   dtau_y/dq e_j = D_j G^T tau + G^T (dtau/dq G e_j + dtau/dv D_j G y + M (D_j G dy/dt + D_j(dG/dt) y)),
///   dtau_y/dy e_j = G^T (dtau/dv G e_j + M (D_j G y + dG/dt e_j)).
///
/// @returns {dtau_dq, dtau_dv, M}, each nv x nv of the mechanism; valid until the next call
/// @throws ModelError where an independent joint of a loop in which G varies has several degrees of freedom, whose
/// speeds are not rates of coordinates; what forward_kinematics of the mechanism throws. O(n d) and a few kinematics
/// passes for each independent speed of such clusters.
template <std::floating_point S>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                  MechanismData<S>& data) {
  for (const auto& cluster : mechanism.clusters())
    for (const int k : cluster.independent)
      if (const auto& node = mechanism.tree().node(mechanism.tree().node_of_dof(k));
          cluster.varies && node.v_end - node.v_begin > 1)
        throw ModelError(detail::join({"inverse_dynamics_derivatives: independent joint '",
                                       detail::joint_of_dof(mechanism.tree(), k), "' of loops ", cluster.loops,
                                       " must have one degree of freedom: choose other independent joints"}));
  return data.template run<algorithm::of_mechanism::inverse_dynamics_derivatives<S>>(mechanism).result;
}
template <std::floating_point S>
const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                  VectorIn<S> q, VectorIn<S> y, VectorIn<S> ydot) {
  return inverse_dynamics_derivatives<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot));
}

/// Derivatives of dy/dt = aba(mechanism, ..) by q, y and tau: -M^-1 dtau/dq, -M^-1 dtau/dy, M^-1 at the dy/dt of the
/// state. @returns {da_dq, da_dv, da_dtau}, as above; valid until the next call
/// @throws as inverse_dynamics_derivatives, and ModelError for a speed that moves no inertia
template <std::floating_point S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                  MechanismData<S>& data) {
  const auto& inverse = inverse_dynamics_derivatives<S>(mechanism, data);
  return data.template run<algorithm::of_mechanism::forward_dynamics_derivatives<S>>(mechanism, inverse).result;
}
/// For given forces, nv of the mechanism.
template <std::floating_point S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                  VectorIn<S> q, VectorIn<S> y, VectorIn<S> tau) {
  const VectorX<S>& ydot = aba<S>(mechanism, data, q, y, tau);
  return forward_dynamics_derivatives<S>(mechanism, forward_kinematics<S>(mechanism, data, data.tree.q, data.y, ydot));
}

}  // namespace corio
