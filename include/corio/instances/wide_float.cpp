#include "corio/instances/has_versions.hpp"

#ifdef CORIO_HAS_VERSIONS
#include "corio/instances/wide.hpp"

CORIO_WIDE_FILE(float)
#endif
