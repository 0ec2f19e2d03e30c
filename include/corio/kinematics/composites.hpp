#pragma once

#include "corio/kinematics/data.hpp"

/// Sums over subtrees, leaf to root. Each is computed once per kinematics pass, by whichever algorithm needs it first.
/// Forces are about the origin of the tree, so that their sums are plain ones. Inertias and operators are about the
/// origin of their node and shifted on the way to its parent: about a distant point, second moments would lose as many
/// digits as the square of the distance is larger than they are.
namespace corio::detail {

/// From the origin of node b to that of its parent.
template <class S>
CORIO_INLINE Vector3<S> to_parent(const Data<S>& data, int b, int parent) {
  return data.pose[parent].translation - data.pose[b].translation;
}

/// Plain sums over subtrees, in place, of what is about the origin of the tree.
template <class S, class T>
void sum_inward(const Model<S>& model, PerNode<T>& x) {
  for (int b = x.size() - 1; b > 0; --b)
    if (const int parent = model.node(b).parent; parent >= 0) x[parent] += x[b];
}
/// The same of what is about the origins of the nodes.
template <class S, class T>
void sum_inward(const Model<S>& model, const Data<S>& data, PerNode<T>& x) {
  for (int b = x.size() - 1; b > 0; --b)
    if (const int parent = model.node(b).parent; parent >= 0) x[parent] += about(x[b], to_parent(data, b, parent));
}

/// W_b = W_parent + sum of motion(k) over the degrees of freedom k of its joint, root to leaf: sums over the way from
/// the ground to b.
template <class S, class F>
void sum_outward(const Model<S>& model, PerNode<Motion<S>>& W, F&& motion) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    Motion<S> sum = node.parent < 0 ? Motion<S>::zero() : W[node.parent];
    for (int k = node.v_begin; k < node.v_end; ++k) sum += motion(k);
    W[b] = sum;
  }
}

/// What node b has of x, about its origin, as it acts on motions about the origin of the tree.
template <class X, class S>
CORIO_INLINE Placed<X, S> placed(const Data<S>& data, const PerNode<X>& x, int b) {
  return {x[b], data.pose[b].translation};
}

/// What the children of a node give to it, leaf to root. That of the node seen last stays in registers: mostly the next
/// node is its parent, and would wait for memory. Sums over the other children gather in others(b).
template <class T, class S, class F>
class FromChildren {
 public:
  FromChildren(const Model<S>& model, const F& others) : model_(model), others_(others) {}
  CORIO_INLINE void add_to(T& x, int b) const {
    const Node<S>& node = model_.node(b);
    if (node.v_end == node.subtree_v_end) return;
    x += last_;
    if (model_.node(b + 1).subtree_v_end != node.subtree_v_end) x += others_(b);
  }
  CORIO_INLINE void pass_to_parent(const T& x, int b) {
    last_ = x;
    const Node<S>& node = model_.node(b);
    if (node.parent < 0 || node.parent + 1 == b) return;
    const int parent = node.parent;
    if (node.subtree_v_end == model_.node(parent).subtree_v_end)  // the last child comes first
      others_(parent) = x;
    else
      others_(parent) += x;
  }

 private:
  const Model<S>& model_;
  const F others_;
  T last_{};
};
template <class T, class S, class F>
CORIO_INLINE FromChildren<T, S, F> from_children(const Model<S>& model, const F& others) {
  return {model, others};
}

template <class T, class S>
CORIO_INLINE auto from_children(const Model<S>& model, PerNode<T>& others) {
  return from_children<T>(model, [&others](int b) CORIO_INLINE_LAMBDA -> T& { return others[b]; });
}

/// sum_inward in registers, about the origins of the nodes, fused with the computation of x: composite[b] =
/// of_node(b)
/// + the composites of its children. With of_node(b, state) for the state of the node in registers.
template <class S, class Q, class T, class F>
CORIO_INLINE void sum_vec4(const Model<S>& model, Data<S>& data, Q Vec4Sums<S>::*sum, PerNode<T>& composite,
                           F&& of_node) {
  auto children = from_children<Q>(model, [&, sum](int b) CORIO_INLINE_LAMBDA -> Q& { return data.work.sums[b].*sum; });
  for (int b = composite.size() - 1; b >= 0; --b) {
    const Vec4State<S>& state = outward_state(data, b);
    Q x = of_node(b, state);
    children.add_to(x, b);
    x.store(composite[b]);
    if (const int parent = model.node(b).parent; parent >= 0)
      children.pass_to_parent(about(x, position(data, parent) - state.pose.p), b);
  }
}

/// Inertias of all nodes in world axes, and their composites I^C in the same loop.
template <class S>
void composite_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_inertia) return;
  sum_vec4(model, data, &Vec4Sums<S>::inertia, data.composite_inertia,
           [&](int b, const auto& state) CORIO_INLINE_LAMBDA {
             const auto I = Vec4Inertia<S>::turned(state.pose, model.node(b).inertia);
             I.store(data.inertia[b]);
             return I;
           });
  data.has_composite_inertia = true;
}

/// Composite Coriolis operators B^C of the current velocity.
template <class S>
void composite_coriolis(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_coriolis) return;
  composite_inertias(model, data);
  sum_vec4(model, data, &Vec4Sums<S>::coriolis, data.composite_coriolis,
           [&](int b, const auto& state) CORIO_INLINE_LAMBDA {
             return Vec4Coriolis<S>::from(about(Vec4Motion<S>::load(data.velocity[b]), state.pose.p),
                                          Vec4Inertia<S>::load(data.inertia[b]));
           });
  data.has_composite_coriolis = true;
}

}  // namespace corio::detail
