#pragma once

#include "corio/kinematics/data.hpp"

/// Sums over subtrees, computed inward. Each is computed once per kinematics pass, by whichever algorithm needs it
/// first. Forces are about the origin of the tree, so that their sums are plain ones. Inertias and operators are about
/// the origin of their node and shifted on the way to its parent: about a point at distance r, second moments contain m
/// r^2, which rounds their own digits away.
namespace corio::inline CORIO_ABI::detail {

/// From the origin of node b to that of its parent.
template <class S>
Vector3<S> to_parent(const Data<S>& data, int b, int parent) {
  return data.pose[parent].translation - data.pose[b].translation;
}

/// Sums over subtrees, in place, of what is about the origin of the tree.
template <class S, class T>
void sum_inward(const Model<S>& model, PerNode<T>& x) {
  auto sum = load(T::zero());  // of the node before, which mostly is a child
  for (int b = x.size() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    auto own = load(x[b]);
    if (node.v_end != node.subtree_v_end) own += sum;
    store(own, x[b]);
    sum = own;
    if (node.parent < 0 || node.parent + 1 == b) continue;
    auto others = load(x[node.parent]);
    others += sum;
    store(others, x[node.parent]);
  }
}
/// Sums over subtrees, in place, of inertias or operators, each about the origin of its node.
template <class S, class T>
void sum_inward_about_nodes(const Model<S>& model, const Data<S>& data, PerNode<T>& x) {
  for (int b = x.size() - 1; b > 0; --b)
    if (const int parent = model.node(b).parent; parent >= 0) x[parent] += about(x[b], to_parent(data, b, parent));
}

/// W_b = W_parent + sum of motion(k), outward.
template <class S, class F>
CORIO_INLINE void add_outward(const Model<S>& model, PerNode<Motion<S>>& W, F&& motion) {
  using N = InRegisters<S>;
  Motion<N> sum = Motion<N>::zero();  // of the node before
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.parent < 0)
      sum = Motion<N>::zero();
    else if (node.parent + 1 != b)
      sum = load(W[node.parent]);
    for (int k = node.v_begin; k < node.v_end; ++k) sum += motion(k);
    store(sum, W[b]);
  }
}
/// W_b = W_parent + sum of Phi_k x_k over the degrees of freedom k of its joint, outward; the second form adds
/// dPhi_k y_k.
template <class S, class X>
void sum_outward(const Model<S>& model, PerNode<Motion<S>>& W, const PerDof<Motion<S>>& phi, const X& x) {
  using N = InRegisters<S>;
  add_outward(model, W, [&](int k) CORIO_INLINE_LAMBDA { return load(phi[k]) * N(S(x[k])); });
}
template <class S, class X, class Y>
void sum_outward(const Model<S>& model, PerNode<Motion<S>>& W, const PerDof<Motion<S>>& phi, const X& x,
                 const PerDof<Motion<S>>& dphi, const Y& y) {
  using N = InRegisters<S>;
  add_outward(model, W,
              [&](int k) CORIO_INLINE_LAMBDA { return load(phi[k]) * N(S(x[k])) + load(dphi[k]) * N(S(y[k])); });
}

/// x[b] as a map of motions to forces about the origin of the tree.
template <class X, class S>
CORIO_INLINE AtNode<X, S> at_node(const Data<S>& data, const PerNode<X>& x, int b) {
  return {x[b], data.pose[b].translation};
}

/// Sums over the children of each node, computed inward. The sum of the last node stays in registers, since the next
/// one is usually its parent; sums of other children wait in others[parent].
/// @tparam X  what is summed, in registers; T, as it is in the table
template <class X, class S, class T>
class ChildrenSum {
 public:
  ChildrenSum(const Model<S>& model, PerNode<T>& others) : model_(model), others_(others) {}
  CORIO_INLINE void add_to(X& x, int b) const {
    const Node<S>& node = model_.node(b);
    if (node.is_leaf()) return;
    x += of_next_node_;
    if (!model_.node(b + 1).is_last_of(node)) x += load(others_[b]);
  }
  CORIO_INLINE void pass_to_parent(const X& x, int b) {
    of_next_node_ = x;
    const Node<S>& node = model_.node(b);
    if (node.parent < 0 || node.parent + 1 == b) return;
    T& others = others_[node.parent];
    X sum = x;
    if (!node.is_last_of(model_.node(node.parent))) sum += load(others);  // the last child comes first
    store(sum, others);
  }

 private:
  const Model<S>& model_;
  PerNode<T>& others_;
  X of_next_node_;
};

template <class X, class S, class T>
CORIO_INLINE ChildrenSum<X, S, T> children_sum(const Model<S>& model, PerNode<T>& others) {
  return {model, others};
}

/// sum_inward_about_nodes of of_node(b), which is computed in the same loop, in registers: composite[b] = of_node(b) +
/// the composites of its children.
template <template <class> class T, class S, class F>
CORIO_FLATTEN void sum_composites(const Model<S>& model, const Data<S>& data, PerNode<T<S>>& composite, F&& of_node) {
  using X = T<InRegisters<S>>;
  auto children = children_sum<X>(model, composite);
  for (int b = composite.size() - 1; b >= 0; --b) {
    X x = of_node(b);
    children.add_to(x, b);
    store(x, composite[b]);
    if (const int parent = model.node(b).parent; parent >= 0)
      children.pass_to_parent(about(x, load(data.pose[parent].translation) - load(data.pose[b].translation)), b);
  }
}

/// The inertia of node b alone, in world axes.
template <class S>
CORIO_INLINE auto body_inertia(const Model<S>& model, const Data<S>& data, int b) {
  const Inertia<S>& in_body = model.node(b).inertia;  // in batches the same for all states
  return rotated(data.pose[b], in_body);
}
/// Those of all nodes.
template <class S>
void compute_body_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_inertia) return;
  for (int b = 0; b < model.num_nodes(); ++b) store(body_inertia(model, data, b), data.inertia[b]);
  data.has_inertia = true;
}

/// The same and their composites I^C in one loop.
template <class S>
void compute_composite_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_inertia) return;
  sum_composites(model, data, data.composite_inertia, [&](int b) {
    const auto I_b = body_inertia(model, data, b);
    store(I_b, data.inertia[b]);
    return I_b;
  });
  data.has_inertia = data.has_composite_inertia = true;
}

/// B(V, I) of node b about its origin, for a motion V about the origin of the tree; I is that of its body unless given.
template <class S, class N = InRegisters<S>>
CORIO_INLINE BodyCoriolis<N> own_coriolis(const Data<S>& data, const Motion<S>& V, int b, const Inertia<N>& I_b) {
  return BodyCoriolis<N>::from(about(load(V), load(data.pose[b].translation)), I_b);
}
template <class S>
CORIO_INLINE auto own_coriolis(const Data<S>& data, const Motion<S>& V, int b) {
  return own_coriolis(data, V, b, load(data.inertia[b]));
}

/// Composite Coriolis operators B^C of the current velocity.
template <class S>
void compute_composite_coriolis(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_coriolis) return;
  compute_composite_inertias(model, data);
  sum_composites(model, data, data.composite_coriolis, [&](int b) { return own_coriolis(data, data.velocity[b], b); });
  data.has_composite_coriolis = true;
}

/// tau_k = Phi_k . F^C_b with the sums F^C over subtrees of the forces of_node(b).
/// @param sums  F^C
template <class S, class F>
CORIO_FLATTEN void sum_and_project(const Model<S>& model, const PerDof<Motion<S>>& phi, PerNode<Force<S>>& sums,
                                   VectorX<S>& tau, F&& of_node) {
  auto children = children_sum<Force<InRegisters<S>>>(model, sums);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    Force<InRegisters<S>> force = load(of_node(b));
    children.add_to(force, b);
    store(force, sums[b]);
    for (int k = node.v_begin; k < node.v_end; ++k) tau[k] = S(dot(load(phi[k]), force));
    children.pass_to_parent(force, b);
  }
}
/// tau_k += Phi_k . F^C_b for forces that are there already; they become their sums.
template <class S>
void sum_inward_and_project(const Model<S>& model, const PerDof<Motion<S>>& phi, PerNode<Force<S>>& force,
                            VectorX<S>& tau) {
  sum_inward(model, force);
  for (int k = 0; k < model.nv(); ++k) tau[k] += dot(phi[k], force[model.node_of(k)]);
}

/// Momenta of the subtrees and their rates, about the origin of the tree.
template <class S>
void sum_momenta(const Model<S>& model, const Data<S>& data, PerNode<Force<S>>& momentum, PerNode<Force<S>>& rate) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto I_b = at_node(data, data.inertia, b);
    momentum[b] = I_b * data.velocity[b];
    rate[b] = I_b * data.acceleration[b] + cross(data.velocity[b], momentum[b]);
  }
  sum_inward(model, momentum);
  sum_inward(model, rate);
}

/// Calls f(k, c) for every k related to l; c is the node of the lower one, whose composites apply.
template <class S, class F>
void for_related(const Model<S>& model, int l, F&& f) {
  const int b = model.node_of(l), begin = model.node(b).v_begin;
  for (int k = model.node(b).subtree_v_end - 1; k >= 0; k = k > begin ? k - 1 : model.parent_dof(k))
    f(k, k < begin ? b : model.node_of(k));
}

}  // namespace corio::detail
