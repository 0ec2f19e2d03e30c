#include "contracts/scalars.hpp"
#include "contracts/table.hpp"

using namespace corio::test;

TEST_CASE("every function over complex numbers is that over double", "[scalars]") {
  check_scalar<Complex>(GENERATE(range(0, scalar_seeds)), 1e-13, [](auto&) { return tolerance<double>(); });
}
