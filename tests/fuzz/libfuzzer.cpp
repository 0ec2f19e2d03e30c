#include "fuzz/entries.hpp"

// libFuzzer calls this function, which is compiled once for each entry of corio.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  corio::fuzz::CORIO_FUZZ_ENTRY({data, size});
  return 0;
}
