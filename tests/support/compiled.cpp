#include "support/compiled.hpp"

namespace corio {

CORIO_TEST_COMPILED(, std::complex<double>)

}  // namespace corio
