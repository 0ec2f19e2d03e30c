#include "corio/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_DERIVATIVES(, double)

}  // namespace corio
