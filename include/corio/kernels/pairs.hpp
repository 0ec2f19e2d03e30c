#pragma once

#include <algorithm>

#include "corio/kernels/lanes_of_dofs.hpp"

/// Every pair of related degrees of freedom, the upper one's motions against the lower one's forces. In blocks with a
/// pack on each side, so that what is read and broadcast serves several pairs, and both what belongs at (i, j) and what
/// belongs at (j, i) leaves in whole packs. Row by row, with an entry written at a time, the same took three times as
/// long; blocks of several packs have more pairs that are not related.
namespace corio::inline CORIO_ABI::detail {

/// One number of each of the neighbouring degrees of freedom that make one side of a block.
template <class S>
struct LaneArray {
  alignas(has_registers<S> ? pack_width<S> * sizeof(S) : alignof(S)) S x[pack_width<S>];

  LaneArray() = default;
  /// For EIGEN_INITIALIZE_MATRICES_BY_ZERO.
  explicit LaneArray(int value) { std::fill_n(x, pack_width<S>, S(value)); }
};

}  // namespace corio::detail

namespace Eigen::internal {

/// As the number itself.
template <class S, int size>
struct compute_default_alignment<corio::detail::LaneArray<S>, size> {
  enum { value = 0 };
};

}  // namespace Eigen::internal

namespace corio::inline CORIO_ABI::detail {

/// One number for each pair of a block: a row for each upper one, a lane for each lower one.
template <class S>
struct TileValues {
  static constexpr int side = pack_width<S>;
  Lanes<S> x[side];

  /// += (or =, the first time) p(r) f(l).
  template <bool first>
  CORIO_INLINE void add_product(const LaneArray<S>& p, const LaneArray<S>& f) {
    const Lanes<S> y = Lanes<S>::load(f.x);
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA {
      if constexpr (first)
        x[r] = p.x[r] * y;
      else
        x[r] += p.x[r] * y;
    });
  }
  CORIO_INLINE TileValues operator+(const TileValues& other) const {
    TileValues sum;
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { sum.x[r] = x[r] + other.x[r]; });
    return sum;
  }
  CORIO_INLINE TileValues transposed() const {
    TileValues out = *this;
    out.template transpose<1>();
    return out;
  }

 private:
  /// Exchanges, for rows and lanes that differ in the bit `step`, what is off the diagonal; then the next bit.
  template <int step>
  CORIO_INLINE void transpose() {
    if constexpr (step < side) {
      repeat<side>([&](auto r) CORIO_INLINE_LAMBDA {
        if constexpr ((r & step) == 0) exchange<step>(x[r], x[r + step], typename Lanes<S>::Indices());
      });
      transpose<2 * step>();
    }
  }
  template <int step, int... l>
  CORIO_INLINE static void exchange(Lanes<S>& u, Lanes<S>& v, std::integer_sequence<int, l...>) {
    const Lanes<S> a = u, c = v;
    u = Lanes<S>::template shuffle<((l & step) ? side + l - step : l)...>(a, c);
    v = Lanes<S>::template shuffle<((l & step) ? side + l : l + step)...>(a, c);
  }
};

using corio::dot;

/// V_i . F_j for the pairs of a block.
template <class S>
CORIO_INLINE TileValues<S> dot(const Motion<LaneArray<S>>& V, const Couple<LaneArray<S>>& F) {
  TileValues<S> out;
  repeat<3>([&](auto c)
                CORIO_INLINE_LAMBDA { out.template add_product<c == 0>(V.angular.data()[c], F.moment.data()[c]); });
  return out;
}
template <class S>
CORIO_INLINE TileValues<S> dot(const Motion<LaneArray<S>>& V, const Force<LaneArray<S>>& F) {
  TileValues<S> out = dot(V, Couple<LaneArray<S>>{F.moment});
  repeat<3>([&](auto c)
                CORIO_INLINE_LAMBDA { out.template add_product<false>(V.linear.data()[c], F.force.data()[c]); });
  return out;
}

/// Indices before `count` of a, the others of b.
template <int count, class S, int... l>
CORIO_INLINE Lanes<S> first_lanes(const Lanes<S>& a, const Lanes<S>& b, std::integer_sequence<int, l...>) {
  return Lanes<S>::template shuffle<(l < count ? l : pack_width<S> + l)...>(a, b);
}

/// A block on the diagonal that ends past the matrix.
template <class S, class Matrix>
CORIO_NOINLINE void store_last_diagonal(Matrix& A, int i, const TileValues<S>& columns) {
  for (int r = 0; i + r < A.rows(); ++r)
    for (int l = 0; i + l < A.rows(); ++l) A(i + l, i + r) = columns.x[r][l];
}

/// A(k + l, i + r) = lower, A(i + r, k + l) = upper, on the diagonal lower, for i <= k, multiples of the side. Of
/// blocks that reach past the end of a column, packs write into the beginning of the next: their rows and columns
/// must come before those with smaller i or k.
template <class S, class Matrix>
CORIO_INLINE void store_block(Matrix& A, int i, int k, const TileValues<S>& lower, const TileValues<S>& upper) {
  using Values = TileValues<S>;
  constexpr int side = Values::side;
  S* const out = A.data();
  const std::ptrdiff_t n = A.rows();
  const auto write = [&](int column, int row, const Lanes<S>& x)
                         CORIO_INLINE_LAMBDA { x.store(out + column * n + row); };
  if constexpr (side == 1) {
    write(k, i, upper.x[0]), write(i, k, lower.x[0]);
  } else {
    Values columns = upper.transposed();
    if (i != k) {
      repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { write(i + r, k, lower.x[r]); });
      repeat<side>([&](auto r) CORIO_INLINE_LAMBDA {
        if (k + r < n) write(k + r, i, columns.x[r]);
      });
      return;
    }
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA {
      columns.x[r] = first_lanes<r>(columns.x[r], lower.x[r], typename Lanes<S>::Indices());
    });
    if (i + side > n) return store_last_diagonal(A, i, columns);
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { write(i + r, i, columns.x[r]); });
  }
}

/// Fills a symmetric matrix from its triangle at and below the diagonal, column k of which is at lower + k stride; that
/// may be the matrix itself.
template <class S>
void fill_symmetric(MatrixX<S>& A, const S* lower, std::ptrdiff_t stride) {
  using Values = TileValues<S>;
  constexpr int side = Values::side;
  const int n = static_cast<int>(A.rows()), whole = n / side * side;
  for (int k = whole; k < n; ++k)
    for (int i = k; i < n; ++i) A(i, k) = A(k, i) = lower[k * stride + i];
  for (int i = whole - side; i >= 0; i -= side)
    for (int k = (n - 1) / side * side; k >= i; k -= side) {
      Values x;
      repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { x.x[r] = Lanes<S>::load(lower + (i + r) * stride + k); });
      store_block(A, i, k, x, x);
    }
}

/// Of two degrees of freedom of one joint each is at or above the other, so that the formulas for (i, j) and (j, i)
/// meet: whether they agree, or which one holds for both orders, or the mean of both orders of `lower`.
enum class WithinJoint { agree, lower, upper, mean };

/// The pairs (i + r, k + l) of a block, where i + r is at or above k + l in the tree.
template <class S>
class Tile {
 public:
  using Values = TileValues<S>;
  static constexpr int side = Values::side;

  /// With rows from i and columns from k on. The pairs are those of any degrees of freedom, for i <= k; or
  /// `within_joints`, those of one joint of which i + r is the later one, for i >= k.
  Tile(const Model<S>& model, int i, int k, bool within_joints) : i_(i), k_(k), within_joints_(within_joints) {
    for (int r = 0; r < side; ++r) {
      const int dof = (std::min)(i + r, model.nv() - 1);
      begin_[r] = within_joints ? model.node(model.node_of(dof)).v_begin : k;
      end_[r] = i + r >= model.nv() ? k : within_joints ? i + r : model.subtree_end(dof);
      all_related_ = all_related_ && k + side <= end_[r];
      any_related_ = any_related_ || (std::max)(k, begin_[r]) < end_[r];
    }
  }
  CORIO_INLINE int row() const { return i_; }
  CORIO_INLINE int column() const { return k_; }
  bool any_related() const { return any_related_; }
  bool is_diagonal() const { return i_ == k_ && !within_joints_; }

  /// A(j, i) = lower and A(i, j) = upper for an i above j, on the diagonal lower.
  template <class Matrix>
  CORIO_INLINE void store(Matrix& A, Values lower, Values upper, WithinJoint within = WithinJoint::agree) const {
    if (within_joints_) {
      if (within == WithinJoint::agree) return;
      const Values x = within == WithinJoint::upper ? upper : lower;
      return store_within(A, x, within);
    }
    if (!all_related_) keep_related(lower), keep_related(upper);
    store_block(A, i_, k_, lower, upper);
  }
  /// A(i, j) = A(j, i) = x.
  template <class Matrix>
  CORIO_INLINE void store_symmetric(Matrix& A, Values x) const {
    if (within_joints_) return;
    if (!all_related_) keep_related(x);
    store_block(A, i_, k_, x, x);
  }

 private:
  CORIO_INLINE void keep_related(Values& v) const {
    repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { v.x[r] = v.x[r].keep(0, end_[r] - k_); });
  }
  /// What was stored by the formula for (k + l, i + r) gives way to that for (i + r, k + l).
  template <class Matrix>
  CORIO_NOINLINE void store_within(Matrix& A, const Values& x, WithinJoint within) const {
    for (int r = 0; r < side; ++r)
      for (int j = (std::max)(begin_[r], k_); j < (std::min)(end_[r], k_ + side); ++j) {
        const S& number = x.x[r][j - k_];
        const int i = i_ + r;
        if (within == WithinJoint::lower)
          A(j, i) = number;
        else if (within == WithinJoint::upper)
          A(i, j) = number;
        else
          A(i, j) = A(j, i) = S(0.5) * (A(j, i) + number);
      }
  }

  int i_, k_, begin_[side], end_[side];  // row i + r has related columns [begin_[r], end_[r])
  bool within_joints_, all_related_ = true, any_related_ = false;
};

/// All blocks with related pairs, from the last ones on, as store_block wants, then those within joints.
template <class S>
std::vector<Tile<S>> pair_blocks(const Model<S>& model) {
  constexpr int side = pack_width<S>;
  const int last = (model.nv() + side - 1) / side * side - side;
  std::vector<Tile<S>> blocks;
  const auto add = [&](int i, int k, bool within_joints) {
    if (const Tile<S> block(model, i, k, within_joints); block.any_related()) blocks.push_back(block);
  };
  for (int i = last; i >= 0; i -= side)
    for (int k = last; k >= i; k -= side) add(i, k, false);
  for (int i = last; i >= 0; i -= side)
    for (int k = i; k >= 0; k -= side) add(i, k, true);
  return blocks;
}

/// Those of the blocks whose rows and columns have degrees of freedom that are related to k: all others have no pairs
/// of such.
template <class S>
std::vector<Tile<S>> blocks_with(const Model<S>& model, const std::vector<Tile<S>>& blocks, int k) {
  const auto any_related = [&](int first) {
    bool any = false;
    for (int i = first; i < (std::min)(first + pack_width<S>, model.nv()); ++i)
      any = any || (std::max)(i, k) < model.subtree_end((std::min)(i, k));
    return any;
  };
  std::vector<Tile<S>> out;
  for (const Tile<S>& block : blocks)
    if (any_related(block.row()) && any_related(block.column())) out.push_back(block);
  return out;
}

/// f(k) for the packs of degrees of freedom, from k on, that are in the blocks of such a list.
template <class S, class F>
void for_packs(const std::vector<Tile<S>>& blocks, F&& f) {
  for (const Tile<S>& block : blocks)
    if (block.is_diagonal()) f(block.row());
}

/// What an algorithm needs of each degree of freedom, a T of spatial quantities (T<N> with numbers N), and the loop
/// over all pairs of them that are related.
template <class S, template <class> class T>
class DofColumns {
 public:
  explicit DofColumns(const Model<S>& model)
      : pairs_(pair_blocks(model)), blocks_(static_cast<std::size_t>((model.nv() + side - 1) / side)) {}

  /// f(at, column) for all degrees of freedom, a pack at a time: computes their columns from what they have in Data.
  template <class F>
  CORIO_INLINE void fill(const Model<S>& model, const Data<S>& data, F&& f) {
    for_dof_packs(model, data, [&](int k, const LanesOfDofs<S>& at) CORIO_INLINE_LAMBDA {
      T<Lanes<S>> column;
      f(at, column);
      set(k, column);
    });
  }
  /// Those of k and the degrees of freedom after it, as many as there are lanes.
  CORIO_INLINE void set(int k, const T<Lanes<S>>& column) {
    const auto from = reinterpret_cast<const Lanes<S>*>(&column);
    repeat<size>([&](int r) CORIO_INLINE_LAMBDA { from[r].store(number(k, r)); });
  }

  /// f(pairs, i, j) for all related pairs of degrees of freedom, i at or above j, with their columns, a block at a
  /// time; pairs.store takes the results.
  template <class F>
  CORIO_INLINE void for_pairs(F&& f) const {
    for (const Tile<S>& pairs : pairs_) f(pairs, block(pairs.row()), block(pairs.column()));
  }
  const std::vector<Tile<S>>& pairs() const { return pairs_; }

  /// The columns of the block that begins at k.
  CORIO_INLINE const T<LaneArray<S>>& block(int k) const { return blocks_[index(k)]; }
  /// The columns of k and the degrees of freedom after it, as many as there are lanes.
  CORIO_INLINE T<Lanes<S>> pack(int k) const {
    T<Lanes<S>> column;
    repeat<size>([&](int r)
                     CORIO_INLINE_LAMBDA { reinterpret_cast<Lanes<S>*>(&column)[r] = Lanes<S>::load(number(k, r)); });
    return column;
  }
  /// The column of k.
  CORIO_INLINE T<S> operator[](int k) const {
    T<S> column;
    repeat<size>([&](int r) CORIO_INLINE_LAMBDA { reinterpret_cast<S*>(&column)[r] = *number(k, r); });
    return column;
  }

 private:
  static constexpr int side = pack_width<S>, size = sizeof(T<S>) / sizeof(S);
  static_assert(sizeof(T<Lanes<S>>) == size * sizeof(Lanes<S>) &&
                sizeof(T<LaneArray<S>>) == size * sizeof(LaneArray<S>));

  static std::size_t index(int k) { return static_cast<std::size_t>(k / side); }
  CORIO_INLINE const S* number(int k, int r) const {
    return reinterpret_cast<const LaneArray<S>*>(&blocks_[index(k)])[r].x + k % side;
  }
  CORIO_INLINE S* number(int k, int r) { return const_cast<S*>(std::as_const(*this).number(k, r)); }

  std::vector<Tile<S>> pairs_;
  std::vector<T<LaneArray<S>>> blocks_;
};

}  // namespace corio::detail
