#pragma once

#include "corio/simd/pack.hpp"

/// 3-vectors in vector registers, for the kernels that every algorithm waits for: the outward pass and the composites.
/// Three numbers side by side in memory defeat compilers: left to them, these kernels execute two to three times the
/// instructions.
namespace corio::detail {

/// A 3-vector for sums lane by lane: of scalars that have no registers its three numbers.
template <class S>
struct Vec4 {
  S x[3];

  static Vec4 of(const S& x, const S& y, const S& z) { return {{x, y, z}}; }
  static Vec4 all(const S& x) { return {{x, x, x}}; }
  static Vec4 load(const S* x) { return {{x[0], x[1], x[2]}}; }
  static Vec4 load_last(const S* x) { return load(x); }
  void store(S* to) const { to[0] = x[0], to[1] = x[1], to[2] = x[2]; }
  void store_last(S* to) const { store(to); }

  const S& operator[](int l) const { return x[l]; }

  Vec4 operator-() const { return {{-x[0], -x[1], -x[2]}}; }
  friend Vec4 operator+(const Vec4& a, const Vec4& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }
  friend Vec4 operator-(const Vec4& a, const Vec4& b) { return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}}; }
  friend Vec4 operator*(const Vec4& a, const Vec4& b) { return {{a[0] * b[0], a[1] * b[1], a[2] * b[2]}}; }
  friend Vec4 operator*(const Vec4& a, const S& s) { return {{a[0] * s, a[1] * s, a[2] * s}}; }

  /// Three of the numbers of this (0 to 2) and b (4 to 6).
  template <int i, int j, int k, int>
  Vec4 shuffle(const Vec4& b) const {
    const auto pick = [&](int l) -> const S& { return l < 4 ? x[l] : b[l - 4]; };
    return {{pick(i), pick(j), pick(k)}};
  }
  template <int i, int j, int k, int l>
  Vec4 shuffle() const {
    return shuffle<i, j, k, l>(*this);
  }
};

/// Of float and double, with any fourth number, in one register, or in two of the plain instruction set. (As one vector
/// twice as long as a register GCC 12 keeps it in memory.)
template <class S>
requires has_registers<S>
struct Vec4<S> {
  static constexpr int width = pack_width<S>, parts = 4 / width;
  alignas(4 * sizeof(S)) Pack<S> part[parts];

  CORIO_INLINE static Vec4 of(const S& x, const S& y, const S& z) {
    if constexpr (parts == 1)
      return {Pack<S>(typename Pack<S>::Type{x, y, z})};
    else
      return {Pack<S>(typename Pack<S>::Type{x, y}), Pack<S>(typename Pack<S>::Type{z})};
  }
  CORIO_INLINE static Vec4 all(const S& x) {
    return map([&](auto) CORIO_INLINE_LAMBDA { return Pack<S>::all(x); });
  }
  /// Reads four numbers; the three numbers x and the one in front of them, then the fourth is zero.
  CORIO_INLINE static Vec4 load(const S* x) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return Pack<S>::load(x + p * width); });
  }
  CORIO_INLINE static Vec4 load_last(const S* x) {
    if constexpr (parts == 1)
      return load(x - 1).template shuffle<1, 2, 3, 7>(all(S(0)));
    else
      return {Pack<S>::load(x), Pack<S>(typename Pack<S>::Type{x[2]})};
  }
  /// Writes four numbers; three.
  CORIO_INLINE void store(S* to) const {
    repeat<parts>([&](auto p) CORIO_INLINE_LAMBDA { part[p].store(to + p * width); });
  }
  CORIO_INLINE void store_last(S* to) const {
    if constexpr (parts == 1)
      to[0] = part[0][0], to[1] = part[0][1], to[2] = part[0][2];
    else
      part[0].store(to), to[2] = part[1][0];
  }

  CORIO_INLINE S operator[](int l) const { return part[l / width][l % width]; }

  CORIO_INLINE Vec4 operator-() const {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return -part[p]; });
  }
  CORIO_INLINE friend Vec4 operator+(const Vec4& a, const Vec4& b) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return a.part[p] + b.part[p]; });
  }
  CORIO_INLINE friend Vec4 operator-(const Vec4& a, const Vec4& b) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return a.part[p] - b.part[p]; });
  }
  CORIO_INLINE friend Vec4 operator*(const Vec4& a, const Vec4& b) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return a.part[p] * b.part[p]; });
  }
  CORIO_INLINE friend Vec4 operator*(const Vec4& a, const S& s) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return s * a.part[p]; });
  }

  /// Four of the lanes of this (0 to 3) and b (4 to 7).
  template <int i, int j, int k, int l>
  CORIO_INLINE Vec4 shuffle(const Vec4& b) const {
    if constexpr (parts == 1)
      return {Pack<S>::template shuffle<i, j, k, l>(part[0], b.part[0])};
    else
      return {two<i, j>(b), two<k, l>(b)};
  }
  template <int i, int j, int k, int l>
  CORIO_INLINE Vec4 shuffle() const {
    return shuffle<i, j, k, l>(*this);
  }

 private:
  template <class F>
  CORIO_INLINE static Vec4 map(F&& f) {
    if constexpr (parts == 1)
      return {f(Count<0>())};
    else
      return {f(Count<0>()), f(Count<1>())};
  }
  template <int i, int j>
  CORIO_INLINE Pack<S> two(const Vec4& b) const {
    const Pack<S>* const half[] = {&part[0], &part[parts - 1], &b.part[0], &b.part[parts - 1]};
    return Pack<S>::template shuffle<i % 2, 2 + j % 2>(*half[i / 2], *half[j / 2]);
  }
};

/// (y, z, x), (z, x, y) and (x, z, y) of (x, y, z).
template <class S>
CORIO_INLINE Vec4<S> yzx(const Vec4<S>& a) {
  return a.template shuffle<1, 2, 0, 3>();
}
template <class S>
CORIO_INLINE Vec4<S> zxy(const Vec4<S>& a) {
  return a.template shuffle<2, 0, 1, 3>();
}
template <class S>
CORIO_INLINE Vec4<S> xzy(const Vec4<S>& a) {
  return a.template shuffle<0, 2, 1, 3>();
}

/// 1 / x in all lanes, for an x that is in all lanes.
template <class S>
CORIO_INLINE Vec4<S> reciprocal(const Vec4<S>& x) {
  if constexpr (has_registers<S>) {
    Vec4<S> r;
    repeat<Vec4<S>::parts>([&](auto p) CORIO_INLINE_LAMBDA { r.part[p] = Pack<S>::all(S(1)) / x.part[p]; });
    return r;
  } else {
    return Vec4<S>::all(S(1) / x[0]);
  }
}

/// In all lanes the sum of the three numbers. In registers the fourth one must be zero.
template <class S>
CORIO_INLINE Vec4<S> sum_of(const Vec4<S>& a) {
  if constexpr (has_registers<S>) {
    const Vec4<S> pairs = a + a.template shuffle<2, 3, 0, 1>();
    return pairs + pairs.template shuffle<1, 0, 3, 2>();
  } else {
    return Vec4<S>::all(a[0] + a[1] + a[2]);
  }
}

/// a x b in the order z, x, y: sums of them are put in order once, by yzx.
template <class S>
CORIO_INLINE Vec4<S> cross_zxy(const Vec4<S>& a, const Vec4<S>& b) {
  return a * yzx(b) - yzx(a) * b;
}

}  // namespace corio::detail
