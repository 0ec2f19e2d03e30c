#pragma once

#include <Eigen/Core>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "corio/core/file.hpp"
#include "corio/io/number.hpp"

namespace support {

/// The fields of a line, or the entries of a list, without blanks and quotation marks around them.
inline std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, separator);) {
    const auto begin = field.find_first_not_of(" \t\r\""), end = field.find_last_not_of(" \t\r\"");
    fields.push_back(begin == std::string::npos ? "" : field.substr(begin, end - begin + 1));
  }
  return fields;
}

/// A table of numbers whose columns may have names, from a file with commas, semicolons or tabs between them.
class Table {
 public:
  /// @throws corio::Error that names the line; for a file that cannot be read or is not text
  explicit Table(const std::string& path) : path_(path) {
    std::istringstream in(corio::detail::read_text<corio::Error>(path, "table"));
    std::vector<double> numbers;
    std::size_t columns = 0;
    char separator = ',';
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
      if (columns == 0)
        for (const char other : {'\t', ';', ','})
          if (line.find(other) != std::string::npos) separator = other;
      const auto fields = split(line, separator);
      double x = 0;
      if (columns == 0) {
        columns = fields.size();
        if (!read(fields[0], x)) {
          names_ = fields;
          continue;
        }
      }
      const std::string where = path + ", line " + std::to_string(number) + ": ";
      if (fields.size() != columns)
        throw corio::Error(where + std::to_string(fields.size()) + " columns, expected " + std::to_string(columns));
      for (const auto& field : fields) {
        if (!read(field, x)) throw corio::Error(where + "'" + field + "' is no number");
        numbers.push_back(x);
      }
    }
    if (numbers.empty()) throw corio::Error(path + " has no rows of numbers");
    numbers_ = Eigen::Map<const RowMajor>(numbers.data(), static_cast<Eigen::Index>(numbers.size() / columns),
                                          static_cast<Eigen::Index>(columns));
  }

  Eigen::Index rows() const { return numbers_.rows(); }
  bool has(const std::string& name) const { return find(name) >= 0; }
  /// A column by its name, or by its number from 1 on.
  Eigen::VectorXd column(const std::string& name) const {
    if (const auto at = find(name); at >= 0) return numbers_.col(at);
    std::string known;
    for (const auto& other : names_) known += (known.empty() ? "" : ", ") + other;
    throw corio::Error(path_ + " has no column '" + name + "'; it has " + std::to_string(numbers_.cols()) + " columns" +
                       (known.empty() ? "" : ": " + known));
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  static bool read(const std::string& text, double& x) {
    const auto number = corio::detail::read_number<double>(std::string_view(text).substr(text.starts_with('+')));
    x = number.value_or(x);
    return number.has_value();
  }
  Eigen::Index find(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<Eigen::Index>(i);
    int number = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = result.ec == std::errc() && result.ptr == name.data() + name.size();
    return whole && number >= 1 && number <= numbers_.cols() ? number - 1 : -1;
  }

  std::string path_;
  std::vector<std::string> names_;
  RowMajor numbers_;
};

}  // namespace support
