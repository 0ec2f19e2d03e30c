#include "corio/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_MODEL(, double)

}  // namespace corio

#ifdef CORIO_HAS_VERSIONS
CORIO_CHOOSE_VERSIONS(double)
#endif
