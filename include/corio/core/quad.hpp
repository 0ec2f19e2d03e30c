#pragma once

#include <type_traits>

#include "corio/core/inline.hpp"

/// 3-vectors in vector registers, for the kernels that every algorithm waits for: the outward pass and the inertias in
/// world axes. Three numbers side by side in memory defeat compilers: left to them, these kernels take two to three
/// times the instructions.
namespace corio::detail {

/// Whether there are quads of S.
template <class S>
inline constexpr bool has_quads =
#if defined(__GNUC__) || defined(__clang__)
    std::is_same_v<S, double> || std::is_same_v<S, float>;
#else
    false;
#endif

template <class S>
struct Quad;

#if defined(__GNUC__) || defined(__clang__)
/// A 3-vector and any fourth number, in one register or in two. A class and not the bare vector type, because
/// returning that is another ABI with AVX than without.
template <class S>
requires has_quads<S>
struct Quad<S> {
  typedef S Lanes __attribute__((vector_size(4 * sizeof(S))));
  // Aliases numbers only (see Block).
  typedef S Unaligned __attribute__((vector_size(4 * sizeof(S)), aligned(alignof(S))));
  Lanes lanes;

  /// Reads four numbers.
  CORIO_INLINE static Quad load(const S* x) { return {*reinterpret_cast<const Unaligned*>(x)}; }
  /// Reads the three numbers x and the one in front of them.
  CORIO_INLINE static Quad load_last(const S* x) {
    const Quad shifted = load(x - 1);
    return {shuffle<1, 2, 3, 3>(shifted.lanes, shifted.lanes)};
  }
  /// Writes four numbers.
  CORIO_INLINE void store(S* to) const { *reinterpret_cast<Unaligned*>(to) = lanes; }
  /// Writes three.
  CORIO_INLINE void store_last(S* to) const { to[0] = lanes[0], to[1] = lanes[1], to[2] = lanes[2]; }

  CORIO_INLINE friend Quad operator+(const Quad& a, const Quad& b) { return {a.lanes + b.lanes}; }
  CORIO_INLINE friend Quad operator-(const Quad& a, const Quad& b) { return {a.lanes - b.lanes}; }
  CORIO_INLINE friend Quad operator*(const Quad& a, const S& s) { return {a.lanes * s}; }

  /// (y, z, x) of (x, y, z).
  CORIO_INLINE Quad yzx() const { return {shuffle<1, 2, 0, 3>(lanes, lanes)}; }
  /// a x b in the order z, x, y: sums of them are put in order once, by yzx.
  CORIO_INLINE friend Quad cross_zxy(const Quad& a, const Quad& b) {
    return {a.lanes * b.yzx().lanes - a.yzx().lanes * b.lanes};
  }

  /// Four of the lanes of a (0 to 3) and b (4 to 7).
  template <int i, int j, int k, int l>
  CORIO_INLINE static Lanes shuffle(const Lanes& a, const Lanes& b) {
#ifdef __clang__
    return __builtin_shufflevector(a, b, i, j, k, l);
#else
    return __builtin_shuffle(a, b, decltype(a < b){i, j, k, l});
#endif
  }
};
#endif

}  // namespace corio::detail
