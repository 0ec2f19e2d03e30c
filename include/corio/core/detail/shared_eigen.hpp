#pragma once

#include <cstdio>

#include "corio/core/error.hpp"

/// Checks whether Eigen's functions in this library were compiled with its own flags; their symbols do not depend on
/// the flags.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Describes the layout of Eigen's objects in a library compiled with these flags (corio_process::flags_of_eigen).
inline std::string layout_of_eigen(int flags) {
  // Use printf, which compiles faster than streams: every file that includes corio compiles this function.
  char allocator[64] = "malloc", text[160];
  if (const int allocates = flags >> 16)
    std::snprintf(allocator, sizeof allocator, "Eigen's allocator, aligned to %d", allocates);
  std::snprintf(text, sizeof text, "fixed-size objects aligned to %d bytes, arrays by %s", flags >> 8 & 255, allocator);
  return text;
}

/// Returns an error message, or an empty text. The error: another library of the process, loaded before this one and
/// compiled with other flags, supplies Eigen's functions to this library, so that the first matrix would corrupt
/// memory.
inline std::string foreign_eigen() {
  const int own = corio_process::own_flags, shared = corio_process::flags_of_eigen<void>();
  if (shared == own) return {};
  return join(
      {"corio: a library that was loaded before this one shares its functions of Eigen with it, but was compiled "
       "with other flags: it keeps ",
       layout_of_eigen(shared), "; this one ", layout_of_eigen(own),
       ". Compile both with the same -march and EIGEN_MAX_ALIGN_BYTES, or link each with -fvisibility=hidden "
       "-fvisibility-inlines-hidden (corio/guide/plugins.md)"});
}
/// @throws Error if foreign_eigen finds an error; called before anything is allocated for a model
inline void check_shared_eigen() {
  if (const std::string text = foreign_eigen(); !text.empty()) throw Error(text);
}

#ifndef _WIN32  // libraries of Windows share no functions by their names
/// Reports the error when a library is loaded, when no exception can be caught. The variable is hidden, so that each
/// library reports for itself.
__attribute__((visibility("hidden"))) inline const bool has_own_eigen = [] {
  const std::string text = foreign_eigen();
  if (!text.empty()) std::fprintf(stderr, "%s\n", text.c_str());
  return text.empty();
}();
#endif

}}}  // namespace corio::detail
