#pragma once

#include "corio/kernels/slice_layout.hpp"
#include "corio/kernels/tensor3.hpp"

namespace corio::detail {

/// What the symbols are made of: the operators B_k = B(Phi_k, I^C_k) of all degrees of freedom, and by blocks Phi and,
/// of the slice that is being written, n.
template <class S>
struct SymbolColumns {
  struct OfBlock {
    BlockColumns<S, 6> phi;
    BlockColumns<S, 3> n;
  };
  Columns<S, 12> operators;
  PerBlock<S, OfBlock> tiles;

  explicit SymbolColumns(const Model<S>& model) : operators(model.nv()), tiles(model.nv()) {}
};

/// Gamma(i,:,:) of one i in squares of columns x columns. For k at or above j, or of its joint,
///   Gamma(i,j,k) = Phi_k . n_j,   n_j = -B_i^T Phi_j for j at or above i, or of its joint,   n_j = B_j^T Phi_i below,
/// which are moments. Symmetric but for j and k of one joint.
template <class S>
class ChristoffelSlice {
 public:
  ChristoffelSlice(const Model<S>& model, const SliceLayout<S>& layout, SymbolColumns<S>& columns, Tensor3<S>& symbols,
                   int i)
      : page_(symbols.page(i)),
        layout_(layout),
        operators_(columns.operators),
        tiles_(columns.tiles),
        i_(i),
        own_end_(model.node(model.node_of_dof(i)).v_end),
        end_(model.subtree_end_of_dof(i)) {}

  void write() {
    const Motion<N> phi = broadcast<N>(tiles_[i_].phi.motion(i_));
    const auto B = [&](int c) CORIO_INLINE_LAMBDA { return broadcast<N>(operators_.vector(i_, c)); };
    const Matrix3<N> T = from_columns<N>(B(0), B(3), B(6));
    const Vector3<N> f = B(9);
    const auto below = [&](int k) CORIO_INLINE_LAMBDA { return transpose_moment(operators_, phi, k); };
    const auto above = [&](int k) CORIO_INLINE_LAMBDA {
      const Motion<N> column = tiles_[k].phi.template motion<N>(k);
      const N reach = N::load(layout_.reach.data() + k);
      return map(cross(column.linear, f) - transpose_times(T, column.angular),
                 [&](const N& x) CORIO_INLINE_LAMBDA { return x.keep_above(reach, k, own_end_); });
    };
    const auto own = [&](int k) {
      Vector3<N> n = zero3<N>();
      if (k < own_end_)  // zero for i itself, not only up to rounding
        n = map(above(k),
                [&](const N& x) CORIO_INLINE_LAMBDA { return x.keep(0, i_ - k) + x.keep(i_ + 1 - k, width); });
      if (k + width > own_end_ && k < end_)
        n = n + map(below(k), [&](const N& x) CORIO_INLINE_LAMBDA { return x.keep(own_end_ - k, end_ - k); });
      return n;
    };

    // From the last ones on in rows and columns, as store_square wants.
    layout_.for_pair_blocks(i_, end_, [&](int k, int j) CORIO_INLINE_LAMBDA {
      write_columns(k, j, [&](int c) CORIO_INLINE_LAMBDA {
        if (c >= own_end_ && c + width <= end_) return below(c);
        return c + width <= i_ ? above(c) : own(c);
      });
    });
    layout_.for_joints(i_, end_, [&](const auto& joint) { write_joint(joint); });
  }

 private:
  using N = Pack<S>;
  using Values = BlockValues<S>;
  static constexpr int width = Values::width, packs = Values::packs;

  /// The entries of columns from k on and all rows at or above them, those of the block of j first.
  template <class F>
  CORIO_INLINE void write_columns(int k, int j, F&& moment) {
    BlockColumns<S, 3>& n = tiles_[k].n;
    repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA { n.set(k + b * width, Vector3<N>(moment(k + b * width))); });
    const std::ptrdiff_t nv = page_.rows();
    const auto write = [&](int row, int column, const Values& x) CORIO_INLINE_LAMBDA {
      S* const to = page_.data() + column * nv + row;
      Values::each([&](auto r, auto b) CORIO_INLINE_LAMBDA { x.x[r][b].store(to + r * nv + b * width); });
    };
    for (; j >= 0; j = layout_.nearest_above[j]) {
      const int row = layout_.block_of(j);
      if (!layout_.row(row).all_related(k)) {
        write_edge(row, k);
        continue;
      }
      const Values x = dot(tiles_[row].phi, n);
      if (row == k) {
        write(k, k, lower_triangle(x.transposed(), x));
      } else {
        write(k, row, x);
        write(row, k, x.transposed());
      }
    }
  }
  CORIO_NOINLINE void write_edge(int row, int k) {
    layout_.row(row).at(k).store_symmetric(page_, dot(tiles_[row].phi, tiles_[k].n));
  }
  /// What is not symmetric.
  CORIO_NOINLINE void write_joint(const typename SliceLayout<S>::Joint& joint) {
    for (int k = joint.begin + 1; k < joint.own_end; ++k)
      for (int j = joint.begin; j < k; ++j) page_(j, k) = dot(tiles_[k].phi.vector(k), tiles_[j].n.vector(j));
  }

  typename Tensor3<S>::Page page_;
  const SliceLayout<S>& layout_;
  const Columns<S, 12>& operators_;
  PerBlock<S, typename SymbolColumns<S>::OfBlock>& tiles_;
  int i_, own_end_, end_;
};

/// All slices, of whatever tree.
template <class S>
void christoffel_slices(const Model<S>& model, const SliceLayout<S>& layout, SymbolColumns<S>& columns,
                        Tensor3<S>& symbols) {
  for (int i = 0; i < model.nv(); ++i) ChristoffelSlice<S>(model, layout, columns, symbols, i).write();
}

}  // namespace corio::detail
