#pragma once

#include <type_traits>
#include <utility>

#include "corio/core/abi.hpp"

/// Forces inlining of the leaf kernels: otherwise their results are returned through memory, which doubles the
/// instruction count of every algorithm. CORIO_FLATTEN, for loops over a function, inlines that function with all it
/// calls. Nothing is forced without optimization, since compilers would take up to four times as long.
///
/// [[gnu::cold]] marks functions that throw, and functions that run in a rare branch. GCC also treats the code before
/// and after a call of a cold function as cold. Functions that build a model are therefore not marked: GCC would
/// optimize the loops of a main that builds a model for size.
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE__)
#define CORIO_INLINE [[gnu::always_inline]] inline
#define CORIO_INLINE_LAMBDA __attribute__((always_inline))
#define CORIO_NOINLINE [[gnu::noinline]]
#define CORIO_FLATTEN [[gnu::flatten, gnu::always_inline]] inline
#else
#define CORIO_INLINE inline
#define CORIO_INLINE_LAMBDA
#define CORIO_NOINLINE
#define CORIO_FLATTEN inline
#endif

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// A number known at compile time, as an argument.
template <int n>
using Count = std::integral_constant<int, n>;

/// Calls f(Count<0>()), .. f(Count<n - 1>()), unrolled at every level of optimization.
template <int n, class F>
CORIO_INLINE void repeat(F&& f) {
  [&]<int... r>(std::integer_sequence<int, r...>) CORIO_INLINE_LAMBDA { (f(Count<r>()), ...); }
  (std::make_integer_sequence<int, n>());
}

}}}  // namespace corio::detail
