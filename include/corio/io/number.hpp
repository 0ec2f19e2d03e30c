#pragma once

#include <charconv>
#include <cmath>
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

/// The decimal number that a word is; nothing if it is anything else, or not finite. One too small for a double is
/// zero.
/// @param infinite  whether inf and -inf, or infinity, are numbers, too
inline std::optional<double> parse_number(std::string_view word, bool infinite = false) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double x = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, x);
  const std::size_t e = word.find_first_of("eE");
  const bool tiny = error == std::errc::result_out_of_range && e != word.npos && word.substr(e + 1).starts_with('-');
  const bool allowed = std::isfinite(x) || (infinite && std::isinf(x));
  if (stop != end || (error != std::errc() && !tiny) || !allowed) return std::nullopt;
  return tiny ? 0.0 : x;
}

}  // namespace corio::detail
