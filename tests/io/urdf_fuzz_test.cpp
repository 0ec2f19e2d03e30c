#include <fstream>
#include <iterator>
#include <random>

#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// Damaged files: for every damage to the text, parsing gives a model or a corio::Error. Seeds are fixed.

namespace {

std::string read(const std::string& name) {
  std::ifstream in(CORIO_EXAMPLES_DIR "/models/" + name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Returns 1 for a model, 0 for a corio::Error; anything else escapes and fails the test.
int loads(const std::string& text) {
  try {
    return corio::urdf::parse(text, corio::joint::FreeFlyer{}).nv() > 0 ? 1 : 0;
  } catch (const corio::Error&) {
    return 0;
  }
}

}  // namespace

TEST_CASE("urdf: a file cut off anywhere before its end is rejected") {
  const std::string text = read("arm7.urdf");
  const std::size_t end = text.find("</robot>") + 8;
  REQUIRE(loads(text.substr(0, end)) == 1);
  for (std::size_t length = 0; length < end; length += 3) {
    CAPTURE(length);
    CHECK(loads(text.substr(0, length)) == 0);
  }
}

TEST_CASE("urdf: changed, removed, repeated and moved characters never crash") {
  const std::string arm = read("arm7.urdf");
  std::mt19937 random(2024);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::string special("<>/\"'=&!?-[] \n\t0e.\0\xff", 21);
  int loaded = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = arm;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0: text[at] = special[below(special.size())]; break;
        case 1: text[at] = static_cast<char>(random() & 0xff); break;
        case 2: text.erase(at, 1 + below(40)); break;
        case 3: text.insert(at, text.substr(below(text.size()), below(60))); break;
        default: std::swap(text[at], text[below(text.size())]);
      }
    }
    CAPTURE(round);
    loaded += loads(text);
  }
  // Damage to comments, spaces and visuals does no harm, so some files load; the rest must not.
  CHECK(loaded > 100);
  CHECK(loaded < 2900);
}

TEST_CASE("urdf: swapped values, names and tags never crash") {
  const std::string text = read("quadruped.urdf");
  std::vector<std::pair<std::size_t, std::size_t>> values;  // between quotes
  for (std::size_t at = text.find("<robot"); (at = text.find('"', at)) != text.npos;) {
    const std::size_t end = text.find('"', at + 1);
    values.emplace_back(at + 1, end - at - 1);
    at = end + 1;
  }
  std::mt19937 random(2025);
  int loaded = 0;
  for (int round = 0; round < 500; ++round) {
    const auto& [to, size] = values[random() % values.size()];
    const auto& [from, length] = values[random() % values.size()];
    CAPTURE(round);
    loaded += loads(text.substr(0, to) + text.substr(from, length) + text.substr(to + size));
  }
  CHECK(loaded > 20);
  CHECK(loaded < 480);
}
