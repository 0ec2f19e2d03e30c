#pragma once

#include "corio/core/kernels.hpp"

// What instances/wide_*.cpp compile: the functions of core/version_table.hpp for AVX2 and FMA, whatever the flags. All
// of corio that is included from here on has another name, corio_wide, so that the linker keeps both versions, and all
// of it is compiled for those instructions. What other libraries define inline must not be, or a processor without them
// might get it from here: hence all their headers come first. The classes of both namespaces have the same layout, as
// the same code with the same macros of Eigen; what depends on the width of registers is sized for the longest
// (core/block.hpp). No function sees an object under both names: those for AVX2 cannot be inlined into others, not even
// by an optimiser of whole programs.

#ifdef CORIO_INLINE
// A precompiled header or a file compiled together with this one was faster: then there is the plain version alone.
#pragma message("corio: compile instances/wide_*.cpp without precompiled headers and not together with other files")
#define CORIO_WIDE_FILE(S) [[gnu::weak]] corio::detail::WideLink corio_wide_##S{};
#else

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Whoever catches an exception knows it by this name.
#include "corio/core/error.hpp"

namespace corio_wide {
using namespace corio;
namespace detail {
using namespace corio::detail;
}
}  // namespace corio_wide

#define CORIO_WIDE
#define corio corio_wide

// Objects with virtual functions have the other name.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("vptr", "cfi"))), apply_to = function)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#include "corio/core/version_table.hpp"
#include "corio/instances/derivatives.hpp"
#include "corio/instances/dynamics.hpp"
#include "corio/instances/model.hpp"
#include "corio/instances/regressors.hpp"

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

// clang-format off
#define CORIO_VERSION_ADDRESS(kernel, ...) , {&kernel}
// clang-format on

/// The content of a file: CORIO_WIDE_FILE(double).
#define CORIO_WIDE_FILE(S)                                                    \
  namespace corio::detail {                                                   \
  namespace {                                                                 \
  constexpr Versions<S> versions{{{} CORIO_VERSIONS(CORIO_VERSION_ADDRESS)}}; \
  }                                                                           \
  }                                                                           \
  [[gnu::weak]] constinit corio::detail::WideLink corio_wide_##S = corio::detail::link_to<S>(&corio::detail::versions);

#endif
