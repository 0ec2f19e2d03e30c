#include "support/instances.hpp"

namespace corio {

CORIO_TEST_INSTANCES(, double)
CORIO_TEST_INSTANCES(, std::complex<double>)
CORIO_TEST_INSTANCES_OF_DOUBLE()

}  // namespace corio
