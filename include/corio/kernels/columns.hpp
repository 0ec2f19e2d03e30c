#pragma once

#include <vector>

#include "corio/simd/pack.hpp"
#include "corio/spatial/body_coriolis.hpp"

namespace corio::detail {

/// Where coordinate r of column k is: in a table of n columns, k modulo n, or in one that is as long as it must be.
template <class S, int rows, int n>
struct ColumnStorage {
  alignas(has_registers<S> ? n * sizeof(S) : alignof(S)) S x[rows][n];
  CORIO_INLINE S* at(int r, int k) { return &x[r][k % n]; }
  CORIO_INLINE const S* at(int r, int k) const { return &x[r][k % n]; }
};
template <class S, int rows>
struct ColumnStorage<S, rows, Eigen::Dynamic> {
  explicit ColumnStorage(int n) : stride(n + pack_padding<S>), x(static_cast<std::size_t>(stride * rows), S(0)) {}
  std::ptrdiff_t stride;
  std::vector<S> x;
  CORIO_INLINE S* at(int r, int k) { return x.data() + r * stride + k; }
  CORIO_INLINE const S* at(int r, int k) const { return x.data() + r * stride + k; }
};

/// Columns of numbers, one per degree of freedom, stored by coordinate: coordinate r of column k and of those after it
/// lie side by side, so that packs of neighbouring columns are read and written at once. N is the scalar S or a pack.
template <class S, int rows, int n = Eigen::Dynamic>
struct Columns : ColumnStorage<S, rows, n> {
  using ColumnStorage<S, rows, n>::ColumnStorage;
  using ColumnStorage<S, rows, n>::at;

  /// Three coordinates of column k, from `first` on; of a pack, of as many columns as it has lanes.
  template <class N>
  CORIO_INLINE void set(int k, const Vector3<N>& a, int first = 0) {
    repeat<3>([&](int r) CORIO_INLINE_LAMBDA {
      if constexpr (std::is_same_v<N, S>)
        *at(first + r, k) = a[r];
      else
        a[r].store(at(first + r, k));
    });
  }
  template <class N>
  CORIO_INLINE void set(int k, const Motion<N>& V) {
    set(k, V.angular), set(k, V.linear, 3);
  }
  /// A force, or with three rows its moment.
  template <class N>
  CORIO_INLINE void set(int k, const Force<N>& F) {
    set(k, F.moment);
    if constexpr (rows == 6) set(k, F.force, 3);
  }
  /// The block tr(P) 1 - P of a Coriolis operator, column by column, and its f: 12 rows.
  template <class N>
  CORIO_INLINE void set(int k, const BodyCoriolis<N>& B) {
    const Matrix3<N> T = B.rotational();
    repeat<3>([&](int c) CORIO_INLINE_LAMBDA { set(k, column(T, c), 3 * c); });
    set(k, B.f, 9);
  }

  template <class N = S>
  CORIO_INLINE Vector3<N> vector(int k, int first = 0) const {
    const auto number = [&](int r) CORIO_INLINE_LAMBDA {
      if constexpr (std::is_same_v<N, S>)
        return *at(first + r, k);
      else
        return N::load(at(first + r, k));
    };
    return {number(0), number(1), number(2)};
  }
  template <class N = S>
  CORIO_INLINE Motion<N> motion(int k) const {
    return {vector<N>(k), vector<N>(k, 3)};
  }
  template <class N = S>
  CORIO_INLINE Force<N> force(int k) const {
    return {vector<N>(k), vector<N>(k, 3)};
  }
};

/// Columns of the degrees of freedom that make one side of a square of pairs (kernels/pair_blocks.hpp).
template <class S, int rows>
using BlockColumns = Columns<S, rows, block_side<S>>;

/// A table of block columns, T, for all degrees of freedom: [k] is the one with column k.
template <class S, class T>
class PerBlock {
 public:
  explicit PerBlock(int nv) : tiles_(static_cast<std::size_t>((nv + block_side<S> - 1) / block_side<S>)) {}
  CORIO_INLINE T& operator[](int k) { return tiles_[static_cast<std::size_t>(k / block_side<S>)]; }
  CORIO_INLINE const T& operator[](int k) const { return tiles_[static_cast<std::size_t>(k / block_side<S>)]; }

 private:
  std::vector<T> tiles_;
};

/// The product B V of a Coriolis operator in column k with a motion, and the moment of B^T V.
template <class N, class Operators>
CORIO_INLINE Matrix3<N> rotational(const Operators& B, int k) {
  return from_columns<N>(B.template vector<N>(k), B.template vector<N>(k, 3), B.template vector<N>(k, 6));
}
template <class N, class Operators>
CORIO_INLINE Force<N> times(const Operators& B, const Motion<N>& V, int k) {
  return {rotational<N>(B, k) * V.angular, cross(V.angular, B.template vector<N>(k, 9))};
}
template <class N, class Operators>
CORIO_INLINE Vector3<N> transpose_moment(const Operators& B, const Motion<N>& V, int k) {
  return transpose_times(rotational<N>(B, k), V.angular) - cross(V.linear, B.template vector<N>(k, 9));
}

}  // namespace corio::detail
