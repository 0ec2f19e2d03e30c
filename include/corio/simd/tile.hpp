#pragma once

#include <algorithm>

#include "corio/simd/lanes.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// One number of each degree of freedom of a pack, in memory.
template <class S>
struct LaneArray {
  alignas(has_registers<S> ? pack_width<S> * sizeof(S) : alignof(S)) S x[pack_width<S>];

  LaneArray() = default;
  /// For EIGEN_INITIALIZE_MATRICES_BY_ZERO.
  explicit LaneArray(int value) { std::fill_n(x, pack_width<S>, S(value)); }
};

}}}  // namespace corio::detail

namespace Eigen::internal {

/// That of the number itself.
template <class S, int size>
struct compute_default_alignment<corio::detail::LaneArray<S>, size> {
  enum { value = 0 };
};

}  // namespace Eigen::internal

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// One number for each pair of a tile: a row for each i, a lane for each j.
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
  /// Exchanges, for rows and lanes that differ in the bit `step`, the entries off the diagonal; then the next bit.
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

/// Lanes before `count` of a, the others of b.
template <int count, class S, int... l>
CORIO_INLINE Lanes<S> first_lanes(const Lanes<S>& a, const Lanes<S>& b, std::integer_sequence<int, l...>) {
  if constexpr (pack_width<S> == 1)
    return count > 0 ? a : b;
  else
    return Lanes<S>::template shuffle<(l < count ? l : pack_width<S> + l)...>(a, b);
}

}}}  // namespace corio::detail
