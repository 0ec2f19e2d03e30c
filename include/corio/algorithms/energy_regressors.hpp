#pragma once

#include "corio/columns/regressor_columns.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

/// Energies are linear in the inertial parameters too: y . pi, with y of ten numbers for each body in the order of
/// regressors.hpp. y is the caller's, sized once, a row or a column; all of it is written. Source: Wensing and Slotine,
/// app. B. O(n), no allocation.
namespace corio {

/// y(q, v) . pi = v^T M v / 2, the kinetic energy less the rotors' share, sum armature_i v_i^2 / 2.
///
/// @param y  out, 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void kinetic_energy_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorOut<S> y,
                              const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the energy regressor", y.size());
  forward_kinematics(model, data, q, v);
  kinetic_energy_regressor(model, data, y, bodies);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
void kinetic_energy_regressor(const Model<S>& model, const Data<S>& data, VectorOut<S> y,
                              const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "kinetic_energy_regressor");
  detail::check_parameters(model, bodies, "the energy regressor", y.size());
  detail::powers(model, data, detail::Field<S>::momentum(data), data.velocity, S(0.5), y.data(), bodies);
}

/// y(q) . pi = -sum m g . c, the potential energy: zero at the world's origin.
///
/// @param y  out, 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void potential_energy_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorOut<S> y,
                                const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the energy regressor", y.size());
  forward_kinematics(model, data, q);
  potential_energy_regressor(model, data, y, bodies);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
void potential_energy_regressor(const Model<S>& model, const Data<S>& data, VectorOut<S> y,
                                const BodySelection& bodies = {}) {
  data.require(model, Pass::position, "potential_energy_regressor");
  detail::check_parameters(model, bodies, "the energy regressor", y.size());
  for (int i = 0; i < bodies.size(model); ++i) {
    const Body<S>& body = model.bodies()[static_cast<std::size_t>(bodies[i])];
    const auto b = static_cast<std::size_t>(body.node());
    const Pose<S> X = data.pose[b] * body.placement();
    const Vector3<S> of_moment = transpose_times(X.rotation, model.gravity());
    y[10 * i] = -dot<S>(model.gravity(), X.translation + data.origin[b]);
    for (int r = 0; r < 3; ++r) y[10 * i + 1 + r] = -of_moment[r];
    for (int h = 4; h < 10; ++h) y[10 * i + h] = S(0);
  }
}

}  // namespace corio
