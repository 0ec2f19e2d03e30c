#pragma once

#include <Eigen/Core>

#if !defined(__cpp_exceptions)
#error "corio reports wrong input by exceptions, which must be enabled: leave out -fno-exceptions"
#endif

// The flags of a file that decide how objects are laid out and which functions templates become: how Eigen aligns
// fixed-size objects and allocated arrays, whether it allocates arrays by malloc or by its own allocator (with vector
// registers longer than 16 bytes, or a sanitizer), how long corio's registers are, and whether input is checked. They
// are part of every name of corio, as an inline namespace, which source code never spells: libraries of one process
// with different flags share no symbol of corio, and files of one program that exchange objects but disagree do not
// link.
#if EIGEN_MALLOC_ALREADY_ALIGNED || EIGEN_DEFAULT_ALIGN_BYTES == 0
#define CORIO_EIGEN_ALLOCATES 0
#else
#define CORIO_EIGEN_ALLOCATES EIGEN_DEFAULT_ALIGN_BYTES
#endif
// Define CORIO_REGISTER_BITS beforehand to let corio use registers that Eigen must not use, as the target
// corio::x86_64_v3 does.
#ifdef CORIO_REGISTER_BITS
#elif defined(__AVX512F__)
#define CORIO_REGISTER_BITS 512
#elif defined(__AVX__)
#define CORIO_REGISTER_BITS 256
#else
#define CORIO_REGISTER_BITS 128
#endif
#ifdef CORIO_CHECK_INPUTS
#define CORIO_ABI_OF(fixed, arrays, allocates, bits) abi_##fixed##_##arrays##_##allocates##_##bits##_checked
#else
#define CORIO_ABI_OF(fixed, arrays, allocates, bits) abi_##fixed##_##arrays##_##allocates##_##bits
#endif
#define CORIO_ABI_EXPANDED(fixed, arrays, allocates, bits) CORIO_ABI_OF(fixed, arrays, allocates, bits)
#define CORIO_ABI \
  CORIO_ABI_EXPANDED(EIGEN_MAX_STATIC_ALIGN_BYTES, EIGEN_MAX_ALIGN_BYTES, CORIO_EIGEN_ALLOCATES, CORIO_REGISTER_BITS)

#if defined(__ELF__)
#define CORIO_TEXT_OF(x) #x
#define CORIO_TEXT(x) CORIO_TEXT_OF(x)
// The symbols of Eigen's functions do not depend on these flags, and files that disagree on the flags corrupt memory
// without an error. Each file defines a symbol for each flag, so that such files of one executable or library do not
// link. The symbol is in a section group that is named after the value: linkers keep the first of several groups with
// one name, so that one value is left if all files agree. Link-time optimization hands all files to the assembler as
// one: it defines the symbol once and compares the values of the others.
#define CORIO_SAME_IN_ALL_FILES(name, value) \
  __asm__(".ifdef .L" name "\n.ifne .L" name " - " CORIO_TEXT(value) "\n.error \"" name "\"\n.endif\n"   \
          ".else\n.set .L" name ", " CORIO_TEXT(value) "\n"                                              \
          ".pushsection .corio.flags,\"G\",%progbits," name "_" CORIO_TEXT(value) ",comdat\n"             \
          ".globl " name "\n.hidden " name "\n" name ":\n.popsection\n.endif")
CORIO_SAME_IN_ALL_FILES("corio_needs_the_same_EIGEN_MAX_ALIGN_BYTES_in_all_files", EIGEN_MAX_ALIGN_BYTES);
CORIO_SAME_IN_ALL_FILES("corio_needs_the_same_EIGEN_MAX_STATIC_ALIGN_BYTES_in_all_files", EIGEN_MAX_STATIC_ALIGN_BYTES);
CORIO_SAME_IN_ALL_FILES("corio_needs_the_same_allocator_of_Eigen_in_all_files", CORIO_EIGEN_ALLOCATES);
#undef CORIO_SAME_IN_ALL_FILES
#undef CORIO_TEXT
#undef CORIO_TEXT_OF
#endif

namespace corio_process {

/// These flags of Eigen as one number. Each file has its own value.
constexpr int own_flags = (CORIO_EIGEN_ALLOCATES * 256 + EIGEN_MAX_STATIC_ALIGN_BYTES) * 256 + EIGEN_MAX_ALIGN_BYTES;

/// own_flags of the library whose copy of Eigen's functions is called here. It is outside of the inline namespace and
/// is a template that is not inline, like most of Eigen's functions: if the linker or loader takes such functions from
/// another library, it takes this function from there, too. Hidden symbols are always taken from their own library.
template <class>
__attribute__((noinline)) int flags_of_eigen() {
  const volatile int flags = own_flags;  // volatile, so that compilers do not replace calls by the value
  return flags;
}

}  // namespace corio_process
