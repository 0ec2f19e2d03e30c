#pragma once

#include <Eigen/Core>

// The flags of a file that decide how objects are laid out and which functions templates become: how Eigen aligns
// memory and objects of fixed size, how wide registers are, and whether input is checked. They are part of every name
// of corio, as an inline namespace, which source code never spells: plugins of one process with different flags share
// no symbol of corio, and files of one program that exchange objects but disagree on the flags do not link.
#if defined(__AVX512F__)
#define CORIO_REGISTER_BITS 512
#elif defined(__AVX__)
#define CORIO_REGISTER_BITS 256
#else
#define CORIO_REGISTER_BITS 128
#endif
#ifdef CORIO_CHECK_INPUTS
#define CORIO_ABI_OF(alignment, of_objects, bits) abi_##alignment##_##of_objects##_##bits##_checked
#else
#define CORIO_ABI_OF(alignment, of_objects, bits) abi_##alignment##_##of_objects##_##bits
#endif
#define CORIO_ABI_EXPANDED(alignment, of_objects, bits) CORIO_ABI_OF(alignment, of_objects, bits)
#define CORIO_ABI CORIO_ABI_EXPANDED(EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES, CORIO_REGISTER_BITS)
