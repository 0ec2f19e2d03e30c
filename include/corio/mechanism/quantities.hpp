#pragma once

#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/com_jacobian.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/algorithms/dynamics/generalized_momentum.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/algorithms/dynamics/joint_reactions.hpp"
#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/core/compiled.hpp"
#include "corio/mechanism/kinematics.hpp"

/// Quantities of mechanisms that are quantities of the tree in its motion v = G y, or results of the tree after a
/// projection: forces tau become G^T tau, matrices J become J G, with the rate dJ/dt G + J dG/dt. This header has
/// motions and Jacobians of bodies, energies, the centre of mass, momenta, rnea, generalized_gravity, passive_forces
/// and slotine_li_inverse_dynamics. rnea returns the forces of drives in the independent joints; for other drives see
/// constrained_inverse_dynamics. O(n), for matrices times the number of independent speeds in a cluster.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Computes G^T tau for the tau that algorithm A of the tree computes.
template <class S, class A>
struct ProjectedForces {
  VectorX<S> tau;
  explicit ProjectedForces(const Mechanism<S>& m) : tau(zeros<S>(m.nv())) {}
  template <class... Arguments>
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Arguments&... arguments) {
    // Runs before tau changes: it may throw, and an argument may be this tau.
    const VectorX<S>& of_tree = data.tree.template run<A>(mechanism.tree(), arguments...).tau;
    times_G_transpose(mechanism, data.G, of_tree, tau);
  }
};

/// Computes J G for the matrix J that algorithm A of the tree computes.
template <class S, class A>
struct ProjectedColumns {
  decltype(A::J) J;
  explicit ProjectedColumns(const Mechanism<S>& m) : J(decltype(J)::Zero(J.RowsAtCompileTime, m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    project_jacobian<S>(mechanism, data, data.tree.template run<A>(mechanism.tree()).J, J);
  }
};
/// Computes the rate dJ/dt G + J dG/dt, where algorithm Rate computes dJ/dt of the tree.
template <class S, class A, class Rate>
struct ProjectedColumnsDot : ProjectedColumns<S, Rate> {
  using ProjectedColumns<S, Rate>::ProjectedColumns;
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    ProjectedColumns<S, Rate>::run(mechanism, data);
    if (mechanism.varies())
      add_columns_times_G<S>(mechanism, data.Gdot(mechanism), data.tree.template run<A>(mechanism.tree()).J, this->J);
  }
};

/// Subtracts the wrenches that forces lambda of the conditions exert on the bodies of each closure from `force`.
template <class S>
void subtract_closure_wrenches(const Mechanism<S>& mechanism, const MechanismData<S>& data, const S* lambda,
                               PerNode<Force<S>>& force) {
  for_each_closure(mechanism, data, [&](const auto& closure, const auto& loop) {
    const Force<S> F = ClosureWrench<S>(closure.rows(), lambda + loop.begin).F;
    for (const int side : {0, 1})
      if (const int b = loop.frames[static_cast<std::size_t>(side)].node(); b >= 0)
        force[b] -= closure.on_body(F, side);
  });
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ForMechanism<Rnea<S>> : detail::ProjectedForces<S, Rnea<S>> {
  using detail::ProjectedForces<S, Rnea<S>>::ProjectedForces;
};
template <class S>
struct ForMechanism<JointReactions<S>> : JointReactions<S> {
  using typename JointReactions<S>::Places;
  VectorX<S> lambda;  // forces of the conditions

  explicit ForMechanism(const Mechanism<S>& m) : JointReactions<S>(m.tree()), lambda(zeros<S>(m.loops().rows())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external, Places places) {
    this->begin(mechanism.tree(), data.tree, external, places);
    if (mechanism.varies())
      detail::solve_multipliers(mechanism, data, corio::rnea<S>(mechanism.tree(), data.tree, external), lambda);
    end(mechanism, data, places);
  }
  /// Computes the reactions with the forces lambda of the loops, after `begin`.
  void end(const Mechanism<S>& mechanism, const MechanismData<S>& data, Places places) {
    detail::subtract_closure_wrenches(mechanism, data, lambda.data(), this->force);
    JointReactions<S>::end(mechanism.tree(), data.tree, places);
  }
};
template <class S>
struct ForMechanism<GeneralizedGravity<S>> : detail::ProjectedForces<S, GeneralizedGravity<S>> {
  using detail::ProjectedForces<S, GeneralizedGravity<S>>::ProjectedForces;
};
template <class S>
struct ForMechanism<PassiveForces<S>> : detail::ProjectedForces<S, PassiveForces<S>> {
  using detail::ProjectedForces<S, PassiveForces<S>>::ProjectedForces;
};
/// Computes G^T (M a_r + C v_r + g) for the motion v_r = G y_r of the tree and its rate a_r, which is M dy_r/dt + C y_r
/// + g with the C of coriolis_matrix.
template <class S, class Factorization>
struct ForMechanism<SlotineLiInverseDynamics<S, Factorization>>
    : detail::ProjectedForces<S, SlotineLiInverseDynamics<S, Factorization>> {
  using Base = detail::ProjectedForces<S, SlotineLiInverseDynamics<S, Factorization>>;
  VectorX<S> v_r, a_r;
  explicit ForMechanism(const Mechanism<S>& m) : Base(m), v_r(zeros<S>(m.tree().nv())), a_r(v_r) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r, VectorIn<S> ydot_r,
           const Factorization& B) {
    detail::check_references(mechanism, y_r, ydot_r, "slotine_li_inverse_dynamics");
    detail::tree_motion(mechanism, data, y_r, ydot_r, v_r, a_r);
    Base::run(mechanism, data, v_r, a_r, B);
  }
};

template <class S>
struct ForMechanism<GeneralizedMomentum<S>> {
  GeneralizedMomentumResult<S> result;
  explicit ForMechanism(const Mechanism<S>& m) : result{zeros<S>(m.nv()), zeros<S>(m.nv())} {}
  /// Computes G^T p and G^T drift + dG/dt^T p for p and drift of the tree.
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const auto& [p, drift] = corio::generalized_momentum(mechanism.tree(), data.tree);
    detail::project_with_rate(mechanism, data, p, drift, result.p, result.drift);
  }
};

template <class S>
struct ForMechanism<ComJacobian<S>> : detail::ProjectedColumns<S, ComJacobian<S>> {
  using detail::ProjectedColumns<S, ComJacobian<S>>::ProjectedColumns;
};
template <class S>
struct ForMechanism<ComJacobianDot<S>> : detail::ProjectedColumnsDot<S, ComJacobian<S>, ComJacobianDot<S>> {
  using detail::ProjectedColumnsDot<S, ComJacobian<S>, ComJacobianDot<S>>::ProjectedColumnsDot;
};
template <class S>
struct ForMechanism<CentroidalMomentumMatrix<S>> : detail::ProjectedColumns<S, CentroidalMomentumMatrix<S>> {
  using detail::ProjectedColumns<S, CentroidalMomentumMatrix<S>>::ProjectedColumns;
};
template <class S>
struct ForMechanism<CentroidalMomentumMatrixDot<S>>
    : detail::ProjectedColumnsDot<S, CentroidalMomentumMatrix<S>, CentroidalMomentumMatrixDot<S>> {
  using detail::ProjectedColumnsDot<S, CentroidalMomentumMatrix<S>,
                                    CentroidalMomentumMatrixDot<S>>::ProjectedColumnsDot;
};

}  // namespace algorithm

#define CORIO_COMPILED_MECHANISM_QUANTITIES(EXTERN, S)                \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, Rnea<S>)                     \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, JointReactions<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, GeneralizedGravity<S>)       \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, PassiveForces<S>)            \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, SlotineLiInverseDynamics<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, GeneralizedMomentum<S>)      \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ComJacobian<S>)              \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ComJacobianDot<S>)           \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CentroidalMomentumMatrix<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CentroidalMomentumMatrixDot<S>)
CORIO_DECLARE_COMPILED(MECHANISM_QUANTITIES)

}}  // namespace corio
