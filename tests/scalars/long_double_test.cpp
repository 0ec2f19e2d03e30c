#include "contracts/scalars.hpp"
#include "contracts/table.hpp"

using namespace corio::test;

TEST_CASE("every function over long double is that over double", "[scalars]") {
  check_scalar<long double>(GENERATE(range(0, scalar_seeds)), 1e-13, [](auto&) { return tolerance<double>(); });
}
