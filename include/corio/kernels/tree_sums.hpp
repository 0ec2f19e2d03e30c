#pragma once

#include "corio/kinematics/data.hpp"

/// Sums over the tree: of motions outward, and over subtrees inward. Quantities are about the origin of the tree, or
/// about the origin of their node and shifted on the way to its parent.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Sums quantities about the origin of the tree over subtrees, in place, and calls use(node, sum) for each.
template <class S, class T, class F>
CORIO_INLINE void sum_inward(const Model<S>& model, PerNode<T>& x, F&& use) {
  auto sum = load(T::zero());  // the sum of the node before, which usually is a child
  for (int b = x.size() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    auto own = load(x[b]);
    if (!node.is_leaf()) own += sum;
    store(own, x[b]);
    use(node, own);
    sum = own;
    if (node.parent < 0 || node.parent + 1 == b) continue;
    auto others = load(x[node.parent]);
    others += sum;
    store(others, x[node.parent]);
  }
}
template <class S, class T>
void sum_inward(const Model<S>& model, PerNode<T>& x) {
  sum_inward(model, x, [](const Node<S>&, const auto&) {});
}
/// Computes a motion W of each node from the W of its parent, outward from zero on the ground: calls add(k, W) for the
/// degrees of freedom k of its joint before `end`. The W of a node stays in registers, since it usually is the parent
/// of the next node.
/// @tparam all  whether W is written for all nodes, or only for nodes whose W this loop reads again
/// @param table  the W of each node
template <class N, bool all, class S, class T, class F>
CORIO_INLINE void pass_outward(const Model<S>& model, PerNode<T>& table, int end, F&& add) {
  Motion<N> W = Motion<N>::zero();
  for (int b = 0; b < model.num_nodes() && model.node(b).v_begin < end; ++b) {
    const Node<S>& node = model.node(b);
    if (node.parent < 0)
      W = Motion<N>::zero();
    else if (node.parent + 1 != b)
      W = load(table[node.parent]);
    for (int k = node.v_begin; k < node.v_end; ++k) add(k, W);
    if (all || (!node.is_leaf() && !model.node(b + 1).is_last_of(node))) store(W, table[b]);
  }
}
/// Computes W_b = W_parent + sum of Phi_k x_k over the degrees of freedom k of the joint of b, outward; the second form
/// adds dPhi_k y_k.
template <class S, class X>
void sum_outward(const Model<S>& model, PerNode<Motion<S>>& W, const PerDof<Motion<S>>& phi, const X& x) {
  using N = InRegisters<S>;
  pass_outward<N, true>(model, W, model.nv(),
                        [&](int k, Motion<N>& sum) CORIO_INLINE_LAMBDA { sum += load(phi[k]) * N(S(x[k])); });
}
template <class S, class X, class Y>
void sum_outward(const Model<S>& model, PerNode<Motion<S>>& W, const PerDof<Motion<S>>& phi, const X& x,
                 const PerDof<Motion<S>>& dphi, const Y& y) {
  using N = InRegisters<S>;
  pass_outward<N, true>(model, W, model.nv(), [&](int k, Motion<N>& sum) CORIO_INLINE_LAMBDA {
    sum += load(phi[k]) * N(S(x[k])) + load(dphi[k]) * N(S(y[k]));
  });
}

/// Returns the vector from the origin of node b to the origin of its parent.
template <class S>
Vector3<S> to_parent(const Data<S>& data, int b, int parent) {
  return data.pose[parent].translation - data.pose[b].translation;
}

/// Computes sums over subtrees, in place, of inertias or operators, each about the origin of its node.
template <class S, class T>
void sum_inward_about_nodes(const Model<S>& model, const Data<S>& data, PerNode<T>& x) {
  for (int b = x.size() - 1; b > 0; --b)
    if (const int parent = model.node(b).parent; parent >= 0) x[parent] += about(x[b], to_parent(data, b, parent));
}

/// Sums over the children of each node, computed inward. The sum of a node stays in registers, since the next node
/// usually is its parent; sums of other children wait in others[parent].
/// @tparam X  the summed quantity in registers
/// @tparam T  the same in memory
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

/// Like sum_inward_about_nodes, for quantities of_node(b) that this loop computes in registers: composite[b] is
/// of_node(b) plus the composites of the children of b.
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

/// Computes tau_k = Phi_k . F^C_b, where F^C are the sums over subtrees of the forces of_node(b).
/// @param sums  F^C of each node
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
/// Adds Phi_k . F^C_b to tau_k, for the given forces of the nodes, and replaces these forces by their sums F^C.
template <class S>
void sum_inward_and_project(const Model<S>& model, const PerDof<Motion<S>>& phi, PerNode<Force<S>>& force,
                            VectorX<S>& tau) {
  sum_inward(model, force, [&](const Node<S>& node, const auto& sum) CORIO_INLINE_LAMBDA {
    for (int k = node.v_begin; k < node.v_end; ++k) tau[k] += S(dot(load(phi[k]), sum));
  });
}

}}}  // namespace corio::detail
