#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/spatial/cross.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// External forces on a subtree in fixed axes. change(V) corrects their derivative, computed as if they were in body
/// axes, as the subtree moves with the unit twist V about the origin. It is
///   at points of the world   V x* F,
///   at points of bodies      [ tr(Q) w - Q^T w + w x n; w x f ], with Q = sum x f^T over the points x where they act.
template <class S>
struct FixedAxesForces {
  Force<S> of_world, carried;  // carried holds the sum of couples and the sum of forces
  Matrix3<S> Q;

  static FixedAxesForces zero() { return {Force<S>::zero(), Force<S>::zero(), diagonal3(S(0))}; }
  FixedAxesForces& operator+=(const FixedAxesForces& b) {
    of_world += b.of_world, carried += b.carried, Q += b.Q;
    return *this;
  }
  Force<S> change(const Motion<S>& V) const {
    const Vector3<S>& w = V.angular;
    return cross(V, of_world) +
           Force<S>{trace(Q) * w - transpose_times(Q, w) + cross(w, carried.moment), cross(w, carried.force)};
  }
  /// Returns the force C with U . change(V) = V . C for a motion U.
  Force<S> transposed_change(const Motion<S>& U) const {
    const Vector3<S>& w = U.angular;
    return -cross(U, of_world) +
           Force<S>{trace(Q) * w - Q * w + cross(carried.moment, w) + cross(carried.force, U.linear), zero3<S>()};
  }
};

/// Corrects dtau_dq, computed with all wrenches in body axes, for wrenches in fixed axes.
template <class S>
void add_fixed_axes_forces(const Model<S>& model, const Data<S>& data, ExternalForces<S> external,
                           PerNode<FixedAxesForces<S>>& forces, MatrixX<S>& dtau_dq) {
  const auto fixed_axes = [](const ExternalForce<S>& e) {
    return e.reference() != ReferenceFrame::body && e.node() >= 0;
  };
  if (std::none_of(external.begin(), external.end(), fixed_axes)) return;
  std::fill(forces.begin(), forces.end(), FixedAxesForces<S>::zero());
  for (const ExternalForce<S>& e : external) {
    if (!fixed_axes(e)) continue;
    auto& sum = forces[e.node()];
    if (e.reference() == ReferenceFrame::world) {
      sum.of_world += e.in_world(data);
    } else {
      const Vector3<S> x = e.point_in_world(data), &f = e.wrench().force;
      sum.carried += e.wrench();
      sum.Q += outer(x, f);
    }
  }
  sum_inward(model, forces);
  for (int b = 0; b < model.num_nodes(); ++b)
    for (int k = model.node(b).v_begin; k < model.node(b).v_end; ++k) {
      const Motion<S>& phi = data.phi[k];
      const Force<S> change = forces[b].change(phi), transposed = forces[b].transposed_change(phi);
      for (int i = model.node(b).v_end - 1; i >= 0; i = model.parent_dof(i)) {
        const Motion<S>& phi_i = data.phi[i];
        if (i < model.node(b).v_begin) dtau_dq(i, k) += dot(phi_i, change);
        dtau_dq(k, i) += dot(phi_i, transposed);
      }
    }
}

}}}  // namespace corio::detail
