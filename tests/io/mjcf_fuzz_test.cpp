#include <random>

#include "corio/io/mjcf.hpp"
#include "io/mjcf_models.hpp"
#include "io/mjcf_random.hpp"
#include "support/catch.hpp"

// Damaged files: for every damage to the text, parsing gives a model or a ModelError. Seeds are fixed.

using namespace corio;
using namespace corio::test;

namespace {

/// Returns 1 for a model, 0 for a ModelError; anything else escapes and fails the test.
int loads(const std::string& text) {
  try {
    return mjcf::parse(text).nv() >= 0 ? 1 : 0;
  } catch (const ModelError&) {
    return 0;
  }
}

/// Returns where the values of attributes begin, and their lengths.
std::vector<std::pair<std::size_t, std::size_t>> values_in(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> values;
  for (std::size_t at = 0; (at = text.find('"', at)) != text.npos;) {
    const std::size_t end = text.find('"', at + 1);
    if (end == text.npos) break;
    values.emplace_back(at + 1, end - at - 1);
    at = end + 1;
  }
  return values;
}

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::string special("<>/\"'=&!?-[] \n\t0e.\0\xff", 21);
  const std::string numbers[] = {"0", "-1", "1e300", "1e-300", "nan", "inf", "", "1 2", "0 0 0", "1 0 0 0"};
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::size_t at = below(text.size());
    const auto values = values_in(text);
    switch (below(8)) {
      case 0: text[at] = special[below(special.size())]; break;
      case 1: text[at] = static_cast<char>(random() & 0xff); break;
      case 2: text.erase(at, 1 + below(40)); break;
      case 3: text.insert(at, text.substr(below(text.size()), below(60))); break;
      case 4: std::swap(text[at], text[below(text.size())]); break;
      default:
        if (values.empty()) break;
        const auto [to, size] = values[below(values.size())];
        const auto [from, length] = values[below(values.size())];
        text = text.substr(0, to) + (below(2) ? text.substr(from, length) : numbers[below(std::size(numbers))]) +
               text.substr(to + size);
    }
    if (text.empty()) text = "<";
  }
  return text;
}

}  // namespace

TEST_CASE("mjcf: damaged files never crash") {
  std::mt19937 random(2026);
  int loaded = 0, tried = 0;
  for (const auto& model : mjcf_models()) {
    REQUIRE(loads(model.text) == 1);
    for (int round = 0; round < 60; ++round, ++tried) {
      CAPTURE(model.name, round);
      loaded += loads(damaged(model.text, random));
    }
  }
  // Damaged names and numbers often leave a valid robot, so some files load; the rest must not.
  CHECK(loaded > tried / 20);
  CHECK(loaded < tried * 19 / 20);
}

TEST_CASE("mjcf: a file cut off anywhere before its end is rejected") {
  const std::string text = random_mjcf(7, true);
  const std::size_t end = text.rfind("</mujoco>") + 9;
  REQUIRE(loads(text.substr(0, end)) == 1);
  for (std::size_t length = 0; length < end; length += 7) {
    CAPTURE(length);
    CHECK(loads(text.substr(0, length)) == 0);
  }
}
