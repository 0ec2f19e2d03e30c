#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "corio/core/abi.hpp"

/// Numbers in files, which do not depend on the locale.
namespace corio::inline CORIO_ABI::detail {

static_assert(
    [](auto x) {
      return requires(const char* text) { std::from_chars(text, text, x); };
    }(0.0),
    "corio's readers need std::from_chars for double, which libstdc++ has from version 11 and libc++ from 20");

/// Whether a decimal number out of the range of double is too small, not too large: by its exponent and the place of
/// its first nonzero digit.
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

/// A word as a decimal number; nothing if it is none, or not finite. A number too small for a double is zero.
/// @param infinite  whether inf and -inf, or infinity, are numbers, too
inline std::optional<double> parse_number(std::string_view word, bool infinite = false) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double x = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, x);
  const bool tiny = error == std::errc::result_out_of_range && stop == end && is_too_small(word);
  const bool allowed = std::isfinite(x) || (infinite && std::isinf(x));
  if (stop != end || (error != std::errc() && !tiny) || !allowed) return std::nullopt;
  return tiny ? 0.0 : x;
}

}  // namespace corio::detail
