#include "corio/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_DYNAMICS(, double)

}  // namespace corio
