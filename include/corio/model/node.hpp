#pragma once

#include "corio/core/constant.hpp"
#include "corio/joints/any.hpp"

namespace corio {

/// One node of the tree, as the algorithms see it.
template <class S>
struct Node {
  int parent;                      // -1 for the ground; otherwise less than the node's own number
  int q_begin;                     // its joint in q
  int v_begin, v_end;              // its joint's degrees of freedom
  int subtree_v_end;               // [v_begin, subtree_v_end) are those of its subtree
  int partials_begin;              // first index in Data::phi_partial, -1 if its columns are constant in the body
  int body;                        // the body whose joint it belongs to, as an index into Model::bodies()
  int base;                        // the node whose position is the reference point of its tree, see Model
  Constant<Pose, S> placement;     // of the joint frame in the parent node's axes
  joint::PrimitiveJoint<S> joint;  // the joint
  Constant<Inertia, S> inertia;    // with all that is welded to it, about its origin, in its axes
  Constant<InertialParameters, S> parameters;  // the same about the centre of mass

  void set_inertia(const Inertia<S>& I) {
    inertia = I;
    parameters = InertialParameters<S>(I);
  }
};

}  // namespace corio
