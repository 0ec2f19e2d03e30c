#pragma once

#include "corio/simd/block.hpp"
#include "corio/core/vector3.hpp"

namespace corio::detail {

/// A block with the operators of a scalar, so that Motion<Pack<S>> and the like are those of neighbouring degrees of
/// freedom and formulas are written once.
template <class S>
struct PackOf {
  BlockType<S> x;

  PackOf() = default;
  CORIO_INLINE explicit PackOf(const BlockType<S>& block) : x(block) {}
  template <class T>
  requires std::is_arithmetic_v<T> CORIO_INLINE explicit PackOf(T value) : x(static_cast<S>(value) - BlockType<S>{}) {}

  CORIO_INLINE PackOf operator-() const { return PackOf(-x); }
  CORIO_INLINE PackOf& operator+=(const PackOf& b) {
    x += b.x;
    return *this;
  }
  CORIO_INLINE PackOf& operator-=(const PackOf& b) {
    x -= b.x;
    return *this;
  }
  CORIO_INLINE friend PackOf operator+(const PackOf& a, const PackOf& b) { return PackOf(a.x + b.x); }
  CORIO_INLINE friend PackOf operator-(const PackOf& a, const PackOf& b) { return PackOf(a.x - b.x); }
  CORIO_INLINE friend PackOf operator*(const PackOf& a, const PackOf& b) { return PackOf(a.x * b.x); }
};

/// The scalar itself unless it has vector registers.
template <class S>
using Pack = std::conditional_t<Block<S>::width == 1, S, PackOf<S>>;

template <class S>
CORIO_INLINE void store_pack(S* to, const S& x) {
  *to = x;
}
template <class S>
CORIO_INLINE void store_pack(S* to, const PackOf<S>& x) {
  Block<S>::store(to, x.x);
}
template <class N, class S>
CORIO_INLINE N load_pack(const S* from) {
  if constexpr (std::is_same_v<N, S>)
    return *from;
  else
    return N(Block<S>::load(from));
}

template <class S>
CORIO_INLINE const S& block_of(const S& x) {
  return x;
}
template <class S>
CORIO_INLINE const BlockType<S>& block_of(const PackOf<S>& x) {
  return x.x;
}
template <class N, class S>
CORIO_INLINE Vector3<N> broadcast(const Vector3<S>& a) {
  return {N(a[0]), N(a[1]), N(a[2])};
}

/// Number r of each lane's numbers.
template <class S, int... l>
CORIO_INLINE BlockType<S> gather_row(const S* const* lane, int r, std::integer_sequence<int, l...>) {
  return BlockType<S>{lane[l][r]...};
}
#if __has_builtin(__builtin_shufflevector)
/// Rows r and r + 1 of four lanes: two numbers are read at a time, which spares half of the loads and two thirds of the
/// shuffles.
template <class S>
CORIO_INLINE void gather_two_rows(const S* const* lane, int r, BlockType<S>& first, BlockType<S>& second) {
  using Two = RegisterBlock<S, 2>;
  const auto two = [&](int l) CORIO_INLINE_LAMBDA { return Two::load(lane[l] + r); };
  const auto even = __builtin_shufflevector(two(0), two(2), 0, 1, 2, 3);
  const auto odd = __builtin_shufflevector(two(1), two(3), 0, 1, 2, 3);
  first = CORIO_SHUFFLE(even, odd, 0, 4, 2, 6);
  second = CORIO_SHUFFLE(even, odd, 1, 5, 3, 7);
}
#else
template <class S>
CORIO_INLINE void gather_two_rows(const S* const* lane, int r, BlockType<S>& first, BlockType<S>& second) {
  first = gather_row<S>(lane, r, std::make_integer_sequence<int, 4>());
  second = gather_row<S>(lane, r + 1, std::make_integer_sequence<int, 4>());
}
#endif

/// Something made of scalars, as Motion<S> is, lane by lane from different places.
template <template <class> class T, class S>
CORIO_INLINE T<Pack<S>> gather(const T<S>* const (&from)[Block<S>::width]) {
  if constexpr (Block<S>::width == 1) {
    return *from[0];
  } else {
    constexpr int size = sizeof(T<S>) / sizeof(S), width = Block<S>::width;
    static_assert(sizeof(T<Pack<S>>) == size * sizeof(Pack<S>));
    T<Pack<S>> out;
    const auto to = reinterpret_cast<Pack<S>*>(&out);
    const S* lane[width];
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA { lane[l] = reinterpret_cast<const S*>(from[l]); });
    [&]<int... c>(std::integer_sequence<int, c...>) CORIO_INLINE_LAMBDA {
      const auto one = [&](int r) CORIO_INLINE_LAMBDA {
        if constexpr (width == 4)
          if (r % 2 == 1) return gather_two_rows<S>(lane, r - 1, to[r - 1].x, to[r].x);
        if (width != 4 || r == size - 1) to[r].x = gather_row<S>(lane, r, std::make_integer_sequence<int, width>());
      };
      (one(c), ...);
    }
    (std::make_integer_sequence<int, size>());
    return out;
  }
}

/// The first lanes, each to its place.
template <template <class> class T, class S>
CORIO_INLINE void scatter(const T<Pack<S>>& x, T<S>* to, int lanes) {
  if constexpr (Block<S>::width == 1) {
    *to = x;
  } else {
    constexpr int size = sizeof(T<S>) / sizeof(S);
    const auto from = reinterpret_cast<const Pack<S>*>(&x);
    const auto lane = [&](int l) CORIO_INLINE_LAMBDA {
      S* const numbers = reinterpret_cast<S*>(to + l);
      repeat<size>([&](int c) CORIO_INLINE_LAMBDA { numbers[c] = Block<S>::get(from[c].x, l); });
    };
    repeat<Block<S>::width>([&](int l) CORIO_INLINE_LAMBDA {
      if (l < lanes) lane(l);
    });
  }
}

}  // namespace corio::detail

namespace Eigen {

template <class S>
struct NumTraits<corio::detail::PackOf<S>> : NumTraits<S> {
  using Real = corio::detail::PackOf<S>;
  using NonInteger = corio::detail::PackOf<S>;
  using Nested = corio::detail::PackOf<S>;
};

namespace internal {
/// As the pack itself: Eigen knows of no longer registers than those of its own packets.
template <class S, int size>
struct compute_default_alignment<corio::detail::PackOf<S>, size> {
  enum { value = 0 };
};
}  // namespace internal

}  // namespace Eigen
