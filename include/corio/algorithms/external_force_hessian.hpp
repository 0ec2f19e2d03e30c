#pragma once

#include "corio/algorithms/external_force.hpp"
#include "corio/core/tensor3.hpp"

namespace corio::detail {

/// What the second derivative along two degrees of freedom of -U . F, the power that an external force F of fixed axes
/// takes in a virtual motion U of its body, has more than if F turned with the body. The joint of `upper` is at or
/// above that of `lower`, by which U is split: its parts from strictly above upper, from between, and from lower on.
template <class S>
struct FixedAxesHessian {
  bool stays;     // about a point of the world, or else carried along with the body
  Force<S> F;     // about the origin
  Force<S> at_x;  // couple and force at the point x
  Vector3<S> x;

  FixedAxesHessian(const Data<S>& data, const ExternalForce<S>& e)
      : stays(e.reference() == ReferenceFrame::world),
        F(e.in_world(data)),
        at_x(e.wrench()),
        x(e.point_in_world(data)) {}

  S operator()(const Motion<S>& upper, const Motion<S>& lower, const Motion<S>& above, const Motion<S>& between,
               const Motion<S>& from_lower) const {
    const S turning = dot(cross(lower, cross(above, upper)), F);
    if (stays) return -turning - dot(cross(upper, cross(lower, from_lower)), F);
    // The velocity of x in U, w(U_i) x (..), is turned by what is further up and changed by what is further down.
    const Vector3<S>& w = upper.angular;
    const Vector3<S> moved = at(lower);
    const Vector3<S> second = cross(above.angular, cross(w, moved)) +
                              cross(w, cross(between.angular, moved) + cross(lower.angular, at(from_lower)));
    return -turning - dot(cross(w, cross(lower.angular, from_lower.angular)), at_x.moment) - dot(second, at_x.force);
  }

 private:
  Vector3<S> at(const Motion<S>& V) const { return V.linear + cross(V.angular, x); }
};

/// Calls add(change, node, b, j, c, i) for the wrenches in world axes and all pairs of degrees of freedom that move the
/// node they act on: j of node b, i of node c, the latter at or above b.
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

/// Corrects inverse_dynamics_hessian along q, as it is for wrenches in body axes, for those in world axes, where U are
/// the virtual motions of the nodes. O(d^2) each.
template <class S>
void add_fixed_axes_hessian(const Model<S>& model, const Data<S>& data, ExternalForces<S> external,
                            const PerNode<Motion<S>>& U, MatrixX<S>& qq) {
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

/// The same for the second derivatives of each component of tau. O(d^3) each.
template <class S>
void add_fixed_axes_second_derivatives(const Model<S>& model, const Data<S>& data, ExternalForces<S> external,
                                       Tensor3<S>& qq) {
  const Motion<S> none = Motion<S>::zero();
  for_fixed_axes_pairs(model, data, external, [&](const auto& change, int node, int b, int j, int c, int i) {
    for (int k = model.node(node).v_end - 1; k >= 0; k = model.dof_parent(k)) {
      const Motion<S>& U = data.phi[k];
      const bool from_lower = k >= model.node(b).v_begin, above = k < model.node(c).v_begin;
      const S x =
          change(data.phi[i], data.phi[j], above ? U : none, above || from_lower ? none : U, from_lower ? U : none);
      qq(k, j, i) += x;
      if (b != c) qq(k, i, j) += x;
    }
  });
}

}  // namespace corio::detail
