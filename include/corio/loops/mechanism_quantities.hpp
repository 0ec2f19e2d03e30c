#pragma once

#include "corio/algorithms/dynamics/center_of_mass.hpp"
#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/loops/mechanism_kinematics.hpp"

/// Energies, centre of mass and centroidal momentum of mechanisms are those of the tree in its motion v = G y; matrices
/// J of the tree are J G, with the rate dJ/dt G + J dG/dt, and cost O(n), times the number of independent speeds in a
/// cluster.
namespace corio {
namespace detail {

/// J G for the matrix J that algorithm A of the tree computes.
template <class S, class A>
struct ProjectedColumns {
  decltype(A::J) J;
  explicit ProjectedColumns(const Mechanism<S>& m) : J(decltype(J)::Zero(J.RowsAtCompileTime, m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    project_jacobian<S>(mechanism, data, data.tree.template run<A>(mechanism.tree()).J, J);
  }
};
/// Its rate, for the rate that algorithm Rate computes. J of the tree is needed only where G varies.
template <class S, class A, class Rate>
struct ProjectedColumnsDot : ProjectedColumns<S, Rate> {
  using ProjectedColumns<S, Rate>::ProjectedColumns;
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    if (!mechanism.varies()) return ProjectedColumns<S, Rate>::run(mechanism, data);
    const auto &of_tree = data.tree.template run<A>(mechanism.tree()).J,
               &rate = data.tree.template run<Rate>(mechanism.tree()).J;
    project_jacobian_dot<S>(mechanism, data, of_tree, rate, this->J);
  }
};

}  // namespace detail

namespace algorithm {

template <class S>
struct for_mechanism<com_jacobian<S>> : detail::ProjectedColumns<S, com_jacobian<S>> {
  using detail::ProjectedColumns<S, com_jacobian<S>>::ProjectedColumns;
};
template <class S>
struct for_mechanism<com_jacobian_dot<S>> : detail::ProjectedColumnsDot<S, com_jacobian<S>, com_jacobian_dot<S>> {
  using detail::ProjectedColumnsDot<S, com_jacobian<S>, com_jacobian_dot<S>>::ProjectedColumnsDot;
};
template <class S>
struct for_mechanism<centroidal_momentum_matrix<S>> : detail::ProjectedColumns<S, centroidal_momentum_matrix<S>> {
  using detail::ProjectedColumns<S, centroidal_momentum_matrix<S>>::ProjectedColumns;
};
template <class S>
struct for_mechanism<centroidal_momentum_matrix_dot<S>>
    : detail::ProjectedColumnsDot<S, centroidal_momentum_matrix<S>, centroidal_momentum_matrix_dot<S>> {
  using detail::ProjectedColumnsDot<S, centroidal_momentum_matrix<S>,
                                    centroidal_momentum_matrix_dot<S>>::ProjectedColumnsDot;
};

}  // namespace algorithm
}  // namespace corio
