#include <corio/corio.hpp>

// After headers that the compiler read before, there is no second version to choose.
int main() {
  corio::use_wide_registers(true);
  return corio::uses_wide_registers() ? 1 : 0;
}
