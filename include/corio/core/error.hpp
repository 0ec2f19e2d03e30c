#pragma once

#include <Eigen/Core>
#include <charconv>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Base class of all exceptions of corio. Messages name the joint or body, what was found and what is expected.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A model that cannot be built, parsed or changed as requested, or a name that it does not have.
struct ModelError : Error {
  using Error::Error;
};

/// An argument whose size does not fit the model.
struct SizeError : Error {
  using Error::Error;
};

/// A result was requested before its kinematics pass, or after a pass for another model.
struct StateError : Error {
  using Error::Error;
};

namespace detail {

/// Concatenates the parts of a message: chains of string + string compile to far more code.
[[gnu::cold, gnu::noinline]] inline std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}
/// Formats an integer for messages: std::to_string is compiled for each type, and returns a string that has to be
/// destroyed.
class Digits {
 public:
  template <class Integer>
  explicit Digits(Integer n) : Digits(static_cast<long long>(n), Any()) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::string_view() const { return {text_ + begin_, sizeof text_ - begin_}; }

 private:
  struct Any {};
  [[gnu::noinline]] Digits(long long n, Any) {
    auto left = static_cast<unsigned long long>(n);
    if (n < 0) left = 0 - left;
    for (bool more = true; more; left /= 10, more = left > 0) text_[--begin_] = static_cast<char>('0' + left % 10);
    if (n < 0) text_[--begin_] = '-';
  }

  char text_[20];
  std::size_t begin_ = sizeof text_;
};
/// Formats a number for messages with six digits, like %g, in any locale.
inline std::string number(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 6).ptr};
}

/// Returns f(). The message of a ModelError that f throws is prefixed with `place`, such as a file or a line of it.
template <class F>
auto with_source(const std::string& place, const F& f) {
  try {
    return f();
  } catch (const ModelError& error) {
    throw ModelError(join({place, ": ", error.what()}));
  }
}

/// Works as above, with "line N" as the place; line 0, a model that was not read from a file, has no place.
template <class F>
auto located(int line, const F& f) {
  return line > 0 ? with_source(join({"line ", Digits(line)}), f) : f();
}

/// Returns the name of a function without template arguments, which some compilers add.
inline std::string_view plain_name(std::string_view function) { return function.substr(0, function.find('<')); }

[[noreturn, gnu::cold]] inline void throw_size(const char* what, Eigen::Index got, Eigen::Index expected,
                                               const char* function) {
  throw SizeError(join({plain_name(function), ": ", what, " has size ", Digits(got), ", expected ", Digits(expected)}));
}

/// @throws SizeError. @param function  the function that the message names; by default the caller
inline void check_size(const char* what, Eigen::Index got, Eigen::Index expected,
                       const char* function = __builtin_FUNCTION()) {
  if (got != expected) throw_size(what, got, expected, function);
}

inline void check_shape(const char* what, Eigen::Index rows, Eigen::Index cols, Eigen::Index expected_rows,
                        Eigen::Index expected_cols, const char* function = __builtin_FUNCTION()) {
  if (rows != expected_rows || cols != expected_cols)
    throw SizeError(join({plain_name(function), ": ", what, " is ", Digits(rows), " x ", Digits(cols), ", expected ",
                          Digits(expected_rows), " x ", Digits(expected_cols)}));
}

}  // namespace detail
}}  // namespace corio
