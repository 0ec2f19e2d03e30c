#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/mass_matrix_factor.hpp"
#include "corio/loops/mechanism_symbols.hpp"

/// inverse_dynamics_derivatives of a mechanism, dtau/dq, dtau/dy and M = dtau/d(dy/dt) for its rnea, along motions that
/// keep the loops closed: column j of dtau/dq is the derivative of tau as q moves along G e_j, at constant y and dy/dt.
/// With quantities of the tree without index, and forces lambda of the loops that balance tau on the dependent joints,
/// K_d^T lambda = tau_d, since G^T K^T = 0 wherever q moves,
///   dtau_y/dq = G^T ((dtau/dq - d(K^T lambda)/dq) G + dtau/dv dv/dq + M da/dq),
///   dtau_y/dy = G^T (dtau/dv G + M da/dy).
/// The derivatives dv/dq, da/dq and da/dy of v = G y and a = G dy/dt + dG/dt y at constant y and dy/dt solve
///   K dv/dq + d(dk/dt)/dq G = 0,   K da/dq + d(d2k/dt2)/dq G + d(d2k/dt2)/dv dv/dq = 0,   K da/dy + d(d2k/dt2)/dv G =
///   0.
/// @throws ModelError for users' joints in loops with axes that move in the body and members that are not templates.
/// O(n d), and where G varies O(m n) for m conditions, times the number of independent speeds in a cluster, and O(k^3)
/// for every cluster of k degrees of freedom.
namespace corio {
namespace algorithm {

template <class S>
struct for_mechanism<inverse_dynamics_derivatives<S>> {
  InverseDynamicsDerivatives<S> result;
  std::vector<detail::ConstraintRateDerivatives<S>> constraints;  // by cluster
  VectorX<S> lambda, v_q, a_q, a_y;                               // the last three as entries of G
  std::vector<S> along;
  detail::Projection<S> product;

  explicit for_mechanism(const Mechanism<S>& m)
      : constraints(m.clusters().size()),
        lambda(VectorX<S>::Zero(m.conditions().rows())),
        v_q(VectorX<S>::Zero(m.constant_entries().size())),
        a_q(v_q),
        a_y(v_q),
        product(m) {
    for (auto* x : {&result.dtau_dq, &result.dtau_dv, &result.M}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external) {
    detail::solve_multipliers(mechanism, data, corio::rnea<S>(mechanism.tree(), data.tree, external), lambda);
    differentiate(mechanism, data, lambda, external);
  }
  /// G^T times the derivatives of the tau in all joints of the tree that balance the given forces of the conditions.
  void differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> forces,
                     ExternalForces<S> external = {});
};
template <class S>
void for_mechanism<inverse_dynamics_derivatives<S>>::differentiate(const Mechanism<S>& mechanism,
                                                                   MechanismData<S>& data, VectorIn<S> forces,
                                                                   ExternalForces<S> external) {
  const auto& tree = corio::inverse_dynamics_derivatives<S>(mechanism.tree(), data.tree, external);
  const VectorX<S>& G = data.G;
  detail::for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
    detail::write_rows(mechanism, data.tree, cluster, Pass::velocity, solver.Kdot);
    detail::write_rows(mechanism, data.tree, cluster, Pass::acceleration, solver.Kddot);
    const auto for_each_dof = [&](auto&& f) {
      for (const auto* dofs : {&cluster.dependent, &cluster.independent}) std::ranges::for_each(*dofs, f);
    };
    const auto place = [&](int k) { return mechanism.place(k); };
    auto& of_cluster = constraints[static_cast<std::size_t>(&solver - data.solvers.data())];
    of_cluster.run(mechanism.tree(), data.tree, solver.K, solver.Kdot, solver.Kddot, for_each_dof, place);
    const auto& [rate_dq, second_dv, second_dq] = of_cluster;
    detail::solve_dependent_rate(mechanism, cluster, solver, {{rate_dq, G}}, v_q);
    detail::solve_dependent_rate(mechanism, cluster, solver, {{second_dq, G}, {second_dv, v_q}}, a_q);
    detail::solve_dependent_rate(mechanism, cluster, solver, {{second_dv, G}}, a_y);
  });
  product.set_symmetric(mechanism, G, tree.M, result.M);
  product.set(mechanism, G, {{tree.dtau_dv, G}, {tree.M, a_y}}, result.dtau_dv);
  product.set(mechanism, G, {{tree.dtau_dq, G}, {tree.dtau_dv, v_q}, {tree.M, a_q}}, result.dtau_dq);
  detail::for_each_varying(mechanism, data, [&](const auto& cluster, auto&) {
    detail::for_each_member(mechanism, cluster, [&](const auto& loop, int) {
      detail::for_each_force_derivative<S>(mechanism.tree(), data.tree, loop, forces, [&](int s, auto&& entries) {
        along.assign(cluster.columns.size(), S(0));
        entries([&](int i, const S& x) { detail::add_row_of_map(mechanism, G, cluster, i, x, along.data()); });
        mechanism.for_each_entry(s, [&](int j, int e) {
          for (std::size_t i = 0; const int k : cluster.columns) result.dtau_dq(k, j) -= along[i++] * G[e];
        });
      });
    });
  });
}

namespace of_mechanism {

template <class S>
struct forward_dynamics_derivatives {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "forward_dynamics_derivatives"};
  ForwardDynamicsDerivatives<S> result;
  MatrixX<S> M;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x;  // the three results, side by side

  explicit forward_dynamics_derivatives(const Mechanism<S>& m) : x(m.nv(), 3 * m.nv()) {
    for (auto* out : {&result.da_dq, &result.da_dv, &result.da_dtau}) *out = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, const MechanismData<S>&, const InverseDynamicsDerivatives<S>& inverse) {
    const int n = mechanism.nv();
    M = inverse.M;
    detail::factorize_mass_matrix(mechanism, M);
    for (int k = n - 1; k >= 0; --k) detail::require_inertia(mechanism, k, M(k, k));
    x.leftCols(n) = -inverse.dtau_dq, x.middleCols(n, n) = -inverse.dtau_dv, x.rightCols(n).setIdentity();
    detail::solve_mass_matrix(mechanism, M, x.data(), x.cols());
    result.da_dq = x.leftCols(n), result.da_dv = x.middleCols(n, n), result.da_dtau = x.rightCols(n);
  }
};

}  // namespace of_mechanism
}  // namespace algorithm

/// Derivatives of dy/dt = aba(mechanism, ..) by q, y and tau: -M^-1 dtau/dq, -M^-1 dtau/dy, M^-1 at the dy/dt of the
/// state. @returns {da_dq, da_dv, da_dtau}, as above; valid until the next call
/// @throws as forward_kinematics of the mechanism and inverse_dynamics_derivatives; ModelError for a speed that moves
/// no inertia
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                  MechanismData<S>& data) {
  data.require(mechanism, Pass::acceleration, "forward_dynamics_derivatives");
  const auto& inverse = inverse_dynamics_derivatives<S>(mechanism, data);
  return data.template run<algorithm::of_mechanism::forward_dynamics_derivatives<S>>(mechanism, inverse).result;
}
/// The same for given forces tau, nv of the mechanism.
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                  VectorIn<S> q, VectorIn<S> y, VectorIn<S> tau) {
  detail::check_sample("tau", tau, mechanism.nv());
  const VectorX<S>& ydot = aba<S>(mechanism, data, q, y, tau);
  return forward_dynamics_derivatives<S>(mechanism, forward_kinematics<S>(mechanism, data, data.tree.q, data.y, ydot));
}

}  // namespace corio
