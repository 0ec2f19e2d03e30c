#pragma once

#include <string>
#include <string_view>

namespace support {

/// A name, such as a robot's name in a file, as part of the name of a file: letters, digits, '-', '_' and bytes beyond
/// ASCII stay, and so does '.' after the first character; other characters become '_'. The result is not empty,
/// contains no folder and is short enough for any file system.
inline std::string file_name(const std::string& name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  constexpr std::size_t longest = 100;
  std::string result = name.substr(0, longest);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (const char c = result[i]; letters.find(c) == letters.npos && c >= 0 && (c != '.' || i == 0)) result[i] = '_';
  return result.empty() ? "_" : result;
}

}  // namespace support
