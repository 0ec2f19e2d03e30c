#pragma once

#include <Eigen/Core>

// The flags of a file that decide how objects are laid out and which functions templates become: how Eigen aligns
// fixed-size objects, how wide registers are, and whether input is checked. They are part of every name of corio, as an
// inline namespace, which source code never spells: plugins of one process with different flags share no symbol of
// corio, and files of one program that exchange objects but disagree on the flags do not link.
#if defined(__AVX512F__)
#define CORIO_REGISTER_BITS 512
#elif defined(__AVX__)
#define CORIO_REGISTER_BITS 256
#else
#define CORIO_REGISTER_BITS 128
#endif
#ifdef CORIO_CHECK_INPUTS
#define CORIO_ABI_OF(alignment, bits) abi_##alignment##_##bits##_checked
#else
#define CORIO_ABI_OF(alignment, bits) abi_##alignment##_##bits
#endif
#define CORIO_ABI_EXPANDED(alignment, bits) CORIO_ABI_OF(alignment, bits)
#define CORIO_ABI CORIO_ABI_EXPANDED(EIGEN_MAX_ALIGN_BYTES, CORIO_REGISTER_BITS)
