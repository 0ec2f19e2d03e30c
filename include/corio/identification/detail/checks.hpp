#pragma once

#include <cmath>

#include "corio/core/error.hpp"

/// Checks of settings, in addition to core/detail/input.hpp. All throw Error with what was given.
namespace corio { inline namespace CORIO_ABI { namespace detail {

inline void check_positive(const char* what, double x, const char* function, bool zero_allowed = false) {
  if (!(std::isfinite(x) && (x > 0 || (zero_allowed && x == 0))))
    throw Error(join({function, ": ", what, " is ", number(x), ", must be ", zero_allowed ? "zero or " : "",
                      "positive and finite"}));
}

/// Returns the number.
inline Eigen::Index check_at_least(const char* what, Eigen::Index given, Eigen::Index least, const char* function) {
  if (given < least)
    throw Error(join({function, ": ", Digits(given), " ", what, ", expected ", Digits(least), " at least"}));
  return given;
}

/// Limits may be used up to a share.
inline void check_share(double share, const char* function) {
  if (!(share > 0 && share <= 1))
    throw Error(join({function, ": the share of limits is ", number(share), ", must be in (0, 1]"}));
}

}}}  // namespace corio::detail
