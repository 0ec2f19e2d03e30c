#include "support/compiled.hpp"

namespace corio {

CORIO_COMPILED_DERIVATIVES(, std::complex<double>)

}  // namespace corio
