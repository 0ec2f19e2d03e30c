#pragma once

#include <cstddef>

/// CORIO_HAS_VERSIONS: whether corio::instances holds some functions twice (core/versions.hpp). Not where the compiler
/// may use AVX2 and FMA anyway.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !(defined(__AVX2__) && defined(__FMA__))
#define CORIO_HAS_VERSIONS

namespace corio::detail {

/// What a file compiled for long registers offers to the others, and sizes of the classes that it was compiled for.
struct WideLink {
  const void* versions;
  std::size_t layout[8];
};

}  // namespace corio::detail

extern "C" {
extern corio::detail::WideLink corio_wide_double;
extern corio::detail::WideLink corio_wide_float;
}
#endif
