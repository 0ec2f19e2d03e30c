#include "corio/corio.hpp"

namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_DERIVATIVES(, float)

}}  // namespace corio
