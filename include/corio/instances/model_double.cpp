#include "corio/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_MODEL(, double)

}  // namespace corio

