#include "support/instances.hpp"

namespace corio {

CORIO_TEST_INSTANCES(, std::complex<double>)
template Model<float> Model<double>::cast() const;

}  // namespace corio
