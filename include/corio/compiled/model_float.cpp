#include "corio/compiled/list.hpp"

namespace corio {

CORIO_COMPILED_MODEL(, float)

}  // namespace corio
