#include "contracts/scalars.hpp"
#include "contracts/table.hpp"

using namespace corio::test;

TEST_CASE("every function over float is that over double to the accuracy of float", "[contracts][scalars]") {
  // Trees are some ten metres deep and quantities are about the root: squares of distances cost two or three digits.
  check_scalar<float>(GENERATE(range(0, scalar_seeds)), 1e-5, [](auto& x) { return x.float_tolerance; });
}
