#pragma once

#include <string>

namespace speed {

/// Registers peak/*: loops that do nothing but multiply and add, in as many sums side by side as keep the units busy.
///   peak/fma_double, peak/fma_float  widest vectors and fused operations of this processor, whatever the flags
///   peak/block_double, .._float      the vectors that corio's blocks are with the flags of this build
///   peak/scalar_double, .._float     one number at a time
void register_peaks();

/// The vectors of peak/fma_*: "AVX-512", ...
std::string widest_vectors();

}  // namespace speed
