#pragma once

#include "corio/columns/page_layout.hpp"
#include "corio/columns/strips.hpp"
#include "corio/core/tensor3.hpp"
#include "corio/columns/gather.hpp"

namespace corio::detail {

/// Gamma(i,:,:) of one i in squares of columns x columns. With the operators B_k = B(Phi_k, I^C_k), for k at or above
/// j, or of its joint,
///   Gamma(i,j,k) = Phi_k . n_j,   n_j = -B_i^T Phi_j for j at or above i, or of its joint,   n_j = B_j^T Phi_i below,
/// which are moments. Symmetric but for j and k of one joint.
template <class S>
class ChristoffelPage {
 public:
  ChristoffelPage(const Model<S>& model, Data<S>& data, const PageLayout<S>& layout, Tensor3<S>& symbols, int i)
      : page_(symbols.page(i)),
        layout_(layout),
        data_(data),
        i_(i),
        own_end_(model.node(model.node_of_dof(i)).v_end),
        end_(model.subtree_end_of_dof(i)) {}

  /// With data.work.operators and the phi of data.work.columns.
  void write() {
    const Motion<N> phi = broadcast<N>(data_.work.columns(i_).phi.motion(i_));
    const auto B = [&](int c) CORIO_INLINE_LAMBDA { return broadcast<N>(data_.work.operators.vector(i_, c)); };
    const Matrix3<N> T = from_columns<N>(B(0), B(3), B(6));
    const Vector3<N> f = B(9);
    const auto below = [&](int k) CORIO_INLINE_LAMBDA { return transpose_moment(data_.work.operators, phi, k); };
    const auto above = [&](int k) CORIO_INLINE_LAMBDA {
      const Lanes<S, 6>& column = data_.work.columns(k).phi;
      const BlockType<S> reach = Block<S>::load(data_.work.reach.data() + k);
      const Vector3<N> n = cross(column.template vector<N>(k, 3), f) - transpose_times(T, column.template vector<N>(k));
      return map(
          n, [&](const BlockType<S>& x) CORIO_INLINE_LAMBDA { return Block<S>::keep_reaching(x, reach, k, own_end_); });
    };
    const auto own = [&](int k) {
      Vector3<N> n = zero3<N>();
      if (k < own_end_)  // zero for i itself, not only up to rounding
        n = map(above(k), [&](const BlockType<S>& x) CORIO_INLINE_LAMBDA {
          return BlockType<S>(Block<S>::keep(x, 0, i_ - k) + Block<S>::keep(x, i_ + 1 - k, width));
        });
      if (k + width > own_end_ && k < end_)
        n = n + map(below(k), [&](const BlockType<S>& x)
                                  CORIO_INLINE_LAMBDA { return Block<S>::keep(x, own_end_ - k, end_ - k); });
      return n;
    };

    // From the last ones on in rows and columns, as store_square wants.
    layout_.for_tiles(i_, end_, [&](int k, int j) CORIO_INLINE_LAMBDA {
      write_columns(k, j, [&](int c) CORIO_INLINE_LAMBDA {
        if (c >= own_end_ && c + width <= end_) return below(c);
        return c + width <= i_ ? above(c) : own(c);
      });
    });
    layout_.for_joints(i_, end_, [&](const auto& joint) { write_joint(joint); });
  }

 private:
  using N = Pack<S>;
  using Values = TileValues<S>;
  static constexpr int width = Block<S>::width, side = Values::side, blocks = Values::blocks;

  template <class F>
  CORIO_INLINE static Vector3<N> map(const Vector3<N>& x, F&& f) {
    return {N(f(block_of(x[0]))), N(f(block_of(x[1]))), N(f(block_of(x[2])))};
  }

  /// Those of the tile with columns from k on and all rows at or above them, of the tile of j first.
  template <class F>
  CORIO_INLINE void write_columns(int k, int j, F&& moment) {
    Lanes<S, 3>& n = data_.work.columns(k).n;
    repeat<blocks>([&](auto b) CORIO_INLINE_LAMBDA { n.set(k + b * width, Vector3<N>(moment(k + b * width))); });
    const std::ptrdiff_t nv = page_.rows();
    const auto write = [&](int row, int column, const Values& x) CORIO_INLINE_LAMBDA {
      S* const to = page_.data() + column * nv + row;
      Values::each([&](auto r, auto b) CORIO_INLINE_LAMBDA { Block<S>::store(to + r * nv + b * width, x.x[r][b]); });
    };
    for (; j >= 0; j = layout_.above(j)) {
      const int row = layout_.tile_of(j);
      if (!layout_.row(row).all_related(k)) {
        write_edge(row, k);
      } else if (row == k) {
        const Values x = square(row, n);
        write(k, k, lower_triangle(x.transposed(), x));
      } else {
        const Values x = square(row, n);
        write(k, row, x);
        write(row, k, x.transposed());
      }
    }
  }
  CORIO_INLINE Values square(int row, const Lanes<S, 3>& n) const { return dot(data_.work.columns(row).phi, n); }

  CORIO_NOINLINE void write_edge(int row, int k) {
    layout_.row(row).at(k).store_symmetric(page_, square(row, data_.work.columns(k).n));
  }
  /// What is not symmetric.
  CORIO_NOINLINE void write_joint(const typename PageLayout<S>::Joint& joint) {
    for (int k = joint.begin + 1; k < joint.own_end; ++k)
      for (int j = joint.begin; j < k; ++j)
        page_(j, k) = dot(data_.work.columns(k).phi.vector(k), data_.work.columns(j).n.vector(j));
  }

  typename Tensor3<S>::Page page_;
  const PageLayout<S>& layout_;
  Data<S>& data_;
  int i_, own_end_, end_;
};

/// All pages, of whatever tree. With data.work.operators and the phi of data.work.columns.
template <class S>
void christoffel_pages(const Model<S>& model, Data<S>& data, const PageLayout<S>& layout, Tensor3<S>& symbols) {
  for (int i = 0; i < model.nv(); ++i) ChristoffelPage<S>(model, data, layout, symbols, i).write();
}

}  // namespace corio::detail
