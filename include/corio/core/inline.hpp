#pragma once

// For the leaf kernels: returned by value through memory, as compilers left alone return them, they double the
/// instruction count of every algorithm.
#if defined(__GNUC__) || defined(__clang__)
#define CORIO_INLINE [[gnu::always_inline]] inline
#define CORIO_INLINE_LAMBDA __attribute__((always_inline))
#define CORIO_NOINLINE [[gnu::noinline]]
#else
#define CORIO_INLINE inline
#define CORIO_INLINE_LAMBDA
#define CORIO_NOINLINE
#endif
