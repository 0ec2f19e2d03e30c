#pragma once

#include <array>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/model/body_selection.hpp"
#include "corio/spatial/body_regressor.hpp"

namespace corio::inline CORIO_ABI::detail {

template <class S>
using Ten = std::array<S, 10>;

/// Bodies of a selection, one per lane: of(x) is what their nodes have in a table x of Data. Lanes after the last body
/// repeat it.
template <class S>
class LanesOfBodies {
 public:
  using Number = Lanes<S>;

  /// From number `first` of the selection on.
  CORIO_INLINE LanesOfBodies(const Model<S>& model, const Data<S>& data, const BodySelection& bodies, int first)
      : model_(model),
        data_(data),
        first_(first),
        count_((std::min)(pack_width<S>, bodies.size(model) - first)),
        place_(LaneIndices<S>::from(first, bodies.size(model))),
        body_(LaneIndices<S>::of([&](int l) CORIO_INLINE_LAMBDA { return bodies[place_.index[l]]; })),
        node_(LaneIndices<S>::of([&](int l)
                                     CORIO_INLINE_LAMBDA { return model.bodies().data()[body_.index[l]].node(); })) {}

  template <template <class> class T>
  CORIO_INLINE T<Lanes<S>> operator()(const PerNode<T<S>>& x) const {
    return node_.gather(x);
  }
  /// Poses of the bodies' own frames.
  CORIO_INLINE Pose<Lanes<S>> pose() const {
    const Body<S>* const first = model_.bodies().data();
    return node_.gather(data_.pose) * body_.template gather<Pose>([&](int i) CORIO_INLINE_LAMBDA -> const Pose<S>& {
      return first[i].placement();
    });
  }
  /// Ten numbers of each, in a vector with those of all bodies of the selection.
  CORIO_INLINE Ten<Lanes<S>> parameters(const S* all) const {
    return place_.template gather<Ten>(
        [&](int i) CORIO_INLINE_LAMBDA -> const Ten<S>& { return reinterpret_cast<const Ten<S>*>(all)[i]; });
  }
  CORIO_INLINE void set_parameters(const Ten<Lanes<S>>& x, S* all) const {
    scatter<Ten, S>(x, reinterpret_cast<Ten<S>*>(all) + first_, count_);
  }
  /// x[b] = lane l of `value`, for each body's node b.
  template <template <class> class T>
  CORIO_INLINE void set(PerNode<T<S>>& x, const T<Lanes<S>>& value) const {
    for_each([&](int l, int, int b) CORIO_INLINE_LAMBDA { x[b] = lane(value, l); });
  }
  /// The same for all.
  template <class T>
  CORIO_INLINE static auto constant(const T& x) {
    return LanesOfDofs<S>::constant(x);
  }
  int first() const { return first_; }
  int count() const { return count_; }
  /// f(l, i, b) for lane l, body i of the selection and its node b.
  template <class F>
  CORIO_INLINE void for_each(F&& f) const {
    for (int l = 0; l < count_; ++l) f(l, first_ + l, node_.index[l]);
  }

 private:
  const Model<S>& model_;
  const Data<S>& data_;
  int first_, count_;
  LaneIndices<S> place_, body_, node_;  // in the selection, in Model::bodies() and in the tree
};

/// f(of) for all bodies of a selection, a pack at a time.
template <class S, class F>
CORIO_FLATTEN void for_bodies(const Model<S>& model, const Data<S>& data, const BodySelection& bodies, F&& f) {
  for (int i = 0; i < bodies.size(model); i += pack_width<S>) f(LanesOfBodies<S>(model, data, bodies, i));
}

/// The ten columns of a regressor for body l of a pack with H: Y(k, i) = phi_k . H(:, i) in the rows k on the way from
/// the body to the ground, zero in the others. Rows are written from the last to the first in packs, of which the last
/// of a range may reach beyond it: zeros, or rows that are written later.
/// @param end     of the body's own degrees of freedom
/// @param zeroed  whether the columns are zero already
template <class S>
CORIO_INLINE void write_regressor(const Model<S>& model, const BodyRegressor<Lanes<S>>& H, int l, int end,
                                  const DofArrays<S, Motion>& phi, bool zeroed, S* Y, std::ptrdiff_t stride) {
  using N = Lanes<S>;
  constexpr int width = N::width;
  static_assert(sizeof(H) == 42 * sizeof(N));
  const S* const numbers = reinterpret_cast<const S*>(&H) + l;
  const auto product = [&](int i, const Vector3<N>& x) CORIO_INLINE_LAMBDA {
    const S* const n = numbers + i * width;
    return n[0] * x[0] + n[width] * x[1] + n[2 * width] * x[2];
  };
  int first = 0, top = model.nv();  // of a range; rows from here on are written
  const auto write_products = [&](int k, auto count) CORIO_INLINE_LAMBDA {
    Motion<N> x = phi.pack(k);
    if (k < first)
      repeat<3>([&](auto r) CORIO_INLINE_LAMBDA {
        x.angular[r] = x.angular[r].keep(first - k, width), x.linear[r] = x.linear[r].keep(first - k, width);
      });
    repeat<10>([&](auto i) CORIO_INLINE_LAMBDA {
      N sum = product(3 * i, x.angular);
      if constexpr (i < 4) sum += product(30 + 3 * i, x.linear);
      sum.store(Y + i * stride + k, count);
    });
  };
  const auto write_zeros = [&](int k, auto count) CORIO_INLINE_LAMBDA {
    repeat<10>([&](auto i) CORIO_INLINE_LAMBDA { N::zero().store(Y + i * stride + k, count); });
  };
  const auto write = [&](int begin, int last, const auto& write_pack) CORIO_INLINE_LAMBDA {
    if (begin >= last) return;
    if (last < width) return top = 0, for_rest<width - 1>(last, 0, write_pack);
    for (top = last; top > begin;) top = (std::max)(top - width, 0), write_pack(top, Count<width>());
  };
  for_ranges_above(model, end, [&](int begin, int last) CORIO_INLINE_LAMBDA {
    if (!zeroed) write(last, top, write_zeros);
    first = begin;
    write(begin, last, write_products);
  });
  if (!zeroed) write(0, top, write_zeros);
}

}  // namespace corio::detail
