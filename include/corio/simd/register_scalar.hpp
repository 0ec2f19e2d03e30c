#pragma once

#include "corio/simd/lanes.hpp"

/// 3-vectors in vector registers, for loops from body to body: the outward pass, composites, articulated bodies.
/// Compilers do not vectorise 3-vectors in memory; without these types such loops execute two to three times the
/// instructions.
namespace corio { inline namespace CORIO_ABI {

template <class S>
struct RegisterScalar;
template <class S>
struct PaddedCross;

/// A 3-vector and a fourth number of any value, in one register, or in two of the plain instruction set (GCC 12 would
/// keep one vector twice as long as a register in memory).
template <class S>
struct PaddedVector3 {
  static constexpr int width = detail::group_size<S>, parts = 4 / width;
  alignas(detail::has_registers<S> ? 4 * sizeof(S) : alignof(detail::Lanes<S>)) detail::Lanes<S> part[parts];

  CORIO_INLINE static PaddedVector3 all(const S& x) {
    return map([&](auto) CORIO_INLINE_LAMBDA { return detail::Lanes<S>::all(x); });
  }
  /// load reads x[0] .. x[3]. load_last, for the end of an array, reads x[-1] .. x[2]; its fourth number is zero.
  CORIO_INLINE static PaddedVector3 load(const S* x) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return detail::Lanes<S>::load(x + p * width); });
  }
  CORIO_INLINE static PaddedVector3 load_last(const S* x) {
    if constexpr (parts == 1)
      return load(x - 1).template shuffle<1, 2, 3, 7>(all(S(0)));
    else
      return {detail::Lanes<S>::load(x), detail::Lanes<S>(typename detail::Lanes<S>::Type{x[2]})};
  }
  /// store writes four numbers, store_last writes three.
  CORIO_INLINE void store(S* to) const {
    detail::repeat<parts>([&](auto p) CORIO_INLINE_LAMBDA { part[p].store(to + p * width); });
  }
  CORIO_INLINE void store_last(S* to) const {
    if constexpr (parts == 1)
      to[0] = part[0][0], to[1] = part[0][1], to[2] = part[0][2];
    else
      part[0].store(to), to[2] = part[1][0];
  }

  CORIO_INLINE S operator[](int l) const { return part[l / width][l % width]; }

  CORIO_INLINE PaddedVector3 operator-() const {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return -part[p]; });
  }
  CORIO_INLINE friend PaddedVector3 operator+(const PaddedVector3& a, const PaddedVector3& b) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return a.part[p] + b.part[p]; });
  }
  CORIO_INLINE friend PaddedVector3 operator-(const PaddedVector3& a, const PaddedVector3& b) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return a.part[p] - b.part[p]; });
  }
  CORIO_INLINE PaddedVector3& operator+=(const PaddedVector3& b) { return *this = *this + b; }
  CORIO_INLINE PaddedVector3& operator-=(const PaddedVector3& b) { return *this = *this - b; }
  /// Operates element by element.
  CORIO_INLINE friend PaddedVector3 operator*(const PaddedVector3& a, const PaddedVector3& b) {
    return map([&](auto p) CORIO_INLINE_LAMBDA { return a.part[p] * b.part[p]; });
  }
  CORIO_INLINE friend PaddedVector3 operator*(const PaddedVector3& a, const RegisterScalar<S>& s) {
    return a * s.lanes;
  }
  CORIO_INLINE friend PaddedVector3 operator*(const RegisterScalar<S>& s, const PaddedVector3& a) {
    return a * s.lanes;
  }
  CORIO_INLINE friend PaddedCross<S> cross(const PaddedVector3& a, const PaddedVector3& b) {
    return {a * yzx(b) - yzx(a) * b};
  }

  /// Returns lanes i, j, k, l of this vector (0 to 3) and of b (4 to 7).
  template <int i, int j, int k, int l>
  CORIO_INLINE PaddedVector3 shuffle(const PaddedVector3& b) const {
    if constexpr (parts == 1)
      return {detail::Lanes<S>::template shuffle<i, j, k, l>(part[0], b.part[0])};
    else
      return {two<i, j>(b), two<k, l>(b)};
  }
  template <int i, int j, int k, int l>
  CORIO_INLINE PaddedVector3 shuffle() const {
    return shuffle<i, j, k, l>(*this);
  }

  /// Returns the vector with parts f(0), f(1).
  template <class F>
  CORIO_INLINE static PaddedVector3 map(F&& f) {
    if constexpr (parts == 1)
      return {f(detail::Count<0>())};
    else
      return {f(detail::Count<0>()), f(detail::Count<1>())};
  }

 private:
  template <int i, int j>
  CORIO_INLINE detail::Lanes<S> two(const PaddedVector3& b) const {
    const detail::Lanes<S>* const half[] = {&part[0], &part[parts - 1], &b.part[0], &b.part[parts - 1]};
    return detail::Lanes<S>::template shuffle<i % 2, 2 + j % 2>(*half[i / 2], *half[j / 2]);
  }
};

/// Return (y, z, x), (z, x, y) and (x, z, y) for (x, y, z).
template <class S>
CORIO_INLINE PaddedVector3<S> yzx(const PaddedVector3<S>& a) {
  return a.template shuffle<1, 2, 0, 3>();
}
template <class S>
CORIO_INLINE PaddedVector3<S> zxy(const PaddedVector3<S>& a) {
  return a.template shuffle<2, 0, 1, 3>();
}
template <class S>
CORIO_INLINE PaddedVector3<S> xzy(const PaddedVector3<S>& a) {
  return a.template shuffle<0, 2, 1, 3>();
}

/// A cross product with its components in the order z, x, y in which it is computed, so that a sum of several products
/// is reordered only once.
template <class S>
struct PaddedCross {
  PaddedVector3<S> in_zxy;

  CORIO_INLINE operator PaddedVector3<S>() const { return yzx(in_zxy); }  // NOLINT(google-explicit-constructor)
  CORIO_INLINE friend PaddedCross operator+(const PaddedCross& a, const PaddedCross& b) {
    return {a.in_zxy + b.in_zxy};
  }
};

/// One number, in all four lanes: the scalar of spatial quantities whose 3-vectors are PaddedVector3, such as
/// Motion<RegisterScalar<double>>. A formula written for Motion<double> holds for them, too.
template <class S>
struct RegisterScalar {
  PaddedVector3<S> lanes;

  RegisterScalar() = default;
  CORIO_INLINE RegisterScalar(const S& x) : lanes(PaddedVector3<S>::all(x)) {}  // NOLINT(google-explicit-constructor)
  CORIO_INLINE explicit RegisterScalar(const PaddedVector3<S>& x) : lanes(x) {}
  CORIO_INLINE explicit operator S() const { return lanes[0]; }

  CORIO_INLINE friend RegisterScalar operator+(const RegisterScalar& a, const RegisterScalar& b) {
    return RegisterScalar(a.lanes + b.lanes);
  }
  CORIO_INLINE friend RegisterScalar operator-(const RegisterScalar& a, const RegisterScalar& b) {
    return RegisterScalar(a.lanes - b.lanes);
  }
  CORIO_INLINE friend RegisterScalar operator*(const RegisterScalar& a, const RegisterScalar& b) {
    return RegisterScalar(a.lanes * b.lanes);
  }
  CORIO_INLINE friend RegisterScalar operator/(const RegisterScalar& a, const RegisterScalar& b) {
    return RegisterScalar(
        PaddedVector3<S>::map([&](auto p) CORIO_INLINE_LAMBDA { return a.lanes.part[p] / b.lanes.part[p]; }));
  }
  CORIO_INLINE RegisterScalar& operator+=(const RegisterScalar& b) { return *this = *this + b; }
};

/// Returns the sum of three numbers; the fourth one must be zero.
template <class S>
CORIO_INLINE RegisterScalar<S> sum_of(const PaddedVector3<S>& a) {
  const PaddedVector3<S> pairs = a + a.template shuffle<2, 3, 0, 1>();
  return RegisterScalar<S>(pairs + pairs.template shuffle<1, 0, 3, 2>());
}

/// The number type of loops from body to body: RegisterScalar<S> if S has registers, otherwise S.
template <class S>
using InRegisters = std::conditional_t<detail::has_registers<S>, RegisterScalar<S>, S>;

}}  // namespace corio
