#pragma once

#include "corio/core/pack.hpp"
#include "corio/model/data.hpp"

namespace corio::detail {

/// Degree of freedom k and those behind it, as many as there are lanes in a block: what they or their nodes have, lane
/// by lane. Lanes behind the last degree of freedom repeat it.
template <class S>
class Neighbours {
 public:
  static constexpr int width = Block<S>::width;

  Neighbours(const Model<S>& model, int k) {
    for (int l = 0; l < width; ++l) {
      const int j = std::min(k + l, model.nv() - 1);
      dof_[l] = static_cast<std::size_t>(j);
      node_[l] = static_cast<std::size_t>(model.node_of_dof(j));
      parent_[l] = model.nodes()[node_[l]].parent;
    }
  }

  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_dofs(const std::vector<T<S>>& x) const {
    const T<S>* lane[width];
    for (int l = 0; l < width; ++l) lane[l] = &x[dof_[l]];
    return gather<T, S>(lane);
  }
  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_nodes(const std::vector<T<S>>& x) const {
    const T<S>* lane[width];
    for (int l = 0; l < width; ++l) lane[l] = &x[node_[l]];
    return gather<T, S>(lane);
  }
  /// Zero for the ground.
  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_parents(const std::vector<T<S>>& x) const {
    const T<S> ground = T<S>::zero();
    const T<S>* lane[width];
    for (int l = 0; l < width; ++l) lane[l] = parent_[l] < 0 ? &ground : &x[static_cast<std::size_t>(parent_[l])];
    return gather<T, S>(lane);
  }

 private:
  std::size_t dof_[width], node_[width];
  int parent_[width];
};

template <class N, class S>
CORIO_INLINE Motion<N> broadcast(const Motion<S>& V) {
  return {broadcast<N>(V.angular), broadcast<N>(V.linear)};
}

/// What node b and those behind it have, lane by lane; lanes behind the last node repeat it. of(node) refers to it.
template <template <class> class T, class S, class F>
CORIO_INLINE T<Pack<S>> of_nodes_from(const Model<S>& model, std::size_t b, F&& of) {
  const T<S>* lane[Block<S>::width];
  for (std::size_t l = 0; l < Block<S>::width; ++l) lane[l] = &of(std::min(b + l, model.nodes().size() - 1));
  return gather<T, S>(lane);
}

/// f(k, neighbours) for all degrees of freedom, a block at a time.
template <class S, class F>
CORIO_INLINE void for_neighbours(const Model<S>& model, F&& f) {
  for (int k = 0; k < model.nv(); k += Neighbours<S>::width) f(k, Neighbours<S>(model, k));
}

}  // namespace corio::detail
