#include "corio/instances_float.hpp"

namespace corio {

CORIO_INSTANCES_OF_DYNAMICS(, float)

}  // namespace corio
