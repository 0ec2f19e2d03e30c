#pragma once

#include "corio/model/data.hpp"

/// Sums over subtrees, leaf to root: plain additions, because everything is in one frame. Each is computed once per
/// kinematics pass, by whichever algorithm needs it first.
namespace corio::detail {

/// Inertia of every node about the common origin, in world axes.
template <class S>
void world_inertias(const Model<S>& model, Data<S>& data) {
  if (data.has_inertia) return;
  for (std::size_t b = 0; b < data.pose.size(); ++b) data.inertia[b] = data.pose[b].act(model.nodes()[b].inertia);
  data.has_inertia = true;
}

template <class S, class T>
void add_to_parents(const Model<S>& model, std::vector<T>& x) {
  for (std::size_t b = x.size(); b-- > 1;)
    if (const int parent = model.nodes()[b].parent; parent >= 0) x[static_cast<std::size_t>(parent)] += x[b];
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
  for (std::size_t b = 0; b < data.pose.size(); ++b)
    data.composite_coriolis[b] = BodyCoriolis<S>::from(data.velocity[b], data.inertia[b]);
  add_to_parents(model, data.composite_coriolis);
  data.has_composite_coriolis = true;
}

}  // namespace corio::detail
