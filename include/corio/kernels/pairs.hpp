#pragma once

#include <algorithm>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/simd/tile.hpp"

/// The entries A(i, j) and A(j, i) of matrices, for all related degrees of freedom i at or above j, from motions of i
/// and forces of j. A group is a few neighbouring degrees of freedom, as many as a register has lanes; a tile is the
/// square of pairs (i + r, k + l) of two groups, in row r and lane l. A tile with one related pair is computed as a
/// whole. (An entry at a time took three times as long; tiles of several groups have more pairs that are not related.)
namespace corio { inline namespace CORIO_ABI { namespace detail {

using corio::dot;

/// Returns V_i . F_j for the pairs of a tile.
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

/// Stores the last tile on the diagonal if nv is not a multiple of the tile's side.
template <bool above, class S, class Matrix>
CORIO_NOINLINE void store_last(Matrix& A, int i, const TileValues<S>& x) {
  const std::ptrdiff_t n = A.rows();
  S* const to = A.data() + i * n + i;
  repeat<TileValues<S>::side - 1>([&](auto l) CORIO_INLINE_LAMBDA {
    if (i + l < n)
      repeat<l + 1 - above>([&](auto r) CORIO_INLINE_LAMBDA { to[above ? l * n + r : r * n + l] = x.x[r][l]; });
  });
}
/// Stores A(k + l, i + r) = x.x[r][l] in whole registers: lanes past the end of a column overwrite the first rows of
/// the next column. These rows belong to tiles with smaller i or k, which are stored later, unless store_overlaps.
template <class S, class Matrix>
CORIO_INLINE void store_rows(Matrix& A, int i, int k, const TileValues<S>& x) {
  S* const to = A.data() + i * A.rows() + k;
  repeat<TileValues<S>::side>([&](auto r) CORIO_INLINE_LAMBDA { x.x[r].store(to + r * A.rows()); });
}
/// True if store_rows overwrites entries A(i + r, k + l) of the same tile.
inline bool store_overlaps(int i, int k, int side, int n) { return i == k || (i == 0 && k == side && n < 2 * side); }

/// Stores A(k + l, i + r) = x.x[r][l] for i <= k, at and below the diagonal, and leaves the entries A(i + r, k + l).
template <class S, class Matrix>
CORIO_INLINE void store_below(Matrix& A, int i, int k, const TileValues<S>& x) {
  const std::ptrdiff_t n = A.rows();
  S* const to = A.data() + i * n + k;
  if (i + x.side > n) return store_last<false>(A, i, x);
  if (i == k)
    return repeat<TileValues<S>::side>([&](auto r) CORIO_INLINE_LAMBDA {
      first_lanes<r>(Lanes<S>::load(to + r * n), x.x[r], typename Lanes<S>::Indices()).store(to + r * n);
    });
  const Lanes<S> kept = Lanes<S>::load(A.data() + (i + x.side) * n);
  store_rows(A, i, k, x);
  kept.store(A.data() + (i + x.side) * n);
}
/// Stores A(i + r, k + l) = x.x[r][l] for i <= k, above the diagonal.
template <class S, class Matrix>
CORIO_INLINE void store_above(Matrix& A, int i, int k, const TileValues<S>& x) {
  using Indices = typename Lanes<S>::Indices;
  const std::ptrdiff_t n = A.rows();
  if (i + x.side > n) return store_last<true>(A, i, x);
  S* const to = A.data() + k * n + i;
  const TileValues<S> columns = x.transposed();
  repeat<TileValues<S>::side>([&](auto l) CORIO_INLINE_LAMBDA {
    if (i == k)
      first_lanes<l>(columns.x[l], Lanes<S>::load(to + l * n), Indices()).store(to + l * n);
    else if (l == 0 || k + l < n)
      columns.x[l].store(to + l * n);
  });
}
/// Stores both A(i + r, k + l) and A(k + l, i + r).
template <class S, class Matrix>
CORIO_INLINE void store_symmetric(Matrix& A, int i, int k, const TileValues<S>& x) {
  if (i + x.side > A.rows()) return store_last<false>(A, i, x), store_last<true>(A, i, x);
  if (i != k) return store_rows(A, i, k, x), store_above(A, i, k, x);
  const TileValues<S> columns = x.transposed();
  repeat<TileValues<S>::side>([&](auto l) CORIO_INLINE_LAMBDA {
    first_lanes<l>(columns.x[l], x.x[l], typename Lanes<S>::Indices()).store(A.data() + (k + l) * A.rows() + i);
  });
}

/// Fills a symmetric matrix from its triangle at and below the diagonal, whose column k begins at lower + k stride. The
/// triangle may lie in the matrix itself.
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
      store_symmetric(A, i, k, x);
    }
}

/// Pairs inside one joint come twice, as (i, j) and as (j, i), since each of the two degrees of freedom is at or above
/// the other. By default both formulas of an assignment must give them the same entries. `within_joint` names the
/// formula that writes them instead: after pairs.ji(A, within_joint) = x, both entries are from the formula x.
enum Within { across_joints, within_joint };

/// A tile, with the bounds of its related pairs (i + r, k + l).
template <class S>
class Tile {
 public:
  using Values = TileValues<S>;
  static constexpr int side = Values::side;

  /// The tile has rows i, i + 1, .. and columns k, k + 1, .. For i <= k all pairs with i + r at or above k + l are
  /// related; with `same_joint`, for i >= k, the pairs within one joint in which i + r comes after k + l.
  Tile(const Model<S>& model, int i, int k, bool same_joint) : i_(i), k_(k), same_joint_(same_joint) {
    overlaps_ = store_overlaps(i, k, side, model.nv());
    for (int r = 0; r < side; ++r) {
      const int dof = (std::min)(i + r, model.nv() - 1);
      begin_[r] = same_joint ? (std::max)(k, model.node(model.node_of(dof)).v_begin) : k;
      end_[r] = (std::min)(k + side, same_joint ? i + r : model.subtree_end(dof));
      if (i + r >= model.nv()) end_[r] = k;  // no such row
      all_related_ = all_related_ && k + side == end_[r];
      any_related_ = any_related_ || begin_[r] < end_[r];
    }
  }
  CORIO_INLINE int row() const { return i_; }
  CORIO_INLINE int column() const { return k_; }
  bool any_related() const { return any_related_; }
  bool is_within_joint() const { return same_joint_; }
  bool is_diagonal() const { return i_ == k_ && !same_joint_; }

  /// Left side of an assignment to the entries of a tile, for i at or above j; the diagonal is given by A(j, i).
  template <class F>
  struct Entries {
    F assign;
    CORIO_INLINE void operator=(const Values& x) const { assign(x); }
  };
  template <class Matrix>
  CORIO_INLINE auto ij(Matrix& A) const {
    return entries([&](const Values& x) CORIO_INLINE_LAMBDA {
      if (!same_joint_) store_above(A, i_, k_, related(x));
    });
  }
  template <class Matrix>
  CORIO_INLINE auto ji(Matrix& A, Within within = across_joints) const {
    return entries([&, within](const Values& x) CORIO_INLINE_LAMBDA {
      if (!same_joint_) return overlaps_ ? store_below(A, i_, k_, related(x)) : store_rows(A, i_, k_, related(x));
      if (within == within_joint) store_of_joint(A, x);
    });
  }
  /// Assigns A(i, j) = A(j, i) = x.
  template <class Matrix>
  CORIO_INLINE auto symmetric(Matrix& A, Within within = across_joints) const {
    return entries([&, within](const Values& x) CORIO_INLINE_LAMBDA {
      if (!same_joint_) return store_symmetric(A, i_, k_, related(x));
      if (within == within_joint) store_of_joint(A, x);
    });
  }
  /// Assigns A(i, j) = A(j, i) = x; within a joint, the mean of x(i, j) and x(j, i).
  template <class Matrix>
  CORIO_INLINE auto mean(Matrix& A) const {
    return entries([&](const Values& x) CORIO_INLINE_LAMBDA {
      if (!same_joint_) return store_symmetric(A, i_, k_, related(x));
      for_pairs_of_joint(A, x, [](S& ij, S& ji, const S& value) { ij = ji = S(0.5) * (ji + value); });
    });
  }

 private:
  template <class F>
  CORIO_INLINE static Entries<F> entries(F assign) {
    return {assign};
  }
  CORIO_INLINE Values related(Values v) const {
    if (!all_related_) repeat<side>([&](auto r) CORIO_INLINE_LAMBDA { v.x[r] = v.x[r].keep(0, end_[r] - k_); });
    return v;
  }
  template <class Matrix>
  CORIO_INLINE void store_of_joint(Matrix& A, const Values& x) const {
    for_pairs_of_joint(A, x, [](S&, S& ji, const S& value) { ji = value; });
  }
  /// Calls f(A(i + r, j), A(j, i + r), x(i + r, j)) for the pairs (i + r, j) of one joint, whose entries the pairs
  /// (j, i + r) have written before.
  template <class Matrix, class F>
  CORIO_NOINLINE void for_pairs_of_joint(Matrix& A, const Values& x, F&& f) const {
    const std::ptrdiff_t n = A.rows();
    for (int r = 0; r < side; ++r)
      for (int j = begin_[r]; j < end_[r]; ++j) f(A.data()[j * n + i_ + r], A.data()[(i_ + r) * n + j], x.x[r][j - k_]);
  }

  int i_, k_, begin_[side], end_[side];  // row i + r has the related columns [begin_[r], end_[r])
  bool same_joint_, overlaps_, all_related_ = true, any_related_ = false;
};

template <class S>
using Tiles = Table<Tile<S>, struct OfTiles>;

/// Returns all tiles with related pairs, the last one first, as store_below requires; then the tiles within joints.
template <class S>
Tiles<S> tiles_of_pairs(const Model<S>& model) {
  constexpr int side = group_size<S>;
  const int last = (model.nv() + side - 1) / side * side - side;
  Tiles<S> tiles;
  const auto add = [&](int i, int k, bool same_joint) {
    if (const Tile<S> tile(model, i, k, same_joint); tile.any_related()) tiles.push_back(tile);
  };
  for (int i = last; i >= 0; i -= side)
    for (int k = last; k >= i; k -= side) add(i, k, false);
  for (int i = last; i >= 0; i -= side)
    for (int k = i; k >= 0; k -= side) add(i, k, true);
  return tiles;
}

/// Returns the tiles that have a row and a column related to k.
template <class S>
Tiles<S> tiles_with(const Model<S>& model, const Tiles<S>& tiles, int k) {
  const auto any_related = [&](int first) {
    bool any = false;
    for (int i = first; i < (std::min)(first + group_size<S>, model.nv()); ++i)
      any = any || (std::max)(i, k) < model.subtree_end((std::min)(i, k));
    return any;
  };
  Tiles<S> out;
  for (const Tile<S>& tile : tiles)
    if (any_related(tile.row()) && any_related(tile.column())) out.push_back(tile);
  return out;
}

/// Calls f(k) for each group of degrees of freedom k, k + 1, .. that is a side of these tiles.
template <class S, class F>
void for_groups(const Tiles<S>& tiles, F&& f) {
  for (const Tile<S>& tile : tiles)
    if (tile.is_diagonal()) f(tile.row());
}

/// A table with one entry for each group of degrees of freedom, the sides of the tiles.
template <class S, template <class> class T>
class GroupByGroup {
 public:
  explicit GroupByGroup(int nv) : groups_((nv + side - 1) / side) {}
  CORIO_INLINE const T<LaneArray<S>>& group(int k) const { return groups_.data()[k / side]; }
  CORIO_INLINE const S* at(int k, int r) const { return numbers_in<LaneArray<S>>(group(k))[r].x + k % side; }
  CORIO_INLINE S* at(int k, int r) { return const_cast<S*>(std::as_const(*this).at(k, r)); }

 private:
  static constexpr int side = group_size<S>;
  static_assert(sizeof(T<LaneArray<S>>) / sizeof(LaneArray<S>) == sizeof(T<S>) / sizeof(S));

  Table<T<LaneArray<S>>, struct OfGroups> groups_;
};

/// A column of spatial quantities, a T<N> with numbers N, for each degree of freedom, and the loop over related pairs.
template <class S, template <class> class T>
class DofColumns : public DofTable<S, T, GroupByGroup<S, T>> {
 public:
  explicit DofColumns(const Model<S>& model)
      : DofTable<S, T, GroupByGroup<S, T>>(model.nv()), tiles_(tiles_of_pairs(model)) {}

  /// Calls f(pairs, i, j) once for each tile with related pairs, with the columns i and j of their degrees of freedom,
  /// i at or above j; f assigns entries to pairs.ij(A), pairs.ji(A) and so on, in any order.
  template <class F>
  CORIO_FLATTEN void for_pairs(F&& f) const {
    for (const Tile<S>& pairs : tiles_) f(pairs, in_memory(pairs.row()), in_memory(pairs.column()));
  }
  const Tiles<S>& tiles() const { return tiles_; }
  CORIO_INLINE const T<LaneArray<S>>& in_memory(int k) const { return this->numbers_.group(k); }

 private:
  Tiles<S> tiles_;
};

}}}  // namespace corio::detail
