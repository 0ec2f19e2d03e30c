#pragma once

#include "corio/algorithms/regressors/detail/regressor_terms.hpp"

/// Regressors of the energies, which are linear in the inertial parameters: y . pi, with ten numbers for each body in
/// the order of regressors.hpp. y is the caller's vector, a row or a column; all of it is written.
///
/// @throws SizeError; ModelError for a selection from another model. O(n).
/// Source: Wensing and Slotine, app. B.
namespace corio { inline namespace CORIO_ABI {

/// Computes y with y(q, v) . pi = v^T M v / 2 - sum armature_i v_i^2 / 2, the kinetic energy without armature.
/// @param y  out, 10 for each body
template <class S, template <class> class Robot>
void kinetic_energy_regressor(const Robot<S>& robot, const DataOf<Robot<S>>& data, VectorOut<S> y,
                              const BodySelection& bodies = {}) {
  const auto of = detail::Regressor<S>::momentum(robot, data, "kinetic_energy_regressor");
  detail::check_parameters(robot.tree(), bodies, "the energy regressor", y.size());
  detail::powers(robot.tree(), data.of_tree(), of, data.of_tree().velocity, S(0.5), y.data(), bodies);
}
template <class S, template <class> class Robot>
void kinetic_energy_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                              VectorOut<S> y, const BodySelection& bodies = {}) {
  detail::check_parameters(robot.tree(), bodies, "the energy regressor", y.size());
  kinetic_energy_regressor(robot, forward_kinematics(robot, data, q, v, __func__), y, bodies);
}

/// Computes y with y(q) . pi = -sum m g . c, the potential energy: zero at the world's origin.
/// @param y  out, 10 for each body
template <class S, template <class> class Robot>
void potential_energy_regressor(const Robot<S>& robot, const DataOf<Robot<S>>& data, VectorOut<S> y,
                                const BodySelection& bodies = {}) {
  data.require(robot, Pass::position, "potential_energy_regressor");
  detail::check_parameters(robot.tree(), bodies, "the energy regressor", y.size());
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  y.setZero();
  for (int i = 0; i < bodies.size(model); ++i) {
    const Body<S>& body = model.bodies()[static_cast<std::size_t>(bodies[i])];
    const Pose<S> X = state.pose[body.node()] * body.placement();
    const Vector3<S> of_moment = transpose_times(X.rotation, model.gravity());
    y[10 * i] = -dot<S>(model.gravity(), X.translation + state.origin[body.node()]);
    for (int r = 0; r < 3; ++r) y[10 * i + 1 + r] = -of_moment[r];
  }
}
template <class S, template <class> class Robot>
void potential_energy_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorOut<S> y,
                                const BodySelection& bodies = {}) {
  detail::check_parameters(robot.tree(), bodies, "the energy regressor", y.size());
  potential_energy_regressor(robot, forward_kinematics(robot, data, q, __func__), y, bodies);
}

}}  // namespace corio
