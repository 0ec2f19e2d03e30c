#pragma once

#include <clocale>
#include <cstdlib>
#include <locale>
#include <string>

#include "support/temporary_file.hpp"

namespace corio::test {

/// During its lifetime, the process writes numbers with decimal commas and with points between thousands: always in
/// C++, and in C, as by printf, if the system has or can make a German locale.
class CommaLocale {
 public:
  CommaLocale() : before_(std::locale::global(std::locale(std::locale::classic(), new Commas))) {
    c_ = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
    if (c_) return;
    const TemporaryFolder folder;
    const std::string make =
        "localedef -i de_DE -f UTF-8 '" + (folder.path() / "de_DE.UTF-8").string() + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0) return;
    setenv("LOCPATH", folder.path().c_str(), 1);
    c_ = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
    unsetenv("LOCPATH");
  }
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, "C");
    std::locale::global(before_);
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  /// Tells whether C writes commas too.
  bool of_c() const { return c_; }

 private:
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::locale before_;
  bool c_ = false;
};

}  // namespace corio::test
