#pragma once

#include <algorithm>

#include "corio/simd/lanes.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// One component for each degree of freedom of a group, in memory.
template <class S>
struct LaneArray {
  alignas(has_registers<S> ? group_size<S> * sizeof(S) : alignof(S)) S x[group_size<S>];

  LaneArray() = default;
  /// Eigen calls this constructor if EIGEN_INITIALIZE_MATRICES_BY_ZERO is defined.
  explicit LaneArray(int value) { std::fill_n(x, group_size<S>, S(value)); }
};

}}}  // namespace corio::detail

namespace Eigen::internal {

/// The alignment of the number itself.
template <class S, int size>
struct compute_default_alignment<corio::detail::LaneArray<S>, size> {
  enum { value = 0 };
};

}  // namespace Eigen::internal

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// One number for each pair of a tile: row r for i + r, lane l for k + l.
template <class S>
struct TileValues {
  static constexpr int side = group_size<S>;
  Lanes<S> x[side];

  /// Adds p(r) f(l) to each number, or assigns it the first time.
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
  /// Exchanges the entries off the diagonal for rows and lanes that differ in the bit `step`, then for the next bit.
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

/// Returns the lanes of a before lane `count`, and the lanes of b from lane `count` on.
template <int count, class S, int... l>
CORIO_INLINE Lanes<S> first_lanes(const Lanes<S>& a, const Lanes<S>& b, std::integer_sequence<int, l...>) {
  if constexpr (group_size<S> == 1)
    return count > 0 ? a : b;
  else
    return Lanes<S>::template shuffle<(l < count ? l : group_size<S> + l)...>(a, b);
}

}}}  // namespace corio::detail
