#pragma once

#include <array>

#include "corio/columns/gather.hpp"
#include "corio/model/body_selection.hpp"
#include "corio/spatial/body_regressor.hpp"

/// What the regressors are made of: a field of vectors for each body, its 6 x 10 matrix in world axes, and the products
/// of that with columns of the degrees of freedom that move the body.
namespace corio::detail {

/// As many bodies of a selection as there are lanes in a block, from `first` on; lanes behind the last repeat it.
template <class S>
class SelectedBodies {
 public:
  static constexpr int width = Block<S>::width;

  SelectedBodies(const Model<S>& model, const BodySelection& bodies, int first) {
    const int last = bodies.size(model) - 1;
    count = std::min(width, last - first + 1);
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA {
      const Body<S>& body = model.bodies()[static_cast<std::size_t>(bodies[std::min(first + l, last)])];
      placement_[l] = &body.placement();
      node_[l] = static_cast<std::size_t>(body.node());
    });
  }

  int node(int lane) const { return static_cast<int>(node_[lane]); }
  template <template <class> class T>
  CORIO_INLINE T<Pack<S>> of_nodes(const std::vector<T<S>>& x) const {
    const T<S>* lane[width];
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA { lane[l] = &x[node_[l]]; });
    return gather<T, S>(lane);
  }
  /// Poses of the bodies' own frames.
  CORIO_INLINE Pose<Pack<S>> pose(const Data<S>& data) const {
    return of_nodes(data.pose) * gather<Pose, S>(placement_);
  }

  /// Ten numbers of each, from `first` on those of the first.
  CORIO_INLINE auto parameters(const S* first) const {
    std::array<Pack<S>, 10> pi;
    for (int h = 0; h < 10; ++h) {
      if constexpr (width == 1) {
        pi[static_cast<std::size_t>(h)] = first[h];
      } else {
        BlockType<S> block = Block<S>::zero();
        for (int l = 0; l < count; ++l) block[l] = first[10 * l + h];
        pi[static_cast<std::size_t>(h)] = Pack<S>(block);
      }
    }
    return pi;
  }

  int count;

 private:
  const Pose<S>* placement_[width];
  std::size_t node_[width];
};

/// @throws SizeError unless a vector has ten numbers for each body, ModelError for a selection from another model
template <class S>
void check_parameters(const Model<S>& model, const BodySelection& bodies, const char* what, Eigen::Index size) {
  bodies.check_fits(model);
  check_size(what, size, bodies.num_parameters(model));
}
/// The same of a regressor.
template <class S>
void check_regressor(const Model<S>& model, const BodySelection& bodies, Eigen::Index rows, Eigen::Index columns) {
  check_parameters(model, bodies, "a row of the regressor", columns);
  check_size("a column of the regressor", rows, model.nv());
}

/// f(i, bodies) for all bodies of a selection, a block at a time from number i on.
template <class S, class F>
CORIO_INLINE void for_selected(const Model<S>& model, const BodySelection& bodies, F&& f) {
  for (int i = 0; i < bodies.size(model); i += SelectedBodies<S>::width) f(i, SelectedBodies<S>(model, bodies, i));
}

/// The vectors that a regressor is made of, by the motions of the nodes that enter:
///   I dW + B(V, I) W and weight,
/// where without W there is no velocity product, and without dW weight alone. One type for all of them, so that what is
/// made of fields is compiled once.
template <class S>
struct Field {
  const std::vector<Motion<S>>*V, *W, *dW;
  Vector3<S> gravity;

  static Field momentum(const Data<S>& data) { return {nullptr, nullptr, &data.velocity, zero3<S>()}; }
  static Field inertial(const Model<S>& model, const Data<S>& data) {
    return {&data.velocity, &data.velocity, &data.acceleration, model.gravity()};
  }
  /// Of the motions W in data.work.motion and dW in data.work.acceleration.
  static Field reference(const Model<S>& model, const Data<S>& data) {
    return {&data.velocity, &data.work.motion, &data.work.acceleration, model.gravity()};
  }
  static Field weight(const Model<S>& model) { return {nullptr, nullptr, nullptr, model.gravity()}; }

  CORIO_INLINE PointField<Pack<S>> operator()(const SelectedBodies<S>& of) const {
    using N = Pack<S>;
    PointField<N> field{diagonal3(N(0)), zero3<N>()};
    if (W != nullptr) {
      const Motion<N> v = of.of_nodes(*V);
      field = PointField<N>::acceleration(v, W == V ? v : of.of_nodes(*W), of.of_nodes(*dW));
    } else if (dW != nullptr) {
      field = PointField<N>::velocity(of.of_nodes(*dW));
    }
    field.b -= broadcast<N>(gravity);
    return field;
  }
};

/// out = scale W . H for each body: ten numbers, of the motions W of the nodes.
template <class S>
void powers(const Model<S>& model, const Data<S>& data, const Field<S>& field, const std::vector<Motion<S>>& W,
            const S& scale, S* out, const BodySelection& bodies) {
  using N = Pack<S>;
  for_selected(model, bodies, [&](int first, const SelectedBodies<S>& lanes) CORIO_INLINE_LAMBDA {
    const auto H = BodyRegressor<N>::of(field(lanes), lanes.pose(data));
    const Motion<N> motion = lanes.of_nodes(W);
    for (int h = 0; h < 10; ++h) {
      const N power = N(scale) * H.power(h, motion);
      for (int l = 0; l < lanes.count; ++l) out[10 * (first + l) + h] = Block<S>::get(block_of<S>(power), l);
    }
  });
}

// ---- Rows

/// Columns of all degrees of freedom by coordinate.
template <class S>
void by_coordinate(const Model<S>& model, const std::vector<Motion<S>>& phi, Columns<S, 6>& columns) {
  for_neighbours(model,
                 [&](int k, const auto& neighbours) CORIO_INLINE_LAMBDA { columns.set(k, neighbours.of_dofs(phi)); });
}

/// The ten columns of Y that belong to one body, from the 42 numbers of its H, one every `width`:
///   Y(k, i) = phi_k . H(:, i) for k on the way from the body to the ground, otherwise 0,
/// in blocks of rows, each of them whole: with those off the way set to zero.
template <class S>
class RegressorColumns {
  using B = Block<S>;
  static constexpr int width = B::width;

 public:
  /// @param end  of the body's own degrees of freedom
  RegressorColumns(const S* H, const Columns<S, 6>& phi, const S* reach, int end, S* Y, std::ptrdiff_t stride)
      : H_(H), phi_(phi), reach_(reach), end_(end), Y_(Y), stride_(stride) {}

  template <int n>
  CORIO_INLINE void products(int k, Count<n> count) const {
    BlockType<S> x[6];
    repeat<6>([&](auto r) CORIO_INLINE_LAMBDA { x[r] = B::load(phi_.row(r) + k); });
    const BlockType<S> reach = B::load(reach_ + k);
    repeat<10>([&](auto i) CORIO_INLINE_LAMBDA {
      BlockType<S> sum = product(3 * i, x);
      if constexpr (i < 4) sum += product(30 + 3 * i, x + 3);
      store_line<S>(Y_ + i * stride_ + k, count, B::keep_reaching(sum, reach, k, end_));
    });
  }
  CORIO_INLINE void zeros(int k) const {
    repeat<10>([&](auto i) CORIO_INLINE_LAMBDA { store_line<S>(Y_ + i * stride_ + k, Count<width>(), B::zero()); });
  }

 private:
  CORIO_INLINE BlockType<S> product(int i, const BlockType<S>* x) const {
    const S* const n = H_ + i * width;
    return n[0] * x[0] + n[width] * x[1] + n[2 * width] * x[2];
  }

  const S* H_;
  const Columns<S, 6>& phi_;
  const S* reach_;
  int end_;
  S* Y_;
  std::ptrdiff_t stride_;
};

/// All rows of one body, from the last block on, which overlaps the next if it must.
/// @param zeroed  whether the columns are zero already
template <class S>
CORIO_INLINE void fill_columns(const Model<S>& model, const std::vector<int>& run_begin, int end, bool zeroed,
                               const RegressorColumns<S>& out) {
  constexpr int width = Block<S>::width;
  if (model.nv() < width)
    return for_rest<width - 1>(model.nv(), 0,
                               [&out](int k, auto count) CORIO_INLINE_LAMBDA { out.products(k, count); });
  int on_way = end - 1;  // the last degree of freedom on the way that is not behind the block
  for (int k = model.nv() - width;; k = (k - 1) / width * width) {
    while (on_way >= k + width) {
      const int begin = run_begin[static_cast<std::size_t>(on_way)];
      on_way = begin < k + width ? k + width - 1 : model.dof_parent(begin);
    }
    if (on_way >= k)
      out.products(k, Count<width>());
    else if (!zeroed)
      out.zeros(k);
    if (k == 0) return;
  }
}

/// Y, nv x 10 for each body of the selection, complete: all of it is written.
template <class S>
void fill_regressor(const Model<S>& model, Data<S>& data, const std::vector<Motion<S>>& columns, const Field<S>& field,
                    const BodySelection& bodies, MatrixOut<S> Y) {
  static_assert(sizeof(BodyRegressor<Pack<S>>) == 42 * sizeof(Pack<S>));
  check_regressor(model, bodies, Y.rows(), Y.cols());
  Columns<S, 6>& phi = data.work.columns_of_regressor;
  by_coordinate(model, columns, phi);
  const std::ptrdiff_t stride = Y.outerStride();
  // What does not stay in the cache is faster zeroed in one go (a humanoid's in 3/4 of the time), what does block by
  // block.
  const bool zero_at_once = stride == Y.rows() && static_cast<std::size_t>(Y.size()) * sizeof(S) > 32768;
  for_selected(model, bodies, [&](int first, const SelectedBodies<S>& lanes) CORIO_INLINE_LAMBDA {
    const auto H = BodyRegressor<Pack<S>>::of(field(lanes), lanes.pose(data));
    if (zero_at_once) std::fill_n(Y.data() + 10 * first * stride, 10 * lanes.count * stride, S(0));
    for (int l = 0; l < lanes.count; ++l) {
      const int end = model.node(lanes.node(l)).v_end;
      fill_columns(model, data.work.run_begin, end, zero_at_once,
                   RegressorColumns<S>(reinterpret_cast<const S*>(&H) + l, phi, data.work.reach.data(), end,
                                       Y.data() + 10 * (first + l) * stride, stride));
    }
  });
}

}  // namespace corio::detail
