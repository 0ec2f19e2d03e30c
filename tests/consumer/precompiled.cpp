#include <corio/corio.hpp>

// The second version is there if the processor can run it, and can be switched off.
int main() {
#ifdef CORIO_HAS_VERSIONS
  const bool expected = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  const bool expected = false;
#endif
  corio::use_wide_registers(true);
  if (corio::uses_wide_registers() != expected) return 1;
  corio::use_wide_registers(false);
  return corio::uses_wide_registers() ? 2 : 0;
}
