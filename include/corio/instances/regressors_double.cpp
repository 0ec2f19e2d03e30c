#include "corio/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_REGRESSORS(, double)

}  // namespace corio
