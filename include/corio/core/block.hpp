#pragma once

#include <type_traits>

#include "corio/core/inline.hpp"

/// As many numbers as a vector register holds, for loops over degrees of freedom.
namespace corio::detail {

/// A block of columns: one coordinate of `width` neighbours. Plain scalars unless the scalar has vector registers.
template <class S>
struct Block {
  static constexpr int width = 1;
  using Type = S;
  static Type load(const S* x) { return *x; }
  static void store(S* x, const Type& block) { *x = block; }
  static const S& get(const Type& block, int) { return block; }
};

#if defined(__GNUC__) || defined(__clang__)
template <class S>
requires(std::is_same_v<S, double> || std::is_same_v<S, float>) struct Block<S> {
#ifdef __AVX__
  static constexpr int width = 4;
#else
  static constexpr int width = 16 / sizeof(S);
#endif
  typedef S Type __attribute__((vector_size(width * sizeof(S))));
  // Aliases numbers only. A store by memcpy, which may alias everything, made the compiler read pointers and indices
  // again after each.
  typedef S Unaligned __attribute__((vector_size(width * sizeof(S)), aligned(alignof(S))));
  CORIO_INLINE static Type load(const S* x) { return *reinterpret_cast<const Unaligned*>(x); }
  CORIO_INLINE static void store(S* x, const Type& block) { *reinterpret_cast<Unaligned*>(x) = block; }
  CORIO_INLINE static S get(const Type& block, int l) { return block[l]; }
};
#endif

template <class S>
using BlockType = typename Block<S>::Type;

}  // namespace corio::detail
