#include "corio/core/kernels.hpp"

#ifdef CORIO_HAS_VERSIONS
#include "corio/instances/wide.hpp"

CORIO_WIDE_FILE(double)
#endif
