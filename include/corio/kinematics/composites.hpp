#pragma once

#include "corio/model/data.hpp"

/// Sums over subtrees, leaf to root: plain additions, because everything is in one frame. Each is computed once per
/// kinematics pass, by whichever algorithm needs it first.
namespace corio::detail {

template <class S, class T>
void add_to_parents(const Model<S>& model, std::vector<T>& x) {
  for (std::size_t b = x.size(); b-- > 1;)
    if (const int parent = model.nodes()[b].parent; parent >= 0) x[static_cast<std::size_t>(parent)] += x[b];
}

/// add_to_parents in quads, fused with the computation of x: composite[b] = of_node(b) + the composites of its
/// children. These gather in a member of data.work.sums, since the next node would have to wait for packed numbers.
template <class S, class Q, class T, class F>
CORIO_INLINE void sum_quads(const Model<S>& model, Data<S>& data, Q QuadSums<S>::*sum, std::vector<T>& composite,
                            F&& of_node) {
  for (std::size_t b = composite.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    Q x = of_node(b);
    const bool has_children = node.v_end != node.subtree_v_end;
    if (has_children) x = x + data.work.sums[b].*sum;
    x.store(composite[b]);
    if (node.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    Q& of_children = data.work.sums[parent].*sum;
    const bool is_first = node.subtree_v_end == model.nodes()[parent].subtree_v_end;  // the last child comes first
    of_children = is_first ? x : of_children + x;
  }
}

/// Inertias of all nodes about the common origin, in world axes, and their composites I^C in the same loop.
template <class S>
requires has_quads<S>
void composite_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_inertia) return;
  sum_quads(model, data, &QuadSums<S>::inertia, data.composite_inertia, [&](std::size_t b) CORIO_INLINE_LAMBDA {
    const auto I = QuadInertia<S>::act(data.pose[b], model.nodes()[b].inertia);
    I.store(data.inertia[b]);
    return I;
  });
  data.has_inertia = data.has_composite_inertia = true;
}

/// Inertia of every node about the common origin, in world axes.
template <class S>
void world_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_inertia) return;
  if constexpr (has_quads<S>) {
    composite_inertias(model, data);  // all in one, so that rounding does not depend on who asks first
  } else {
    for (std::size_t b = 0; b < data.pose.size(); ++b) data.inertia[b] = data.pose[b].act(model.nodes()[b].inertia);
    data.has_inertia = true;
  }
}

/// Composite inertias I^C.
template <class S>
void composite_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_inertia) return;
  world_inertias(model, data);
  data.composite_inertia = data.inertia;
  add_to_parents(model, data.composite_inertia);
  data.has_composite_inertia = true;
}

/// Composite Coriolis operators B^C of the current velocity.
template <class S>
void composite_coriolis(const Model<S>& model, Data<S>& data) {
  if (data.has_composite_coriolis) return;
  world_inertias(model, data);
  if constexpr (has_quads<S>) {
    sum_quads(model, data, &QuadSums<S>::coriolis, data.composite_coriolis, [&](std::size_t b) CORIO_INLINE_LAMBDA {
      return QuadCoriolis<S>::from(data.velocity[b], QuadInertia<S>::load(data.inertia[b]));
    });
  } else {
    for (std::size_t b = 0; b < data.pose.size(); ++b)
      data.composite_coriolis[b] = BodyCoriolis<S>::from(data.velocity[b], data.inertia[b]);
    add_to_parents(model, data.composite_coriolis);
  }
  data.has_composite_coriolis = true;
}

}  // namespace corio::detail
