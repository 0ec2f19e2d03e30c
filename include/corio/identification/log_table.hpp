#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "corio/core/detail/file.hpp"
#include "corio/core/detail/number.hpp"
#include "corio/core/scalar.hpp"

namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// The fields of a line without blanks and quotation marks around them. Separator ' ' stands for any blanks.
inline std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  const auto add = [&](std::string_view field) {
    const auto begin = field.find_first_not_of(" \t\r\""), end = field.find_last_not_of(" \t\r\"");
    fields.emplace_back(begin == field.npos ? "" : field.substr(begin, end - begin + 1));
  };
  if (separator == ' ') {
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != line.npos;) {
      const std::size_t end = (std::min)(line.find_first_of(" \t\r", at), line.size());
      add(line.substr(at, end - at));
      at = end;
    }
    return fields;
  }
  for (std::size_t at = 0;; ++at) {
    const std::size_t end = (std::min)(line.find(separator, at), line.size());
    add(line.substr(at, end - at));
    at = end;
    if (at == line.size()) return fields;
  }
}

}  // namespace detail

/// A table of numbers from a text file: commas, semicolons, tabs or blanks between columns, found from the first line
/// that is neither empty nor a comment (# or % at its beginning). If the first field of this line is no number, the
/// line names the columns. Empty fields are NaN.
class LogTable {
 public:
  /// O(size of the file).
  /// @throws Error naming the line, for a field that is no number or another number of columns; for a file that cannot
  /// be read, is not text, or has no rows of numbers
  explicit LogTable(const std::string& path) : path_(path) {
    std::istringstream in(detail::read_text<Error>(path, "table"));
    std::vector<double> numbers;
    std::size_t columns = 0;
    char separator = ' ';
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string::npos || line[first] == '#' || line[first] == '%') continue;
      if (columns == 0)
        for (const char other : {'\t', ';', ','})
          if (line.find(other) != std::string::npos) separator = other;
      auto fields = detail::fields_of(line, separator);
      // A separator at the end of every row ends the last column.
      if (fields.size() > 1 && fields.back().empty() && (columns == 0 || fields.size() == columns + 1))
        fields.pop_back();
      double x = 0;
      if (columns == 0) {
        columns = fields.size();
        if (!read(fields[0], x)) {
          names_ = fields;
          continue;
        }
      }
      const std::string where = detail::join({path, ", line ", std::to_string(number), ": "});
      if (fields.size() != columns)
        throw Error(
            detail::join({where, std::to_string(fields.size()), " columns, expected ", std::to_string(columns)}));
      for (const auto& field : fields) {
        if (!read(field, x)) throw Error(detail::join({where, "'", field, "' is no number"}));
        numbers.push_back(x);
      }
      lines_.push_back(number);
    }
    if (numbers.empty()) throw Error(detail::join({path, " has no rows of numbers"}));
    numbers_ = Eigen::Map<const RowMajor>(numbers.data(), std::ssize(lines_), static_cast<Eigen::Index>(columns));
  }

  const std::string& path() const { return path_; }
  Eigen::Index rows() const { return numbers_.rows(); }
  Eigen::Index columns() const { return numbers_.cols(); }
  /// The line of the file that a row stands in, from 1 on.
  int line(Eigen::Index row) const { return lines_.at(static_cast<std::size_t>(row)); }
  /// Whether there is a column of this name, or of this number from 1 on.
  bool has(const std::string& name) const { return find(name) >= 0; }
  /// A column by its name, or by its number from 1 on.
  /// @throws Error if there is none; if one of its numbers is not finite, naming its line
  VectorX<double> column(const std::string& name) const {
    const Eigen::Index at = find(name);
    if (at < 0) {
      std::string known;
      for (const auto& other : names_) known += (known.empty() ? "" : ", ") + other;
      throw Error(detail::join({path_, " has no column '", name, "'; it has ", std::to_string(columns()), " columns",
                                known.empty() ? "" : ": ", known}));
    }
    for (Eigen::Index i = 0; i < rows(); ++i)
      if (!std::isfinite(numbers_(i, at)))
        throw Error(detail::join({path_, ", line ", std::to_string(line(i)), ", column ", std::to_string(at + 1), " (",
                                  name, "): ", std::isnan(numbers_(i, at)) ? "not a number" : "infinite"}));
    return numbers_.col(at);
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  static bool read(const std::string& text, double& x) {
    if (text.empty()) {
      x = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    const auto number = detail::read_number<double>(std::string_view(text).substr(text.starts_with('+')));
    x = number.value_or(x);
    return number.has_value();
  }
  Eigen::Index find(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<Eigen::Index>(i);
    int number = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = result.ec == std::errc() && result.ptr == name.data() + name.size();
    return whole && number >= 1 && number <= columns() ? number - 1 : -1;
  }

  std::string path_;
  std::vector<std::string> names_;
  std::vector<int> lines_;
  RowMajor numbers_;
};

}}  // namespace corio
