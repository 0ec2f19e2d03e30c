#pragma once

#include <initializer_list>
#include <string>

#include "corio/core/error.hpp"

namespace corio::test {

/// Returns "rejected" if f throws a ModelError that contains all parts; otherwise its message.
std::string rejection_of(const auto& f, std::initializer_list<const char*> parts) {
  try {
    f();
  } catch (const ModelError& error) {
    const std::string message = error.what();
    for (const char* part : parts)
      if (message.find(part) == message.npos) return corio::detail::join({"'", part, "' is not in: ", message});
    return "rejected";
  }
  return "(no ModelError)";
}

}  // namespace corio::test
