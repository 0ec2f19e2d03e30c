#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {
namespace algorithm::of_mechanism {

template <class S, class Factorization>
struct coriolis_matrix_dot {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "coriolis_matrix_dot"};
  CoriolisMatricesDot<S> result;
  VectorX<S> Gddot;
  MatrixX<S> change;
  detail::Projection<S> product;

  explicit coriolis_matrix_dot(const Mechanism<S>& m)
      : Gddot(VectorX<S>::Zero(m.constant_entries().size())), product(m) {
    for (auto* x : {&result.C, &result.M, &result.Mdot, &result.Cdot, &change}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B);
};
template <class S, class Factorization>
void coriolis_matrix_dot<S, Factorization>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                const Factorization& B) {
  const auto& tree = corio::coriolis_matrix_dot(mechanism.tree(), data.tree, B);
  const VectorX<S>&G = data.G, &Gdot = data.Gdot(mechanism);
  detail::for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
    const auto& Kdot = solver.Kdot;  // set with Gdot
    detail::write_rows(mechanism, data.tree, cluster, Pass::acceleration, solver.Kddot);
    detail::solve_dependent_rate(mechanism, cluster, solver, {{solver.Kddot, G}, {Kdot, Gdot}, {Kdot, Gdot}}, Gddot);
  });
  product.set_symmetric(mechanism, G, tree.M, result.M);
  product.set(mechanism, G, {{tree.C, G}, {tree.M, Gdot}}, result.C);
  product.set(mechanism, G, {{tree.Cdot, G}, {tree.C, Gdot}, {tree.Mdot, Gdot}, {tree.M, Gddot}}, result.Cdot);
  if (mechanism.varies()) {
    product.set(mechanism, Gdot, {{tree.C, G}, {tree.M, Gdot}}, change);
    result.Cdot += change;
  }
  detail::add_transpose(mechanism, result.C, result.Mdot);
}

}  // namespace algorithm::of_mechanism

/// The matrices of coriolis_matrix of a mechanism with the rate of C as y changes with dy/dt,
///   Cdot = dG/dt^T (C G + M dG/dt) + G^T (Cdot G + C dG/dt + Mdot dG/dt + M d2G/dt2).
/// For an admissible factorization of the tree d2M/dt2 = Cdot + Cdot^T here as well.
///
/// @param B  the factorization of the tree's C
/// @returns {C, M, Mdot, Cdot}, each nv x nv of the mechanism; valid until the next call
/// @throws as forward_kinematics of the mechanism; ModelError for users' joints with axes that move in the body and
/// members that are not templates. O(n d), times the number of independent speeds in a cluster. Source: the derivative
/// of eq. 18 of Wensing and Slotine (2023).
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                  const Factorization& B = {}) {
  return data.template run<algorithm::of_mechanism::coriolis_matrix_dot<S, Factorization>>(mechanism, B).result;
}
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                  VectorIn<S> y, VectorIn<S> ydot, const Factorization& B = {}) {
  return coriolis_matrix_dot(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), B);
}

}  // namespace corio
