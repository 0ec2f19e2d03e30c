#pragma once

#include "corio/kernels/tree_sums.hpp"

/// Sums over subtrees, computed inward. The first algorithm that needs a sum computes it, once per kinematics pass.
/// Forces are about the origin of the tree, so that they are added as they are. Inertias and operators are about the
/// origin of their node and are shifted on the way to its parent: second moments about a point at distance r contain
/// m r^2, in whose rounding error their own digits are lost.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns x[b] as a map from motions to forces about the origin of the tree.
template <class X, class S>
CORIO_INLINE AtNode<X, S> at_node(const Data<S>& data, const PerNode<X>& x, int b) {
  return {x[b], data.pose[b].translation};
}

/// Returns the inertia of node b alone, in world axes.
template <class S>
CORIO_INLINE auto body_inertia(const Model<S>& model, const Data<S>& data, int b) {
  const Inertia<S>& in_body = model.node(b).inertia;  // the same for all states of a batch
  return rotated(data.pose[b], in_body);
}
/// Computes the inertias of all nodes, in Data::inertia.
template <class S>
void compute_body_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_inertia) return;
  for (int b = 0; b < model.num_nodes(); ++b) store(body_inertia(model, data, b), data.inertia[b]);
  data.has_inertia = true;
}

/// Computes the inertias of all nodes and their composites I^C in one loop.
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

/// Returns B(V, I) of node b about its origin, for a motion V about the tree's; I is by default the node's inertia.
template <class S, class N = InRegisters<S>>
CORIO_INLINE BodyCoriolis<N> own_coriolis(const Data<S>& data, const Motion<S>& V, int b, const Inertia<N>& I_b) {
  return BodyCoriolis<N>::from(about(load(V), load(data.pose[b].translation)), I_b);
}
template <class S>
CORIO_INLINE auto own_coriolis(const Data<S>& data, const Motion<S>& V, int b) {
  return own_coriolis(data, V, b, load(data.inertia[b]));
}

/// Computes the composite Coriolis operators B^C at the current velocity.
template <class S>
void compute_composite_coriolis(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_coriolis) return;
  compute_composite_inertias(model, data);
  sum_composites(model, data, data.composite_coriolis, [&](int b) { return own_coriolis(data, data.velocity[b], b); });
  data.has_composite_coriolis = true;
}

/// Computes the momenta of the subtrees and their rates, about the origin of the tree.
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

/// Calls f(k, c) for every k related to l; c is the node of k or l that is nearer the leaves, whose composites apply.
template <class S, class F>
void for_related(const Model<S>& model, int l, F&& f) {
  const int b = model.node_of(l), begin = model.node(b).v_begin;
  for (int k = model.node(b).subtree_v_end - 1; k >= 0; k = k > begin ? k - 1 : model.parent_dof(k))
    f(k, k < begin ? b : model.node_of(k));
}

}}}  // namespace corio::detail
