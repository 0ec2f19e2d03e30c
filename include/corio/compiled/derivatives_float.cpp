#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio {

CORIO_COMPILED_DERIVATIVES(, float)

}  // namespace corio
