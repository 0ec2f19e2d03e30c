#include "corio/corio.hpp"

namespace corio::inline CORIO_ABI {

CORIO_COMPILED_DERIVATIVES(, float)

}  // namespace corio
