#pragma once

#include "corio/algorithms/external_force.hpp"

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

/// Corrects the Hessian along q, as it is for wrenches in body axes, for those in world axes. O(d^2) each.
template <class S>
void add_fixed_axes_hessian(const Model<S>& model, const Data<S>& data, ExternalForces<S> external, MatrixX<S>& qq) {
  const auto virtual_motion = [&](int node) {
    return node < 0 ? Motion<S>::zero() : data.work.motion[static_cast<std::size_t>(node)];
  };
  for (const ExternalForce<S>& e : external) {
    if (e.reference() == ReferenceFrame::body || e.node() < 0) continue;
    const FixedAxesHessian<S> change(data, e);
    for (int b = e.node(); b >= 0; b = model.node(b).parent) {
      const Node<S>& l = model.node(b);
      const Motion<S> above_l = virtual_motion(l.parent), from_l = virtual_motion(e.node()) - above_l;
      for (int c = b; c >= 0; c = model.node(c).parent) {
        const Node<S>& u = model.node(c);
        const Motion<S> above_u = virtual_motion(u.parent);
        for (int j = l.v_begin; j < l.v_end; ++j)
          for (int i = u.v_begin; i < u.v_end; ++i) {
            const S x = change(data.phi[static_cast<std::size_t>(i)], data.phi[static_cast<std::size_t>(j)], above_u,
                               above_l - above_u, from_l);
            qq(j, i) += x;
            if (b != c) qq(i, j) += x;
          }
      }
    }
  }
}

}  // namespace corio::detail
