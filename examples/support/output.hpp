#pragma once

#include <filesystem>
#include <fstream>
#include <locale>
#include <stdexcept>

namespace support {

/// A file for numbers, which are written with decimal points in every locale.
/// @param digits  the largest number of digits of a number
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
