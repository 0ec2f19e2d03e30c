#pragma once

#include <array>

#include "corio/algorithms/dynamics/passive_forces.hpp"

namespace corio {

/// The parameters of joints in which motor torques are linear, per degree of freedom and in this order.
enum class JointParameter { armature, damping, friction, offset };

namespace detail {

/// What they are multiplied by.
template <class S>
std::array<S, 4> joint_factors(const S& v, const S& a, double smoothing) {
  return {a, v, friction_direction<S>(v, smoothing), S(1)};
}

}  // namespace detail

/// Y with Y p = the torques beyond those of the bodies' inertias, sum over the degrees of freedom k of
///   armature_k a_k + damping_k v_k + friction_k tanh(v_k / smoothing) + offset_k,
/// p = [armature_0, damping_0, friction_0, offset_0, armature_1, ...]: columns to stand beside those of
/// inverse_dynamics_regressor when a robot is identified.
///
/// @param Y  resized to nv x 4 nv if it is not, which allocates; row k has its numbers from column 4 k on
/// @throws SizeError; Error for a negative smoothing. O(n) beside the zeros.
template <class S>
void joint_regressor(const Model<S>& model, VectorIn<S> v, VectorIn<S> a, MatrixX<S>& Y,
                     double smoothing = friction_smoothing) {
  detail::check_input("v", v, model.nv());
  detail::check_input("a", a, model.nv());
  detail::check_smoothing(smoothing);
  Y.setZero(model.nv(), 4 * model.nv());
  for (int k = 0; k < model.nv(); ++k)
    for (int i = 4 * k; const S& factor : detail::joint_factors<S>(v[k], a[k], smoothing)) Y(k, i++) = factor;
}

}  // namespace corio
