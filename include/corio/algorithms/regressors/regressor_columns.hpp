#pragma once

#include <array>
#include <vector>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/model/body_selection.hpp"
#include "corio/model/model.hpp"
#include "corio/simd/lanes.hpp"

namespace corio::inline CORIO_ABI::detail {

/// For each degree of freedom the end of its subtree, as a scalar because lanes compare scalars, and zero-padded to a
/// full pack.
template <class S>
struct SubtreeEnds {
  explicit SubtreeEnds(const Model<S>& model) : end(static_cast<std::size_t>(model.nv() + pack_padding<S>), S(0)) {
    for (int k = 0; k < model.nv(); ++k) end[static_cast<std::size_t>(k)] = static_cast<S>(model.subtree_end(k));
  }
  CORIO_INLINE const S* data() const { return end.data(); }

  std::vector<S> end;
};

template <class S>
using Ten = std::array<S, 10>;

/// As many bodies of a selection as a pack has lanes, from number `first` on; lanes after the last one repeat it.
template <class S>
struct SelectedBodies {
  int count;
  LaneIndices<S> place, body, node;  // in the selection, in Model::bodies() and in the tree

  CORIO_INLINE SelectedBodies(const Model<S>& model, const BodySelection& bodies, int first)
      : count((std::min)(pack_width<S>, bodies.size(model) - first)),
        place(LaneIndices<S>::from(first, bodies.size(model))),
        body(LaneIndices<S>::of([&](int l) CORIO_INLINE_LAMBDA { return bodies[place.index[l]]; })),
        node(LaneIndices<S>::of([&](int l)
                                    CORIO_INLINE_LAMBDA { return model.bodies().data()[body.index[l]].node(); })) {}

  /// Poses of the bodies' own frames.
  CORIO_INLINE Pose<Lanes<S>> pose(const Model<S>& model, const Data<S>& data) const {
    const Body<S>* const first = model.bodies().data();
    return node.gather(data.pose) * body.template gather<Pose>([&](int i) CORIO_INLINE_LAMBDA -> const Pose<S>& {
      return first[i].placement();
    });
  }
  /// Ten numbers of each, of those from `first` on.
  CORIO_INLINE auto parameters(const S* first) const {
    return place.template gather<Ten>(
        [&](int i) CORIO_INLINE_LAMBDA -> const Ten<S>& { return reinterpret_cast<const Ten<S>*>(first)[i]; });
  }
};

/// f(i, bodies) for all bodies of a selection, a pack at a time from number i on.
template <class S, class F>
CORIO_INLINE void for_selected(const Model<S>& model, const BodySelection& bodies, F&& f) {
  for (int i = 0; i < bodies.size(model); i += pack_width<S>) f(i, SelectedBodies<S>(model, bodies, i));
}

/// The ten columns of Y that belong to one body, from the 42 numbers of its H, one every `width`:
///   Y(k, i) = phi_k . H(:, i) for k on the way from the body to the ground, otherwise 0,
/// in packs of rows, each of them whole: with those off the way set to zero.
template <class S>
struct RegressorColumns {
  using N = Lanes<S>;
  static constexpr int width = N::width;
  const S* H;
  const DofArrays<S, Motion>& phi;
  const S* subtree_end;
  int end;  // of the body's own degrees of freedom

  template <int n>
  CORIO_INLINE void products(int k, Count<n> count, S* Y, std::ptrdiff_t stride) const {
    const Motion<N> x = phi.pack(k);
    const N ends = N::load(subtree_end + k);
    repeat<10>([&](auto i) CORIO_INLINE_LAMBDA {
      N sum = product(3 * i, x.angular);
      if constexpr (i < 4) sum += product(30 + 3 * i, x.linear);
      // Rows on the way: no later than the body's, and of subtrees that end no earlier.
      sum.keep(0, end - k).keep_where_at_least(ends, end).store(Y + i * stride + k, count);
    });
  }
  /// All rows, from the last pack on, which overlaps the next if it must.
  /// @param zeroed  whether the columns are zero already
  CORIO_INLINE void fill(const Model<S>& model, bool zeroed, S* Y, std::ptrdiff_t stride) const {
    if (model.nv() < width)
      return for_rest<width - 1>(model.nv(), 0,
                                 [&](int k, auto count) CORIO_INLINE_LAMBDA { products(k, count, Y, stride); });
    int on_way = end - 1;  // the last degree of freedom on the way that is not after the pack
    for (int k = model.nv() - width;; k = (k - 1) / width * width) {
      while (on_way >= k + width) {
        const int begin = model.chain_begin(on_way);
        on_way = begin < k + width ? k + width - 1 : model.parent_dof(begin);
      }
      if (on_way >= k)
        products(k, Count<width>(), Y, stride);
      else if (!zeroed)
        repeat<10>([&](auto i) CORIO_INLINE_LAMBDA { N::zero().store(Y + i * stride + k); });
      if (k == 0) return;
    }
  }

 private:
  CORIO_INLINE N product(int i, const Vector3<N>& x) const {
    const S* const n = H + i * width;
    return n[0] * x[0] + n[width] * x[1] + n[2 * width] * x[2];
  }
};

}  // namespace corio::detail
