#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "corio/core/detail/file.hpp"
#include "corio/identification/detail/table_line.hpp"
#include "corio/identification/signals.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A table of numbers from a text file: tabs, semicolons, commas or blanks between columns; decimal points or, unless
/// commas separate columns, decimal commas. Rows begin with the first line that begins with a number. The columns are
/// named by the last line before it with as many fields, which a line of units may follow; without such a line, by the
/// last comment (# or % at its beginning) with as many fields. Empty fields, and words in columns of numbers, are NaN.
/// Empty lines, comments, and a last row that was cut off are left out.
class LogTable {
 public:
  /// Reads a file in O(its size).
  /// @throws Error naming the line, for another number of columns or a row of words; for a file that cannot be read, is
  /// not text, or has no rows of numbers
  explicit LogTable(const std::string& path) : path_(path) {
    const std::string name = detail::join({"table ", detail::quoted(path)});
    if (!detail::is_regular<Error>(path, name)) throw Error(detail::join({name, " does not exist"}));
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Error(detail::join({name, " cannot be read; check its permissions"}));
    std::vector<double> numbers;
    std::vector<detail::TableLine> before;
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
      try {
        text = detail::plain_text<Error>(text).text;
      } catch (const Error& error) {
        throw Error(detail::join({name, ", line ", std::to_string(number), ": ", error.what()}));
      }
      const std::size_t first = text.find_first_not_of(" \t\r");
      if (first == std::string::npos) continue;
      const bool is_comment = text[first] == '#' || text[first] == '%';
      if (is_comment && separator_ != 0) continue;
      detail::TableLine line{number, is_comment, is_comment ? text.substr(first + 1) : text};
      if (separator_ != 0) {
        line.split(separator_);
        add(line, numbers);
        continue;
      }
      line.split();
      const bool has_header = std::ranges::any_of(before, [](const auto& other) { return !other.is_comment; });
      if (is_comment || (!line.begins_with_number() && !(has_header && 2 * line.numbers >= line.fields.size()))) {
        before.push_back(std::move(line));
        continue;
      }
      begin(line, before);
      // The first row's length tells how many there are, so that the vector need not grow and move.
      numbers.reserve(columns_ * (1 + std::filesystem::file_size(path) / (text.size() + 1)));
      add(line, numbers);
    }
    if (lines_.empty()) throw Error(detail::join({path, " has no rows of numbers"}));
    numbers_ = Eigen::Map<const RowMajor>(numbers.data(), std::ssize(lines_), static_cast<Eigen::Index>(columns_));
  }

  /// Appends the columns of a table of equal rows, such as positions and efforts in files of their own, except columns
  /// that are here already, such as the time. Of two columns of one name, the second has its number only. O(size of
  /// that table).
  /// @throws Error for another number of rows; this table is then unchanged
  void append(const LogTable& other) {
    if (other.rows() != rows())
      throw Error(detail::join({path_, " and ", other.path_, " have ", std::to_string(rows()), " and ",
                                std::to_string(other.rows()), " rows"}));
    std::vector<Eigen::Index> added;
    for (Eigen::Index k = 0; k < other.columns(); ++k) {
      const auto place = static_cast<std::size_t>(k);
      const auto at = place < other.names_.size() ? std::ranges::find(names_, other.names_[place]) : names_.end();
      if (at == names_.end() || numbers_.col(at - names_.begin()) != other.numbers_.col(k)) added.push_back(k);
    }
    const Eigen::Index begin = columns();
    const RowMajor mine = numbers_;
    numbers_.resize(rows(), begin + std::ssize(added));
    numbers_ << mine, other.numbers_(Eigen::all, added);
    names_.resize(static_cast<std::size_t>(begin)), units_.resize(static_cast<std::size_t>(begin));
    for (Eigen::Index at = begin; const Eigen::Index k : added) {
      const auto place = static_cast<std::size_t>(k);
      names_.push_back(place < other.names_.size() ? other.names_[place] : "");
      units_.push_back(place < other.units_.size() ? other.units_[place] : "");
      for (const Word& word : other.words_)
        if (word.column == k) words_.push_back({word.row, at, word.text});
      ++at;
    }
    columns_ = names_.size(), path_ += " and " + other.path_, is_joined_ = true;
    if (std::ranges::all_of(names_, [](const auto& name) { return name.empty(); })) names_.clear();
  }

  const std::string& path() const { return path_; }
  Eigen::Index rows() const { return numbers_.rows(); }
  Eigen::Index columns() const { return numbers_.cols(); }
  /// Returns the line of the file in which a row is, from 1 on.
  int line(Eigen::Index row) const { return lines_.at(static_cast<std::size_t>(row)); }
  /// The line of a last row that is left out because columns are missing in it; 0 if there is no such row.
  int cut_off() const { return cut_off_; }
  /// Names of the columns; empty if they have none.
  const std::vector<std::string>& names() const { return names_; }
  /// The number of columns and their names, for messages.
  std::string describe() const {
    std::string known;
    for (const auto& name : names_) known += (known.empty() ? ": " : ", ") + (name.empty() ? "without a name" : name);
    return std::to_string(columns()) + " columns" + (known.empty() ? ", which have no names" : known);
  }
  /// Returns whether there is a column of this name, or of this number from 1 on.
  bool has(const std::string& name) const { return find(name) >= 0; }
  /// The unit of a column, written behind its name, "time [ms]", "q1 (deg)", or below it; empty if there is no unit.
  /// @throws Error for an unknown column
  std::string unit(const std::string& name) const {
    const auto at = static_cast<std::size_t>(index(name));
    if (at < units_.size() && !units_[at].empty()) return without_brackets(units_[at]);
    if (at >= names_.size()) return "";
    const auto open = unit_begin(names_[at]);
    return open == std::string::npos ? "" : without_brackets(names_[at].substr(open));
  }
  /// A column by its name, with or without its unit, or by its number from 1 on.
  /// @throws Error if there is none; if one of its fields is not a finite number, naming its line and column, or row
  VectorX<double> column(const std::string& name) const {
    const Eigen::Index at = index(name);
    for (Eigen::Index i = 0; i < rows(); ++i)
      if (!std::isfinite(numbers_(i, at))) {
        const auto word = std::ranges::find_if(words_, [&](const Word& w) { return w.row == i && w.column == at; });
        const std::string where = is_joined_ ? "row " + std::to_string(i + 1) : "line " + std::to_string(line(i));
        throw Error(detail::join({path_, ", ", where, ", column ", std::to_string(at + 1), " (", name, "): ",
                                  word != words_.end()          ? detail::excerpt(word->text) + " is not a number"
                                  : std::isnan(numbers_(i, at)) ? "not a number"
                                                                : "infinite"}));
      }
    return numbers_.col(at);
  }
  /// Returns the number of fields of a column that are not finite numbers.
  Eigen::Index blanks(const std::string& name) const {
    return rows() - numbers_.col(index(name)).array().isFinite().count();
  }
  /// As column, at times t that grow; empty fields of a signal that has a lower rate than others are interpolated.
  /// @throws as column, and for fewer than twenty numbers, or where a number comes five times as late as on average
  VectorX<double> column(const std::string& name, const VectorX<double>& t) const {
    const Eigen::Index at = index(name), count = rows() - blanks(name);
    const bool has_word = std::ranges::any_of(words_, [&](const Word& w) { return w.column == at; });
    if (count == rows() || count < 20 || has_word) return column(name);
    const VectorX<double> x = numbers_.col(at);
    VectorX<double> times = t;  // without steps back, which read_recording finds
    for (Eigen::Index i = rows() - 1; i-- > 0;) times[i] = (std::min)(times[i], times[i + 1]);
    std::vector<Eigen::Index> known;
    for (Eigen::Index i = 0, before = 0; i < rows(); ++i) {
      while (std::isfinite(x[i]) && !known.empty() && times[known.back()] >= times[i]) known.pop_back();
      if (std::isfinite(x[i])) known.push_back(before = i);
      if ((i - before) * count > 5 * rows()) return column(name);
    }
    return resample(times(known), x(known), times);
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// The first word in a column of numbers.
  struct Word {
    Eigen::Index row, column;
    std::string text;
  };

  /// Separator, number of columns, names and units by the first row and the lines before it.
  void begin(detail::TableLine& row, std::vector<detail::TableLine>& before) {
    separator_ = row.separator;
    columns_ = row.fields.size();
    // A separator at the end of every row ends the last column, unless this field has a name.
    const bool has_header = std::ranges::any_of(before, [](const auto& line) { return !line.is_comment; });
    const auto names_it = [&](detail::TableLine& line) {
      line.split(separator_);
      return line.is_comment != has_header && line.fields.size() == columns_ && !line.fields.back().empty();
    };
    if (columns_ > 1 && row.fields.back().empty() && std::ranges::none_of(before, names_it)) --columns_;
    const detail::TableLine* last = nullptr;
    for (auto& line : before) {
      line.split(separator_);
      auto& fields = line.fields;
      for (std::size_t k = 1; separator_ == ' ' && k < fields.size();)  // time [s] is one name
        if (fields[k].starts_with('[') || fields[k].starts_with('('))
          fields[k - 1] += fields[k], fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(k));
        else
          ++k;
      if (fields.size() == columns_ + 1 && fields.back().empty()) fields.pop_back();
      if (line.is_comment) continue;
      last = &line;
      if (fields.size() == columns_)
        (!names_.empty() && std::ranges::all_of(fields, detail::is_unit) ? units_ : names_) = fields;
    }
    if (names_.empty() && last != nullptr)
      throw Error(
          detail::join({path_, ", line ", std::to_string(row.number), ": ", std::to_string(columns_), " columns, but ",
                        std::to_string(last->fields.size()), " in line ", std::to_string(last->number), " before it"}));
    for (const auto& line : before)
      if (last == nullptr && line.fields.size() == columns_) names_ = line.fields;
  }

  void add(detail::TableLine& line, std::vector<double>& numbers) {
    auto& fields = line.fields;
    if (fields.size() == columns_ + 1 && fields.back().empty()) fields.pop_back();
    const std::string where = detail::join({path_, ", line ", std::to_string(line.number), ": "});
    if (cut_off_ > 0) throw Error(cut_off_message_);
    if (fields.size() != columns_) {
      cut_off_message_ =
          detail::join({where, std::to_string(fields.size()), " columns, expected ", std::to_string(columns_)});
      if (fields.size() > columns_ || lines_.empty()) throw Error(cut_off_message_);
      cut_off_ = line.number;
      return;
    }
    const auto word = std::ranges::find_if(fields, [](const auto& field) { return !field.empty(); });
    if (line.numbers == 0 && word != fields.end())
      throw Error(detail::join({where, detail::excerpt(*word), " is not a number"}));
    for (std::size_t k = 0; k < columns_; ++k) {
      const auto x = detail::number_of_field(fields[k], separator_ != ',');
      numbers.push_back(x.value_or(std::numeric_limits<double>::quiet_NaN()));
      const auto column = static_cast<Eigen::Index>(k);
      if (!x && std::ranges::none_of(words_, [&](const Word& w) { return w.column == column; }))
        words_.push_back({std::ssize(lines_), column, fields[k]});
    }
    lines_.push_back(line.number);
  }

  /// Returns the place where the unit in a name begins.
  static std::size_t unit_begin(const std::string& name) {
    const auto open = name.empty() ? std::string::npos : name.find_last_of("[(");
    const bool closed = open != std::string::npos && open > 0 && (name.back() == ']' || name.back() == ')');
    // [0] of position[0] is an index, not a unit.
    return closed && name.find_first_not_of("0123456789", open + 1) + 1 < name.size() ? open : std::string::npos;
  }
  static std::string without_brackets(const std::string& unit) {
    const bool has = unit.size() > 1 && (unit[0] == '[' || unit[0] == '(');
    return has ? unit.substr(1, unit.size() - 2) : unit;
  }
  Eigen::Index index(const std::string& name) const {
    const Eigen::Index at = find(name);
    if (at >= 0) return at;
    throw Error(detail::join({path_, " has no column '", name, "'; it has ", describe()}));
  }
  Eigen::Index find(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<Eigen::Index>(i);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (const auto open = unit_begin(names_[i]); open != std::string::npos)
        if (const auto end = names_[i].find_last_not_of(" _", open - 1);
            end != std::string::npos && names_[i].substr(0, end + 1) == name)
          return static_cast<Eigen::Index>(i);
    int number = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = result.ec == std::errc() && result.ptr == name.data() + name.size();
    return whole && number >= 1 && number <= columns() ? number - 1 : -1;
  }

  std::string path_, cut_off_message_;
  std::vector<std::string> names_, units_;
  std::vector<Word> words_;
  std::vector<int> lines_;
  std::size_t columns_ = 0;
  char separator_ = 0;
  int cut_off_ = 0;
  bool is_joined_ = false;
  RowMajor numbers_;
};

}}  // namespace corio
