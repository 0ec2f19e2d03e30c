#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corio/core/error.hpp"

/// Schemas: a table of the names that a kind of document has, and suggestions for misspelt names.
namespace corio { inline namespace CORIO_ABI { namespace xml {

/// An element: the names of its attributes and of its children, separated by blanks. "default joint" is the row of a
/// <joint> in a <default>; it precedes the row "joint". A row "@pose" is not an element but an abbreviation: "@pose" in
/// a list stands for the first list of that row. A question mark after a child means at most one. The contents of a
/// child without a row are not checked.
struct Row {
  std::string_view element, attributes, children{};
};

/// The optimal string alignment distance: the least number of letters to insert, remove, replace or exchange with the
/// next one, none of them twice, that turns one word into the other. O(size of a times size of b).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, now(b.size() + 1);  // the rows of the first i - 2, i - 1 and i letters of a
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last), last = now;
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = (std::min)({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = (std::min)(now[j], before[j - 2] + 1);
    }
  }
  return now[b.size()];
}

/// The elements of a kind of file, with the attributes and children of each.
class Schema {
 public:
  /// @param rows  must outlive the schema
  constexpr explicit Schema(std::span<const Row> rows) : rows_(rows) {}

  /// The row of an element in its parent, null if its contents are not checked.
  const Row* find(std::string_view parent, std::string_view element) const {
    const auto is = [&](std::string_view name) {
      return name.size() == parent.size() + 1 + element.size() && name.starts_with(parent) &&
             name[parent.size()] == ' ' && name.ends_with(element);
    };
    const Row* anywhere = nullptr;
    for (const Row& row : rows_) {
      if (is(row.element)) return &row;
      if (!anywhere && row.element == element) anywhere = &row;
    }
    return anywhere;
  }

  /// The number of times that an element may have a child: not at all, once, or any number of times.
  int most(std::string_view list, std::string_view word) const {
    int found = 0;
    any(list, false, [&](std::string_view known, bool once) {
      if (known == word) found = once ? 1 : (std::numeric_limits<int>::max)();
      return found != 0;
    });
    return found;
  }
  bool has(std::string_view list, std::string_view word) const { return most(list, word) > 0; }

  /// Returns whether some element may have a child of that name.
  bool knows_child(std::string_view word) const {
    return std::ranges::any_of(rows_, [&](const Row& row) { return has(row.children, word); });
  }

  /// A suggestion for a word that is not in a list: "; did you mean joint?", or else all words of the list.
  std::string advice(std::string_view list, std::string_view word) const {
    std::string_view nearest;
    std::size_t least = std::string::npos;
    std::string all;
    any(list, false, [&](std::string_view known, bool) {
      all += corio::detail::join({all.empty() ? "; known are: " : ", ", known});
      const std::size_t allowed = (std::max<std::size_t>)(1, (std::min)(known.size(), word.size()) / 3);
      if ((std::max)(known.size(), word.size()) - (std::min)(known.size(), word.size()) > allowed) return false;
      if (const std::size_t d = edit_distance(word, known); d <= allowed && d < least) least = d, nearest = known;
      return false;
    });
    if (!nearest.empty()) return corio::detail::join({"; did you mean ", nearest, "?"});
    return all.empty() ? "; it has none" : all;
  }

 private:
  /// Calls f(word, whether at most once) for the words of a list until f returns true.
  template <class F>
  bool any(std::string_view list, bool once, const F& f) const {
    while (!list.empty()) {
      std::string_view word = list.substr(0, list.find(' '));
      list.remove_prefix((std::min)(list.size(), word.size() + 1));
      const bool this_once = once || word.ends_with('?');
      if (word.ends_with('?')) word.remove_suffix(1);
      if (word.starts_with('@') ? any(find("", word)->attributes, this_once, f) : f(word, this_once)) return true;
    }
    return false;
  }

  std::span<const Row> rows_;
};

}}}  // namespace corio::xml
