#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/spatial/fixed_axes_forces.hpp"

namespace corio::detail {

/// Corrects dtau_dq, as it is for wrenches in body axes, for those in world axes.
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
      for (int i = model.node(b).v_end - 1; i >= 0; i = model.dof_parent(i)) {
        const Motion<S>& phi_i = data.phi[i];
        if (i < model.node(b).v_begin) dtau_dq(i, k) += dot(phi_i, change);
        dtau_dq(k, i) += dot(phi_i, transposed);
      }
    }
}

}  // namespace corio::detail
