#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_time_derivative.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"
#include "corio/algorithms/dynamics/hybrid_dynamics.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse_product.hpp"
#include "corio/core/compiled.hpp"
#include "corio/mechanism/detail/articulated.hpp"
#include "corio/mechanism/quantities.hpp"

/// Equations of motion of mechanisms with closed loops in their independent speeds,
///   M dy/dt + C y + g = G^T tau,
/// where y, dy/dt and forces on the independent speeds replace v, a and tau in the functions of trees. With quantities
/// of the tree on the right,
///   M = G^T M G,   C = G^T (C G + M dG/dt),   dM/dt = C + C^T,   g = G^T g,   rnea = G^T rnea,
///   Cdot = dG/dt^T (C G + M dG/dt) + G^T (Cdot G + C dG/dt + Mdot dG/dt + M d2G/dt2).
/// A factorization is an argument for the tree's C; if it is admissible, dM/dt - 2 C is skew-symmetric for the
/// mechanism as well. aba treats bodies coupled by loops as one body with several degrees of freedom. For rnea see
/// quantities.hpp.
///
/// Results are valid until the next call of their function; functions allocate nothing from the second call on.
/// @throws as forward_kinematics of the mechanism, and as the functions of trees; aba also Error for a tau that is not
/// finite; functions that invert M also ModelError for a speed that moves no inertia. rnea, nonlinear_effects,
/// generalized_gravity and coriolis_product O(n); aba and mass_matrix_inverse_product O(n), times the square of the
/// number of independent speeds of coupled bodies; mass_matrix_inverse O(n^2 d); M and C O(n d), times the number of
/// independent speeds in a cluster. Source: Wensing and Slotine (2023), eqs 18 and 21.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Sets the entries of out = A + A^T that can be nonzero.
template <class S>
void add_transpose(const Mechanism<S>& mechanism, const MatrixX<S>& A, MatrixX<S>& out) {
  for (int j = 0; j < mechanism.nv(); ++j)
    mechanism.for_each_ancestor(j, [&](int i) { out(i, j) = out(j, i) = A(i, j) + A(j, i); });
}

/// Computes d2G/dt2 at the accelerations of the state, if G varies, from K d2G/dt2 + 2 dK/dt dG/dt + d2K/dt2 G = 0.
template <class S>
void find_Gddot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorX<S>& Gddot) {
  const VectorX<S>&G = data.G, &Gdot = data.Gdot(mechanism);
  find_second_rates(mechanism, data);
  for (const std::size_t c : mechanism.varying()) {
    const LoopCluster& cluster = mechanism.clusters()[c];
    ClusterSolver<S>& solver = data.solvers[c];
    const auto& Kdot = solver.Kdot;  // set with Gdot
    write_rates(mechanism, data, cluster, Pass::acceleration, solver.Kddot);
    solve_map_rate(mechanism, cluster, solver, {{solver.Kddot, G}, {Kdot, Gdot}, {Kdot, Gdot}}, Gddot);
  }
}

}  // namespace detail

namespace algorithm {

/// Computes rnea with the acceleration of the tree for dy/dt = 0.
template <class S>
struct ForMechanism<NonlinearEffects<S>> {
  VectorX<S> tau, tree;
  PerNode<Motion<S>> acceleration;
  PerNode<Force<S>> force;

  explicit ForMechanism(const Mechanism<S>& m)
      : tau(zeros<S>(m.nv())),
        tree(zeros<S>(m.tree().nv())),
        acceleration(m.tree().num_nodes()),
        force(m.tree().num_nodes()) {}
  void run(const Mechanism<S>& mechanism, const MechanismData<S>& data, ExternalForces<S> external = {}) {
    if (mechanism.varies()) return run(mechanism, data, data.drift, external);
    project(mechanism, data, data.tree.bias, data.drift, external);
  }
  /// Computes G^T tau for the tau that gives the tree the acceleration a.
  void run(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& a,
           ExternalForces<S> external) {
    detail::acceleration_pass(mechanism.tree(), data.tree, a, acceleration);
    project(mechanism, data, acceleration, a, external);
  }

 private:
  void project(const Mechanism<S>& mechanism, const MechanismData<S>& data, const PerNode<Motion<S>>& of_nodes,
               const VectorX<S>& a, ExternalForces<S> external) {
    const Model<S>& model = mechanism.tree();
    detail::project_body_forces<S>(model, data.tree, of_nodes, external, force, tree);
    for (int k = 0; k < model.nv(); ++k) tree[k] += model.armature()[k] * a[k];
    detail::times_G_transpose(mechanism, data.G, tree, tau);
  }
};

template <class S>
struct ForMechanism<Crba<S>> {
  MatrixX<S> M;
  detail::Projection<S> product;
  explicit ForMechanism(const Mechanism<S>& m) : M(detail::nv_by_nv(m)), product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    product.set_symmetric(mechanism, data.G, corio::crba(mechanism.tree(), data.tree), M);
  }
};

template <class S>
struct ForMechanism<Aba<S>> {
  ForMechanism<NonlinearEffects<S>> bias;
  Aba<S> of_tree;
  detail::ArticulatedMechanism<S> articulated;
  VectorX<S> a;  // dy/dt

  explicit ForMechanism(const Mechanism<S>& m) : bias(m), of_tree(m.tree()), articulated(m), a(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    detail::check_finite_speeds("tau", tau, mechanism, "aba");
    if (mechanism.is_tree()) {
      mechanism.tree().check_regular("aba");
      of_tree.run(mechanism.tree(), data.tree, tau, external);
      a = of_tree.a;
    } else {
      bias.run(mechanism, data, external);
      a = tau - bias.tau;
      articulated.compute(mechanism, data).solve(mechanism, data, a);
    }
  }
  /// See ArticulatedMechanism::reciprocal_d.
  const VectorX<S>& reciprocal_d(const Mechanism<S>& mechanism) const {
    return mechanism.is_tree() ? of_tree.factor.reciprocal_d : articulated.reciprocal_d();
  }
};

template <class S>
struct ForMechanism<HybridDynamics<S>> {
  HybridDynamicsResult<S> result;
  ForMechanism<NonlinearEffects<S>> inverse;
  detail::ArticulatedMechanism<S> articulated;
  PerDof<char> held;
  VectorX<S> x, y, v, a_tree;

  explicit ForMechanism(const Mechanism<S>& m)
      : result{zeros<S>(m.nv()), zeros<S>(m.nv())},
        inverse(m),
        articulated(m),
        held(m.nv(), 0),
        x(zeros<S>(m.nv())),
        y(x),
        v(zeros<S>(m.tree().nv())),
        a_tree(v) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> a, VectorIn<S> tau,
           const std::vector<int>& prescribed, ExternalForces<S> external) {
    const char* const name = "hybrid_dynamics";
    detail::check_speeds("a", a, mechanism, name);
    detail::check_speeds("tau", tau, mechanism, name);
    detail::mark_prescribed(prescribed, held, name);
    detail::where_held<S>(a, held, 1, y), detail::where_held<S>(tau, held, 0, x);
    detail::require_finite("a", y, name), detail::require_finite("tau", x, name);
    detail::tree_motion(mechanism, data, data.y, y, v, a_tree);
    inverse.run(mechanism, data, a_tree, external);
    articulated.compute(mechanism, data, &held);
    for (int k = 0; k < mechanism.nv(); ++k)
      if (!held[k]) x[k] -= inverse.tau[k];
    articulated.solve(mechanism, data, x);
    y += x;
    detail::tree_motion(mechanism, data, data.y, y, v, a_tree);
    inverse.run(mechanism, data, a_tree, external);
    for (int k = 0; k < mechanism.nv(); ++k) result.tau[k] = held[k] ? inverse.tau[k] : S(tau[k]);
    result.a = y;
  }
};

template <class S>
struct ForMechanism<MassMatrixInverse<S>> {
  MatrixX<S> M_inverse;
  detail::MassMatrixFactor<S, Mechanism<S>> factor;

  explicit ForMechanism(const Mechanism<S>& m) : M_inverse(detail::nv_by_nv(m)), factor(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const MatrixX<S>& L = factor.run(mechanism, data);
    M_inverse.setIdentity();
    detail::solve_mass_matrix(mechanism, L, M_inverse.data(), M_inverse.cols());
    for (int k = 0; k < mechanism.nv(); ++k)
      for (int i = 0; i < k; ++i) M_inverse(i, k) = M_inverse(k, i);
  }
};

template <class S>
struct ForMechanism<MassMatrixInverseProduct<S>> {
  VectorX<S> result;
  detail::ArticulatedMechanism<S> articulated;

  explicit ForMechanism(const Mechanism<S>& m) : result(zeros<S>(m.nv())), articulated(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x) {
    detail::check_speeds("x", x, mechanism, "mass_matrix_inverse_product");
    result = x;
    articulated.compute(mechanism, data).solve(mechanism, data, result);
  }
};

template <class S, class Factorization>
struct ForMechanism<CoriolisMatrix<S, Factorization>> {
  CoriolisMatrices<S> result;
  detail::Projection<S> product;
  explicit ForMechanism(const Mechanism<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), detail::nv_by_nv(m)}, product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B) {
    const auto& tree = corio::coriolis_matrix(mechanism.tree(), data.tree, B);
    if (mechanism.is_tree()) return void(result = tree);
    product.set_symmetric(mechanism, data.G, tree.M, result.M);
    product.set(mechanism, data.G, {{tree.C, data.G}, {tree.M, data.Gdot(mechanism)}}, result.C);
    detail::add_transpose(mechanism, result.C, result.Mdot);
  }
};

template <class S, class Factorization>
struct ForMechanism<CoriolisProduct<S, Factorization>> {
  VectorX<S> result, w, wdot;
  SlotineLiInverseDynamics<S, Factorization> tree;
  explicit ForMechanism(const Mechanism<S>& m)
      : result(zeros<S>(m.nv())), w(zeros<S>(m.tree().nv())), wdot(w), tree(m.tree()) {}
  /// Computes G^T (C G x + M dG/dt x).
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, const Factorization& B) {
    detail::check_speeds("x", x, mechanism, "coriolis_product");
    detail::times_G(mechanism, data.G, x, w);
    if (!mechanism.varies())
      return detail::times_G_transpose(mechanism, data.G, corio::coriolis_product(mechanism.tree(), data.tree, w, B),
                                       result);
    detail::times_G(mechanism, data.Gdot(mechanism), x, wdot);
    tree.run(mechanism.tree(), data.tree, w, wdot, zero3<S>(), B);
    detail::times_G_transpose(mechanism, data.G, tree.tau, result);
  }
};

template <class S, class Factorization>
struct ForMechanism<CoriolisTransposeProduct<S, Factorization>> : ForMechanism<CoriolisProduct<S, Factorization>> {
  using Product = ForMechanism<CoriolisProduct<S, Factorization>>;
  using Product::Product;
  using Product::result, Product::tree, Product::w, Product::wdot;
  /// Computes G^T C^T G x + dG/dt^T M G x.
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, const Factorization& B) {
    detail::check_speeds("x", x, mechanism, "coriolis_transpose_product");
    detail::times_G(mechanism, data.G, x, w);
    detail::times_G_transpose(mechanism, data.G, corio::coriolis_transpose_product(mechanism.tree(), data.tree, w, B),
                              result);
    if (!mechanism.varies()) return;
    wdot.setZero();
    tree.run(mechanism.tree(), data.tree, wdot, w, zero3<S>(), B);  // M G x
    detail::add_times_G_transpose(mechanism, data.Gdot(mechanism), tree.tau, result);
  }
};

template <class S, class Factorization>
struct ForMechanism<CoriolisMatrixDot<S, Factorization>> {
  CoriolisMatricesDot<S> result;
  VectorX<S> Gddot;
  MatrixX<S> change;
  detail::Projection<S> product;

  explicit ForMechanism(const Mechanism<S>& m) : Gddot(VectorX<S>::Zero(m.constant_entries().size())), product(m) {
    for (auto* x : {&result.C, &result.M, &result.Mdot, &result.Cdot, &change}) *x = detail::nv_by_nv(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B) {
    const auto& tree = corio::coriolis_matrix_dot(mechanism.tree(), data.tree, B);
    if (mechanism.is_tree()) return void(result = tree);
    const VectorX<S>&G = data.G, &Gdot = data.Gdot(mechanism);
    detail::find_Gddot(mechanism, data, Gddot);
    product.set_symmetric(mechanism, G, tree.M, result.M);
    product.set(mechanism, G, {{tree.C, G}, {tree.M, Gdot}}, result.C);
    product.set(mechanism, G, {{tree.Cdot, G}, {tree.C, Gdot}, {tree.Mdot, Gdot}, {tree.M, Gddot}}, result.Cdot);
    if (mechanism.varies()) {
      product.set(mechanism, Gdot, {{tree.C, G}, {tree.M, Gdot}}, change);
      result.Cdot += change;
    }
    detail::add_transpose(mechanism, result.C, result.Mdot);
  }
};

/// Computes G^T tau_dot + dG/dt^T tau for tau and tau_dot of the tree with the jerk G d2y/dt2 + 2 dG/dt dy/dt + d2G/dt2
/// y.
template <class S>
struct ForMechanism<InverseDynamicsTimeDerivative<S, 1>> {
  InverseDynamicsTimeDerivatives<S> result;
  VectorX<S> Gddot, of_tree, more;

  explicit ForMechanism(const Mechanism<S>& m)
      : result{zeros<S>(m.nv()), zeros<S>(m.nv()), {}}, Gddot(VectorX<S>::Zero(m.constant_entries().size())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> jerk, VectorIn<S>,
           ExternalForces<S> external) {
    detail::check_finite_speeds("jerk", jerk, mechanism, "inverse_dynamics_time_derivative");
    detail::times_G(mechanism, data.G, jerk, of_tree);
    const auto add = [&](const VectorX<S>& rate, const VectorX<S>& y, const S& factor) {
      detail::times_G(mechanism, rate, y, more);
      of_tree += factor * more;
    };
    if (mechanism.varies()) {
      detail::find_Gddot(mechanism, data, Gddot);
      add(data.Gdot(mechanism), data.ydot, S(2)), add(Gddot, data.y, S(1));
    }
    const auto& tree = inverse_dynamics_time_derivative<S>(mechanism.tree(), data.tree, of_tree, external);
    detail::project_with_rate(mechanism, data, tree.tau, tree.tau_dot, result.tau, result.tau_dot);
  }
};

}  // namespace algorithm

#define CORIO_COMPILED_MECHANISM_DYNAMICS(EXTERN, S)                  \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, NonlinearEffects<S>)         \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Crba<S>)                     \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Aba<S>)                      \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, HybridDynamics<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, MassMatrixInverse<S>)        \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, MassMatrixInverseProduct<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisMatrix<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisMatrixDot<S>)        \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisProduct<S>)          \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CoriolisTransposeProduct<S>)
CORIO_DECLARE_COMPILED(MECHANISM_DYNAMICS)

}}  // namespace corio
