#pragma once

#include <array>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/model/body_selection.hpp"
#include "corio/spatial/body_regressor.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

template <class S>
using Ten = std::array<S, 10>;

/// Bodies of a selection, one in each lane: of(x) has the entries of the nodes of these bodies in a table x. Lanes
/// after the last body repeat it.
template <class S>
class LanesOfBodies : public Constants<S> {
 public:
  using Number = Lanes<S>;

  /// Takes the bodies of the selection from index `first` on.
  CORIO_INLINE LanesOfBodies(const Model<S>& model, const Data<S>& data, const BodySelection& bodies, int first)
      : model_(model),
        data_(data),
        first_(first),
        count_((std::min)(group_size<S>, bodies.size(model) - first)),
        place_(LaneIndices<S>::from(first, bodies.size(model))),
        body_(LaneIndices<S>::of([&](int l) CORIO_INLINE_LAMBDA { return bodies[place_.index[l]]; })),
        node_(LaneIndices<S>::of([&](int l)
                                     CORIO_INLINE_LAMBDA { return model.bodies().data()[body_.index[l]].node(); })) {}

  template <template <class> class T>
  CORIO_INLINE T<Lanes<S>> operator()(const PerNode<T<S>>& x) const {
    return node_.gather(x);
  }
  /// Returns the poses of the bodies' own frames.
  CORIO_INLINE Pose<Lanes<S>> pose() const {
    const Body<S>* const first = model_.bodies().data();
    return node_.gather(data_.pose) * body_.template gather<Pose>([&](int i) CORIO_INLINE_LAMBDA -> const Pose<S>& {
      return first[i].placement();
    });
  }
  /// Returns the ten parameters of each body from a vector with the parameters of all bodies of the selection.
  CORIO_INLINE Ten<Lanes<S>> parameters(const S* all) const {
    return place_.template gather<Ten>(
        [&](int i) CORIO_INLINE_LAMBDA -> const Ten<S>& { return reinterpret_cast<const Ten<S>*>(all)[i]; });
  }
  CORIO_INLINE void set_parameters(const Ten<Lanes<S>>& x, S* all) const {
    scatter<Ten, S>(x, reinterpret_cast<Ten<S>*>(all) + first_, count_);
  }
  /// Sets x[b] to lane l of `value`, for the node b of each body.
  template <template <class> class T>
  CORIO_INLINE void set(PerNode<T<S>>& x, const T<Lanes<S>>& value) const {
    for_each([&](int l, int, int b) CORIO_INLINE_LAMBDA { x[b] = lane(value, l); });
  }
  int first() const { return first_; }
  int count() const { return count_; }
  /// Calls f(l, i, b) for each lane l, with its body i of the selection and the node b of that body.
  template <class F>
  CORIO_INLINE void for_each(F&& f) const {
    for (int l = 0; l < count_; ++l) f(l, first_ + l, node_.index[l]);
  }

 private:
  const Model<S>& model_;
  const Data<S>& data_;
  int first_, count_;
  LaneIndices<S> place_, body_, node_;  // index in the selection, in Model::bodies(), in the tree
};

/// Calls f once for each group of bodies of a selection.
template <class S, class F>
CORIO_FLATTEN void for_bodies(const Model<S>& model, const Data<S>& data, const BodySelection& bodies, F&& f) {
  for (int i = 0; i < bodies.size(model); i += group_size<S>) f(LanesOfBodies<S>(model, data, bodies, i));
}

/// Columns of regressors, ten for each body: Y(k, i) = phi_k . H(:, i) in the rows k on the way from the body to the
/// ground, zero in the others.
template <class S>
class RegressorColumns {
 public:
  explicit RegressorColumns(const Model<S>& m)
      : phi_(m.nv()),
        subtree_end_(static_cast<std::size_t>(m.nv() + group_padding<S>), S(0)),
        ten_(MatrixX<S>::Zero(m.nv(), 10)) {
    for (int k = 0; k < m.nv(); ++k) subtree_end_[static_cast<std::size_t>(k)] = static_cast<S>(m.subtree_end(k));
  }
  void set(const Model<S>& model, const Data<S>& data, const PerDof<Motion<S>>& phi) {
    phi_.fill(model, data, [&](const auto& k, auto& x) { x = k.entry(phi); });
  }
  /// Writes the columns of several bodies with H. A Y larger than the cache is zeroed first, which saves a quarter.
  CORIO_INLINE void write(const Model<S>& model, const LanesOfBodies<S>& of, const BodyRegressor<Lanes<S>>& H,
                          const OutputMatrix<S>& Y) {
    const bool column_major = Y.row_stride() == 1;
    const bool zeroed = column_major && static_cast<std::size_t>(Y.rows() * Y.cols()) * sizeof(S) > 32768;
    if (zeroed) Y.columns(10 * of.first(), 10 * of.count()).set_zero();
    of.for_each([&](int l, int i, int b) CORIO_INLINE_LAMBDA {
      const int end = model.node(b).v_end;
      if (column_major) return write(model, H, l, end, zeroed, &Y(0, 10 * i), Y.column_stride());
      write(model, H, l, end, false, ten_.data(), ten_.rows());
      Y.set_columns(10 * i, ten_);
    });
  }

 private:
  using N = Lanes<S>;
  static constexpr int width = N::width;

  /// Writes the columns of body l in groups of rows, from the last group on; a group may overlap the one before.
  /// @param end     the end of the body's own degrees of freedom
  /// @param zeroed  whether the columns are zero already
  CORIO_INLINE void write(const Model<S>& model, const BodyRegressor<N>& H, int l, int end, bool zeroed, S* Y,
                          std::ptrdiff_t stride) const {
    static_assert(sizeof(H) == 42 * sizeof(N));
    const S* const numbers = numbers_in<S>(H) + l;
    const auto write_products = [&](int k, auto count)
                                    CORIO_INLINE_LAMBDA { products(numbers, k, end, count, Y, stride); };
    if (model.nv() < width) return for_rest<width - 1>(model.nv(), 0, write_products);
    int on_way = end - 1;  // the last degree of freedom on the way that is not after the group
    for (int k = model.nv() - width;; k = (k - 1) / width * width) {
      while (on_way >= k + width) {
        const int begin = model.chain_begin(on_way);
        on_way = begin < k + width ? k + width - 1 : model.parent_dof(begin);
      }
      if (on_way >= k)
        write_products(k, Count<width>());
      else if (!zeroed)
        repeat<10>([&](auto i) CORIO_INLINE_LAMBDA { N::zero().store(Y + i * stride + k); });
      if (k == 0) return;
    }
  }

  template <int n>
  CORIO_INLINE void products(const S* H, int k, int end, Count<n> count, S* Y, std::ptrdiff_t stride) const {
    const Motion<N> x = phi_.group(k);
    const N ends = N::load(subtree_end_.data() + k);
    const auto product = [&](int i, const Vector3<N>& y) CORIO_INLINE_LAMBDA {
      const S* const h = H + i * width;
      return h[0] * y[0] + h[width] * y[1] + h[2 * width] * y[2];
    };
    repeat<10>([&](auto i) CORIO_INLINE_LAMBDA {
      N sum = product(3 * i, x.angular);
      if constexpr (i < 4) sum += product(30 + 3 * i, x.linear);
      // A row is on the way if it is not after the body's, and its subtree does not end before the body's.
      sum.keep(0, end - k).keep_where_at_least(ends, end).store(Y + i * stride + k, count);
    });
  }

  DofArrays<S, Motion> phi_;
  std::vector<S> subtree_end_;  // stored as scalars, because lanes compare scalars
  MatrixX<S> ten_;              // columns of one body, for a row-major Y
};

}}}  // namespace corio::detail
