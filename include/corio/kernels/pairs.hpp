#pragma once

#include <algorithm>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/simd/tile.hpp"

/// The entries A(i, j) and A(j, i) of matrices, for all related degrees of freedom i at or above j, from motions of i
/// and forces of j. A pack is a few neighbouring degrees of freedom, as many as a register has lanes; a tile is the
/// square of pairs (i + r, k + l) of two packs, in row r and lane l. A tile with one related pair is computed as a
/// whole. (An entry at a time took three times as long; tiles of several packs have more pairs that are not related.)
/// These packs are not the scalar Pack (simd/state_pack.hpp), which holds several states.
namespace corio { inline namespace CORIO_ABI { namespace detail {

using corio::dot;

/// V_i . F_j for the pairs of a tile.
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

/// The last tile on the diagonal when nv is not a multiple of the tile's side.
template <bool above, class S, class Matrix>
CORIO_NOINLINE void store_last(Matrix& A, int i, const TileValues<S>& x) {
  const std::ptrdiff_t n = A.rows();
  S* const to = A.data() + i * n + i;
  repeat<TileValues<S>::side - 1>([&](auto l) CORIO_INLINE_LAMBDA {
    if (i + l < n)
      repeat<l + 1 - above>([&](auto r) CORIO_INLINE_LAMBDA { to[above ? l * n + r : r * n + l] = x.x[r][l]; });
  });
}
/// A(k + l, i + r) = x.x[r][l], in whole registers: lanes past the end of a column are written to the first rows of the
/// next one. Those are of tiles with smaller i or k, which come later, unless store_overlaps.
template <class S, class Matrix>
CORIO_INLINE void store_rows(Matrix& A, int i, int k, const TileValues<S>& x) {
  S* const to = A.data() + i * A.rows() + k;
  repeat<TileValues<S>::side>([&](auto r) CORIO_INLINE_LAMBDA { x.x[r].store(to + r * A.rows()); });
}
/// Whether store_rows writes entries A(i + r, k + l) of one tile.
inline bool store_overlaps(int i, int k, int side, int n) { return i == k || (i == 0 && k == side && n < 2 * side); }

/// For i <= k, at and below the diagonal, without entries A(i + r, k + l).
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
/// A(i + r, k + l) = x.x[r][l] for i <= k, above the diagonal.
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
/// Both triangles from one.
template <class S, class Matrix>
CORIO_INLINE void store_symmetric(Matrix& A, int i, int k, const TileValues<S>& x) {
  if (i + x.side > A.rows()) return store_last<false>(A, i, x), store_last<true>(A, i, x);
  if (i != k) return store_rows(A, i, k, x), store_above(A, i, k, x);
  const TileValues<S> columns = x.transposed();
  repeat<TileValues<S>::side>([&](auto l) CORIO_INLINE_LAMBDA {
    first_lanes<l>(columns.x[l], x.x[l], typename Lanes<S>::Indices()).store(A.data() + (k + l) * A.rows() + i);
  });
}

/// Fills a symmetric matrix from its triangle at and below the diagonal, given as columns at lower + k stride; it may
/// be part of the matrix itself.
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

/// Two degrees of freedom of one joint are each at or above the other, so that each ordered pair of them is reached as
/// (i, j) and as (j, i). By default the formulas of A(i, j) and A(j, i) must agree for them; pairs.ji(A, within_joint)
/// = x says that for them only the formula of A(j, i) holds, in both orders.
enum Within { across_joints, within_joint };

/// The related pairs (i + r, k + l) of a tile.
template <class S>
class Tile {
 public:
  using Values = TileValues<S>;
  static constexpr int side = Values::side;

  /// Rows i, i + 1, .. and columns k, k + 1, ..: for i <= k all pairs with i + r at or above k + l; of `same_joint`,
  /// for i >= k, those with i + r after k + l in one joint.
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
  /// A(i, j) = A(j, i) = x.
  template <class Matrix>
  CORIO_INLINE auto symmetric(Matrix& A, Within within = across_joints) const {
    return entries([&, within](const Values& x) CORIO_INLINE_LAMBDA {
      if (!same_joint_) return store_symmetric(A, i_, k_, related(x));
      if (within == within_joint) store_of_joint(A, x);
    });
  }
  /// A(i, j) = A(j, i) = x, within a joint the mean of x(i, j) and x(j, i).
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
  /// f(A(i + r, j), A(j, i + r), x(i + r, j)) for the pairs (i + r, j) of one joint. The entries are there already,
  /// from the pairs (j, i + r).
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

/// All tiles with related pairs, from the last ones on, as store_below wants, then the tiles of pairs within joints.
template <class S>
Tiles<S> tiles_of_pairs(const Model<S>& model) {
  constexpr int side = pack_width<S>;
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

/// The tiles that have a row and a column related to k.
template <class S>
Tiles<S> tiles_with(const Model<S>& model, const Tiles<S>& tiles, int k) {
  const auto any_related = [&](int first) {
    bool any = false;
    for (int i = first; i < (std::min)(first + pack_width<S>, model.nv()); ++i)
      any = any || (std::max)(i, k) < model.subtree_end((std::min)(i, k));
    return any;
  };
  Tiles<S> out;
  for (const Tile<S>& tile : tiles)
    if (any_related(tile.row()) && any_related(tile.column())) out.push_back(tile);
  return out;
}

/// f(k) for the packs of degrees of freedom k, k + 1, .. in these tiles.
template <class S, class F>
void for_packs(const Tiles<S>& tiles, F&& f) {
  for (const Tile<S>& tile : tiles)
    if (tile.is_diagonal()) f(tile.row());
}

/// The packs of degrees of freedom that are the sides of tiles, one behind the other.
template <class S, template <class> class T>
class PackByPack {
 public:
  explicit PackByPack(int nv) : packs_((nv + side - 1) / side) {}
  CORIO_INLINE const T<LaneArray<S>>& pack(int k) const { return packs_.data()[k / side]; }
  CORIO_INLINE const S* at(int k, int r) const { return numbers_in<LaneArray<S>>(pack(k))[r].x + k % side; }
  CORIO_INLINE S* at(int k, int r) { return const_cast<S*>(std::as_const(*this).at(k, r)); }

 private:
  static constexpr int side = pack_width<S>;
  static_assert(sizeof(T<LaneArray<S>>) / sizeof(LaneArray<S>) == sizeof(T<S>) / sizeof(S));

  Table<T<LaneArray<S>>, struct OfPacks> packs_;
};

/// One column of spatial quantities per degree of freedom, a T<N> with numbers N, and the loop over all related pairs.
template <class S, template <class> class T>
class DofColumns : public DofTable<S, T, PackByPack<S, T>> {
 public:
  explicit DofColumns(const Model<S>& model)
      : DofTable<S, T, PackByPack<S, T>>(model.nv()), tiles_(tiles_of_pairs(model)) {}

  /// f(pairs, i, j) for all related pairs, a tile at a time, with the columns i and j of their degrees of freedom, i at
  /// or above j: assigns entries to pairs.ij(A), pairs.ji(A) and so on, in any order.
  template <class F>
  CORIO_FLATTEN void for_pairs(F&& f) const {
    for (const Tile<S>& pairs : tiles_) f(pairs, in_memory(pairs.row()), in_memory(pairs.column()));
  }
  const Tiles<S>& tiles() const { return tiles_; }
  CORIO_INLINE const T<LaneArray<S>>& in_memory(int k) const { return this->numbers_.pack(k); }

 private:
  Tiles<S> tiles_;
};

}}}  // namespace corio::detail
