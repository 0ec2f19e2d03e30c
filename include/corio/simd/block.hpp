#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "corio/core/inline.hpp"

/// As many numbers as a vector register holds, for loops over degrees of freedom.
namespace corio::detail {

/// A block of columns: one coordinate of `width` neighbours. Plain scalars unless the scalar has vector registers.
template <class S>
struct Block {
  static constexpr int width = 1;
  using Type = S;
  static Type zero() { return S(0); }
  static Type load(const S* x) { return *x; }
  static void store(S* x, const Type& block) { *x = block; }
  static const S& get(const Type& block, int) { return block; }
  static Type keep(const Type& x, int begin, int end) { return begin <= 0 && end > 0 ? x : S(0); }
  static Type keep_reaching(const Type& x, const Type&, int, int) { return x; }
  static Type unit(int l) { return S(l == 0 ? 1 : 0); }
};

#if defined(__GNUC__) || defined(__clang__)
template <class S, int lanes_in_all>
struct RegisterBlock {
  static constexpr int width = lanes_in_all;
  typedef S Type __attribute__((vector_size(width * sizeof(S))));
  // Aliases numbers only. A store by memcpy, which may alias everything, made the compiler read pointers and indices
  // again after each.
  typedef S Unaligned __attribute__((vector_size(width * sizeof(S)), aligned(alignof(S))));
  CORIO_INLINE static Type zero() { return Type{}; }
  CORIO_INLINE static Type load(const S* x) { return *reinterpret_cast<const Unaligned*>(x); }
  CORIO_INLINE static void store(S* x, const Type& block) { *reinterpret_cast<Unaligned*>(x) = block; }
  CORIO_INLINE static S get(const Type& block, int l) { return block[l]; }
  /// Lanes [begin, end), the others set to zero. Numbers are compared, as the plain instruction set cannot compare long
  /// integers.
  CORIO_INLINE static Type keep(const Type& x, int begin, int end) {
    const Type lane = lanes();
    const auto mask = (lane >= S(begin)) & (lane < S(end));
    return reinterpret_cast<Type>(reinterpret_cast<decltype(mask)>(x) & mask);
  }
  /// One in lane l, if there is such a lane, zero in the others.
  CORIO_INLINE static Type unit(int l) {
    const auto mask = lanes() == S(l);
    const Type one = Type{} + S(1);
    return reinterpret_cast<Type>(reinterpret_cast<decltype(mask)>(one) & mask);
  }
  /// Of lanes that stand for the numbers from k on: those before `end` whose reach is not less, the others set to zero.
  CORIO_INLINE static Type keep_reaching(const Type& x, const Type& reach, int k, int end) {
    const Type a = reach - S(end), b = S(end - k - 1) - lanes();
    const auto mask = (a < b ? a : b) >= S(0);
    return reinterpret_cast<Type>(reinterpret_cast<decltype(mask)>(x) & mask);
  }

 private:
  CORIO_INLINE static Type lanes() {
    return []<int... l>(std::integer_sequence<int, l...>) CORIO_INLINE_LAMBDA { return Type{S(l)...}; }
    (std::make_integer_sequence<int, width>());
  }
};

#if defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// Four lanes at most, for the quads.
template <class S>
requires(std::is_same_v<S, double> || std::is_same_v<S, float>) struct Block<S>
    : RegisterBlock<S, std::min<int>(4, register_bytes / sizeof(S))> {
};

#endif

template <class S>
using BlockType = typename Block<S>::Type;

/// As much as the longest registers hold (of floats eight), for products of matrices.
template <class S>
struct WideBlock : Block<S> {};
#ifdef __AVX512F__
template <>
struct WideBlock<double> : RegisterBlock<double, 8> {};
#endif
#if defined(__AVX__)
template <>
struct WideBlock<float> : RegisterBlock<float, 8> {};
#endif

/// Memory is laid out for the longest registers, so that versions for several (core/versions.hpp) may share it. Blocks
/// may reach so many numbers past the last one:
template <class S>
inline constexpr int block_padding = Block<S>::width == 1 ? 0 : 3;
/// Lanes of the longest wide block.
template <class S>
inline constexpr int longest_block = Block<S>::width == 1 ? 1 : 8;

/// Lanes of the blocks a (from 0 on) and b (behind them) in another order.
#ifdef __clang__
#define CORIO_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CORIO_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, decltype(a < b){__VA_ARGS__})
#endif

/// Degrees of freedom along the side of a square of pairs (algorithms/tiles.hpp).
template <class S>
inline constexpr int tile_side = block_padding<S> + 1;

/// Writes the first lanes of a block, one every `stride`, or to neighbours.
template <class S, int n>
CORIO_INLINE void store_line(S* to, std::ptrdiff_t stride, Count<n>, const BlockType<S>& x) {
  [&]<int... l>(std::integer_sequence<int, l...>) CORIO_INLINE_LAMBDA { ((to[l * stride] = Block<S>::get(x, l)), ...); }
  (std::make_integer_sequence<int, n>());
}
template <class S, int n>
CORIO_INLINE void store_line(S* to, Count<n> count, const BlockType<S>& x) {
  if constexpr (n == Block<S>::width)
    Block<S>::store(to, x);
  else
    store_line<S>(to, 1, count, x);
}

/// Calls block(k, count) for the last rest <= n columns, from k on.
template <int n, class F>
CORIO_INLINE void for_rest(int rest, int k, F&& block) {
  if constexpr (n > 0) {
    if (rest == n) return block(k, Count<n>());
    for_rest<n - 1>(rest, k, block);
  }
}
/// Calls block(k, count) for [begin, end) in steps of a block, then for the rest. The count is a constant in each call:
/// with a loop over it the results go through memory.
template <class S, class F>
CORIO_INLINE void for_each_block(int begin, int end, F&& block) {
  constexpr int width = Block<S>::width;
  int k = begin;
  for (; k + width <= end; k += width) block(k, Count<width>());
  for_rest<width - 1>(end - k, k, block);
}

}  // namespace corio::detail
