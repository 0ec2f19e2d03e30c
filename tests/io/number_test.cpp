#include "corio/io/number.hpp"

#include <limits>
#include <string>

#include "support/catch.hpp"

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
