#include "support/comma_locale.hpp"

#include <limits>
#include <sstream>

#include "../../examples/equations_of_motion/svg.hpp"
#include "../../examples/robot_report/json.hpp"
#include "../../examples/support/arguments.hpp"
#include "../../examples/support/output.hpp"
#include "support/catch.hpp"
#include "support/temporary_file.hpp"

using corio::test::CommaLocale;
using corio::test::TemporaryFile;

namespace {

constexpr double numbers[] = {0.5, -1234567.25, 1e-12, 1e20, 12345, 0, 2.5e-310, 1 / 3.0};

/// Returns machine-readable files and texts, which examples and messages contain.
std::string written() {
  std::string text;
  const TemporaryFile file("", "numbers.dat");
  {
    auto out = support::output(file.path(), 17);
    for (const double x : numbers) out << x << ' ' << 123456 << '\n';
  }
  text += corio::detail::read_text(file.path(), "file");
  for (const double x : numbers) {
    text += corio::detail::number(x) + ' ' + report::json::number(x) + ' ' + drawing::text(x) + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("numbers that are written do not depend on the locale", "[core][locale]") {
  const std::string expected = written();
  std::string other;
  bool of_c = false;
  {
    const CommaLocale comma;
    of_c = comma.of_c();
    REQUIRE((std::ostringstream() << 1234.5).str() == "1.234,5");
    other = written();
  }
  CHECK(other == expected);
  CHECK(expected.find("0.5") != std::string::npos);
  CHECK(expected.find(',') == std::string::npos);
  if (!of_c) WARN("there is no German locale here, and none can be made: printf was not tested");
}

TEST_CASE("numbers that are read do not depend on the locale", "[core][locale]") {
  const CommaLocale comma;
  const TemporaryFile file("a,b\n0.5,1234.25\n1e-3,-2\n", "table.csv");
  const corio::LogTable table(file.path().string());
  CHECK(table.column("a") == Eigen::Vector2d(0.5, 1e-3));
  CHECK(table.column("b") == Eigen::Vector2d(1234.25, -2));

  std::string words[] = {"program", "--rate", "+0.25", "--gear", "1.5,1e3", "--rate", "0,25"};
  char* argv[7];
  for (int i = 0; i < 7; ++i) argv[i] = words[i].data();
  support::Arguments arguments(7, argv);
  REQUIRE(arguments.next());
  CHECK(arguments.number(0) == 0.25);
  REQUIRE(arguments.next());
  CHECK(arguments.numbers() == std::vector{1.5, 1e3});
  REQUIRE(arguments.next());
  CHECK_THROWS_WITH(arguments.number(0.5), "--rate needs a number not below 0.5");
}

TEST_CASE("a number in a message is that of %g", "[core][locale]") {
  for (const double x : numbers) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", x);
    CHECK(corio::detail::number(x) == text);
  }
  CHECK(corio::detail::number(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(corio::detail::number(std::numeric_limits<double>::quiet_NaN()) == "nan");
}
