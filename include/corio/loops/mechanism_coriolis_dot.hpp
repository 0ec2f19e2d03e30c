#pragma once

#include "corio/algorithms/coriolis_matrix_dot.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {
namespace algorithm::of_mechanism {

template <class S, class Factorization>
struct coriolis_matrix_dot {
  static constexpr detail::Needs needs{Pass::acceleration, "coriolis_matrix_dot"};
  CoriolisMatricesDot<S> result;
  MatrixX<S> Kddot;
  VectorX<S> Gddot;

  explicit coriolis_matrix_dot(const Mechanism<S>& m)
      : Kddot(m.loops().rows(), m.tree().nv()), Gddot(VectorX<S>::Zero(m.constant_entries().size())) {
    result.Mdot.resize(m.nv(), m.nv());
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B);
};
template <class S, class Factorization>
void coriolis_matrix_dot<S, Factorization>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                const Factorization& B) {
  const auto& tree = corio::coriolis_matrix_dot(mechanism.tree(), data.tree, B);
  const VectorX<S>&G = data.G, &Gdot = data.Gdot;
  constraint_jacobian_ddot<S>(mechanism.tree(), data.tree, mechanism.loops(), Kddot);
  detail::solve_dependent_rate(mechanism, data, Kddot, Gddot, [&](int row, int k, int j) {
    return S(2) * data.Kdot(row, k) * Gdot[mechanism.entry(k) + j];
  });
  for (auto* x : {&result.C, &result.M, &result.Cdot}) x->setZero(mechanism.nv(), mechanism.nv());
  detail::for_each_term(mechanism, [&](int r, int s, int i, int e, int j, int g) {
    const S M = tree.M(r, s), C = tree.C(r, s);
    const S CG = C * G[g] + M * Gdot[g];
    result.M(i, j) += G[e] * M * G[g];
    result.C(i, j) += G[e] * CG;
    result.Cdot(i, j) +=
        Gdot[e] * CG + G[e] * (tree.Cdot(r, s) * G[g] + (C + tree.Mdot(r, s)) * Gdot[g] + M * Gddot[g]);
  });
  result.Mdot = result.C + result.C.transpose();
}

}  // namespace algorithm::of_mechanism

/// The matrices of coriolis_matrix of a mechanism with the rate of C as y changes with dy/dt,
///   Cdot = dG/dt^T (C G + M dG/dt) + G^T (Cdot G + C dG/dt + Mdot dG/dt + M d2G/dt2).
/// For an admissible factorization of the tree d2M/dt2 = Cdot + Cdot^T here as well.
///
/// @param B  the factorization of the tree's C
/// @returns {C, M, Mdot, Cdot}, each nv x nv of the mechanism; valid until the next call
/// @throws what forward_kinematics of the mechanism throws; ModelError for users' joints with axes that move in the
/// body whose members are not templates. O(n d), times the squared number of independent speeds in a cluster. Source:
/// the derivative of eq. 18 of Wensing and Slotine (2023).
template <class Factorization = factorization::Christoffel, std::floating_point S>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                  const Factorization& B = {}) {
  return data.template run<algorithm::of_mechanism::coriolis_matrix_dot<S, Factorization>>(mechanism, B).result;
}
template <class Factorization = factorization::Christoffel, std::floating_point S>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                  VectorIn<S> y, VectorIn<S> ydot, const Factorization& B = {}) {
  return coriolis_matrix_dot(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), B);
}

}  // namespace corio
