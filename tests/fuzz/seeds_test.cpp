#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/entries.hpp"
#include "support/catch.hpp"

// Runs the fuzzers' seeds, and the inputs with which fuzzers found defects, without the fuzzers.
TEST_CASE("fuzz: seeds and found cases give a result or a corio::Error") {
  for (const auto& entry : corio::fuzz::entries) {
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(CORIO_FUZZ_SEEDS + std::string("/") + entry.name)) {
      CAPTURE(file.path().string());
      std::ifstream in(file.path(), std::ios::binary);
      const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
      const std::vector<std::uint8_t> bytes(text.begin(), text.end());
      CHECK_NOTHROW(entry.run(bytes));
      ++files;
    }
    CAPTURE(entry.name);
    CHECK(files > 0);
  }
}
