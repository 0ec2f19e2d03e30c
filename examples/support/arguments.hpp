#pragma once

#include <iostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "corio/core/detail/number.hpp"
#include "corio/core/error.hpp"
#include "corio/identification/log_table.hpp"

namespace support {

/// The arguments of a command line, one after the other: while (arguments.next()) if (arguments.is("--rate")) ...
class Arguments {
 public:
  Arguments(int argc, char** argv) : all_(argv + 1, argv + argc) {}

  bool next() { return ++at_ < static_cast<int>(all_.size()); }
  const std::string& name() const { return all_[static_cast<std::size_t>(at_)]; }
  bool is(const char* option) const { return name() == option; }

  /// Returns whether the argument is this option, and then sets the variable to its value: a text, a number not below
  /// `least`, lists of them, or true for an option without a value.
  /// @throws as text and number
  template <class T>
  bool set(const char* option, T& value, double least = -1e15) {
    if (!is(option)) return false;
    if constexpr (std::is_same_v<T, bool>)
      value = true;
    else if constexpr (std::is_same_v<T, std::string>)
      value = text();
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      value = list();
    else if constexpr (std::is_same_v<T, std::vector<double>>)
      value = numbers(least);
    else
      value = static_cast<T>(number(least));
    return true;
  }
  /// As set, for an option that may be repeated: the text is appended.
  bool add(const char* option, std::vector<std::string>& values) {
    if (!is(option)) return false;
    values.push_back(text());
    return true;
  }

  /// The value after an option.
  /// @throws std::invalid_argument if it is missing, or not a number that is large enough
  std::string text() {
    const std::string option = name();
    if (!next()) throw std::invalid_argument(option + " needs a value");
    return name();
  }
  std::vector<std::string> list() { return corio::detail::fields_of(text(), ','); }
  double number(double least) {
    const std::string option = name();
    return to_number(option, text(), least);
  }
  std::vector<double> numbers(double least = -1e15) {
    const std::string option = name();
    std::vector<double> all;
    for (const auto& one : list()) all.push_back(to_number(option, one, least));
    return all;
  }

 private:
  static double to_number(const std::string& option, const std::string& text, double least) {
    const auto x = corio::detail::parse_number(text);
    if (!x || *x < least || *x > 1e15)
      throw std::invalid_argument(option + " needs a number not below " + corio::detail::number(least));
    return *x;
  }

  std::vector<std::string> all_;
  int at_ = -1;
};

/// The main function of a program: returns run(parse(argc, argv)), or prints the usage for --help. Errors are printed;
/// the exit status is 2 for wrong arguments and 1 for other errors.
template <class Parse, class Run>
int with_options(const std::string& program, const std::string& usage, int argc, char** argv, Parse&& parse,
                 Run&& run) {
  decltype(parse(argc, argv)) options;
  try {
    options = parse(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n' << program << " --help lists the options\n";
    return 2;
  }
  if (options.help) {
    std::cout << usage;
    return 0;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace support
