#include "corio/instances_float.hpp"

namespace corio {

CORIO_INSTANCES_OF_REGRESSORS(, float)

}  // namespace corio
