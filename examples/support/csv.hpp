#pragma once

#include <corio/identification/log_table.hpp>
#include <string>
#include <vector>

namespace support {

using Table = corio::LogTable;

/// The entries of a list, without blanks and quotation marks around them.
inline std::vector<std::string> split(const std::string& line, char separator) {
  return corio::detail::fields_of(line, separator);
}

}  // namespace support
