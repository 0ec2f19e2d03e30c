// The assembler sees this symbol as if link-time optimization merged this file with a file that was compiled with other
// flags.
__asm__(".set .Lcorio_needs_the_same_allocator_of_Eigen_in_all_files, 1");

#include <corio/core/abi.hpp>
