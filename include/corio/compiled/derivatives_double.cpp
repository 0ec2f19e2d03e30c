#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio {

CORIO_COMPILED_DERIVATIVES(, double)

}  // namespace corio
