#pragma once

#include <type_traits>

#include "corio/simd/lanes.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// One number of each of several columns, in n registers P. A step of a sweep waits for the step before, so that two
/// registers take little longer than one.
template <class P, int n>
struct ColumnLanes {
  static constexpr int width = n * P::width;
  P of[n];

  ColumnLanes() = default;
  template <class T>
  requires std::is_arithmetic_v<T> CORIO_INLINE explicit ColumnLanes(T x)
      : ColumnLanes(each([&](auto) CORIO_INLINE_LAMBDA { return P(x); })) {}

  template <class S>
  CORIO_INLINE static ColumnLanes all(const S& x) {
    return each([&](auto) CORIO_INLINE_LAMBDA { return P::all(x); });
  }
  /// Returns one in column c and zero in the others.
  CORIO_INLINE static ColumnLanes unit(int c) {
    return each([&](auto i) CORIO_INLINE_LAMBDA { return P::unit(c - i * P::width); });
  }
  /// Returns the columns before c, and zero in the others.
  CORIO_INLINE ColumnLanes keep(int c) const {
    return each([&](auto i) CORIO_INLINE_LAMBDA { return of[i].keep(0, c - i * P::width); });
  }
  template <class S>
  CORIO_INLINE static ColumnLanes load(const S* from) {
    return each([&](auto i) CORIO_INLINE_LAMBDA { return P::load(from + i * P::width); });
  }
  template <class S>
  CORIO_INLINE void store(S* to) const {
    repeat<n>([&](auto i) CORIO_INLINE_LAMBDA { of[i].store(to + i * P::width); });
  }

  CORIO_INLINE friend ColumnLanes operator+(const ColumnLanes& a, const ColumnLanes& b) {
    return each([&](auto i) CORIO_INLINE_LAMBDA { return a.of[i] + b.of[i]; });
  }
  CORIO_INLINE friend ColumnLanes operator-(const ColumnLanes& a, const ColumnLanes& b) {
    return each([&](auto i) CORIO_INLINE_LAMBDA { return a.of[i] - b.of[i]; });
  }
  CORIO_INLINE friend ColumnLanes operator*(const ColumnLanes& a, const ColumnLanes& b) {
    return each([&](auto i) CORIO_INLINE_LAMBDA { return a.of[i] * b.of[i]; });
  }
  CORIO_INLINE ColumnLanes& operator+=(const ColumnLanes& b) { return *this = *this + b; }

 private:
  template <class F>
  CORIO_INLINE static ColumnLanes each(F&& f) {
    ColumnLanes out;
    repeat<n>([&](auto i) CORIO_INLINE_LAMBDA { out.of[i] = f(i); });
    return out;
  }
};

}}}  // namespace corio::detail

namespace Eigen {

template <class P, int n>
struct NumTraits<corio::detail::ColumnLanes<P, n>> : NumTraits<P> {};

namespace internal {
/// The alignment of the type itself, as for Lanes.
template <class P, int n, int size>
struct compute_default_alignment<corio::detail::ColumnLanes<P, n>, size> {
  enum { value = 0 };
};
}  // namespace internal

}  // namespace Eigen
