#include "corio/compiled/list.hpp"

namespace corio {

CORIO_COMPILED_DYNAMICS(, float)

}  // namespace corio
