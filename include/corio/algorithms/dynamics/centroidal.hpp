#pragma once

#include "corio/algorithms/dynamics/com_jacobian.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"

/// Centroidal momentum: the momentum of all moving bodies about their common centre of mass, in world axes,
/// [angular; linear]. Armature does not contribute.
///
/// @throws SizeError, ModelError for a model without mass. O(n).
/// Source: Orin, Goswami and Lee (2013); for the rates Echeandia and Wensing (2021), since the rate of an inertia is
/// B + B^T.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S, class F>
Force<S> sum_about_com(const Model<S>& model, const Data<S>& data, const char* function, F&& of);

}  // namespace detail

namespace algorithm {

template <class S>
struct CentroidalMomentumMatrix;
template <class S>
struct CentroidalMomentumMatrixDot;

}  // namespace algorithm

/// Computes the centroidal momentum matrix (CMM), A_G with h = A_G v for the momentum h = [angular about the centre of
/// mass; linear], kg m^2/s and kg m/s. Its columns are I^C Phi_k moved to the centre of mass, and its lower half is the
/// mass times com_jacobian.
/// @returns 6 x nv, valid until the next call.
template <class S, template <class> class Robot>
const Matrix6X<S>& centroidal_momentum_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::CentroidalMomentumMatrix<S>>(robot).J;
}
template <class S, template <class> class Robot>
const Matrix6X<S>& centroidal_momentum_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return centroidal_momentum_matrix(robot, forward_kinematics(robot, data, q, __func__));
}

/// Computes dA_G/dt: the momentum changes by A_G a + dA_G/dt v.
/// @returns 6 x nv, valid until the next call.
template <class S, template <class> class Robot>
const Matrix6X<S>& centroidal_momentum_matrix_dot(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::CentroidalMomentumMatrixDot<S>>(robot).J;
}
template <class S, template <class> class Robot>
const Matrix6X<S>& centroidal_momentum_matrix_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                                  VectorIn<S> v) {
  return centroidal_momentum_matrix_dot(robot, forward_kinematics(robot, data, q, v, __func__));
}

/// Returns h = [angular momentum about the centre of mass; linear momentum].
template <class S, template <class> class Robot>
Force<S> centroidal_momentum(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::velocity, "centroidal_momentum");
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  return detail::sum_about_com(model, state, "centroidal_momentum", [&](int b) -> Force<S> {
    const InertialParameters<S>& body = model.node(b).parameters;
    return detail::body_momentum(state.pose[b], body, state.velocity[b]);
  });
}
template <class S, template <class> class Robot>
Force<S> centroidal_momentum(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return centroidal_momentum(robot, forward_kinematics(robot, data, q, v, __func__));
}

/// Returns dh/dt: the total wrench, about the centre of mass, of gravity and all other external forces.
template <class S, template <class> class Robot>
Force<S> centroidal_momentum_dot(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::acceleration, "centroidal_momentum_dot");
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  return detail::sum_about_com(model, state, "centroidal_momentum_dot", [&](int b) -> Force<S> {
    const InertialParameters<S>& body = model.node(b).parameters;
    return detail::newton_euler(state.pose[b], body, state.velocity[b], state.acceleration[b]);
  });
}
template <class S, template <class> class Robot>
Force<S> centroidal_momentum_dot(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                 VectorIn<S> a) {
  return centroidal_momentum_dot(robot, forward_kinematics(robot, data, q, v, a, __func__));
}

namespace detail {

/// Returns the sum of the forces (or momenta) of(b) over the bodies b, moved from the origins of their trees to the
/// centre of mass.
template <class S, class F>
Force<S> sum_about_com(const Model<S>& model, const Data<S>& data, const char* function, F&& of) {
  const Vector3<S> c = center_of_mass_in_tree(model, data, function);
  Force<S> sum = Force<S>::zero();
  for (int b = 0; b < model.num_nodes(); ++b) sum += about(of(b), c - (data.origin[b] - data.origin[0]));
  return sum;
}

/// Moves the force F of a column from the origin of its tree to the centre of mass.
template <class Dof, class Column, class S>
CORIO_INLINE Column about_com(const Data<S>& data, const Vector3<S>& com, const Dof& k, const Column& F) {
  return about(F, k.constant(com) - (k.entry(data.origin) - k.constant(data.origin[0])));
}

}  // namespace detail

namespace algorithm {

template <class S>
struct CentroidalMomentumMatrix {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "centroidal_momentum_matrix"};
  Matrix6X<S> J;  // A_G

  explicit CentroidalMomentumMatrix(const Model<S>& m) : J(Matrix6X<S>::Zero(6, m.nv())) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void CentroidalMomentumMatrix<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  const auto all = detail::total_mass(model, data, needs.name);
  detail::fill_columns<Force>(model, data, J.data(),
                              [&](const auto& k) { return detail::about_com(data, all.com, k, detail::momentum(k)); });
}

template <class S>
struct CentroidalMomentumMatrixDot {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "centroidal_momentum_matrix_dot"};
  Matrix6X<S> J;  // the rate of A_G

  explicit CentroidalMomentumMatrixDot(const Model<S>& m) : J(Matrix6X<S>::Zero(6, m.nv())) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void CentroidalMomentumMatrixDot<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  detail::compute_composite_coriolis(model, data);
  const auto all = detail::total_mass(model, data, needs.name);
  Vector3<S> momentum = zero3<S>();
  for (int b = 0; b < model.num_nodes(); ++b)
    if (model.node(b).parent < 0) momentum += data.composite_coriolis[b].f;
  const Vector3<S> com_dot = all.reciprocal * momentum;
  detail::fill_columns<Force>(model, data, J.data(), [&](const auto& k) {
    auto rate = detail::about_com(data, all.com, k, detail::momentum_rate(k));
    rate.moment -= cross(k.constant(com_dot), detail::momentum(k).force);
    return rate;
  });
}

}  // namespace algorithm

}}  // namespace corio
