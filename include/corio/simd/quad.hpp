#pragma once

#include "corio/simd/block.hpp"

/// 3-vectors in vector registers, for the kernels that every algorithm waits for: the outward pass and the composites.
/// Three numbers side by side in memory defeat compilers: left to them, these kernels execute two to three times the
/// instructions.
namespace corio::detail {

/// Whether there are quads of S: float and double, where the compiler has vector types.
template <class S>
inline constexpr bool has_quads = Block<S>::width == 4 || Block<S>::width == 2;

/// A 3-vector and any fourth number.
template <class S>
struct Quad;

/// In one register.
template <class S>
requires(Block<S>::width == 4) struct Quad<S> {
  using B = Block<S>;
  alignas(4 * sizeof(S)) BlockType<S> lanes;

  CORIO_INLINE static Quad of(const S& x, const S& y, const S& z) { return {BlockType<S>{x, y, z}}; }
  CORIO_INLINE static Quad all(const S& x) { return {x - BlockType<S>{}}; }
  /// Reads four numbers; the three numbers x and the one in front of them.
  CORIO_INLINE static Quad load(const S* x) { return {B::load(x)}; }
  CORIO_INLINE static Quad load_last(const S* x) { return load(x - 1).template shuffle<1, 2, 3, 3>(); }
  /// Writes four numbers; three.
  CORIO_INLINE void store(S* to) const { B::store(to, lanes); }
  CORIO_INLINE void store_last(S* to) const { to[0] = lanes[0], to[1] = lanes[1], to[2] = lanes[2]; }

  CORIO_INLINE S operator[](int l) const { return lanes[l]; }
  /// Number l in all lanes.
  template <int l>
  CORIO_INLINE Quad spread() const {
    return shuffle<l, l, l, l>();
  }

  CORIO_INLINE friend Quad operator+(const Quad& a, const Quad& b) { return {a.lanes + b.lanes}; }
  CORIO_INLINE friend Quad operator-(const Quad& a, const Quad& b) { return {a.lanes - b.lanes}; }
  CORIO_INLINE friend Quad operator*(const Quad& a, const Quad& b) { return {a.lanes * b.lanes}; }
  CORIO_INLINE friend Quad operator/(const Quad& a, const Quad& b) { return {a.lanes / b.lanes}; }
  CORIO_INLINE friend Quad operator*(const Quad& a, const S& s) { return {a.lanes * s}; }

  /// Four of the lanes of this (0 to 3) and b (4 to 7).
  template <int i, int j, int k, int l>
  CORIO_INLINE Quad shuffle(const Quad& b) const {
    return {CORIO_SHUFFLE(lanes, b.lanes, i, j, k, l)};
  }
  template <int i, int j, int k, int l>
  CORIO_INLINE Quad shuffle() const {
    return shuffle<i, j, k, l>(*this);
  }
};

/// In two registers. As one vector twice as long as a register GCC 12 keeps it in memory.
template <class S>
requires(Block<S>::width == 2) struct Quad<S> {
  using B = Block<S>;
  // As a register of four lanes is.
  alignas(4 * sizeof(S)) BlockType<S> low;
  BlockType<S> high;

  CORIO_INLINE static Quad of(const S& x, const S& y, const S& z) { return {BlockType<S>{x, y}, BlockType<S>{z}}; }
  CORIO_INLINE static Quad all(const S& x) { return {x - BlockType<S>{}, x - BlockType<S>{}}; }
  CORIO_INLINE static Quad load(const S* x) { return {B::load(x), B::load(x + 2)}; }
  CORIO_INLINE static Quad load_last(const S* x) { return {B::load(x), BlockType<S>{x[2]}}; }
  CORIO_INLINE void store(S* to) const { B::store(to, low), B::store(to + 2, high); }
  CORIO_INLINE void store_last(S* to) const { B::store(to, low), to[2] = high[0]; }

  CORIO_INLINE S operator[](int l) const { return l < 2 ? low[l] : high[l - 2]; }
  template <int l>
  CORIO_INLINE Quad spread() const {
    return shuffle<l, l, l, l>();
  }

  CORIO_INLINE friend Quad operator+(const Quad& a, const Quad& b) { return {a.low + b.low, a.high + b.high}; }
  CORIO_INLINE friend Quad operator-(const Quad& a, const Quad& b) { return {a.low - b.low, a.high - b.high}; }
  CORIO_INLINE friend Quad operator*(const Quad& a, const Quad& b) { return {a.low * b.low, a.high * b.high}; }
  CORIO_INLINE friend Quad operator/(const Quad& a, const Quad& b) { return {a.low / b.low, a.high / b.high}; }
  CORIO_INLINE friend Quad operator*(const Quad& a, const S& s) { return {a.low * s, a.high * s}; }

  template <int i, int j, int k, int l>
  CORIO_INLINE Quad shuffle(const Quad& b) const {
    return {pair<i, j>(b), pair<k, l>(b)};
  }
  template <int i, int j, int k, int l>
  CORIO_INLINE Quad shuffle() const {
    return shuffle<i, j, k, l>(*this);
  }

 private:
  template <int i, int j>
  CORIO_INLINE BlockType<S> pair(const Quad& b) const {
    const BlockType<S>* const half[] = {&low, &high, &b.low, &b.high};
    return CORIO_SHUFFLE(*half[i / 2], *half[j / 2], i % 2, 2 + j % 2);
  }
};

/// (y, z, x), (z, x, y) and (x, z, y) of (x, y, z).
template <class S>
CORIO_INLINE Quad<S> yzx(const Quad<S>& a) {
  return a.template shuffle<1, 2, 0, 3>();
}
template <class S>
CORIO_INLINE Quad<S> zxy(const Quad<S>& a) {
  return a.template shuffle<2, 0, 1, 3>();
}
template <class S>
CORIO_INLINE Quad<S> xzy(const Quad<S>& a) {
  return a.template shuffle<0, 2, 1, 3>();
}

/// In all lanes the sum of the four numbers.
template <class S>
CORIO_INLINE Quad<S> sum_of(const Quad<S>& a) {
  const Quad<S> pairs = a + a.template shuffle<2, 3, 0, 1>();
  return pairs + pairs.template shuffle<1, 0, 3, 2>();
}

/// a x b in the order z, x, y: sums of them are put in order once, by yzx.
template <class S>
CORIO_INLINE Quad<S> cross_zxy(const Quad<S>& a, const Quad<S>& b) {
  return a * yzx(b) - yzx(a) * b;
}

}  // namespace corio::detail
