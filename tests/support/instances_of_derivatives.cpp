#include "support/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_DERIVATIVES(, std::complex<double>)

}  // namespace corio
