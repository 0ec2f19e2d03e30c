#pragma once

#include "corio/algorithms/dynamics/center_of_mass.hpp"
#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/loops/mechanism_kinematics.hpp"

/// Energies, centre of mass and centroidal momentum of mechanisms: those of the tree in its motion v = G y, and
/// matrices J of the tree as J G, with the rate dJ/dt G + J dG/dt. Forms, results and errors as in
/// mechanism_dynamics.hpp; ModelError also for a model without mass, where there is no centre of mass. O(n), the
/// matrices times the number of independent speeds in a cluster.
namespace corio {
namespace detail {

template <class S, class A, int rows>
struct ProjectedColumns {
  Eigen::Matrix<S, rows, Eigen::Dynamic> J;
  explicit ProjectedColumns(const Mechanism<S>& m) : J(decltype(J)::Zero(rows, m.nv())) {}
};
/// J G for the matrix J of algorithm A of the tree, in a state that goes as far as A needs; kept in data.
template <class A, int rows, class S, class F>
const Eigen::Matrix<S, rows, Eigen::Dynamic>& projected_columns(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                F&& J) {
  data.require(mechanism, A::requires_pass.pass, A::requires_pass.name);
  auto& result = data.template of<ProjectedColumns<S, A, rows>>(mechanism).J;
  project_jacobian<S>(mechanism, data, J(), result);
  return result;
}
/// Its rate, for the rate Jdot of algorithm A of the tree. J is needed only where G varies.
template <class A, int rows, class S, class F, class Rate>
const Eigen::Matrix<S, rows, Eigen::Dynamic>& projected_columns_dot(const Mechanism<S>& mechanism,
                                                                    MechanismData<S>& data, F&& J, Rate&& Jdot) {
  if (!mechanism.varies()) return projected_columns<A, rows>(mechanism, data, Jdot);
  data.require(mechanism, A::requires_pass.pass, A::requires_pass.name);
  auto& result = data.template of<ProjectedColumns<S, A, rows>>(mechanism).J;
  project_jacobian_dot<S>(mechanism, data, J(), Jdot(), result);
  return result;
}

}  // namespace detail

/// Kinetic energy y^T M y / 2 in J, armature of all joints of the tree included.
template <class S>
S kinetic_energy(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::velocity, "kinetic_energy");
  return kinetic_energy(mechanism.tree(), data.tree);
}
template <class S>
S kinetic_energy(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y) {
  return kinetic_energy(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

/// Potential energy -sum m g . c in J, zero at the world's origin; energy() has that of springs, too.
template <class S>
S potential_energy(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::position, "potential_energy");
  return potential_energy(mechanism.tree(), data.tree);
}
template <class S>
S potential_energy(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return potential_energy(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// Centre of mass c, its velocity and its acceleration without gravity, world axes.
template <class S>
Vector3<S> center_of_mass(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::position, "center_of_mass");
  return center_of_mass(mechanism.tree(), data.tree);
}
template <class S>
Vector3<S> center_of_mass(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return center_of_mass(mechanism, forward_kinematics<S>(mechanism, data, q));
}
template <class S>
Vector3<S> center_of_mass_velocity(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::velocity, "center_of_mass_velocity");
  return center_of_mass_velocity(mechanism.tree(), data.tree);
}
template <class S>
Vector3<S> center_of_mass_velocity(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                   VectorIn<S> y) {
  return center_of_mass_velocity(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}
template <class S>
Vector3<S> center_of_mass_acceleration(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::acceleration, "center_of_mass_acceleration");
  return center_of_mass_acceleration(mechanism.tree(), data.tree);
}
template <class S>
Vector3<S> center_of_mass_acceleration(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                       VectorIn<S> y, VectorIn<S> ydot) {
  return center_of_mass_acceleration(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot));
}

/// J_com with dc/dt = J_com y.
/// @returns 3 x nv of the mechanism
template <class S>
const Matrix3X<S>& com_jacobian(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return detail::projected_columns<algorithm::com_jacobian<S>, 3>(
      mechanism, data, [&]() -> auto& { return com_jacobian(mechanism.tree(), data.tree); });
}
template <class S>
const Matrix3X<S>& com_jacobian(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return com_jacobian(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// dJ_com/dt: d2c/dt2 = J_com dy/dt + dJ_com/dt y.
/// @returns 3 x nv of the mechanism
template <class S>
const Matrix3X<S>& com_jacobian_dot(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return detail::projected_columns_dot<algorithm::com_jacobian_dot<S>, 3>(
      mechanism, data, [&]() -> auto& { return com_jacobian(mechanism.tree(), data.tree); },
      [&]() -> auto& { return com_jacobian_dot(mechanism.tree(), data.tree); });
}
template <class S>
const Matrix3X<S>& com_jacobian_dot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                    VectorIn<S> y) {
  return com_jacobian_dot(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

/// h = [angular momentum about the centre of mass; linear momentum], world axes; rotors given as armature have none.
template <class S>
Force<S> centroidal_momentum(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::velocity, "centroidal_momentum");
  return centroidal_momentum(mechanism.tree(), data.tree);
}
template <class S>
Force<S> centroidal_momentum(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y) {
  return centroidal_momentum(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

/// dh/dt, the wrench about the centre of mass that gravity and all other forces from outside have together: the forces
/// in loops between moving bodies have none.
template <class S>
Force<S> centroidal_momentum_dot(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  data.require(mechanism, Pass::acceleration, "centroidal_momentum_dot");
  return centroidal_momentum_dot(mechanism.tree(), data.tree);
}
template <class S>
Force<S> centroidal_momentum_dot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                 VectorIn<S> ydot) {
  return centroidal_momentum_dot(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot));
}

/// A_G with h = A_G y.
/// @returns 6 x nv of the mechanism
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return detail::projected_columns<algorithm::centroidal_momentum_matrix<S>, 6>(
      mechanism, data, [&]() -> auto& { return centroidal_momentum_matrix(mechanism.tree(), data.tree); });
}
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return centroidal_momentum_matrix(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// dA_G/dt: dh/dt = A_G dy/dt + dA_G/dt y.
/// @returns 6 x nv of the mechanism
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix_dot(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return detail::projected_columns_dot<algorithm::centroidal_momentum_matrix_dot<S>, 6>(
      mechanism, data, [&]() -> auto& { return centroidal_momentum_matrix(mechanism.tree(), data.tree); },
      [&]() -> auto& { return centroidal_momentum_matrix_dot(mechanism.tree(), data.tree); });
}
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix_dot(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                                  VectorIn<S> y) {
  return centroidal_momentum_matrix_dot(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

}  // namespace corio
