#include "corio/core/detail/number.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "support/comma_locale.hpp"

using corio::detail::parse_number;

TEST_CASE("numbers of files: too small is zero, too large is none, however they are written") {
  const std::string zeros(400, '0');
  const std::string small[] = {"1e-400",
                               "-2.5E-400",
                               "0." + zeros + "1",
                               "-." + zeros + "1e+50",
                               "1" + zeros + "e-800",
                               "1e-99999999999",
                               "0.0001e-9999999999999"};
  const std::string large[] = {"1e400",        "-2.5E+400", "1" + zeros, "1" + zeros + ".5e-5", "0." + zeros + "1e900",
                               "1e99999999999"};
  for (const std::string& word : small) {
    CAPTURE(word);
    CHECK(parse_number(word) == 0.0);
    CHECK_FALSE(parse_number(word + "x"));
  }
  for (const std::string& word : large) {
    CAPTURE(word);
    CHECK_FALSE(parse_number(word));
    CHECK_FALSE(parse_number(word, true));
  }
  CHECK(parse_number("1" + zeros + "e-400") == 1.0);
  CHECK(parse_number("0." + zeros + "1e401") == 1.0);
  CHECK(parse_number("+0.5") == 0.5);
  for (const char* word : {"", "+", "-", "+-1", "++1", "0x10", "1,5", "nan", "inf", "1e", "e-400"})
    CHECK_FALSE(parse_number(word));
  CHECK(parse_number("-inf", true) == -std::numeric_limits<double>::infinity());
  CHECK_FALSE(parse_number("nan", true));
}

TEST_CASE("std::strtod reads what std::from_chars reads, in any locale", "[locale]") {
  const corio::test::CommaLocale comma;
  std::mt19937_64 random(1);
  const auto uniform = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto compare = [](const std::string& word) {
    CAPTURE(word);
    const auto expected = corio::detail::read_number<double>(word), found = corio::detail::read_number_by_strtod(word);
    REQUIRE(found.has_value() == expected.has_value());
    if (found) REQUIRE((*found == *expected || (std::isnan(*found) && std::isnan(*expected))));
  };
  for (int i = 0; i < 20000; ++i) {
    // Random bits for a double, including denormals and NaN, written with all digits; and words that may not be
    // numbers.
    char text[400];
    const auto x = std::bit_cast<double>(random());
    compare({text, std::to_chars(text, std::end(text), x).ptr});
    compare({text, std::to_chars(text, std::end(text), x, std::chars_format::fixed, uniform(40)).ptr});
    std::string word;
    for (int length = uniform(9); length >= 0; --length) word += "+-..eE0123456789,x fin"[uniform(22)];
    compare(word);
  }
  for (const char* word : {"",         "inf", "-Infinity", "nan",   "-NAN",   "infinit", " 1",
                           "1 ",       "\t1", "0x1p3",     "1e400", "-1e400", "1e-400",  "2.2250738585072011e-308",
                           "4.9e-324", "1,5", "1.5,",      "++1",   "-+1",    "--1",     "1.2.3"})
    compare(word);
}
