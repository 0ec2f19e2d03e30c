#pragma once

#include "corio/columns/tiles.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/columns/gather.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio {

/// Rate of generalized_gravity as q moves along v: that of g_k = -gravity . f_k with the force part f_k of I^C Phi_k,
///   gdot_k = -gravity . (force part of I^C dPhi_k + dI^C/dt Phi_k).
///
/// @returns nv, in data.gravity_dot; valid until the next call.
/// @throws SizeError. O(n), no allocation.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 25c, in composite form.
template <class S>
const VectorX<S>& gravity_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return gravity_dot(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
const VectorX<S>& gravity_dot(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::velocity, "gravity_dot");
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    const Vector3<S>& momentum = data.composite_coriolis[b].f;  // the rate of the first moment
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Force<S> F = data.composite_inertia[b] * data.phi_dot[static_cast<std::size_t>(k)];
      const Vector3<S> turned = cross(data.phi[static_cast<std::size_t>(k)].angular, momentum);
      data.gravity_dot[k] = -dot<S>(model.gravity(), F.force + turned);
    }
  }
  return data.gravity_dot;
}

/// D_l g_i, the change of generalized_gravity as q moves along degree of freedom l (integrate(q, e e_l)). With the
/// first moment of what k carries, f_k = force part of I^C Phi_k, and n_k = gravity x f_k,
///   D_k g_i = D_i g_k = w_i . n_k   for i above k,   D_l g_i = w_l . n_i   within a joint,
/// so it is symmetric, the Hessian of the potential energy, but for joints whose motions do not commute.
///
/// @returns nv x nv, row i and column l, complete, in data.gravity_derivatives; valid until the next call.
/// @throws SizeError. O(n d), no allocation.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 24d, in composite form.
template <class S>
const MatrixX<S>& gravity_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return gravity_derivatives(model, data);
}

/// The same for the configuration of the last forward_kinematics.
/// @throws StateError without it
template <class S>
const MatrixX<S>& gravity_derivatives(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::position, "gravity_derivatives");
  detail::composite_inertias(model, data);
  using N = detail::Pack<S>;
  const Vector3<N> gravity = detail::broadcast<N>(model.gravity());
  detail::for_neighbours(model, [&](int k, const detail::Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    auto& column = data.work.columns(k);
    const Motion<N> phi = at.of_dofs(data.phi);
    const Force<N> F = at.of_nodes(data.composite_inertia) * phi;
    column.phi.set(k, phi);
    column.n.set(k, cross(gravity, F.force));
  });
  MatrixX<S>& out = data.gravity_derivatives;
  detail::for_tiles(model, data, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store_symmetric(out, dot(i.phi, j.n));
  });
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    for (int i = node.v_begin; i < node.v_end && node.v_end != node.v_begin + 1; ++i)
      for (int k = node.v_begin; k < node.v_end; ++k)
        out(k, i) = dot(data.phi[static_cast<std::size_t>(i)].angular, data.work.columns(k).n.vector(k));
    if (node.partials_begin < 0) continue;
    const Force<S> weight = data.composite_inertia[b] * Motion<S>{zero3<S>(), -model.gravity()};
    detail::add_moving_columns(node, data, weight, out);
  }
  return out;
}

}  // namespace corio
