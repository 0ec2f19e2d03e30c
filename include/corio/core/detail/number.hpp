#pragma once

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "corio/core/abi.hpp"

/// Numbers in files, which do not depend on the locale.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns whether a decimal number out of the range of double is too small, not too large, from its exponent and the
/// place of its first nonzero digit.
inline bool is_too_small(std::string_view word) {
  const std::size_t e = (std::min)(word.find_first_of("eE"), word.size());
  std::string_view digits = word.substr(0, e), power = word.substr((std::min)(e + 1, word.size()));
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::int32_t exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec == std::errc::result_out_of_range)
    return power.starts_with('-');
  const std::size_t point = (std::min)(digits.find('.'), digits.size()), first = digits.find_first_of("123456789");
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent < 0;
}

/// Replaces read_number if std::from_chars reads integers only (libc++ before 20). It calls std::strtod, which takes
/// the decimal point of the locale, and would also read blanks, hexadecimal numbers and a second sign.
inline std::optional<double> read_number_by_strtod(std::string_view word) {
  if (word.empty() || word[0] == '+' || word.find_first_not_of("+-.0123456789eEainftyAINFTY") != word.npos)
    return std::nullopt;
  std::string text(word);
  if (const std::size_t point = text.find('.'); point != text.npos)
    text.replace(point, 1, std::localeconv()->decimal_point);
  char* stop = nullptr;
  const double x = std::strtod(text.c_str(), &stop);
  const bool too_large = std::isinf(x) && word.find_first_of("0123456789") != word.npos;
  return stop == text.c_str() + text.size() && !too_large ? std::optional(x) : std::nullopt;
}

/// Reads a word as a decimal number, or as infinity or NaN by name. Returns nothing if the word is neither, or too
/// large for a double; a number too small for a double is zero.
template <class Real>
std::optional<Real> read_number(std::string_view word) {
  if constexpr (requires(const char* text, Real x) { std::from_chars(text, text, x); }) {
    Real x = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, x);
    if (stop != end) return std::nullopt;
    if (error == std::errc::result_out_of_range && is_too_small(word)) return Real(0);
    return error == std::errc() ? std::optional(x) : std::nullopt;
  } else {
    return read_number_by_strtod(word);
  }
}

/// Reads a word as a decimal number. Returns nothing if the word is not a number, or not finite. A number too small for
/// a double is zero.
/// @param infinite  whether inf and -inf, or infinity, are numbers, too
inline std::optional<double> parse_number(std::string_view word, bool infinite = false) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto x = read_number<double>(word);
  return x && (std::isfinite(*x) || (infinite && std::isinf(*x))) ? x : std::nullopt;
}

}}}  // namespace corio::detail
