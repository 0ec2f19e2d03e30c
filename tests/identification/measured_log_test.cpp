#include <numbers>

#include "../../examples/identify_arm/filter.hpp"
#include "../../examples/support/csv.hpp"
#include "support/catch.hpp"
#include "support/no_files.hpp"
#include "support/temporary_file.hpp"

// What the example identify_arm makes of a log before it identifies from it.

using Eigen::VectorXd;
using identify::LowPass;
using support::Table;

namespace {

std::string message_of(const std::string& text, const std::string& column = "1") {
  const corio::test::TemporaryFile file(text, "log.csv");
  try {
    Table(file.path().string()).column(column);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}
bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("columns are found by name and by number", "[identification][log]") {
  for (const char separator : {',', ';', '\t'}) {
    std::string text = "# a comment\n\"time\", q_a ,q_b\n0,1.5,-2e-3\r\n\n0.1,+2,3\n";
    std::replace(text.begin(), text.end(), ',', separator);
    const corio::test::TemporaryFile file(text, "log.csv");
    const Table table(file.path().string());
    CHECK(table.rows() == 2);
    CHECK(table.column("q_b") == VectorXd(Eigen::Vector2d(-2e-3, 3)));
    CHECK(table.column("2") == table.column("q_a"));
    CHECK(table.has("3"));
    CHECK_FALSE(table.has("4"));
  }
  const corio::test::TemporaryFile nameless("1,2\n3,4\n", "log.csv");
  CHECK(Table(nameless.path().string()).column("2") == VectorXd(Eigen::Vector2d(2, 4)));
}

TEST_CASE("errors of tables name the line or the columns", "[identification][log]") {
  CHECK(mentions(message_of("a,b\n1,2\n3\n"), "line 3: 1 columns, expected 2"));
  CHECK(mentions(message_of("a,b\n1,2\n3,x\n"), "line 3: 'x' is no number"));
  CHECK(mentions(message_of("a,b\n1,2\n", "c"), "no column 'c'; it has 2 columns: a, b"));
  CHECK(mentions(message_of("a,b\n"), "no rows"));
}

TEST_CASE("the low-pass has the gain of Butterworth twice, and no phase", "[identification][log]") {
  const double rate = 1000, cutoff = 20;
  const LowPass low_pass(rate, cutoff);
  for (const double f : {1.0, 5.0, 20.0, 60.0}) {
    VectorXd x(4000);
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x[i] = std::sin(2 * std::numbers::pi * f * static_cast<double>(i) / rate);
    const VectorXd y = low_pass(x);
    // The bilinear transform bends the axis of frequencies. What the ends began with has died out in the middle half.
    const double w = std::tan(std::numbers::pi * f / rate) / std::tan(std::numbers::pi * cutoff / rate);
    const VectorXd error = y - x / (1 + std::pow(w, 4));
    CHECK(error.segment(1000, 2000).cwiseAbs().maxCoeff() < 1e-9);
  }
  // Constants and lines pass from end to end.
  const VectorXd line = VectorXd::LinSpaced(500, 3, -7);
  CHECK((low_pass(line) - line).cwiseAbs().maxCoeff() < 1e-2);
  CHECK((low_pass(VectorXd::Ones(500)) - VectorXd::Ones(500)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK_THROWS_AS(LowPass(100, 50), std::invalid_argument);
}

TEST_CASE("differences of a parabola are exact inside, and resampling of a line everywhere", "[identification][log]") {
  const VectorXd t = VectorXd::LinSpaced(11, 0, 1);
  const VectorXd rate = identify::central_differences(t.cwiseAbs2(), 0.1);
  CHECK((rate - 2 * t).segment(1, 9).cwiseAbs().maxCoeff() < 1e-12);
  VectorXd uneven = t;
  uneven[3] += 0.03, uneven[7] -= 0.02;
  CHECK((identify::resampled(uneven, 3 * uneven) - 3 * t).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("what is no file is refused as a log, in a second", "[identification][log]") {
  const corio::test::NoFiles no_files(".csv");
  for (const auto& given : no_files.all)
    CHECK(corio::test::not_refused([](const std::filesystem::path& path) { Table(path.string()); }, given) == "");
  // Text of other encodings.
  CHECK(message_of("\xEF\xBB\xBFq\n1\n2\n", "q").empty());
  CHECK(mentions(message_of("\xFF\xFEq\n1\n"), "UTF-16"));
}
