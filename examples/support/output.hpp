#pragma once

#include <filesystem>
#include <fstream>
#include <locale>
#include <stdexcept>

namespace support {

/// A file to write numbers into, which have points whatever the locale of the process.
/// @param digits  of a number, at most
/// @throws std::runtime_error if it cannot be written
inline std::ofstream output(const std::filesystem::path& path, int digits = 6) {
  std::ofstream file;
  file.imbue(std::locale::classic());
  file.precision(digits);
  file.open(path);
  if (!file) throw std::runtime_error("cannot write " + path.string());
  return file;
}

}  // namespace support
