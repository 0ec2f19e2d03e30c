#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corio/corio.hpp"
#include "support/guide.hpp"

/// The behaviour of functions and classes with bad input, as the tables of include/corio/guide/bad_input.md. The tests
/// compare the tables with the page; if the environment variable CORIO_WRITE_PAGES is set, they rewrite the page.
namespace corio::test {

/// All numbers given to a function, or all numbers that it returns.
using Given = std::vector<Eigen::VectorXd>;
using Function = std::function<Eigen::VectorXd(const Given&)>;

/// A function, or a class by its update, with valid arguments.
struct Subject {
  std::string name;
  Given arguments = {};
  std::function<Function()> make = {};  ///< on a new Data, or a new object
  Eigen::Index quaternion = -1;         ///< start of the base's quaternion in the first argument
  /// Defects that are not a bad number: calls by the name of a column, with valid arguments.
  std::vector<std::pair<std::string, std::function<Function()>>> others = {};
  /// Arguments that are one number instead of a vector of any size, such as a time.
  std::vector<std::size_t> single = {};
};

namespace bad_input {

inline constexpr const char* sizes = "wrong size";
inline constexpr const char* not_finite = "NaN, inf";
inline constexpr const char* denormal = "denormal";
inline constexpr const char* huge = "1e200";
inline constexpr const char* no_quaternion = "quaternion 0";

inline std::string joined(const std::set<std::string>& outcomes) {
  std::string text;
  for (const std::string& x : outcomes) text += (text.empty() ? "" : ", ") + x;
  return text.empty() ? "-" : text;
}

/// The page, and where the table below a heading begins and ends in its text.
struct Page {
  explicit Page(const std::string& heading) : text(contents(path)) {
    const std::size_t at = text.find("\n## " + heading + "\n"),
                      next = std::min(text.find("\n## ", at + 1), text.size());
    begin = text.find("\n|", at) + 1;
    if (at == std::string::npos || begin == 0 || begin > next)
      throw Error("the page of bad input needs the heading '" + heading + "' and a table below it, at least '|'");
    end = text.find_last_of('|', next) + 2;
  }
  std::filesystem::path path =
      std::filesystem::path(CORIO_EXAMPLES_DIR).parent_path() / "include/corio/guide/bad_input.md";
  std::string text;
  std::size_t begin, end;
};

}  // namespace bad_input

/// Returns "SizeError" and the like for an exception, "works" for a finite result, "shows" for any other.
/// @param message  of the exception
inline std::string outcome(const std::function<Eigen::VectorXd()>& call, std::string* message = nullptr) {
  try {
    return call().allFinite() ? "works" : "shows";
  } catch (const std::exception& error) {
    if (message) *message = error.what();
    if (dynamic_cast<const ModelError*>(&error)) return "ModelError";
    if (dynamic_cast<const SizeError*>(&error)) return "SizeError";
    if (dynamic_cast<const StateError*>(&error)) return "StateError";
    return dynamic_cast<const Error*>(&error) ? "Error" : "another exception";
  }
}

/// The outcomes of a subject by column, and all messages of its exceptions.
struct Outcomes {
  std::map<std::string, std::set<std::string>> by_column;
  std::set<std::string> messages;
};

/// A table of outcomes, with one row for each subject.
class BadInput {
 public:
  /// @param others        the columns of Subject::others
  /// @param any_overflow  whether a result after 1e200 may be finite or not, as sums of squares overflow in registers
  /// of
  ///                      one length and not in those of another
  /// @param some_numbers  whether, after the first subject, some numbers of an argument stand for all: see bad_numbers
  explicit BadInput(std::vector<std::string> others, bool any_overflow = false, bool some_numbers = false);

  /// Tries all arguments of a subject, one at a time. After an error, and after a result that is not finite, the same
  /// object is called with valid arguments: if its result then differs from a new object's, "and stays" is added.
  Outcomes outcomes(const Subject& subject) const;
  /// Adds a subject. A subject that is added again, with other arguments, has the outcomes of both.
  void add(const std::string& subject, Outcomes outcomes);
  void add(const Subject& subject) { add(subject.name, outcomes(subject)); }
  /// Returns "-" if the subject has no such column.
  std::string at(const std::string& subject, const std::string& column) const;
  /// Every error of a subject must say what it is about: returns the errors that contain none of the words, one a line.
  std::string silent(const std::string& subject, const std::vector<std::string>& words) const;

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::string>& subjects() const { return subjects_; }
  /// Returns the table. Subjects with the same outcomes share a row.
  std::string markdown() const;

 private:
  std::set<Eigen::Index> bad_numbers(Eigen::Index n) const;

  std::vector<std::string> columns_, subjects_;
  bool any_overflow_, some_numbers_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> cells_;
  std::map<std::string, std::set<std::string>> messages_;
};

inline BadInput::BadInput(std::vector<std::string> others, bool any_overflow, bool some_numbers)
    : columns_{bad_input::sizes, bad_input::not_finite, bad_input::denormal, bad_input::huge, bad_input::no_quaternion},
      any_overflow_(any_overflow),
      some_numbers_(some_numbers) {
  columns_.insert(columns_.end(), others.begin(), others.end());
}

/// Selects which of n numbers of an argument are made bad, one at a time. Batches call the functions that other tables
/// try with every number, so there some numbers stand for all: a bad number of any kind could only affect other states.
/// The passes distinguish position and turn of a base, 0 and 3, and joints, here the last; a fourth number changes from
/// subject to subject.
inline std::set<Eigen::Index> BadInput::bad_numbers(Eigen::Index n) const {
  std::set<Eigen::Index> numbers;
  if (some_numbers_ && n > 0 && !subjects_.empty())
    numbers = {0, std::min<Eigen::Index>(3, n - 1), n - 1, std::ssize(subjects_) % n};
  else
    for (Eigen::Index k = 0; k < n; ++k) numbers.insert(k);
  return numbers;
}

inline Outcomes BadInput::outcomes(const Subject& subject) const {
  Outcomes found;
  const Eigen::VectorXd expected = subject.make()(subject.arguments);
  if (!expected.allFinite()) throw Error(subject.name + " fails without bad input");
  std::string message;
  const auto attempt = [&](const char* column, const Given& arguments) {
    const Function f = subject.make();
    std::string word = outcome([&] { return f(arguments); }, &message);
    found.messages.insert(message);
    if (word != "works") {
      const std::string after = outcome([&] {
        if (f(subject.arguments) != expected) throw std::logic_error("");
        return Eigen::VectorXd();
      });
      if (after != "works") word += " and stays";
    }
    const bool overflow = any_overflow_ && column == bad_input::huge && (word == "works" || word == "shows");
    found.by_column[column].insert(overflow ? "works or shows" : word);
  };
  for (std::size_t i = 0; i < subject.arguments.size(); ++i) {
    Given x = subject.arguments;
    const Eigen::VectorXd right = x[i];
    const Eigen::Index n = right.size();
    if (std::find(subject.single.begin(), subject.single.end(), i) == subject.single.end())
      for (const int change : {-1, 1}) {
        x[i] = right;
        x[i].conservativeResize(n + change);
        if (change > 0) x[i][n] = 0;
        attempt(bad_input::sizes, x);
      }
    const double inf = std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::denorm_min();
    for (const Eigen::Index k : bad_numbers(n)) {
      for (const double bad : {std::nan(""), inf, -inf}) x[i] = right, x[i][k] = bad, attempt(bad_input::not_finite, x);
      x[i] = right, x[i][k] = least, attempt(bad_input::denormal, x);
      x[i] = right, x[i][k] = 1e200, attempt(bad_input::huge, x);
    }
    if (i > 0 || subject.quaternion < 0) continue;
    x[i] = right, x[i].segment(subject.quaternion, 4).setZero(), attempt(bad_input::no_quaternion, x);
    x[i] = right, x[i].segment(subject.quaternion, 4).setConstant(least), attempt(bad_input::denormal, x);
  }
  for (const auto& other : subject.others) {
    found.by_column[other.first].insert(outcome([&] { return other.second()(subject.arguments); }, &message));
    found.messages.insert(message);
  }
  return found;
}

inline void BadInput::add(const std::string& subject, Outcomes outcomes) {
  if (std::find(subjects_.begin(), subjects_.end(), subject) == subjects_.end()) subjects_.push_back(subject);
  for (const std::string& column : columns_) cells_[{subject, column}].merge(outcomes.by_column[column]);
  messages_[subject].merge(outcomes.messages);
}

inline std::string BadInput::at(const std::string& subject, const std::string& column) const {
  return bad_input::joined(cells_.at({subject, column}));
}

inline std::string BadInput::silent(const std::string& subject, const std::vector<std::string>& words) const {
  std::string text;
  for (const std::string& message : messages_.at(subject))
    if (!message.empty() && std::none_of(words.begin(), words.end(), [&](const std::string& word) {
          return message.find(word) != std::string::npos;
        }))
      text += message + "\n";
  return text;
}

inline std::string BadInput::markdown() const {
  std::string text = "| |", line = "|---|";
  for (const std::string& column : columns_) text += " " + column + " |", line += "---|";
  text += "\n" + line + "\n";
  std::vector<std::pair<std::string, std::string>> rows;  // names, and their outcomes
  for (const std::string& subject : subjects_) {
    std::string outcomes;
    for (const std::string& column : columns_) outcomes += " | " + at(subject, column);
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.second == outcomes; });
    if (same == rows.end())
      rows.emplace_back("`" + subject + "`", outcomes);
    else
      same->first += ", `" + subject + "`";
  }
  for (const auto& [names, outcomes] : rows) text += "| " + names + outcomes + " |\n";
  return text;
}

/// Returns the table below a heading of the page.
inline std::string table_of_page(const std::string& heading) {
  const bad_input::Page page(heading);
  return page.text.substr(page.begin, page.end - page.begin);
}

/// Replaces that table, if CORIO_WRITE_PAGES is set.
inline void write_page(const std::string& heading, const std::string& table) {
  if (!std::getenv("CORIO_WRITE_PAGES")) return;
  bad_input::Page page(heading);
  std::ofstream(page.path) << page.text.replace(page.begin, page.end - page.begin, table);
}

}  // namespace corio::test
