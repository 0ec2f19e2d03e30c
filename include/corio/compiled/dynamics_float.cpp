#include "corio/corio.hpp"

namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_DYNAMICS(, float)
CORIO_COMPILED_IDENTIFICATION(, float)

}}  // namespace corio
