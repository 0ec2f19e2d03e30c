#include "corio/corio.hpp"

namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_DYNAMICS(, double)
CORIO_COMPILED_IDENTIFICATION(, double)

}}  // namespace corio
