#include "corio/compiled/list.hpp"

namespace corio {

CORIO_COMPILED_DYNAMICS(, double)

}  // namespace corio
