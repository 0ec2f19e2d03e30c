#pragma once

#include <algorithm>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/simd/tile.hpp"

/// The entries A(i, j) and A(j, i) of matrices, for all related degrees of freedom i at or above j, from motions of i
/// and forces of j. A pack is a few neighbouring degrees of freedom, as many as a register has lanes; a tile is the
/// square of pairs (i + r, k + l) of two packs, in row r and lane l. A tile with one related pair is computed as a
/// whole. (An entry at a time took three times as long; tiles of several packs have more pairs that are not related.)
namespace corio::inline CORIO_ABI::detail {

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
  for (int r = 0; i + r < A.rows(); ++r)
    for (int l = r + above; i + l < A.rows(); ++l) (above ? A(i + r, i + l) : A(i + l, i + r)) = x.x[r][l];
}
/// A(k + l, i + r) = x.x[r][l] for i <= k, multiples of the side. A whole register is stored, past the end of a column
/// into the first rows of the next one, which are stored later: tiles come in the order of descending i and k, and
/// store_below before store_above.
template <class S, class Matrix>
CORIO_INLINE void store_below(Matrix& A, int i, int k, const TileValues<S>& x) {
  const std::ptrdiff_t n = A.rows();
  if (i + x.side > n) return store_last<false>(A, i, x);
  S* const to = A.data() + i * n + k;
  repeat<TileValues<S>::side>([&](auto r) CORIO_INLINE_LAMBDA { x.x[r].store(to + r * n); });
}
/// A(i + r, k + l) = x.x[r][l]; of a tile on the diagonal only what is above the diagonal.
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
    else if (k + l < n)
      columns.x[l].store(to + l * n);
  });
}
/// Both triangles from one.
template <class S, class Matrix>
CORIO_INLINE void store_symmetric(Matrix& A, int i, int k, const TileValues<S>& x) {
  if (i != k || i + x.side > A.rows()) return store_below(A, i, k, x), store_above(A, i, k, x);
  const TileValues<S> columns = x.transposed();
  repeat<TileValues<S>::side>([&](auto l) CORIO_INLINE_LAMBDA {
    first_lanes<l>(columns.x[l], x.x[l], typename Lanes<S>::Indices()).store(A.data() + (k + l) * A.rows() + i);
  });
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
      store_symmetric(A, i, k, x);
    }
}

/// Two degrees of freedom of one joint are each at the other, so that each of their entries is both an A(i, j) and an
/// A(j, i). Either formula gives it, unless pairs.ji(A, within_joint) = x says that only that of A(j, i) does.
enum Within { across_joints, within_joint };

/// The pairs (i + r, k + l) of a tile, where i + r is at or above k + l in the tree.
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

  /// Left side of an assignment to A(i, j) or A(j, i), for i at or above j. A(j, i), which has the diagonal, must be
  /// assigned before A(i, j), as store_below says.
  template <class F>
  struct Entries {
    F assign;
    CORIO_INLINE void operator=(const Values& x) const { assign(x); }
  };
  template <class Matrix>
  CORIO_INLINE auto ij(Matrix& A) const {
    return entries([&](const Values& x) CORIO_INLINE_LAMBDA {
      if (!within_joints_) store_above(A, i_, k_, related(x));
    });
  }
  template <class Matrix>
  CORIO_INLINE auto ji(Matrix& A, Within within = across_joints) const {
    return entries([&, within](const Values& x) CORIO_INLINE_LAMBDA {
      if (!within_joints_) return store_below(A, i_, k_, related(x));
      if (within == within_joint) for_within([&](int r, int j) { A(j, i_ + r) = x.x[r][j - k_]; });
    });
  }
  /// A(i, j) = A(j, i) = x.
  template <class Matrix>
  CORIO_INLINE auto symmetric(Matrix& A, Within within = across_joints) const {
    return entries([&, within](const Values& x) CORIO_INLINE_LAMBDA {
      if (!within_joints_) return store_symmetric(A, i_, k_, related(x));
      if (within == within_joint) for_within([&](int r, int j) { A(j, i_ + r) = x.x[r][j - k_]; });
    });
  }
  /// A(i, j) = A(j, i) = x; within a joint the mean of x(i, j) and x(j, i).
  template <class Matrix>
  CORIO_INLINE auto mean(Matrix& A) const {
    return entries([&](const Values& x) CORIO_INLINE_LAMBDA {
      if (!within_joints_) return store_symmetric(A, i_, k_, related(x));
      for_within([&](int r, int j) { A(i_ + r, j) = A(j, i_ + r) = S(0.5) * (A(j, i_ + r) + x.x[r][j - k_]); });
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
  /// f(r, j) for the pairs (i + r, j) within joints: their entries, stored before with the roles of the two exchanged,
  /// are overwritten.
  template <class F>
  CORIO_NOINLINE void for_within(F&& f) const {
    for (int r = 0; r < side; ++r)
      for (int j = (std::max)(begin_[r], k_); j < (std::min)(end_[r], k_ + side); ++j) f(r, j);
  }

  int i_, k_, begin_[side], end_[side];  // row i + r has related columns [begin_[r], end_[r])
  bool within_joints_, all_related_ = true, any_related_ = false;
};

/// All tiles with related pairs, from the last ones on, as store_below wants, then those within joints.
template <class S>
std::vector<Tile<S>> tiles_of_pairs(const Model<S>& model) {
  constexpr int side = pack_width<S>;
  const int last = (model.nv() + side - 1) / side * side - side;
  std::vector<Tile<S>> tiles;
  const auto add = [&](int i, int k, bool within_joints) {
    if (const Tile<S> tile(model, i, k, within_joints); tile.any_related()) tiles.push_back(tile);
  };
  for (int i = last; i >= 0; i -= side)
    for (int k = last; k >= i; k -= side) add(i, k, false);
  for (int i = last; i >= 0; i -= side)
    for (int k = i; k >= 0; k -= side) add(i, k, true);
  return tiles;
}

/// The tiles with a row and a column that are related to k.
template <class S>
std::vector<Tile<S>> tiles_with(const Model<S>& model, const std::vector<Tile<S>>& tiles, int k) {
  const auto any_related = [&](int first) {
    bool any = false;
    for (int i = first; i < (std::min)(first + pack_width<S>, model.nv()); ++i)
      any = any || (std::max)(i, k) < model.subtree_end((std::min)(i, k));
    return any;
  };
  std::vector<Tile<S>> out;
  for (const Tile<S>& tile : tiles)
    if (any_related(tile.row()) && any_related(tile.column())) out.push_back(tile);
  return out;
}

/// f(k) for the packs of degrees of freedom k, k + 1, .. in these tiles.
template <class S, class F>
void for_packs(const std::vector<Tile<S>>& tiles, F&& f) {
  for (const Tile<S>& tile : tiles)
    if (tile.is_diagonal()) f(tile.row());
}

/// One column of spatial quantities per degree of freedom, a T<N> with numbers N, and the loop over all related pairs.
template <class S, template <class> class T>
class DofColumns {
 public:
  explicit DofColumns(const Model<S>& model)
      : tiles_(tiles_of_pairs(model)), packs_(static_cast<std::size_t>((model.nv() + side - 1) / side)) {}

  /// Computes the columns: f(of, column) for each pack, where of(table) is the entry of each degree of freedom, or of
  /// its node, in that table of Data.
  template <class F>
  CORIO_FLATTEN void fill(const Model<S>& model, const Data<S>& data, F&& f) {
    for (int k = 0; k < model.nv(); k += side) {
      T<Lanes<S>> column;
      f(LanesOfDofs<S>(model, data, k), column);
      set(k, column);
    }
  }
  /// The columns of degrees of freedom k, k + 1, .., one per lane.
  CORIO_INLINE void set(int k, const T<Lanes<S>>& column) {
    const auto from = reinterpret_cast<const Lanes<S>*>(&column);
    repeat<size>([&](int r) CORIO_INLINE_LAMBDA { from[r].store(number(k, r)); });
  }

  /// f(pairs, i, j) for all related pairs of degrees of freedom, i at or above j, with their columns, a tile at a time;
  /// results are assigned to pairs.ij(A), pairs.ji(A) and so on.
  template <class F>
  CORIO_FLATTEN void for_pairs(F&& f) const {
    for (const Tile<S>& pairs : tiles_) f(pairs, in_memory(pairs.row()), in_memory(pairs.column()));
  }
  const std::vector<Tile<S>>& tiles() const { return tiles_; }
  /// x for all degrees of freedom, to be combined with their columns.
  static auto constant(const Vector3<S>& x) { return broadcast<Lanes<S>>(x); }
  static auto constant(const S& x) { return Lanes<S>::all(x); }
  /// For degrees of freedom k, k + 1, ..: one where f(k), f(k + 1), .., zero elsewhere.
  template <class F>
  Lanes<S> one_where(const Model<S>& model, int k, F&& f) const {
    Lanes<S> x = Lanes<S>::zero();
    for (int j = k; j < (std::min)(k + side, model.nv()); ++j) x.set(j - k, S(f(j)));
    return x;
  }

  /// The columns of the pack that begins at k.
  CORIO_INLINE const T<LaneArray<S>>& in_memory(int k) const { return packs_[index(k)]; }
  /// The columns of degrees of freedom k, k + 1, .., one per lane.
  CORIO_INLINE T<Lanes<S>> pack(int k) const {
    T<Lanes<S>> column;
    repeat<size>([&](int r)
                     CORIO_INLINE_LAMBDA { reinterpret_cast<Lanes<S>*>(&column)[r] = Lanes<S>::load(number(k, r)); });
    return column;
  }
  /// The column of k, in each lane.
  CORIO_INLINE T<Lanes<S>> all(int k) const {
    T<Lanes<S>> column;
    repeat<size>([&](int r)
                     CORIO_INLINE_LAMBDA { reinterpret_cast<Lanes<S>*>(&column)[r] = Lanes<S>::all(*number(k, r)); });
    return column;
  }

 private:
  static constexpr int side = pack_width<S>, size = sizeof(T<S>) / sizeof(S);
  static_assert(sizeof(T<Lanes<S>>) == size * sizeof(Lanes<S>) &&
                sizeof(T<LaneArray<S>>) == size * sizeof(LaneArray<S>));

  static std::size_t index(int k) { return static_cast<std::size_t>(k / side); }
  CORIO_INLINE const S* number(int k, int r) const {
    return reinterpret_cast<const LaneArray<S>*>(&packs_[index(k)])[r].x + k % side;
  }
  CORIO_INLINE S* number(int k, int r) { return const_cast<S*>(std::as_const(*this).number(k, r)); }

  std::vector<Tile<S>> tiles_;
  std::vector<T<LaneArray<S>>> packs_;
};

}  // namespace corio::detail
