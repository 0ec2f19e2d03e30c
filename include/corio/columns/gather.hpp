#pragma once

#include "corio/simd/pack.hpp"
#include "corio/kinematics/data.hpp"

namespace corio::detail {

/// Degree of freedom k and those behind it, as many as there are lanes in a block: what they or their nodes have, lane
/// by lane. Lanes behind the last degree of freedom repeat it.
template <class S>
class Neighbours {
 public:
  static constexpr int width = Block<S>::width;

  Neighbours(const Model<S>& model, int k) {
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA {
      const int j = std::min(k + l, model.nv() - 1);
      dof_[l] = static_cast<std::size_t>(j);
      node_[l] = static_cast<std::size_t>(model.node_of_dof(j));
      parent_[l] = model.nodes()[node_[l]].parent;
    });
  }

  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_dofs(const std::vector<T<S>>& x) const {
    return pick(x, dof_);
  }
  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_nodes(const std::vector<T<S>>& x) const {
    return pick(x, node_);
  }
  /// Zero for the ground.
  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_parents(const std::vector<T<S>>& x) const {
    const T<S> ground = T<S>::zero();
    const T<S>* lane[width];
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA {
      lane[l] = parent_[l] < 0 ? &ground : &x[static_cast<std::size_t>(parent_[l])];
    });
    return gather<T, S>(lane);
  }

 private:
  template <template <class> class T>
  CORIO_INLINE static T<Pack<S>> pick(const std::vector<T<S>>& x, const std::size_t (&at)[width]) {
    const T<S>* lane[width];
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA { lane[l] = &x[at[l]]; });
    return gather<T, S>(lane);
  }

  std::size_t dof_[width], node_[width];
  int parent_[width];
};

template <class N, class S>
CORIO_INLINE Motion<N> broadcast(const Motion<S>& V) {
  return {broadcast<N>(V.angular), broadcast<N>(V.linear)};
}

/// of(b) and those of the nodes behind b, lane by lane; lanes behind the last node repeat it.
template <template <class> class T, class S, class F>
CORIO_INLINE T<Pack<S>> of_nodes_from(const Model<S>& model, std::size_t b, F&& of) {
  const T<S>* lane[Block<S>::width];
  repeat<Block<S>::width>([&](auto l) CORIO_INLINE_LAMBDA {
    lane[l] = &of(std::min<std::size_t>(b + static_cast<std::size_t>(l), model.nodes().size() - 1));
  });
  return gather<T, S>(lane);
}
/// The same of what is kept by nodes.
template <template <class> class T, class S>
CORIO_INLINE T<Pack<S>> of_nodes_from(const Model<S>& model, std::size_t b, const std::vector<T<S>>& x) {
  return of_nodes_from<T>(model, b, [&x](std::size_t i) -> const T<S>& { return x[i]; });
}

/// Puts what was made of the nodes from b on where it is kept by nodes.
template <template <class> class T, class S>
CORIO_INLINE void scatter_from(const Model<S>& model, std::size_t b, const T<Pack<S>>& x, std::vector<T<S>>& to) {
  scatter<T, S>(x, &to[b], static_cast<int>(std::min<std::size_t>(Block<S>::width, model.nodes().size() - b)));
}

/// f(k, neighbours) for all degrees of freedom, a block at a time.
template <class S, class F>
CORIO_INLINE void for_neighbours(const Model<S>& model, F&& f) {
  for (int k = 0; k < model.nv(); k += Neighbours<S>::width) f(k, Neighbours<S>(model, k));
}

}  // namespace corio::detail
