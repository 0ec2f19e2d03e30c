#pragma once

#include "corio/algorithms/dynamics/external_force.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Corrects the second derivative along two degrees of freedom of -U . F, minus the power of an external force F in a
/// virtual motion U of its body, for an F in fixed axes instead of body axes. The joint of `upper` is at or above the
/// joint of `lower`; U is split into three parts: strictly above upper, between the two, and from lower on.
template <class S>
struct FixedAxesHessian {
  bool stays;     // true if F acts at a point of the world, not of the body
  Force<S> F;     // about the origin
  Force<S> at_x;  // couple and force at the point x
  Vector3<S> x;

  FixedAxesHessian(const Data<S>& data, const ExternalForce<S>& e)
      : stays(e.reference() == ReferenceFrame::world),
        F{e.in_world(data)},
        at_x(e.wrench()),
        x(e.point_in_world(data)) {}

  S operator()(const Motion<S>& upper, const Motion<S>& lower, const Motion<S>& above, const Motion<S>& between,
               const Motion<S>& from_lower) const {
    const S turning = dot(cross(lower, cross(above, upper)), F);
    if (stays) return -turning - dot(cross(upper, cross(lower, from_lower)), F);
    // The velocity of x in U, w(U_i) x (..), is rotated by motions further up and changed by motions further down.
    const Vector3<S>& w = upper.angular;
    const Vector3<S> moved = at(lower);
    const Vector3<S> second = cross(above.angular, cross(w, moved)) +
                              cross(w, cross(between.angular, moved) + cross(lower.angular, at(from_lower)));
    return -turning - dot(cross(w, cross(lower.angular, from_lower.angular)), at_x.moment) - dot(second, at_x.force);
  }

  /// The correction for columns that move in their bodies, with the derivatives rho = D S lambda of U, in body axes,
  /// along upper and along lower: the other degree of freedom rotates rho, but not F.
  S of_moving_columns(const Motion<S>& upper, const Motion<S>& lower, const Motion<S>& rho_upper,
                      const Motion<S>& rho_lower) const {
    const S turning = dot(cross(lower, rho_upper), F);
    if (stays) return -turning - dot(cross(upper, rho_lower), F);
    return -turning - dot(cross(upper.angular, rho_lower.angular), at_x.moment) -
           dot(cross(rho_upper.angular, at(lower)) + cross(upper.angular, at(rho_lower)), at_x.force);
  }
  /// Returns the correction of the first derivative along s, the derivative of one column along another one of its
  /// joint.
  S along(const Motion<S>& s, const Motion<S>& U_node) const {
    if (stays) return -dot(cross(s, U_node), F);
    return -dot(cross(s.angular, U_node.angular), at_x.moment) - dot(cross(s.angular, at(U_node)), at_x.force);
  }

 private:
  Vector3<S> at(const Motion<S>& V) const { return V.linear + cross(V.angular, x); }
};

/// Calls add(change, node, b, j, c, i) for all wrenches in fixed axes and all pairs of degrees of freedom that move
/// their node: j of node b, i of node c, which is at or above b.
template <class S, class F>
void for_fixed_axes_pairs(const Model<S>& model, const Data<S>& data, ExternalForces<S> external, F&& add) {
  for (const ExternalForce<S>& e : external) {
    if (e.reference() == ReferenceFrame::body || e.node() < 0) continue;
    const FixedAxesHessian<S> change(data, e);
    for (int b = e.node(); b >= 0; b = model.node(b).parent)
      for (int c = b; c >= 0; c = model.node(c).parent)
        for (int j = model.node(b).v_begin; j < model.node(b).v_end; ++j)
          for (int i = model.node(c).v_begin; i < model.node(c).v_end; ++i) add(change, e.node(), b, j, c, i);
  }
}

/// Corrects inverse_dynamics_hessian along q, computed with all wrenches in body axes, for wrenches in fixed axes. U
/// holds the virtual motions of the nodes. O(d^2) for each wrench.
template <class S, class Matrix>
void add_fixed_axes_hessian(const Model<S>& model, const Data<S>& data, ExternalForces<S> external,
                            const PerNode<Motion<S>>& U, Matrix& qq) {
  const auto above = [&](int b) {
    const int parent = model.node(b).parent;
    return parent < 0 ? Motion<S>::zero() : U[parent];
  };
  for_fixed_axes_pairs(model, data, external, [&](const auto& change, int node, int b, int j, int c, int i) {
    const Motion<S> above_b = above(b), above_c = above(c);
    const S x = change(data.phi[i], data.phi[j], above_c, above_b - above_c, U[node] - above_b);
    qq(j, i) += x;
    if (b != c) qq(i, j) += x;
  });
}

}}}  // namespace corio::detail
