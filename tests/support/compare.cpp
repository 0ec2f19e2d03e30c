#include "support/compare.hpp"

namespace corio::test {

CORIO_TEST_COMPARE(, float)
CORIO_TEST_COMPARE(, double)
CORIO_TEST_COMPARE(, long double)
CORIO_TEST_COMPARE(, std::complex<double>)

namespace eager {
CORIO_TEST_EAGER(, float)
CORIO_TEST_EAGER(, double)
CORIO_TEST_EAGER(, std::complex<double>)
}  // namespace eager

}  // namespace corio::test
