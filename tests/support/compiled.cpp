#include "support/compiled.hpp"

namespace corio {

CORIO_COMPILED_MODEL(, std::complex<double>)
CORIO_COMPILED_DYNAMICS(, std::complex<double>)
template class ExternalForce<std::complex<double>>;

}  // namespace corio
