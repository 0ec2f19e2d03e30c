#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "corio/core/detail/inline.hpp"
#include "corio/core/scalar.hpp"

#if !defined(__GNUC__) || (__GNUC__ < 11 && !defined(__clang__))
#error "corio needs the vector extensions of GCC 11 or Clang 14, or newer ones"
#endif

namespace corio { inline namespace CORIO_ABI { namespace detail {

inline constexpr int longest_register_bytes = CORIO_REGISTER_BITS / 8;

/// Number of degrees of freedom in a group: the lanes of a register, but at most four. One for scalars other than float
/// and double.
template <class S>
inline constexpr int group_size = 1;
template <>
inline constexpr int group_size<double> = (std::min)(longest_register_bytes / 8, 4);
template <>
inline constexpr int group_size<float> = 4;

/// Number of lanes for products of matrices: the lanes of the longest registers, but at most eight.
template <class S>
inline constexpr int longest_group = group_size<S>;
template <>
inline constexpr int longest_group<double> = longest_register_bytes / 8;
template <>
inline constexpr int longest_group<float> = (std::min)(longest_register_bytes / 4, 8);

/// True if Lanes<S> are vector registers.
template <class S>
inline constexpr bool has_registers = group_size<S> > 1;
/// True if sines and cosines of all joints are computed together, so that they do not wait for each other.
template <class S>
inline constexpr bool takes_angles_together = has_registers<S> || states_of<S> > 1;

/// Arrays that are read and written by Lanes are this many numbers longer than their content.
template <class S>
inline constexpr int group_padding = group_size<S> - 1;

template <class S, int n>
struct RegisterOf {
  typedef S Type __attribute__((vector_size(n * sizeof(S))));
  // This type aliases numbers only. After a store by memcpy, which may alias everything, the compiler would read
  // pointers and indices again.
  typedef S Unaligned __attribute__((vector_size(n * sizeof(S)), aligned(alignof(S))));
};
template <class S>
struct RegisterOf<S, 1> {
  using Type = S;
  using Unaligned = S;
};

/// Returns the vector of the numbers l.. of a (0 .. n - 1) and b (n .. 2n - 1).
template <int... l, class Vector>
CORIO_INLINE auto shuffle(const Vector& a, const Vector& b) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, l...);
#else  // GCC 11
  using S = std::remove_cvref_t<decltype(a[0])>;
  using Integer = std::conditional_t<sizeof(S) == 8, std::int64_t, std::int32_t>;
  constexpr int n = sizeof(Vector) / sizeof(S);
  if constexpr (sizeof...(l) == n)
    return __builtin_shuffle(a, b, typename RegisterOf<Integer, n>::Type{l...});
  else
    return typename RegisterOf<S, sizeof...(l)>::Type{(l < n ? a[l % n] : b[l % n])...};
#endif
}

/// n numbers, one in each lane of a register, with the arithmetic of one number: Motion<Lanes<S>> holds the motions of
/// n neighbouring degrees of freedom, and a formula written for one motion computes all of them. No other class knows
/// the registers.
template <class S, int n = group_size<S>>
struct Lanes {
  static constexpr int width = n;
  using Type = typename RegisterOf<S, n>::Type;
  using Indices = std::make_integer_sequence<int, n>;
  Type x;

  Lanes() = default;
  CORIO_INLINE explicit Lanes(const Type& numbers) : x(numbers) {}
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, Type>) CORIO_INLINE explicit Lanes(T value)
      : Lanes(all(static_cast<S>(value))) {}

  /// Returns s in all lanes.
  CORIO_INLINE static Lanes all(const S& s) {
    if constexpr (n == 1)
      return Lanes(s);
    else
      return Lanes(s - Type{});
  }
  CORIO_INLINE static Lanes zero() { return all(S(0)); }
  /// Returns one in lane l and zero in the others; all zero if lane l does not exist.
  CORIO_INLINE static Lanes unit(int l) {
    if constexpr (n == 1)
      return all(S(l == 0 ? 1 : 0));
    else
      return all(S(1)).masked(lanes() == S(l));
  }

  CORIO_INLINE static Lanes load(const S* from) {
    const Type numbers = *reinterpret_cast<const typename RegisterOf<S, n>::Unaligned*>(from);
    return Lanes(numbers);
  }
  CORIO_INLINE void store(S* to) const { *reinterpret_cast<typename RegisterOf<S, n>::Unaligned*>(to) = x; }
  /// Writes the first `count` lanes to to[0], to[stride], .., or without a stride to to[0], to[1], ..
  template <int count>
  CORIO_INLINE void store(S* to, std::ptrdiff_t stride, Count<count>) const {
    repeat<count>([&](auto l) CORIO_INLINE_LAMBDA { to[l * stride] = (*this)[l]; });
  }
  template <int count>
  CORIO_INLINE void store(S* to, Count<count> lanes) const {
    if constexpr (count == n)
      store(to);
    else
      store(to, 1, lanes);
  }

  CORIO_INLINE decltype(auto) operator[](int l) const {
    if constexpr (n == 1)
      return (x);
    else
      return S(x[l]);
  }
  CORIO_INLINE void set(int l, const S& s) {
    if constexpr (n == 1)
      x = s;
    else
      x[l] = s;
  }

  /// Returns lanes [begin, end), with the others set to zero. Indices are compared as numbers, since the plain
  /// instruction set cannot compare long integers.
  CORIO_INLINE Lanes keep(int begin, int end) const {
    if constexpr (n == 1)
      return begin <= 0 && end > 0 ? *this : zero();
    else
      return masked((lanes() >= S(begin)) & (lanes() < S(end)));
  }
  /// Returns the lanes in which y is `least` or more, with the others set to zero.
  CORIO_INLINE Lanes keep_where_at_least(const Lanes& y, int least) const {
    if constexpr (n == 1)
      return in_any_state(real_value(y.x) < double(least)) ? zero() : *this;
    else
      return masked(y.x >= S(least));
  }

  /// Returns the lanes l.. of a (0 .. n - 1) and b (n .. 2n - 1).
  template <int... l>
  CORIO_INLINE static Lanes shuffle(const Lanes& a, const Lanes& b) {
    return Lanes(Type(detail::shuffle<l...>(a.x, b.x)));
  }

  CORIO_INLINE Lanes operator-() const { return Lanes(Type(-x)); }
  CORIO_INLINE Lanes& operator+=(const Lanes& b) {
    x += b.x;
    return *this;
  }
  CORIO_INLINE Lanes& operator-=(const Lanes& b) {
    x -= b.x;
    return *this;
  }
  CORIO_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(Type(a.x + b.x)); }
  CORIO_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(Type(a.x - b.x)); }
  CORIO_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(Type(a.x * b.x)); }
  CORIO_INLINE friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(Type(a.x / b.x)); }
  CORIO_INLINE friend Lanes operator*(const S& s, const Lanes& a) { return Lanes(Type(s * a.x)); }
  CORIO_INLINE friend Lanes operator*(const Lanes& a, const S& s) { return s * a; }

 private:
  CORIO_INLINE static Type lanes() {
    return []<int... l>(std::integer_sequence<int, l...>) CORIO_INLINE_LAMBDA { return Type{S(l)...}; }
    (Indices());
  }
  template <class Mask>
  CORIO_INLINE Lanes masked(const Mask& mask) const {
    return Lanes(reinterpret_cast<Type>(reinterpret_cast<Mask>(x) & mask));
  }
};

template <class N, class S>
CORIO_INLINE Vector3<N> broadcast(const Vector3<S>& a) {
  return {N::all(a[0]), N::all(a[1]), N::all(a[2])};
}

/// Calls f(k, count) with a constant count, for the first `rest` of at most n numbers from k on. A loop over a variable
/// count would pass the results through memory.
template <int n, class F>
CORIO_INLINE void for_rest(int rest, int k, F&& f) {
  if constexpr (n > 0) {
    if (rest == n) return f(k, Count<n>());
    for_rest<n - 1>(rest, k, f);
  }
}

}}}  // namespace corio::detail

namespace Eigen {

template <class S, int n>
struct NumTraits<corio::detail::Lanes<S, n>> : NumTraits<S> {
  using Real = corio::detail::Lanes<S, n>;
  using NonInteger = corio::detail::Lanes<S, n>;
  using Nested = corio::detail::Lanes<S, n>;
  enum { IsComplex = 0 };
};

namespace internal {
/// The alignment of Lanes itself: Eigen knows no registers longer than its own packets.
template <class S, int n, int size>
struct compute_default_alignment<corio::detail::Lanes<S, n>, size> {
  enum { value = 0 };
};
}  // namespace internal

}  // namespace Eigen
