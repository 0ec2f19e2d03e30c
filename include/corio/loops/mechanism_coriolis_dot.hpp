#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {
namespace algorithm {

/// The matrices of coriolis_matrix of a mechanism with the rate of C as y changes with dy/dt,
///   Cdot = dG/dt^T (C G + M dG/dt) + G^T (Cdot G + C dG/dt + Mdot dG/dt + M d2G/dt2),
/// the derivative of eq. 18 of Wensing and Slotine (2023).
template <class S, class Factorization>
struct for_mechanism<coriolis_matrix_dot<S, Factorization>> {
  CoriolisMatricesDot<S> result;
  VectorX<S> Gddot;
  MatrixX<S> change;
  detail::Projection<S> product;

  explicit for_mechanism(const Mechanism<S>& m) : Gddot(VectorX<S>::Zero(m.constant_entries().size())), product(m) {
    for (auto* x : {&result.C, &result.M, &result.Mdot, &result.Cdot, &change}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B);
};
template <class S, class Factorization>
void for_mechanism<coriolis_matrix_dot<S, Factorization>>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
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

}  // namespace algorithm
}  // namespace corio
