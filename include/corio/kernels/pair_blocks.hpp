#pragma once

#include "corio/kernels/columns.hpp"
#include "corio/model/model.hpp"

/// Columns x columns: every pair of related degrees of freedom, the upper one's motions against the lower one's forces.
/// In squares, so that what is read and broadcast serves several pairs, and both what belongs at (i, k) and what
/// belongs at (k, i) leaves in whole packs. Row by row, with an entry written at a time, the same took three times as
/// long.
namespace corio::detail {

/// One number for each pair of a square: lane by lane in [row][pack].
template <class S>
struct BlockValues {
  static constexpr int width = pack_width<S>, side = block_side<S>, packs = side / width;
  Pack<S> x[side][packs];

  /// += (or =, the first time) p(r) f(l).
  template <bool first>
  CORIO_INLINE void add_product(const S* p, const S* f) {
    repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA {
      const Pack<S> y = Pack<S>::load(f + b * width);
      repeat<side>([&](auto r) CORIO_INLINE_LAMBDA {
        if constexpr (first)
          x[r][b] = p[r] * y;
        else
          x[r][b] += p[r] * y;
      });
    });
  }
  CORIO_INLINE BlockValues operator+(const BlockValues& other) const {
    BlockValues sum;
    each([&](auto r, auto b) CORIO_INLINE_LAMBDA { sum.x[r][b] = x[r][b] + other.x[r][b]; });
    return sum;
  }
  CORIO_INLINE BlockValues transposed() const {
    BlockValues out;
    each([&](auto r, auto b) CORIO_INLINE_LAMBDA { out.x[r][b] = x[b * width + r % width][r / width]; });
    repeat<packs>([&](auto first) CORIO_INLINE_LAMBDA {
      repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA { out.template transpose_square<first * width, b, 1>(); });
    });
    return out;
  }
  /// f(row, pack)
  template <class F>
  CORIO_INLINE static void each(F&& f) {
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA { f(r, b); }); });
  }

 private:
  /// Exchanges, for rows and lanes that differ in the bit `step`, what is off the diagonal; then the next bit.
  template <int first, int b, int step>
  CORIO_INLINE void transpose_square() {
    if constexpr (step < width) {
      repeat<width>([&](auto r) CORIO_INLINE_LAMBDA {
        if constexpr ((r & step) == 0)
          exchange<step>(x[first + r][b], x[first + r + step][b], typename Pack<S>::Lanes());
      });
      transpose_square<first, b, 2 * step>();
    }
  }
  template <int step, int... l>
  CORIO_INLINE static void exchange(Pack<S>& u, Pack<S>& v, std::integer_sequence<int, l...>) {
    const Pack<S> a = u, c = v;
    u = Pack<S>::template shuffle<((l & step) ? width + l - step : l)...>(a, c);
    v = Pack<S>::template shuffle<((l & step) ? width + l : l + step)...>(a, c);
  }
};

/// Lanes before `count` of a, the others of b.
template <int count, class S, int... l>
CORIO_INLINE Pack<S> first_lanes(const Pack<S>& a, const Pack<S>& b, std::integer_sequence<int, l...>) {
  return Pack<S>::template shuffle<(l < count ? l : pack_width<S> + l)...>(a, b);
}

using corio::dot;

/// x_i . y_k for the pairs of a square, in as many coordinates as y has: with moments y, the angular part of x.
template <class S, int rows>
CORIO_INLINE BlockValues<S> dot(const BlockColumns<S, 6>& x, const BlockColumns<S, rows>& y) {
  BlockValues<S> out;
  repeat<rows>([&](auto c) CORIO_INLINE_LAMBDA { out.template add_product<c == 0>(x.x[c], y.x[c]); });
  return out;
}

/// The linear part of x times the forces of y.
template <class S>
CORIO_INLINE BlockValues<S> dot_forces(const BlockColumns<S, 6>& x, const BlockColumns<S, 6>& y) {
  BlockValues<S> out;
  repeat<3>([&](auto c) CORIO_INLINE_LAMBDA { out.template add_product<c == 0>(x.x[3 + c], y.x[3 + c]); });
  return out;
}

template <class S, class Matrix>
CORIO_NOINLINE void store_last_diagonal(Matrix& A, int i, const BlockValues<S>& columns) {
  for (int r = 0; i + r < A.rows(); ++r)
    for (int l = 0; i + l < A.rows(); ++l) A(i + l, i + r) = columns.x[r][l / columns.width][l % columns.width];
}

/// Columns k + l of what is at or above the diagonal in `upper`, those below it of `lower`.
template <class S>
CORIO_INLINE BlockValues<S> lower_triangle(BlockValues<S> columns, const BlockValues<S>& lower) {
  if constexpr (BlockValues<S>::side == 1)
    return lower;
  else
    BlockValues<S>::each([&](auto r, auto b) CORIO_INLINE_LAMBDA {
      columns.x[r][b] =
          first_lanes<r - b * BlockValues<S>::width>(columns.x[r][b], lower.x[r][b], typename Pack<S>::Lanes());
    });
  return columns;
}

/// A(k + l, i + r) = lower, A(i + r, k + l) = upper, on the diagonal lower, for i <= k, multiples of the side. Of
/// squares that reach past the end of a column, packs write into the beginning of the next: their rows and columns
/// must come before those with smaller i or k.
template <class S, class Matrix>
CORIO_INLINE void store_square(Matrix& A, int i, int k, const BlockValues<S>& lower, const BlockValues<S>& upper) {
  constexpr int width = BlockValues<S>::width, side = BlockValues<S>::side, packs = BlockValues<S>::packs;
  S* const out = A.data();
  const std::ptrdiff_t n = A.rows();
  const auto write = [&](int column, int row, const Pack<S>(&x)[packs]) CORIO_INLINE_LAMBDA {
    repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA { x[b].store(out + column * n + row + b * width); });
  };
  if constexpr (side == 1) {
    write(k, i, upper.x[0]), write(i, k, lower.x[0]);
  } else if (i == k) {
    const BlockValues<S> columns = lower_triangle(upper.transposed(), lower);
    if (i + side > n) return store_last_diagonal(A, i, columns);
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { write(i + r, i, columns.x[r]); });
  } else {
    const BlockValues<S> columns = upper.transposed();
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { write(i + r, k, lower.x[r]); });
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA {
      if (k + r < n) write(k + r, i, columns.x[r]);
    });
  }
}

/// Fills a symmetric matrix from its triangle at and below the diagonal, column k of which is at lower + k stride; that
/// may be the matrix itself.
template <class S>
void fill_symmetric(MatrixX<S>& A, const S* lower, std::ptrdiff_t stride) {
  using Values = BlockValues<S>;
  constexpr int width = Values::width, side = Values::side;
  const int n = static_cast<int>(A.rows()), whole = n / side * side;
  for (int k = whole; k < n; ++k)
    for (int i = k; i < n; ++i) A(i, k) = A(k, i) = lower[k * stride + i];
  for (int i = whole - side; i >= 0; i -= side)
    for (int k = (n - 1) / side * side; k >= i; k -= side) {
      Values x;
      Values::each([&](auto r, auto b)
                       CORIO_INLINE_LAMBDA { x.x[r][b] = Pack<S>::load(lower + (i + r) * stride + k + b * width); });
      store_square(A, i, k, x, x);
    }
}

/// The square of the pairs (i + r, k + l), where i + r is at or above k + l in the tree.
template <class S>
class PairBlock {
 public:
  using Values = BlockValues<S>;
  static constexpr int width = Values::width, side = Values::side;

  /// Of the rows from i on, with the columns of the last related degree of freedom.
  PairBlock(const Model<S>& model, int i) : i_(i), all_end_(model.nv()) {
    int end = 0;
    repeat<side>([&](int r) CORIO_INLINE_LAMBDA {
      end_[r] = i + r < model.nv() ? model.subtree_end_of_dof(i + r) : 0;
      end = std::max(end, end_[r]);
      all_end_ = std::min(all_end_, end_[r]);
    });
    k_ = (end - 1) / side * side;
  }
  /// With the columns from k on.
  CORIO_INLINE PairBlock at(int k) const {
    PairBlock other = *this;
    other.k_ = k;
    return other;
  }
  CORIO_INLINE int lower() const { return k_; }
  /// Whether all rows are at or above all columns from k on.
  CORIO_INLINE bool all_related(int k) const { return k + side <= all_end_; }
  CORIO_INLINE void next() { k_ -= side; }

  /// A(k, i) = lower, A(i, k) = upper for the related pairs; on the diagonal lower.
  template <class Matrix>
  CORIO_INLINE void store(Matrix& A, Values lower, Values upper) const {
    if (!all_related(k_)) keep_related(lower), keep_related(upper);
    store_square(A, i_, k_, lower, upper);
  }
  template <class Matrix>
  CORIO_INLINE void store_symmetric(Matrix& A, const Values& x) const {
    store(A, x, x);
  }

 private:
  CORIO_INLINE void keep_related(Values& v) const {
    Values::each([&](auto r, auto b) CORIO_INLINE_LAMBDA { v.x[r][b] = v.x[r][b].keep(0, end_[r] - k_ - b * width); });
  }

  int i_, k_, end_[side], all_end_;
};

/// f(block, upper, lower) for all blocks with related pairs, from the last on, with the columns of their upper and lower
/// degrees of freedom.
template <class S, class T, class F>
CORIO_INLINE void for_pair_blocks(const Model<S>& model, const PerBlock<S, T>& columns, F&& f) {
  constexpr int side = PairBlock<S>::side;
  for (int i = (model.nv() + side - 1) / side * side - side; i >= 0; i -= side) {
    const T& upper = columns[i];
    for (PairBlock<S> tile(model, i); tile.lower() >= i; tile.next()) f(tile, upper, columns[tile.lower()]);
  }
}

/// Whether squares are the faster way to one product for each pair, beside a loop over the ancestors of each degree of
/// freedom. For crba with two numbers in a register that loop took 0.75 of the time on a binary tree, 0.8 to 0.9 on an
/// arm, a quadruped and a humanoid, 1.1 on a chain of 20; with four and more, squares are ahead on all but the
/// smallest.
template <class S>
inline constexpr bool squares_pay = pack_width<S> > 2;

/// f(b, i, j) for all pairs of degrees of freedom of one joint, that of node b, where it has several: there each is at
/// or above the other, so that the formulas for (i, j) and for (j, i) meet, and an algorithm whose result is not
/// symmetric must say which one holds.
template <class S, class F>
CORIO_INLINE void for_own_pairs(const Model<S>& model, F&& f) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.v_end == node.v_begin + 1) continue;
    for (int i = node.v_begin; i < node.v_end; ++i)
      for (int j = node.v_begin; j < node.v_end; ++j) f(b, i, j);
  }
}

}  // namespace corio::detail
