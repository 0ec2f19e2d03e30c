#pragma once

#include <string>

namespace speed {

/// Registers peak/*: loops of multiplications and additions in enough independent sums to keep the units busy.
///   peak/fma_double, peak/fma_float  widest vectors and fused operations of this processor, with any flags
///   peak/block_double, .._float      the vectors of corio's blocks with the flags of this build
///   peak/scalar_double, .._float     one number at a time
void register_peaks();

/// The vectors of peak/fma_*: "AVX-512", ...
std::string widest_vectors();

}  // namespace speed
