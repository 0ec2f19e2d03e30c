#pragma once

#include "corio/core/inline.hpp"
#include "corio/core/kernels.hpp"

#ifndef CORIO_INSTANCES
#define CORIO_ONE_VERSION
#elif defined(CORIO_HAS_VERSIONS)
#include "corio/core/version_table.hpp"
#endif

/// Where corio::instances is linked, the functions that are a Kernel exist twice in a program for plain x86-64: with
/// its registers of two numbers, and with those of four of processors that have AVX2 and FMA (instances/wide.hpp).
/// Elsewhere there is nothing to choose from, and nothing of this costs anything.
namespace corio::detail {

#if !defined(CORIO_INSTANCES) || !defined(CORIO_HAS_VERSIONS) || defined(CORIO_WIDE)
/// Whether a version of this function for longer registers has done its work. Results are the same but for rounding.
template <Kernel kernel, class... A>
constexpr bool ran_wide(const A&...) {
  return false;
}
#else
template <Kernel kernel, class M, class... A>
CORIO_INLINE bool ran_wide(const M& model, A&&... arguments) {
  using S = typename M::Scalar;
  if constexpr (has_versions<S>)
    if constexpr (std::is_invocable_v<const Versions<S>&, KernelTag<kernel>, const M&, A...>)
      if (const Versions<S>* const wide = WideVersions<S>::used.load(std::memory_order_relaxed)) {
        (*wide)(KernelTag<kernel>(), model, std::forward<A>(arguments)...);
        return true;
      }
  return false;
}
#endif

}  // namespace corio::detail
